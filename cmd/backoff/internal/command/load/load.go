// Package load is the command that loads an HTTP server with clients that retry.
package load

import (
	"bufio"
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
	"example.com/backoff/expr"
	"example.com/backoff/sim/overload"
)

var formats = []string{"table", "csv"}

// New returns the command.
func New() *cobra.Command {
	var l load.Config
	var o present.Flags
	load := &cobra.Command{
		Use:   "load EXPR",
		Short: "Load a server with clients that retry",
		Long: `Load a server on a loopback address, one that "backoff serve" has just begun,
with clients that retry as the schedule says: the experiment of "backoff sim
overload", in real time.

Each of --clients thinks, for a time that is exponentially distributed with a
mean of --think, and makes a request, which it abandons after --timeout. After a
failure it makes another when the next delay of its schedule is over, until one
succeeds or the schedule ends. Then it thinks again.

All of them share the transport of net/http, as the goroutines of a program do.
It goes on connecting for --dial-timeout when a request was abandoned, and gives
the connection to another one that waits: of requests that found the accept queue
full, those that still wait are connected at once when the server resumes.

The server is stopped after --warmup and goes on after --stop, and --after that
the run ends. With --stop-pid load itself stops and resumes the process, which
is the server's; without, do it by hand.

Every five seconds it says on standard error how it goes, and when it is over it
writes a table, and the verdict: whether the goodput, the requests answered in
time, came back to 90 % of what it was before the stop. With --format csv it
writes a line for each second n, from n s to n+1 s:

    schedule     the expression
    t_s          n
    first        operations begun
    retries      further requests
    ok           requests answered in time
    timeouts     requests abandoned by their client
    refused      requests that failed otherwise
    open         requests that the server is at when the second ends, abandoned
                 ones among them; while it is stopped, those at which it was
    latency_ms   its latency with so many, in milliseconds

--model runs the model of the same server and clients as well. Its lines in CSV
have a schedule of "EXPR (model)", and are those of --seed; the table has the
median of ` + fmt.Sprint(load.ModelReps) + ` runs. --png and --svg draw open requests and goodput, of the
model between least and most.`,
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
	flags.StringVar(&l.Address, "address", server.DefaultAddress, "the loopback `address` of the server")
	flags.StringVar(&l.Stats, "stats", server.DefaultStats, "the loopback `address` of its statistics")
	flags.IntVar(&l.Clients, "clients", model.Clients, "how many clients")
	flags.DurationVar(&l.Think, "think", model.Think, "the mean time that a client thinks before its next operation")
	flags.DurationVar(&l.Timeout, "timeout", model.Timeout, "when a client abandons a request")
	flags.DurationVar(&l.DialTimeout, "dial-timeout", 30*time.Second, "how long to go on connecting, also for a request that was abandoned")
	flags.DurationVar(&l.Phases.Warmup, "warmup", model.Warmup, "how long all goes well")
	flags.DurationVar(&l.Phases.Stop, "stop", model.Trigger.For, "how long the server is stopped then")
	flags.DurationVar(&l.Phases.After, "after", model.After, "how long it has to recover")
	flags.IntVar(&l.StopPID, "stop-pid", 0, "the `process` to stop and resume, which is the server's")
	flags.Uint64Var(&l.Seed, "seed", 1, "where the random numbers of clients begin")
	flags.BoolVar(&l.Model, "model", false, "run the model as well, to compare")
	flags.BoolVar(&o.Logarithmic, "log", false, "draw open requests on a logarithmic axis")
	flags.StringVar(&o.Format, "format", "table", "write as `format`: table or csv")
	flags.Var((*present.FileName)(&o.Png), "png", "draw the run into this PNG `file`")
	flags.Var((*present.FileName)(&o.Svg), "svg", "draw the run into this SVG `file`")
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
		verdict := bufio.NewWriter(stderr)
		writeVerdict(verdict, o)
		err = errors.Join(verdict.Flush(), writeCSV(stdout, o))
	} else {
		err = writeTable(stdout, o)
	}
	return errors.Join(err, p.WritePictures(figures(o, p.Logarithmic)...))
}
