// Package supervise retries a command until it succeeds: "backoff run" without its flags.
package supervise

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/process"
	"example.com/backoff/cmd/backoff/internal/spool"
	"example.com/backoff/expr"
	"example.com/backoff/internal/saturating"
	"example.com/backoff/retry"
)

// Options are what the flags of run say.
type Options struct {
	Schedule       *expr.Expr
	Policy         policy
	Timeout        time.Duration // 0: none
	AttemptTimeout time.Duration // 0: none
	KillAfter      time.Duration
	Successes      int
	Output         string
	Quiet          bool
	DryRun         bool
	Seed           uint64
	Report         string
}

// delays returns the schedule, which is the same each time.
func (o *Options) delays() iter.Seq[time.Duration] {
	return o.Schedule.Seeded(o.Seed)
}

// countable is how many attempts a schedule may have to be called "2 of 9".
const countable = 1000

// ofHowMany returns " of 9" where a schedule has an end that is worth a word.
func (o *Options) ofHowMany() string {
	n := 1
	for range o.delays() {
		if n++; n > countable {
			return ""
		}
	}
	return fmt.Sprintf(" of %d", n)
}

// A supervisor is a command being retried.
type supervisor struct {
	*Options
	argv       []string
	started    time.Time
	firstStart time.Time // when the first attempt began
	attempts   []*attempt
	tty        *process.Terminal
	watch      *process.Relay
	in         *spool.Input
	out        *spool.Output
	progress   *progress
}

var errTimeout = errors.New("--timeout")

// Run runs the command. It uses the process's own standard files, because a process is
// what it starts.
func (o *Options) Run(ctx context.Context, stderr io.Writer, argv []string) (status int, err error) {
	var report *os.File
	if o.Report != "" {
		// Before anything runs: whoever wants a report wants to know now that there is none.
		if report, err = os.Create(o.Report); err != nil {
			return 0, fmt.Errorf("run: --report: %w", err)
		}
		defer func() { err = errors.Join(err, report.Close()) }()
	}
	ctx, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	s := &supervisor{
		Options: o, argv: argv, started: time.Now(), tty: process.OpenTerminal(), watch: process.NewRelay(interrupt),
		in: spool.NewInput(os.Stdin), out: &spool.Output{To: os.Stdout, Hold: o.Output == "last"},
		progress: newProgress(stderr, o.Quiet),
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, errTimeout)
		defer cancel()
	}
	result := s.retry(ctx)
	s.progress.stopWaiting()
	failures := []error{s.out.Finish(), s.in.Close()}
	s.watch.Close()
	status, reason, message := s.outcome(result)
	if message != "" {
		fmt.Fprintf(stderr, "backoff: run: %s\n", strings.ReplaceAll(message, "\n", " "))
	}
	if report != nil {
		failures = append(failures, s.writeReport(report, status, reason))
	}
	if err := errors.Join(failures...); err != nil {
		fmt.Fprintf(stderr, "backoff: run: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
		status = process.StatusFailed
	}
	if caught := s.watch.Caught(); caught != nil && status == process.SignalStatus(caught) {
		s.tty.DieOf(caught)
	}
	s.tty.Close()
	return status, nil
}

// retry makes all attempts.
func (s *supervisor) retry(ctx context.Context) error {
	opts := []retry.Option{
		retry.OnRetry(func(e retry.Event) {
			a := s.attempts[len(s.attempts)-1]
			a.delay, a.retried = e.Delay, true
			if !s.Quiet {
				s.progress.startWaiting(s.describe(a), e.Delay)
			}
		}),
	}
	if s.AttemptTimeout > 0 {
		opts = append(opts, retry.AttemptTimeout(s.AttemptTimeout))
	}
	// Not by retry.If, which is not asked about an attempt that took too long.
	return retry.Do(ctx, s.delays(), func(ctx context.Context) error {
		err := s.attempt(ctx)
		if failed, ok := errors.AsType[attemptError](err); ok && s.Policy.retried(failed.ending.Status) || err == errTooFewInARow {
			return err
		}
		return retry.Permanent(err)
	}, opts...)
}

// outcome returns the exit status that an end amounts to, why it is the end, and what
// there is to say about that whatever --quiet says.
func (s *supervisor) outcome(err error) (status int, reason, message string) {
	var last *attempt
	if len(s.attempts) > 0 {
		last = s.attempts[len(s.attempts)-1]
	}
	caught := s.watch.Caught()
	_, failed := errors.AsType[attemptError](err)
	stopped, _ := errors.AsType[*retry.Error](err)
	switch {
	case err == nil:
		return last.ending.Status, "succeeded", ""
	case caught != nil:
		return process.SignalStatus(caught), process.SignalName(caught), ""
	case !failed && stopped == nil:
		return process.StatusFailed, "backoff failed", err.Error()
	case stopped == nil:
		status, reason = last.ending.Status, "not retried"
	case errors.Is(err, errTimeout) || errors.Is(err, retry.ErrDeadline):
		status, reason = process.StatusTimedOut, "no time left"
	case !errors.Is(err, retry.ErrExhausted): // the caller's context
		return process.StatusFailed, "backoff failed", err.Error()
	default:
		status, reason = last.ending.Status, "no attempt left"
	}
	if status == 0 || last != nil && last.streak > 0 && status == last.ending.Status {
		for status = 1; status < 255 && s.Policy.success(status); status++ {
			// What means success would say the wrong thing.
		}
	}
	switch {
	case last == nil: // no time for even one
	case !s.Quiet:
		s.progress.say("%s; %s", s.describe(last), reason)
	case last.failure != nil:
		message = fmt.Sprintf("%s: %v", s.argv[0], last.failure)
	}
	return status, reason, message
}

// describe says what became of an attempt.
func (s *supervisor) describe(a *attempt) string {
	name := fmt.Sprintf("attempt %d%s", a.number, s.ofHowMany())
	switch {
	case a.failure != nil:
		return fmt.Sprintf("%s cannot run %s: %v", name, s.argv[0], a.failure)
	case a.timedOut:
		return fmt.Sprintf("%s timed out after %v", name, digits.Three(a.elapsed))
	case a.streak > 0:
		return fmt.Sprintf("%s succeeded, %d of %d in a row", name, a.streak, s.Successes)
	case a.ending.Signal != nil:
		return fmt.Sprintf("%s was %v", name, a.ending)
	}
	return fmt.Sprintf("%s failed with %v", name, a.ending)
}

// dryRunRows is how many attempts a dry run shows.
const dryRunRows = 20

// WriteDryRun writes when each attempt would begin, if none took any time.
func (o *Options) WriteDryRun(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%7s  %12s  %12s\n", "attempt", "delay", "elapsed")
	fmt.Fprintf(out, "%7d  %12s  %12s\n", 1, "", "0s")
	n, sum := 1, time.Duration(0)
	for d := range o.delays() {
		sum = saturating.Add(sum, d)
		if o.Timeout > 0 && sum >= o.Timeout {
			fmt.Fprintf(out, "no time left: the next delay is %s\n", digits.Three(d))
			return out.Flush()
		}
		if n == dryRunRows {
			fmt.Fprintf(out, "and so on\n")
			return out.Flush()
		}
		n++
		fmt.Fprintf(out, "%7d  %12s  %12s\n", n, digits.Three(d), digits.Three(sum))
	}
	fmt.Fprintf(out, "no attempt left\n")
	return out.Flush()
}
