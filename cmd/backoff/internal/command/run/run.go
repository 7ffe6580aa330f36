// Package run is the command that runs another command until it succeeds.
package run

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/process"
	"example.com/backoff/cmd/backoff/internal/supervise"
)

// Without --delay and --retry the delays are 1, 2, 4, 8, 16, 32, 60 and 60 s, each less up
// to a half.
const (
	defaultDelay    = "equal-jitter(1s, 1m)"
	defaultRetry    = defaultDelay + " | take(8)"
	defaultAttempts = 9
)

var outputs = []string{"all", "last"}

// New returns the command.
func New() *cobra.Command {
	var r supervise.Options
	var s schedule
	cmd := &cobra.Command{
		Use:        "run [flags] [--] COMMAND [ARGUMENT...]",
		Short:      "Run a command until it succeeds",
		SuggestFor: []string{"retry", "exec", "until"},
		Long: `Run a command, and run it again until it succeeds.

Delays. -n limits the number of attempts. --delay is the time between them, a
duration or an expression such as 'exponential(1s, 2) | cap(1m)'. With --delay
and without -n, attempts go on until one succeeds or --timeout is over. Without
--delay the delays are those of ` + defaultDelay + `, and without -n as well
there are 9 attempts, which take 92 to 183 seconds. "backoff list" explains
expressions.

Failures. An attempt fails if its exit status is not 0. --on lists the only
statuses to retry, --stop-on those not to retry, and --until those that mean
success. A list is written 1,75-77. Without --on every failure is retried except
126 and 127, because the command cannot be run, and 141, which is SIGPIPE: the
reader of its output is gone. 126 is retried if the machine is busy: another
process writes the command's file, or there are too many open files, too many
processes or too little memory.

Time limits. --timeout limits all attempts and delays together. If a delay would
last longer, backoff gives up at once. --attempt-timeout limits each attempt,
and what takes longer has status 124. The command then gets SIGTERM, and SIGKILL
after --kill-after, together with every process in its process group.

Exit status. It is that of the last attempt, with these exceptions:

    124      the last attempt or --timeout ran out of time
    125      backoff itself failed
    126      the command cannot be run
    127      the command is not found
    128+n    signal n killed the last attempt, or ended backoff
    1        the last attempt succeeded, but --successes was not reached; or its
             status was 0, and 0 is not in --until; if --until includes 1, the
             lowest status above 1 that is not in --until
    2        a flag is wrong; one line says which and why

So with --until 1 success is status 1, which && and set -e take for a failure:
add || [ $? = 1 ], as in the example below. With --until 0,1 the status says
which of the two it was.

The command. It is run without a shell: use sh -c for pipes and variables. The
words after it are its own, flags included. The variable RETRY_ATTEMPT has the
number of the attempt: 1, 2, 3, ...

Schedules. --retry takes an expression as --delay does, but no duration. n delays
make n+1 attempts, so 'constant(1s) | take(4)' is the same as -n 5 --delay 1s. If
the expression ends by itself, -n can only lower the number of attempts. The same
--seed gives the same random delays.

Input. Each attempt reads standard input from its beginning. Backoff rewinds a
file, passes on a terminal, and records a pipe in a temporary file as far as the
attempts read it.

Output. With --output all, the command writes to standard output directly. With
--output last, the command writes to a pipe. Backoff keeps its output in a
temporary file, and writes that of the last attempt at the end. A process that
the command leaves behind gets SIGPIPE if it writes there after that. Standard
error is always written directly.

Signals. Backoff passes INT, TERM, HUP and QUIT on to the command and its process
group, waits for the command to end, and does not retry. It passes on USR1, USR2,
ALRM and WINCH and continues. Ctrl-Z stops both. On Linux jobs -l then says
Stopped (tty input), because backoff stops itself by SIGTTIN. In the background
it does not count down on the terminal, and logs each delay once. The command
may read from the terminal. As the first process of a container backoff also
waits for processes that the command has left behind.

Report. --report writes a JSON object: command, expression, seed, started,
elapsed, status, reason and attempts, each with attempt, start (since the first
began), elapsed, status, signal, timed_out, error and delay (before the next
attempt, or null). Times are exact numbers of seconds. With --report - it follows
the command's output on standard output; to separate them give it a file. If a
word of the command is not UTF-8, command has U+FFFD for each wrong byte, and
command_base64 has the bytes of all words in base64.`,
		Example: `  # make 5 attempts, one second apart
  backoff run -n 5 --delay 1s -- curl -fsS https://example.com/

  # retry for five minutes with growing random delays, 10 seconds an attempt
  backoff run --delay 'full-jitter(500ms, 30s)' --timeout 5m --attempt-timeout 10s -- curl -fsS https://example.com/

  # wait until a server answers three times in a row
  backoff run -n 60 --delay 1s --successes 3 -- pg_isready -q

  # retry only what sysexits.h calls temporary, or what took too long
  backoff run --on 75,124 --attempt-timeout 1m -- ./deliver

  # wait until a process has ended; pgrep, and thus backoff, then exits with 1
  backoff run --delay 0.5 --until 1 --stop-on 2-255 -- pgrep -x backup || [ $? = 1 ]

  # give each attempt the whole input, and pass on the output of the last
  generate | backoff run --output last -- ssh host import | tee log

  # print the delays and run nothing
  backoff run --dry-run --seed 1 --timeout 1m -- ./deliver`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "" {
				return errors.New("run: no command, want one such as 'backoff run -- curl -f https://example.com/'")
			}
			return nil
		},
		Annotations:       map[string]string{cli.WriteErrorStatus: strconv.Itoa(process.StatusFailed)},
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFlags(&r, cmd, &s); err != nil {
				return err
			}
			if r.DryRun {
				return cli.Written(cmd, r.WriteDryRun(cmd.OutOrStdout()))
			}
			status, err := r.Run(cmd.Context(), cmd.ErrOrStderr(), args)
			if status != 0 {
				err = errors.Join(err, cli.ExitError(status))
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // the flags after the command are its own
	flags.SortFlags = false
	flags.Int64VarP(&s.attempts, "attempts", "n", 0, "make at most this `number` of attempts")
	flags.StringVar(&s.delay, "delay", "", "wait this `delay` between attempts: a duration or an expression (default \""+defaultDelay+"\")")
	flags.DurationVar(&r.Timeout, "timeout", 0, "give up after this time")
	flags.DurationVar(&r.AttemptTimeout, "attempt-timeout", 0, "end an attempt after this time")
	flags.Var(&r.Policy.On, "on", "retry only these exit `statuses`")
	flags.Var(&r.Policy.StopOn, "stop-on", "do not retry these exit `statuses`")
	flags.Var(&r.Policy.Until, "until", "exit `statuses` that mean success (default 0)")
	flags.IntVar(&r.Successes, "successes", 1, "run until this `number` of attempts in a row have succeeded")
	flags.BoolVarP(&r.Quiet, "quiet", "q", false, "do not log attempts and delays")
	flags.StringVar(&r.Output, "output", "all", "`which` attempts' standard output to write: all or last")
	flags.StringVar(&r.Report, "report", "", "write a JSON report to this `file`; - is standard output")
	flags.StringVar(&s.retry, "retry", "", "wait by the schedule `EXPR`, instead of --delay")
	flags.Uint64Var(&r.Seed, "seed", 0, "random seed (default: random)")
	flags.BoolVar(&r.DryRun, "dry-run", false, "print the delays and run nothing")
	flags.DurationVar(&r.KillAfter, "kill-after", 5*time.Second, "send SIGKILL this long after SIGTERM")
	r.Policy.Until.Has[0] = true
	for name, offer := range map[string]cobra.CompletionFunc{
		"retry":  cli.CompleteExpr,
		"delay":  cli.CompleteExpr,
		"output": cobra.FixedCompletions(outputs, cobra.ShellCompDirectiveNoFileComp),
	} {
		if err := cmd.RegisterFlagCompletionFunc(name, offer); err != nil {
			panic(err) // there is no such flag, or it has one already
		}
	}
	return cmd
}

func checkFlags(r *supervise.Options, cmd *cobra.Command, s *schedule) (err error) {
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
	if r.DryRun && flags.Changed("report") {
		return errors.New("run: --dry-run and --report are given, want one of them")
	}
	if err := r.Policy.Check(); err != nil {
		return err
	}
	if r.Schedule, err = s.parse(flags.Changed); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if n, bounded := s.maxAttempts(flags.Changed); bounded && r.Successes > n {
		return fmt.Errorf("run: --successes is %d, want at most the number of attempts, %d", r.Successes, n)
	}
	if !flags.Changed("seed") {
		r.Seed = rand.Uint64()
	}
	return nil
}
