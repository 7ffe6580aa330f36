// Package overload is the command that simulates clients that retry against a server
// which slows down under load.
package overload

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/chart"
	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/experiment"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/expr"
	"example.com/backoff/sim/overload"
)

// publishedSchedules are the schedules of the published experiment.
var publishedSchedules = []string{
	"constant(100ms)",
	"normal-jitter(100ms, 5m, 2.718281828459045, 0.1)",
}

// flags are what the flags of sim overload say.
type flags struct {
	experiment.Flags
	scenario scenario
	verdict  bool
}

// New returns the command.
func New() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "overload [EXPR...]",
		Short: "Simulate clients that retry against a server that slows down under load",
		Long: `Simulate clients that retry against a server that slows down under load, the
experiment of A. Smirnov: the server is stopped for 20 s, and then resumed. Does
it recover, or do the retries keep it down?

Each client thinks, for an exponentially distributed time, calls, and retries by
its schedule what failed or took longer than --timeout; when the schedule ends it
gives up, and thinks again. With --rate operations begin at random instead,
so many a second, whatever became of the others. Requests and answers take no time
on their way, or --network, on average.

The server takes --base-latency for a request while at most --limit are open, and
then --latency-factor times as long for each --latency-scale requests more; or,
with --latency-per-open, so much longer for each. Every --poll it looks at a request
again, and at how many are open then; at 0 the latency is decided when the request
opens. Two things decide what happens: whether it goes on serving a request whose
client has given up (--abandoned keep or drop), and how many requests can wait in
the accept queue (--queue), all of which are open at once when it resumes.

Instead of --stop there is --slow-down, in which the server takes --factor times as
long, and --spike, in which --factor times as many operations begin.

The server has recovered when 90 % of the requests a second that were answered in
time before are answered in time again, and still are at the end; else it has
collapsed. Two standard deviations of their number are allowed for.

Without EXPR it runs the two published schedules:

    constant(100ms)
    normal-jitter(100ms, 5m, 2.718281828459045, 0.1)

With --format csv there is a line for each schedule and second,

    schedule,t_s,first,retries,ok,timeouts,refused,open,latency_ms

where t_s is when the second begins, first and retries are the requests sent, ok
those answered in time, timeouts those abandoned, refused those answered by an
error, and open and latency_ms are the server's at the second's end; of several
repetitions all are means. With --verdict there is a line for each schedule and
repetition instead, each with a seed of its own:

    schedule,seed,verdict,recovered_after_s,peak_open

where verdict is recovered or collapsed, and recovered_after_s counts from the end
of the trigger, and is empty where the server collapsed. JSON has every repetition,
and more of each second.

--png and --svg draw open requests and goodput over time.`,
		Example: `  backoff sim overload
  backoff sim overload --abandoned drop
  backoff sim overload --queue 128 --png overload.png
  backoff sim overload 'full-jitter(100ms, 5m)' --budget 10,0.1 --processes 1000 --reps 30
  backoff sim overload 'constant(0s) | take(2)' 'full-jitter(20s, none) | take(2)' --rate 40 --warmup 20s --spike 5s --after 55s --network 100ms --base-latency 1s --latency-per-open 10ms --poll 0 --timeout 3s --reps 30`,
		ValidArgsFunction: cli.CompleteExpr,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := cli.CommandName(cmd)
			if err := f.Check(name); err != nil {
				return err
			}
			config, err := f.scenario.config(cmd)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			exprs, err := f.Parse(args, publishedSchedules)
			if err != nil {
				return err
			}
			all, err := f.run(cmd, config, exprs)
			if err != nil {
				return err
			}
			figures := f.figures(config, all)
			if err := f.WritePictures(figures...); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return f.write(cmd.OutOrStdout(), config, all, figures)
		},
	}
	f.scenario.addFlags(cmd)
	f.Flags.AddFlags(cmd, 1)
	cmd.Flags().BoolVar(&f.verdict, "verdict", false, "only say of each repetition how it ended")
	return cmd
}

func (f *flags) run(cmd *cobra.Command, config overload.Config, exprs []*expr.Expr) ([]seconds.Series, error) {
	config.Reps = f.Reps
	config.Seed = f.Seed
	config.Workers = f.Workers
	var all []seconds.Series
	err := f.Each(cmd, exprs, func(ctx context.Context, e *expr.Expr, progress func(done, total int)) error {
		config.Schedule = e.Seeded
		config.Progress = progress
		result, err := overload.Run(ctx, config)
		if err != nil {
			return experiment.FlagError(cmd, err, f.scenario.fields(config))
		}
		all = append(all, seconds.Series{Name: e.String(), Reps: result.Reps})
		return nil
	})
	return all, err
}

func (f *flags) write(w io.Writer, config overload.Config, all []seconds.Series, figures []figure.Figure) error {
	switch {
	case f.Format == "csv" && f.verdict:
		return writeVerdictCSV(w, all)
	case f.Format == "csv":
		return seconds.WriteCSV(w, all)
	case f.Format == "json":
		return writeJSON(w, all, f.verdict)
	}
	if err := f.writeTable(w, config, all); err != nil || f.verdict {
		return err
	}
	for _, figure := range figures {
		if err := chart.Write(w, figure); err != nil {
			return err
		}
	}
	return nil
}

// figures are of open requests and of goodput over time: of several repetitions the
// median, between the least and the most.
func (f *flags) figures(config overload.Config, all []seconds.Series) []figure.Figure {
	along, during := "time", ""
	var shaded [2]time.Duration
	if from := config.Warmup; config.Trigger.For > 0 {
		shaded = [2]time.Duration{from, from + config.Trigger.For}
		during = fmt.Sprintf(" (%s from %s to %s)", triggerWords[config.Trigger.Kind].state, digits.Exact(shaded[0]), digits.Exact(shaded[1]))
	}
	if f.Reps > 1 {
		along = fmt.Sprintf("time     (lines: medians; bands: least to most of %d repetitions)", f.Reps)
	}
	open := figure.Figure{Title: "Open requests" + during, Vertical: figure.Counts, Up: "open requests"}
	goodput := figure.Figure{Title: "Goodput, requests answered in time a second" + during, Vertical: figure.Counts, Up: "goodput"}
	for _, s := range all {
		open.Curves = append(open.Curves, seconds.Curve(s.Name, s.Reps, func(s overload.Second) int64 { return s.Open }))
		goodput.Curves = append(goodput.Curves, seconds.Curve(s.Name, s.Reps, func(s overload.Second) int64 { return s.OK }))
	}
	figures := []figure.Figure{open, goodput}
	for i := range figures {
		figures[i].Along = along
		figures[i].Axis.Bin = time.Second
		figures[i].Shaded = shaded
		figures[i].Band = "least and most"
		figures[i].Logarithmic = f.Logarithmic && figure.NewBounds(figures[i].Curves).Max > 0
	}
	return figures
}
