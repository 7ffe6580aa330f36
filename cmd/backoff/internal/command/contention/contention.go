// Package contention is the command that simulates clients that compete for a database row.
package contention

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/chart"
	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/experiment"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/expr"
	"example.com/backoff/sim/contention"
)

// publishedSchedules are the schedules of the published experiment. Its attempt counter is
// already 1 at the first backoff, so its base of 5 ms is doubled once, except in the
// decorrelated jitter.
var publishedSchedules = []string{
	"exponential(10ms, 2) | cap(2s)",
	"equal-jitter(10ms, 2s)",
	"full-jitter(10ms, 2s)",
	"decorrelated-jitter(5ms, 2s)",
	"constant(0s)",
}

// flags has the values of the flags.
type flags struct {
	experiment.Flags
	clients      clientCounts
	hop          time.Duration
	hopDeviation time.Duration
}

// A contest is the result of one schedule.
type contest struct {
	expr  *expr.Expr
	cells []contention.Cell // in the order of the numbers of clients
}

// flagOfField maps the fields of contention.Config to their flags.
var flagOfField = map[string]string{
	"Clients": "--clients",
	"Reps":    "--reps",

	"Clients × Reps": "--clients × --reps",

	"Hop":          "--hop",
	"HopDeviation": "--hop-deviation",
	"Workers":      "--workers",
}

// New returns the command.
func New() *cobra.Command {
	published := contention.Default()
	f := flags{clients: clientCounts{published.Clients}}
	cmd := &cobra.Command{
		Use:   "contention [EXPR...]",
		Short: "Simulate clients that compete for one database row",
		Long: `Simulate clients that compete for one row of a database: the experiment of AWS's
"Exponential Backoff And Jitter".

Each client reads the row and writes it back if nobody has changed it since. If
somebody has, the client waits for the next delay of its schedule and starts over
with a read. It is done once it has written, and gives up when its schedule ends.
All clients start at once. Each of the four messages of an attempt takes
|N(10 ms, 2 ms)|.

The results are the time until the last client has written, and the calls: the
writes tried by all clients together. Both are means over the repetitions, with
their standard errors. A * marks the best schedule, and those that differ from it
by less than two standard errors of the difference.

Work is free for the server in this model: a failed write does not slow it down.
So the shortest delays give the shortest time, whatever they cost in calls. Use
"backoff sim overload" for a server that slows down under load.

Without EXPR it runs the five published schedules:

    exponential(10ms, 2) | cap(2s)
    equal-jitter(10ms, 2s)
    full-jitter(10ms, 2s)
    decorrelated-jitter(5ms, 2s)
    constant(0s)

With --format csv there is a line for each schedule and number of clients:

    schedule,clients,reps,time_ms,time_se,calls,calls_se

JSON has the same, and gave_up, the mean number of clients that gave up.

--png and --svg draw time and calls by clients.`,
		Example: `  backoff sim contention
  backoff sim contention 'full-jitter(10ms, 2s)' 'smooth-jitter(10ms, 2s)' --clients 100 --reps 1000
  backoff sim contention --clients 10,50,100 --png contention.png
  backoff sim contention 'full-jitter(10ms, 2s) | take(5)' --format csv`,
		ValidArgsFunction: cli.CompleteExpr,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := cli.CommandName(cmd)
			if err := f.Check(name); err != nil {
				return err
			}
			exprs, err := f.Parse(args, publishedSchedules)
			if err != nil {
				return err
			}
			contests, err := f.run(cmd, exprs)
			if err != nil {
				return err
			}
			if err := f.WritePictures(f.figures(contests)...); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return f.write(cmd.OutOrStdout(), contests)
		},
	}
	flags := cmd.Flags()
	flags.Var(&f.clients, "clients", "numbers of `clients`: 10,50,100 or 10:190:10 (from:to:step)")
	flags.DurationVar(&f.hop, "hop", published.Hop, "mean time of a message")
	flags.DurationVar(&f.hopDeviation, "hop-deviation", published.HopDeviation, "its standard deviation")
	f.Flags.AddFlags(cmd, published.Reps)
	return cmd
}

func (f *flags) run(cmd *cobra.Command, exprs []*expr.Expr) ([]contest, error) {
	var contests []contest
	err := f.Each(cmd, exprs, func(ctx context.Context, e *expr.Expr, progress func(done, total int)) error {
		result, err := contention.Run(ctx, contention.Config{
			Schedule:     e.Seeded,
			Clients:      f.clients.counts,
			Reps:         f.Reps,
			Hop:          f.hop,
			HopDeviation: f.hopDeviation,
			Seed:         f.Seed,
			Workers:      f.Workers,
			Progress:     progress,
		})
		if err != nil {
			return experiment.FlagError(cmd, err, flagOfField)
		}
		contests = append(contests, contest{e, result.Cells})
		return nil
	})
	return contests, err
}

func (f *flags) write(w io.Writer, contests []contest) error {
	switch f.Format {
	case "csv":
		return writeCSV(w, contests)
	case "json":
		return f.writeJSON(w, contests)
	}
	if err := f.writeTable(w, contests); err != nil {
		return err
	}
	for _, figure := range f.figures(contests) {
		if err := chart.Write(w, figure); err != nil {
			return err
		}
	}
	return nil
}

// figures returns the figures of time and calls by clients.
func (f *flags) figures(contests []contest) []figure.Figure {
	at := f.clients.rising()
	time := figure.Figure{Title: "Time until the last client has written, by clients", Vertical: figure.Durations, Up: "time", Along: "clients"}
	calls := figure.Figure{Title: "Writes tried, by clients", Vertical: figure.Counts, Up: "calls", Along: "clients"}
	for _, c := range contests {
		cells := map[int]contention.Cell{}
		for _, cell := range c.cells {
			cells[cell.Clients] = cell
		}
		var seconds, tried []float64
		for _, clients := range at {
			seconds = append(seconds, cells[clients].Time.Seconds())
			tried = append(tried, cells[clients].Calls)
		}
		time.Curves = append(time.Curves, figure.Line(c.expr.String(), seconds))
		calls.Curves = append(calls.Curves, figure.Line(c.expr.String(), tried))
	}
	figures := []figure.Figure{time, calls}
	for i := range figures {
		figures[i].Axis.At = at
		figures[i].Scale = f.Scale
	}
	return figures
}
