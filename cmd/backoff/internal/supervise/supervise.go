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

// Options are the values of the flags of run.
type Options struct {
	Schedule       *expr.Expr
	Policy         policy
	Timeout        time.Duration // 0 for none
	AttemptTimeout time.Duration // 0 for none
	KillAfter      time.Duration
	Successes      int
	Output         string
	Quiet          bool
	DryRun         bool
	Seed           uint64
	Report         string // a file, "-" for standard output, or "" for none
}

// delays returns the schedule. It gives the same delays each time.
func (o *Options) delays() iter.Seq[time.Duration] {
	return o.Schedule.Seeded(o.Seed)
}

// A supervisor is a command being retried.
type supervisor struct {
	*Options
	argv       []string
	count      *count // nil if there are no messages
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

// Run runs the command until it succeeds, and returns the exit status of backoff. It uses
// the standard files of this process, because the command inherits them.
func (o *Options) Run(ctx context.Context, stderr io.Writer, argv []string) (status int, err error) {
	var report *os.File
	switch o.Report {
	case "":
	case "-":
		report = os.Stdout
	default:
		// Before anything runs: an error that comes now costs nothing.
		if report, err = os.Create(o.Report); err != nil {
			return 0, fmt.Errorf("run: --report: %w", err)
		}
		defer func() { err = errors.Join(err, report.Close()) }()
	}
	// Go ends a program that has no file left to make its first timer with.
	time.AfterFunc(time.Hour, func() {}).Stop()
	ctx, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	s := &supervisor{
		Options: o, argv: argv, started: time.Now(), tty: process.OpenTerminal(), watch: process.NewRelay(interrupt),
		in: spool.NewInput(os.Stdin), out: &spool.Output{To: os.Stdout, Hold: o.Output == "last"},
		progress: newProgress(stderr, o.Quiet),
	}
	if !o.Quiet {
		s.count = newCount(o.delays())
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
	status, reason, message := s.outcome(ctx, result)
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
			s.progress.startWaiting(s.describe(ctx, a), e.Delay)
		}),
	}
	if s.AttemptTimeout > 0 {
		opts = append(opts, retry.AttemptTimeout(s.AttemptTimeout))
	}
	// Not by retry.If, which Do does not call for an attempt that took too long.
	var cut bool
	delays := untilDone(ctx, s.delays(), func() { cut = true })
	err := retry.Do(ctx, delays, func(ctx context.Context) error {
		err := s.attempt(ctx)
		if failed, ok := errors.AsType[attemptError](err); ok && s.Policy.retried(failed.ending.Status, failed.busy) || err == errTooFewInARow {
			return err
		}
		return retry.Permanent(err)
	}, opts...)
	if stopped, ok := errors.AsType[*retry.Error](err); ok && cut {
		stopped.Cause = context.Cause(ctx) // the schedule has not ended
	}
	return err
}

// outcome returns the exit status, the reason for the end, and a message to write even with
// --quiet. err is the error of retry.Do.
func (s *supervisor) outcome(ctx context.Context, err error) (status int, reason, message string) {
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
		s.progress.say("ended by %s", process.SignalName(caught))
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
			// A status that means success would be wrong.
		}
	}
	switch {
	case last == nil: // there was no time for one attempt
	case !s.Quiet:
		s.progress.say("%s; %s", s.describe(ctx, last), reason)
	case last.failure != nil:
		message = fmt.Sprintf("%s: %v", s.argv[0], last.failure)
	}
	return status, reason, message
}

// describe returns the result of an attempt in words.
func (s *supervisor) describe(ctx context.Context, a *attempt) string {
	name := fmt.Sprintf("attempt %d%s", a.number, s.count.ofAll(ctx))
	switch {
	case a.failure != nil:
		return fmt.Sprintf("%s cannot run %s: %v", name, s.argv[0], a.failure)
	case a.timedOut:
		return fmt.Sprintf("%s timed out after %s", name, digits.Brief(a.elapsed))
	case a.streak > 0:
		return fmt.Sprintf("%s succeeded, %d of %d in a row", name, a.streak, s.Successes)
	case a.ending.Signal != nil:
		return fmt.Sprintf("%s was %v", name, a.ending)
	}
	return fmt.Sprintf("%s failed with %v", name, a.ending)
}

// dryRunRows is the number of attempts that a dry run shows.
const dryRunRows = 20

// WriteDryRun writes when each attempt would begin if attempts took no time, and the seed if
// delays are random.
func (o *Options) WriteDryRun(w io.Writer) error {
	out := bufio.NewWriter(w)
	o.writeDelays(out)
	if o.Schedule.Random() {
		fmt.Fprintf(out, "the delays are those of --seed %d\n", o.Seed)
	}
	return out.Flush()
}

// writeDelays writes the table of a dry run, and why it ends.
func (o *Options) writeDelays(out io.Writer) {
	fmt.Fprintf(out, "%7s  %12s  %12s\n", "attempt", "delay", "elapsed")
	fmt.Fprintf(out, "%7d  %12s  %12s\n", 1, "", "0s")
	n, sum := 1, time.Duration(0)
	for d := range o.delays() {
		sum = saturating.Add(sum, d)
		if o.Timeout > 0 && sum >= o.Timeout {
			fmt.Fprintf(out, "no time left: the next delay is %s\n", digits.Brief(d))
			return
		}
		if n == dryRunRows {
			fmt.Fprintf(out, "and so on\n")
			return
		}
		n++
		fmt.Fprintf(out, "%7d  %12s  %12s\n", n, digits.Brief(d), digits.Brief(sum))
	}
	fmt.Fprintf(out, "no attempt left\n")
}
