package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/retry"
)

// defaultRetry waits 1, 2, 4, 8, 16, 32, 60 and 60 s, each less up to a half.
const defaultRetry = "equal-jitter(1s, 1m) | take(8)"

// A rerun is what the flags of run say.
type rerun struct {
	schedule       *expr.Expr
	policy         policy
	timeout        time.Duration // 0: none
	attemptTimeout time.Duration // 0: none
	killAfter      time.Duration
	successes      int
	output         string
	quiet          bool
	dryRun         bool
	seed           uint64
	report         string
}

var outputs = []string{"all", "last"}

func newRun() *cobra.Command {
	r := rerun{schedule: new(expr.Expr), killAfter: 5 * time.Second}
	var retryText string
	cmd := &cobra.Command{
		Use:   "run [flags] [--] COMMAND [ARGUMENT...]",
		Short: "Run a command until it succeeds",
		Long: `Run a command until it succeeds, waiting between attempts by a schedule.

The command is not given to a shell. What stands after it is its own, flags too.
Each attempt finds its number, 1, 2, 3, ..., in the variable RETRY_ATTEMPT.

Schedule. n delays are n retries, which are n+1 attempts. Without --retry it is
` + defaultRetry + `: 9 attempts, and 92 to 183 seconds between the
first and the last. "backoff list" has all stages, "backoff show" their delays.

Statuses. An attempt has succeeded if its exit status is in --until, 0 unless
given. It is retried if its status is in --on, and without --on if it is any
other but 126, 127, 141 and those in --stop-on: who is killed by SIGPIPE, which
is 141, has no reader left. A list is written 1,75-77.

The exit status of backoff is that of the last attempt, except that it is

    124      if time ran out: for the last attempt, or because of --timeout
    125      if backoff itself could not go on
    126      if the command cannot be run
    127      if the command is not found
    128+n    if signal n killed the last attempt, or ended backoff
    1        if --successes was not reached, though the last attempt succeeded,
             or if its status was 0 and that is not in --until; where 1 is in
             --until, the first status after it that is not
    2        if the flags are wrong, with one line that says how

An attempt that --attempt-timeout ends counts as status 124, for --on as well.

Time. --timeout bounds all of it. A delay that would last until then is not
begun. --attempt-timeout bounds each attempt. What runs too long gets SIGTERM
and, after --kill-after, SIGKILL, together with all that it has started, unless
that has left its process group. Each is a duration such as 90s or 1m30s, or a
number of seconds.

Input. Each attempt reads standard input from its beginning. A file is wound
back, a terminal is passed on, and what comes through a pipe is recorded in a
temporary file, no faster than the attempts ask for it.

Output. With --output all the command writes to standard output itself. With
last its output is held back in a temporary file, and only that of the last
attempt is written, when all is over. Standard error is never held back.

Signals. INT, TERM, HUP and QUIT are passed on to the command and what it has
started. No delay and no attempt follows. The command may take its time to end.
USR1, USR2, ALRM and WINCH are passed on and no more; ctrl-Z stops both. The
command may read from the terminal.

--report writes a JSON object: command, expression, seed, started, elapsed,
status, reason and attempts, each with attempt, start (since the first began),
elapsed, status, signal, timed_out, error and delay (before the next attempt, or
null). Times are exact numbers of seconds. The same --seed draws the same delays
again.`,
		Example: `  # try for five minutes, ten seconds each
  backoff run --retry 'full-jitter(500ms, 30s)' --timeout 5m --attempt-timeout 10s -- curl -fsS https://example.com/

  # wait until a server answers, three times in a row
  backoff run --retry 'constant(1s) | take(60)' --successes 3 -- pg_isready -q

  # retry only what sysexits.h calls temporary, or what took too long
  backoff run --on 75,124 --attempt-timeout 1m -- ./deliver

  # wait until a process has ended
  backoff run --retry 'constant(500ms)' --until 1 --stop-on 2-255 -- pgrep -x backup

  # hand on the output of the attempt that counts, and its input to each
  generate | backoff run --output last -- ssh host import | tee log

  # see the delays without running anything
  backoff run --dry-run --seed 1 --timeout 1m -- ./deliver`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "" {
				return errors.New("run: no command, want one such as 'backoff run -- curl -f https://example.com/'")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkRerun(&r, cmd, retryText); err != nil {
				return err
			}
			if r.dryRun {
				return r.writePlan(cmd.OutOrStdout())
			}
			status, err := r.run(cmd.Context(), cmd.ErrOrStderr(), args)
			if status != 0 {
				err = errors.Join(err, exitError(status))
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows the command is the command's
	flags.StringVar(&retryText, "retry", defaultRetry, "wait by the schedule `EXPR`")
	flags.Var((*span)(&r.timeout), "timeout", "stop after this `duration`")
	flags.Var((*span)(&r.attemptTimeout), "attempt-timeout", "end an attempt after this `duration`")
	flags.Var((*span)(&r.killAfter), "kill-after", "kill what has not ended this `duration` after SIGTERM")
	flags.Var(&r.policy.on, "on", "retry these exit `statuses` only")
	flags.Var(&r.policy.until, "until", "these exit `statuses` are success (default 0)")
	flags.Var(&r.policy.stopOn, "stop-on", "do not retry these exit `statuses`")
	flags.IntVar(&r.successes, "successes", 1, "go on until the command has succeeded so many times in a row")
	flags.StringVar(&r.output, "output", "all", "show the standard output of `which` attempts: all or last")
	flags.BoolVarP(&r.quiet, "quiet", "q", false, "say nothing about attempts and delays")
	flags.BoolVar(&r.dryRun, "dry-run", false, "write the delays and run nothing")
	flags.Uint64Var(&r.seed, "seed", 0, "where the random numbers begin (default: somewhere)")
	flags.StringVar(&r.report, "report", "", "write a JSON report to this `file`")
	r.policy.until.has[0] = true
	for name, offer := range map[string]cobra.CompletionFunc{
		"retry":  completeExpr,
		"output": cobra.FixedCompletions(outputs, cobra.ShellCompDirectiveNoFileComp),
	} {
		if err := cmd.RegisterFlagCompletionFunc(name, offer); err != nil {
			panic(err) // there is no such flag, or it has one already
		}
	}
	return cmd
}

func checkRerun(r *rerun, cmd *cobra.Command, retryText string) error {
	flags := cmd.Flags()
	for _, limit := range []struct {
		name string
		d    time.Duration
	}{{"timeout", r.timeout}, {"attempt-timeout", r.attemptTimeout}} {
		if flags.Changed(limit.name) && limit.d <= 0 {
			return fmt.Errorf("run: --%s is %v, want > 0s", limit.name, limit.d)
		}
	}
	switch {
	case r.killAfter < 0:
		return fmt.Errorf("run: --kill-after is %v, want >= 0s", r.killAfter)
	case r.successes < 1:
		return fmt.Errorf("run: --successes is %d, want a whole number >= 1", r.successes)
	case r.output != "all" && r.output != "last":
		return fmt.Errorf("run: --output is %q, want one of %s", r.output, strings.Join(outputs, ", "))
	}
	if err := r.policy.check(); err != nil {
		return err
	}
	if err := r.schedule.Set(retryText); err != nil {
		return fmt.Errorf("run: --retry: %w", err)
	}
	if !flags.Changed("seed") {
		r.seed = rand.Uint64()
	}
	return nil
}

// delays returns the schedule, which is the same each time.
func (r *rerun) delays() iter.Seq[time.Duration] {
	return r.schedule.Schedule(backoff.WithSeed(r.seed))
}

// countable is how many attempts a schedule may have to be called "2 of 9".
const countable = 1000

// of returns " of 9" where a schedule has an end that is worth a word.
func (r *rerun) of() string {
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
	*rerun
	argv     []string
	started  time.Time
	begun    time.Time // when the first attempt began
	attempts []*attempt
	tty      *terminal
	watch    *watch
	in       *input
	out      *output
	progress *progress
}

var errTimeout = errors.New("--timeout")

// run runs the command. It uses the process's own standard files, because a process is
// what it starts.
func (r *rerun) run(ctx context.Context, stderr io.Writer, argv []string) (status int, err error) {
	var report *os.File
	if r.report != "" {
		// Before anything runs: whoever wants a report wants to know now that there is none.
		if report, err = os.Create(r.report); err != nil {
			return 0, fmt.Errorf("run: --report: %w", err)
		}
		defer func() { err = errors.Join(err, report.Close()) }()
	}
	ctx, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	x := &execution{
		rerun: r, argv: argv, started: time.Now(), tty: openTerminal(), watch: newWatch(interrupt),
		in: newInput(os.Stdin), out: &output{to: os.Stdout, hold: r.output == "last"},
		progress: newProgress(stderr, r.quiet),
	}
	if r.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.timeout, errTimeout)
		defer cancel()
	}
	result := x.retry(ctx)
	x.progress.arrive()
	failures := []error{x.out.finish(), x.in.close()}
	x.watch.end()
	status, reason, message := x.outcome(result)
	if message != "" {
		fmt.Fprintf(stderr, "backoff: run: %s\n", strings.ReplaceAll(message, "\n", " "))
	}
	if report != nil {
		failures = append(failures, x.writeReport(report, status, reason))
	}
	if err := errors.Join(failures...); err != nil {
		fmt.Fprintf(stderr, "backoff: run: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
		status = statusFailed
	}
	if caught := x.watch.ending(); caught != nil && status == signalStatus(caught) {
		x.tty.dieOf(caught)
	}
	x.tty.close()
	return status, nil
}

// retry makes all attempts.
func (x *execution) retry(ctx context.Context) error {
	opts := []retry.Option{
		retry.OnRetry(func(e retry.Event) {
			a := x.attempts[len(x.attempts)-1]
			a.delay, a.retried = e.Delay, true
			if !x.quiet {
				x.progress.depart(x.describe(a), e.Delay)
			}
		}),
	}
	if x.attemptTimeout > 0 {
		opts = append(opts, retry.AttemptTimeout(x.attemptTimeout))
	}
	// Not by retry.If, which is not asked about an attempt that took too long.
	return retry.Do(ctx, x.delays(), func(ctx context.Context) error {
		err := x.attempt(ctx)
		if failed, ok := errors.AsType[attemptError](err); ok && x.policy.retried(failed.ending.status) || err == errStreak {
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
	caught := x.watch.ending()
	_, failed := errors.AsType[attemptError](err)
	stopped, _ := errors.AsType[*retry.Error](err)
	switch {
	case err == nil:
		return last.ending.status, "succeeded", ""
	case caught != nil:
		return signalStatus(caught), signalName(caught), ""
	case !failed && stopped == nil:
		return statusFailed, "backoff failed", err.Error()
	case stopped == nil:
		status, reason = last.ending.status, "not retried"
	case errors.Is(err, errTimeout) || errors.Is(err, retry.ErrDeadline):
		status, reason = statusTimedOut, "no time left"
	case !errors.Is(err, retry.ErrExhausted): // the caller's context
		return statusFailed, "backoff failed", err.Error()
	default:
		status, reason = last.ending.status, "no attempt left"
	}
	if status == 0 || last != nil && last.streak > 0 && status == last.ending.status {
		for status = 1; status < 255 && x.policy.success(status); status++ {
			// What means success would say the wrong thing.
		}
	}
	switch {
	case last == nil: // no time for even one
	case !x.quiet:
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
		return fmt.Sprintf("%s succeeded, %d of %d in a row", name, a.streak, x.successes)
	case a.ending.signal != nil:
		return fmt.Sprintf("%s was %v", name, a.ending)
	}
	return fmt.Sprintf("%s failed with %v", name, a.ending)
}

// planned is how many attempts a dry run shows.
const planned = 20

// writePlan writes when each attempt would begin, if none took any time.
func (r *rerun) writePlan(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%7s  %12s  %12s\n", "attempt", "delay", "elapsed")
	fmt.Fprintf(out, "%7d  %12s  %12s\n", 1, "", "0s")
	n := 1
	for d, sum := range running(r.delays()) {
		if r.timeout > 0 && sum >= r.timeout {
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
