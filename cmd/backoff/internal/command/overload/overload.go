// Package overload is the command that simulates clients that retry against a server
// which slows down under load.
package overload

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/advice"
	"example.com/backoff/cmd/backoff/internal/chart"
	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/experiment"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/expr"
	"example.com/backoff/sim/overload"
)

// publishedSchedules are the schedules of the published experiment.
var publishedSchedules = []string{
	"constant(100ms)",
	"normal-jitter(100ms, 5m, 2.718281828459045, 0.1)",
}

// flags are the values of the flags of sim overload.
type flags struct {
	experiment.Flags
	scenario scenario
	verdict  bool
	advice   bool
}

// New returns the command.
func New() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "overload [EXPR...]",
		Short: "Simulate clients that retry while a server is down",
		Long: `Simulate clients that retry while a server is down, and see what happens when it
comes back: does it recover, or do the retries keep it down? It is the experiment
of A. Smirnov: a server is stopped for 20 s, an outage, and then resumed.

The output ends with the verdict on each schedule. If a schedule has a problem, a
collapse or more than 10 % of wasted work, the command also tries what would help,
one change at a time, and writes the result of each with the flags or the
expression for it. A change helps if the server recovers in more repetitions; or,
if it recovered in all of them, with less than half of the wasted work.

Each of --clients thinks, for an exponentially distributed time, and sends a
request, which times out after --timeout: the client abandons it. The client
retries by its schedule until it gets an answer in time or the schedule ends, and
then thinks again. With --rate operations begin at random instead, at that rate a
second, whatever becomes of the others. A request takes --network on its way on average,
and so does its answer.

The latency of the server depends on how many requests are open:

    base-latency    while at most latency-limit are open, and then
    base-latency · latency-factor^((open − latency-limit) / latency-scale)

Its capacity, the most requests a second that it can answer, is the maximum of
open / latency. With --capacity the latency is that of a server whose capacity
you know:

    base-latency + open / capacity

Its requests a second approach the capacity as more are open, and never exceed
it. --latency-per-open is the same, given as 1 / capacity. Every --poll the server
checks whether a request has been open for the latency of that moment.

Two settings decide what happens after the outage:

    --abandoned   keep: the server goes on with abandoned requests, as a handler
                  does that ignores its request's context. cancel (or drop): it
                  ends them at once.
    --queue       how many requests wait in the accept queue of the system. All of
                  them become open when the server resumes.

Instead of --stop there is --slow-down, during which the latency is
--trigger-factor times as long, and --spike, during which --trigger-factor times
as many operations begin.

The server has recovered if its goodput, the requests answered in time, comes
back to 90 % of what it was before and is there at the end, the last third of
--after; otherwise it has collapsed. Two standard deviations are allowed. The
table says "not yet recovered" instead of collapsed if the server is not congested
at the end: at most 1 % of the requests time out, and the open requests stay
within twice their maximum before the trigger. If clients with long delays are
still missing, use a longer --after. If no client had a retry to wait for, few
operations begin and chance decides: use more clients or a higher rate.

Without EXPR it runs the two published schedules:

    constant(100ms)
    normal-jitter(100ms, 5m, 2.718281828459045, 0.1)

With --format csv there is a line for each schedule and second,

    schedule,t_s,first,retries,ok,timeouts,refused,open,latency_ms,peak_open

where the second begins at t_s; first counts initial requests, ok those answered
in time, timeouts those that timed out, and refused error responses; open and
latency_ms are the server's at the end of the second, and peak_open is the most
requests that were open at one time within it. If there are several repetitions,
all are means. With --verdict there is a line for each schedule and repetition
instead, each with a seed of its own:

    schedule,seed,verdict,recovered_after_s,peak_open

where verdict is recovered, or collapsed if it has not recovered by the end, and
recovered_after_s counts from the end of the trigger and is empty if the server
has not recovered. JSON has every repetition, and more of each second.

--png and --svg draw the peak of open requests and the goodput of each second.`,
		Example: `  backoff sim overload
  backoff sim overload --abandoned cancel
  backoff sim overload 'exponential(1s, 2) | cap(1m) | jitter(1)' --capacity 500/s --clients 2000 --stop 1m
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
			if err := f.write(cmd.OutOrStdout(), config, all, figures); err != nil {
				return err
			}
			if f.Format != "table" || !f.advice || f.verdict && !cmd.Flags().Changed("advice") {
				return nil
			}
			return f.advise(cmd, config, exprs, all)
		},
	}
	f.scenario.addFlags(cmd)
	f.Flags.AddFlags(cmd, 1)
	cmd.Flags().BoolVar(&f.verdict, "verdict", false, "write only the verdict: of each schedule, or of each repetition with --format csv and json")
	cmd.Flags().BoolVar(&f.advice, "advice", true, fmt.Sprintf("try what would help a schedule that has a problem in the first %d repetitions; for --format table", advice.MaxReps))
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
	if err := f.writeTable(w, config, all); err != nil {
		return err
	}
	if !f.verdict {
		for _, figure := range figures {
			if err := chart.Write(w, figure); err != nil {
				return err
			}
		}
		fmt.Fprintln(w)
	}
	return writeVerdicts(w, config, all)
}

// advise writes what would help each schedule that has a problem.
func (f *flags) advise(cmd *cobra.Command, config overload.Config, exprs []*expr.Expr, all []seconds.Series) error {
	config.Reps, config.Seed, config.Workers = f.Reps, f.Seed, f.Workers
	var found [][]advice.Advice // none for a schedule without a problem
	err := f.Each(cmd, exprs, func(ctx context.Context, e *expr.Expr, progress func(done, total int)) (err error) {
		var tried []advice.Advice
		if reps := all[len(found)].Reps; advice.Needed(reps, config) {
			config.Schedule = e.Seeded
			tried, err = advice.Search(ctx, config, e, reps, progress)
		}
		found = append(found, tried)
		return err
	})
	if err != nil {
		return err
	}
	for i, tried := range found {
		if err := writeAdvice(cmd.OutOrStdout(), table.Letter(i), config, all[i], tried); err != nil {
			return err
		}
	}
	return nil
}

// figures returns the figures of open requests and of goodput over time. If there are several
// repetitions, they show the median between min and max.
func (f *flags) figures(config overload.Config, all []seconds.Series) []figure.Figure {
	along, during := "time", ""
	var shaded [2]time.Duration
	if from := config.Warmup; config.Trigger.For > 0 {
		shaded = [2]time.Duration{from, from + config.Trigger.For}
		during = fmt.Sprintf(" (%s from %s to %s)", triggerWords[config.Trigger.Kind].state, digits.Exact(shaded[0]), digits.Exact(shaded[1]))
	}
	if f.Reps > 1 {
		along = fmt.Sprintf("time     (lines: medians; bands: min to max of %d repetitions)", f.Reps)
	}
	open := figure.Figure{Title: "Max open requests of each second" + during, Vertical: figure.Counts, Up: "open requests"}
	goodput := figure.Figure{Title: "Goodput, requests answered in time a second" + during, Vertical: figure.Counts, Up: "goodput"}
	for _, s := range all {
		open.Curves = append(open.Curves, seconds.Curve(s.Name, s.Reps, func(s overload.Second) int64 { return s.PeakOpen }))
		goodput.Curves = append(goodput.Curves, seconds.Curve(s.Name, s.Reps, func(s overload.Second) int64 { return s.OK }))
	}
	figures := []figure.Figure{open, goodput}
	for i := range figures {
		figures[i].Along = along
		figures[i].Axis.Bin = time.Second
		figures[i].Shaded = shaded
		figures[i].Band = "min and max"
		figures[i].Scale = f.Scale
	}
	return figures
}
