package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Exit statuses that say something other than what a command means by them. They are
// those of timeout, env and the shells.
const (
	statusTimedOut = 124
	statusFailed   = 125 // backoff itself, not the command
	statusNoRun    = 126
	statusNotFound = 127
	statusSignal   = 128 // plus the signal's number
	statusPipe     = 141 // that of SIGPIPE
)

// statuses is a set of exit statuses, and a flag that may be given several times.
type statuses struct {
	has   [256]bool
	given bool // the flag was; what was in the set before was a default
}

func (s *statuses) Type() string { return "statuses" }

// Want says what the flag takes.
func (s *statuses) Want() string { return "exit statuses in [0, 255] such as 1,75-77" }

// Set adds a list of statuses and ranges, 1,75-77, to the set.
func (s *statuses) Set(text string) error {
	next := *s
	if !s.given {
		next = statuses{given: true}
	}
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		from, err := parseStatus(low)
		if err != nil {
			return err
		}
		to, err := parseStatus(high)
		if err != nil {
			return err
		}
		if from > to {
			return fmt.Errorf("%s is no range", part)
		}
		for status := from; status <= to; status++ {
			next.has[status] = true
		}
	}
	*s = next
	return nil
}

func parseStatus(text string) (int, error) {
	status, err := strconv.ParseUint(strings.TrimSpace(text), 10, 8)
	if err != nil {
		return 0, errors.Unwrap(err)
	}
	return int(status), nil
}

// String returns the set as Set reads it: 1,75-77.
func (s *statuses) String() string {
	var parts []string
	for from := 0; from < len(s.has); from++ {
		if !s.has[from] {
			continue
		}
		to := from
		for to+1 < len(s.has) && s.has[to+1] {
			to++
		}
		part := strconv.Itoa(from)
		if to > from {
			part += "-" + strconv.Itoa(to)
		}
		parts = append(parts, part)
		from = to
	}
	return strings.Join(parts, ",")
}

// A policy says what to do about an exit status.
type policy struct{ on, until, stopOn statuses }

// check looks for a status that two flags claim.
func (p *policy) check() error {
	for _, pair := range []struct {
		a, b         *statuses
		aName, bName string
	}{
		{&p.on, &p.until, "--on", "--until"},
		{&p.stopOn, &p.until, "--stop-on", "--until"},
		{&p.on, &p.stopOn, "--on", "--stop-on"},
	} {
		for status := range pair.a.has {
			if !pair.a.has[status] || !pair.b.has[status] {
				continue
			}
			if !pair.b.given {
				return fmt.Errorf("run: exit status %d is in %s and, by default, in %s, want it in one of them",
					status, pair.aName, pair.bName)
			}
			return fmt.Errorf("run: exit status %d is in %s and in %s, want it in one of them",
				status, pair.aName, pair.bName)
		}
	}
	return nil
}

// success reports whether the command did what it was called for.
func (p *policy) success(status int) bool { return p.until.has[status] }

// retried reports whether another attempt may follow one with this status, which is
// no success. Without --on those are all but the two that say that there is no such
// command, and the one that says that nobody reads what it writes.
func (p *policy) retried(status int) bool {
	if p.on.given {
		return p.on.has[status]
	}
	return !p.stopOn.has[status] && status != statusNoRun && status != statusNotFound && status != statusPipe
}
