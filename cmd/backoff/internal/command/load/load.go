// Package load is the command that loads the test server with clients that retry.
package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/live/load"
	"example.com/backoff/cmd/backoff/internal/live/server"
	"example.com/backoff/cmd/backoff/internal/present"
	"example.com/backoff/cmd/backoff/internal/screen"
	"example.com/backoff/expr"
	"example.com/backoff/sim/overload"
)

var formats = []string{"table", "csv"}

// New returns the command.
func New() *cobra.Command {
	var l load.Config
	var o present.Flags
	load := &cobra.Command{
		Use:        "load EXPR",
		Short:      "Load the test server with clients that retry",
		SuggestFor: []string{"bench"},
		Long: `Load the test server, which "backoff serve" has just started on a loopback address,
with clients that retry by a schedule: the experiment of "backoff sim overload",
in real time.

Each of --clients thinks, for an exponentially distributed time, and sends a
request, which times out after --timeout: the client abandons it. The client
retries by its schedule until it gets an answer in time or the schedule ends, and
then thinks again.

All clients share one transport of net/http, as the goroutines of a program do.
For --dial-timeout it goes on connecting for a request that was abandoned, and
gives the connection to another one that waits. So requests that found the accept
queue full and still wait are connected at once when the server resumes.

The server is stopped after --warmup and resumed after --stop; the run ends
--after that. With --stop-pid, which is the process of the server, load stops and
resumes it; without, do it yourself when load says so.

Every five seconds load writes its progress to standard error. At the end it
writes a table and the verdict: whether the goodput, the requests answered in
time, came back to 90 % of what it was before the stop, and is there at the end,
the last third of --after. Two standard deviations less are enough, so that chance
does not decide: in 5 s, 408 of 500 requests at 100 a second, but 40 of 60 at 12 a
second. If the server has not recovered, but is not congested at the end, load
says so, and what to do. With --format csv it writes a line for each second
instead:

    schedule     the expression
    t_s          when the second begins
    first        initial requests: operations begun
    retries      further requests
    ok           requests answered in time
    timeouts     requests that timed out: abandoned by their client
    refused      requests that failed with an error
    open         requests that the server has open when the second ends, abandoned
                 ones included; while it is stopped, those when it stopped
    latency_ms   its latency with that many, in milliseconds
    peak_open    the most requests that were open at one time within the second

--model also runs the model of the same server and clients, ` + fmt.Sprint(load.ModelReps) + ` times. The table has
the medians of these runs; the CSV has the run of --seed, with "EXPR (model)" as
its schedule. --png and --svg draw open requests and goodput, those of the model
between min and max.`,
		Example: `  backoff serve --abandoned keep
  backoff load 'constant(100ms)' --stop-pid $(pgrep -xf 'backoff serve.*') --model --png fixed.png
  backoff load 'full-jitter(100ms, 10s)' --clients 300 --stop 5s --after 20s`,
		Args:              cli.WantOneExpr,
		ValidArgsFunction: cli.CompleteExpr,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := l.Check(cmd.Flags().Changed("stop-pid"))
			if err != nil {
				return fmt.Errorf("load: %w", err)
			}
			if err := checkFormat(&o); err != nil {
				return fmt.Errorf("load: %w", err)
			}
			if err := o.CheckFiles("load"); err != nil {
				return err
			}
			exprs, err := cli.ParseExprs(args)
			if err != nil {
				return err
			}
			ctx, cancel := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer cancel()
			err = run(ctx, &l, &o, exprs[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
			switch {
			case ctx.Err() != nil:
				fmt.Fprintln(cmd.ErrOrStderr(), "backoff: load: interrupted")
				return cli.ExitError(130)
			case err != nil:
				return fmt.Errorf("load: %w", err)
			}
			return nil
		},
	}
	model := overload.Default()
	flags := load.Flags()
	flags.StringVar(&l.Address, "address", server.DefaultAddress, "loopback `address` of the server")
	flags.StringVar(&l.Stats, "stats", server.DefaultStats, "loopback `address` of its statistics")
	flags.IntVar(&l.Clients, "clients", model.Clients, "number of clients")
	flags.DurationVar(&l.Think, "think", model.Think, "mean time that a client thinks between operations, exponentially distributed")
	flags.DurationVar(&l.Timeout, "timeout", model.Timeout, "time after which a client abandons its request")
	flags.DurationVar(&l.DialTimeout, "dial-timeout", 30*time.Second, "time after which connecting ends, also for a request that was abandoned")
	flags.DurationVar(&l.Phases.Warmup, "warmup", model.Warmup, "time before the outage")
	flags.DurationVar(&l.Phases.Stop, "stop", model.Trigger.For, "time that the server is stopped, the outage; 0 for none")
	flags.DurationVar(&l.Phases.After, "after", model.After, "time after the outage, to recover")
	flags.IntVar(&l.StopPID, "stop-pid", 0, "`process` of the server, to stop and resume it")
	flags.Uint64Var(&l.Seed, "seed", 1, "random seed of the clients")
	flags.BoolVar(&l.Model, "model", false, "run the model as well, for comparison")
	o.AddScale(load)
	flags.StringVar(&o.Format, "format", "table", "write as `format`: table or csv")
	o.Pictures.AddFlags(load)
	complete := cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)
	if err := load.RegisterFlagCompletionFunc("format", complete); err != nil {
		panic(err) // there is no such flag, or it has one already
	}
	return load
}

func checkFormat(o *present.Flags) error {
	if !slices.Contains(formats, o.Format) {
		return fmt.Errorf("--format is %q, want one of %s", o.Format, strings.Join(formats, ", "))
	}
	return nil
}

func run(ctx context.Context, l *load.Config, p *present.Flags, e *expr.Expr, stdout, stderr io.Writer) error {
	o, err := l.Run(ctx, e, stderr)
	if err != nil {
		return err
	}
	if l.Model {
		if o.Model, err = l.RunModel(ctx, e, o.Rules); err != nil {
			return err
		}
	}
	if p.Format == "csv" {
		verdict := screen.NewWriter(stderr)
		writeVerdict(verdict, o)
		err = errors.Join(verdict.Flush(), writeCSV(stdout, o))
	} else {
		err = writeTable(stdout, o)
	}
	return errors.Join(err, p.WritePictures(figures(o, p.Scale)...))
}
