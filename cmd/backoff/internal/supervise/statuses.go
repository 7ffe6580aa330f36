package supervise

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"example.com/backoff/cmd/backoff/internal/process"
)

// statuses is a set of exit statuses, and a flag that may be given several times.
type statuses struct {
	Has   [256]bool
	given bool // by the flag; before that the set is a default
}

func (s *statuses) Type() string { return "statuses" }

// Want describes what the flag takes.
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
			next.Has[status] = true
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
	for from := 0; from < len(s.Has); from++ {
		if !s.Has[from] {
			continue
		}
		to := from
		for to+1 < len(s.Has) && s.Has[to+1] {
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

// A policy decides what an exit status means.
type policy struct{ On, Until, StopOn statuses }

// Check returns an error if two flags have the same status.
func (p *policy) Check() error {
	for _, pair := range []struct {
		a, b         *statuses
		aName, bName string
	}{
		{&p.On, &p.Until, "--on", "--until"},
		{&p.StopOn, &p.Until, "--stop-on", "--until"},
		{&p.On, &p.StopOn, "--on", "--stop-on"},
	} {
		for status := range pair.a.Has {
			if !pair.a.Has[status] || !pair.b.Has[status] {
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

// success reports whether a status means success.
func (p *policy) success(status int) bool { return p.Until.Has[status] }

// retried reports whether another attempt may follow one that failed with this status.
// Without --on these are all except those of --stop-on, the two for a command that cannot be
// run, unless the machine was busy, and that of SIGPIPE, because the reader of the command's
// output is gone.
func (p *policy) retried(status int, busy bool) bool {
	if p.On.given {
		return p.On.Has[status]
	}
	return !p.StopOn.Has[status] && (busy || status != process.StatusNoRun && status != process.StatusNotFound && status != process.StatusPipe)
}
