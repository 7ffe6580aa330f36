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

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/command/show"
	"example.com/backoff/cmd/backoff/internal/process"
	"example.com/backoff/cmd/backoff/internal/spool"
	"example.com/backoff/expr"
	"example.com/backoff/retry"
)

// A Rerun is what the flags of run say.
type Rerun struct {
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
func (r *Rerun) delays() iter.Seq[time.Duration] {
	return r.Schedule.Schedule(backoff.WithSeed(r.Seed))
}

// countable is how many attempts a schedule may have to be called "2 of 9".
const countable = 1000

// of returns " of 9" where a schedule has an end that is worth a word.
func (r *Rerun) of() string {
	n := 1
	for range r.delays() {
		if n++; n > countable {
			return ""
		}
	}
	return fmt.Sprintf(" of %d", n)
}

// An execution is a command being retried.
type execution struct {
	*Rerun
	argv     []string
	started  time.Time
	begun    time.Time // when the first attempt began
	attempts []*attempt
	tty      *process.Terminal
	watch    *process.Watch
	in       *spool.Input
	out      *spool.Output
	progress *progress
}

var errTimeout = errors.New("--timeout")

// Run runs the command. It uses the process's own standard files, because a process is
// what it starts.
func (r *Rerun) Run(ctx context.Context, stderr io.Writer, argv []string) (status int, err error) {
	var report *os.File
	if r.Report != "" {
		// Before anything runs: whoever wants a report wants to know now that there is none.
		if report, err = os.Create(r.Report); err != nil {
			return 0, fmt.Errorf("run: --report: %w", err)
		}
		defer func() { err = errors.Join(err, report.Close()) }()
	}
	ctx, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	x := &execution{
		Rerun: r, argv: argv, started: time.Now(), tty: process.OpenTerminal(), watch: process.NewWatch(interrupt),
		in: spool.NewInput(os.Stdin), out: &spool.Output{To: os.Stdout, Hold: r.Output == "last"},
		progress: newProgress(stderr, r.Quiet),
	}
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.Timeout, errTimeout)
		defer cancel()
	}
	result := x.retry(ctx)
	x.progress.arrive()
	failures := []error{x.out.Finish(), x.in.Close()}
	x.watch.End()
	status, reason, message := x.outcome(result)
	if message != "" {
		fmt.Fprintf(stderr, "backoff: run: %s\n", strings.ReplaceAll(message, "\n", " "))
	}
	if report != nil {
		failures = append(failures, x.writeReport(report, status, reason))
	}
	if err := errors.Join(failures...); err != nil {
		fmt.Fprintf(stderr, "backoff: run: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
		status = process.StatusFailed
	}
	if caught := x.watch.Ending(); caught != nil && status == process.SignalStatus(caught) {
		x.tty.DieOf(caught)
	}
	x.tty.Close()
	return status, nil
}

// retry makes all attempts.
func (x *execution) retry(ctx context.Context) error {
	opts := []retry.Option{
		retry.OnRetry(func(e retry.Event) {
			a := x.attempts[len(x.attempts)-1]
			a.delay, a.retried = e.Delay, true
			if !x.Quiet {
				x.progress.depart(x.describe(a), e.Delay)
			}
		}),
	}
	if x.AttemptTimeout > 0 {
		opts = append(opts, retry.AttemptTimeout(x.AttemptTimeout))
	}
	// Not by retry.If, which is not asked about an attempt that took too long.
	return retry.Do(ctx, x.delays(), func(ctx context.Context) error {
		err := x.attempt(ctx)
		if failed, ok := errors.AsType[attemptError](err); ok && x.Policy.retried(failed.ending.Status) || err == errStreak {
			return err
		}
		return retry.Permanent(err)
	}, opts...)
}

// outcome returns the exit status that an end amounts to, why it is the end, and what
// there is to say about that whatever --quiet says.
func (x *execution) outcome(err error) (status int, reason, message string) {
	var last *attempt
	if len(x.attempts) > 0 {
		last = x.attempts[len(x.attempts)-1]
	}
	caught := x.watch.Ending()
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
		for status = 1; status < 255 && x.Policy.success(status); status++ {
			// What means success would say the wrong thing.
		}
	}
	switch {
	case last == nil: // no time for even one
	case !x.Quiet:
		x.progress.say("%s; %s", x.describe(last), reason)
	case last.failure != nil:
		message = fmt.Sprintf("%s: %v", x.argv[0], last.failure)
	}
	return status, reason, message
}

// describe says what became of an attempt.
func (x *execution) describe(a *attempt) string {
	name := fmt.Sprintf("attempt %d%s", a.number, x.of())
	switch {
	case a.failure != nil:
		return fmt.Sprintf("%s cannot run %s: %v", name, x.argv[0], a.failure)
	case a.timedOut:
		return fmt.Sprintf("%s timed out after %v", name, threeDigits(a.elapsed))
	case a.streak > 0:
		return fmt.Sprintf("%s succeeded, %d of %d in a row", name, a.streak, x.Successes)
	case a.ending.Signal != nil:
		return fmt.Sprintf("%s was %v", name, a.ending)
	}
	return fmt.Sprintf("%s failed with %v", name, a.ending)
}

// planned is how many attempts a dry run shows.
const planned = 20

// WritePlan writes when each attempt would begin, if none took any time.
func (r *Rerun) WritePlan(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%7s  %12s  %12s\n", "attempt", "delay", "elapsed")
	fmt.Fprintf(out, "%7d  %12s  %12s\n", 1, "", "0s")
	n := 1
	for d, sum := range show.Running(r.delays()) {
		if r.Timeout > 0 && sum >= r.Timeout {
			fmt.Fprintf(out, "no time left: the next delay is %s\n", threeDigits(d))
			return out.Flush()
		}
		if n == planned {
			fmt.Fprintf(out, "and so on\n")
			return out.Flush()
		}
		n++
		fmt.Fprintf(out, "%7d  %12s  %12s\n", n, threeDigits(d), threeDigits(sum))
	}
	fmt.Fprintf(out, "no attempt left\n")
	return out.Flush()
}
