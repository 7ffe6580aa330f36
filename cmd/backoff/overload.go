package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff/expr"
	"example.com/backoff/sim/overload"
)

// publishedOverload are the schedules of the published experiment.
var publishedOverload = []string{
	"constant(100ms)",
	"normal-jitter(100ms, 5m, 2.718281828459045, 0.1)",
}

// overloadFlags are what the flags of sim overload say.
type overloadFlags struct {
	simulation
	load    loadFlags
	verdict bool
}

// A siege is what one schedule made of the experiment.
type siege struct {
	name string // the schedule's
	reps []overload.Rep
}

func newOverload() *cobra.Command {
	var f overloadFlags
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
		ValidArgsFunction: completeExpr,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := commandName(cmd)
			if err := f.check(name); err != nil {
				return err
			}
			config, err := f.load.config(cmd)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			exprs, err := f.parse(args, publishedOverload)
			if err != nil {
				return err
			}
			sieges, err := f.run(cmd, config, exprs)
			if err != nil {
				return err
			}
			figures := f.figures(config, sieges)
			if err := f.writePictures(figures...); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return f.write(cmd.OutOrStdout(), config, sieges, figures)
		},
	}
	f.load.addFlags(cmd)
	f.simulation.addFlags(cmd, 1)
	cmd.Flags().BoolVar(&f.verdict, "verdict", false, "only say of each repetition how it ended")
	return cmd
}

func (f *overloadFlags) run(cmd *cobra.Command, config overload.Config, exprs []*expr.Expr) ([]siege, error) {
	config.Reps = f.reps
	config.Seed = f.seed
	config.Workers = f.workers
	var sieges []siege
	err := f.each(cmd, exprs, func(ctx context.Context, e *expr.Expr, progress func(done, total int)) error {
		config.Schedule = drawsOf(e)
		config.Progress = progress
		result, err := overload.Run(ctx, config)
		if err != nil {
			return flagOf(cmd, err, f.load.fields(config))
		}
		sieges = append(sieges, siege{e.String(), result.Reps})
		return nil
	})
	return sieges, err
}

func (f *overloadFlags) write(w io.Writer, config overload.Config, sieges []siege, figures []figure) error {
	switch {
	case f.format == "csv" && f.verdict:
		return writeVerdictCSV(w, sieges)
	case f.format == "csv":
		return writeOverloadCSV(w, sieges)
	case f.format == "json":
		return writeOverloadJSON(w, sieges, f.verdict)
	}
	if err := f.writeTable(w, config, sieges); err != nil || f.verdict {
		return err
	}
	for _, figure := range figures {
		if err := writeChart(w, figure); err != nil {
			return err
		}
	}
	return nil
}

// figures are of open requests and of goodput over time: of several repetitions the
// median, between the least and the most.
func (f *overloadFlags) figures(config overload.Config, sieges []siege) []figure {
	along, during := "time", ""
	var shaded [2]time.Duration
	if from := config.Warmup; config.Trigger.For > 0 {
		shaded = [2]time.Duration{from, from + config.Trigger.For}
		during = fmt.Sprintf(" (%s from %s to %s)", triggerWords[config.Trigger.Kind].state, exact(shaded[0]), exact(shaded[1]))
	}
	if f.reps > 1 {
		along = fmt.Sprintf("time     (lines: medians; bands: least to most of %d repetitions)", f.reps)
	}
	open := figure{title: "Open requests" + during, vertical: counts, up: "open requests"}
	goodput := figure{title: "Goodput, requests answered in time a second" + during, vertical: counts, up: "goodput"}
	for _, s := range sieges {
		open.curves = append(open.curves, newSecondsCurve(s.name, s.reps, func(s overload.Second) int64 { return s.Open }))
		goodput.curves = append(goodput.curves, newSecondsCurve(s.name, s.reps, func(s overload.Second) int64 { return s.OK }))
	}
	figures := []figure{open, goodput}
	for i := range figures {
		figures[i].along = along
		figures[i].horizontal.bin = time.Second
		figures[i].shaded = shaded
		figures[i].band = "least and most"
		figures[i].logarithmic = f.logarithmic && newBounds(figures[i].curves).most > 0
	}
	return figures
}

// newSecondsCurve returns the curve of a figure that every second of a repetition has.
func newSecondsCurve(name string, reps []overload.Rep, of func(overload.Second) int64) curve {
	c := curve{name: name, random: len(reps) > 1}
	for i := range reps[0].Seconds {
		values := make([]time.Duration, len(reps))
		for j, r := range reps {
			values[j] = time.Duration(of(r.Seconds[i]))
		}
		s := newSpread(values)
		c.least = append(c.least, float64(s.least))
		c.median = append(c.median, float64(s.median))
		c.most = append(c.most, float64(s.most))
	}
	return c
}
