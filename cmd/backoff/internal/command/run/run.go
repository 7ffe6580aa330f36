// Package run is the command that runs another command until it succeeds.
package run

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/supervise"
	"example.com/backoff/expr"
)

// defaultRetry waits 1, 2, 4, 8, 16, 32, 60 and 60 s, each less up to a half.
const defaultRetry = "equal-jitter(1s, 1m) | take(8)"

var outputs = []string{"all", "last"}

// New returns the command.
func New() *cobra.Command {
	r := supervise.Options{Schedule: new(expr.Expr), KillAfter: 5 * time.Second}
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
			if err := checkFlags(&r, cmd, retryText); err != nil {
				return err
			}
			if r.DryRun {
				return r.WriteDryRun(cmd.OutOrStdout())
			}
			status, err := r.Run(cmd.Context(), cmd.ErrOrStderr(), args)
			if status != 0 {
				err = errors.Join(err, cli.ExitError(status))
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows the command is the command's
	flags.StringVar(&retryText, "retry", defaultRetry, "wait by the schedule `EXPR`")
	flags.Var((*span)(&r.Timeout), "timeout", "stop after this `duration`")
	flags.Var((*span)(&r.AttemptTimeout), "attempt-timeout", "end an attempt after this `duration`")
	flags.Var((*span)(&r.KillAfter), "kill-after", "kill what has not ended this `duration` after SIGTERM")
	flags.Var(&r.Policy.On, "on", "retry these exit `statuses` only")
	flags.Var(&r.Policy.Until, "until", "these exit `statuses` are success (default 0)")
	flags.Var(&r.Policy.StopOn, "stop-on", "do not retry these exit `statuses`")
	flags.IntVar(&r.Successes, "successes", 1, "go on until the command has succeeded so many times in a row")
	flags.StringVar(&r.Output, "output", "all", "show the standard output of `which` attempts: all or last")
	flags.BoolVarP(&r.Quiet, "quiet", "q", false, "say nothing about attempts and delays")
	flags.BoolVar(&r.DryRun, "dry-run", false, "write the delays and run nothing")
	flags.Uint64Var(&r.Seed, "seed", 0, "where the random numbers begin (default: somewhere)")
	flags.StringVar(&r.Report, "report", "", "write a JSON report to this `file`")
	r.Policy.Until.Has[0] = true
	for name, offer := range map[string]cobra.CompletionFunc{
		"retry":  cli.CompleteExpr,
		"output": cobra.FixedCompletions(outputs, cobra.ShellCompDirectiveNoFileComp),
	} {
		if err := cmd.RegisterFlagCompletionFunc(name, offer); err != nil {
			panic(err) // there is no such flag, or it has one already
		}
	}
	return cmd
}

func checkFlags(r *supervise.Options, cmd *cobra.Command, retryText string) error {
	flags := cmd.Flags()
	for _, limit := range []struct {
		name string
		d    time.Duration
	}{{"timeout", r.Timeout}, {"attempt-timeout", r.AttemptTimeout}} {
		if flags.Changed(limit.name) && limit.d <= 0 {
			return fmt.Errorf("run: --%s is %v, want > 0s", limit.name, limit.d)
		}
	}
	switch {
	case r.KillAfter < 0:
		return fmt.Errorf("run: --kill-after is %v, want >= 0s", r.KillAfter)
	case r.Successes < 1:
		return fmt.Errorf("run: --successes is %d, want a whole number >= 1", r.Successes)
	case r.Output != "all" && r.Output != "last":
		return fmt.Errorf("run: --output is %q, want one of %s", r.Output, strings.Join(outputs, ", "))
	}
	if err := r.Policy.Check(); err != nil {
		return err
	}
	if err := r.Schedule.Set(retryText); err != nil {
		return fmt.Errorf("run: --retry: %w", err)
	}
	if !flags.Changed("seed") {
		r.Seed = rand.Uint64()
	}
	return nil
}
