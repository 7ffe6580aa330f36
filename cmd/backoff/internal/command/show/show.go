// Package show is the command that shows the delays of schedules.
package show

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/chart"
	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/present"
	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/expr"
)

// A flags holds the values of the flags of show.
type flags struct {
	sampling.Sample
	present.Flags
}

// New returns the command.
func New() *cobra.Command {
	var s flags
	show := &cobra.Command{
		Use:        "show EXPR...",
		Short:      "Show the delays of a schedule as a table and a chart",
		SuggestFor: []string{"print", "delays"},
		Long: `Show the delays of one schedule or of several: how many attempts there are, how
long all delays take, a table by retry, and a chart.

A random schedule is drawn --draws times. The table then has the min, the p50
(which is the median) and the max of the draws, and the same ones at every call
until --seed changes.

Retry n is attempt n+1, and its delay is the wait before it: n delays are n
retries, and n+1 attempts. Elapsed is the sum of the delays up to and including
this one.

The chart has a bar for each delay, or a point at the p50 and a line from the min
to the max. Its axis is logarithmic if a linear one would squash more than half of
a curve into its lowest twentieth; --log and --log=false decide otherwise.
--picture draws the same as an image.

With --format csv or json all times are exact numbers of seconds. Each retry has

    retry     its number, from 1
    reached   the share of the draws that have it, in [0, 1]
    delay     min, p50 and max of the delay before it
    elapsed   min, p50 and max of the sum of the delays so far

In CSV these are the columns delay_min, delay_p50, ..., after the column
expression. In JSON each schedule is an object with expression, random, draws,
seed, goes_on (some draw has more delays than these) and retries. The three values
are equal if the schedule is not random.

With --format go the output is a program that retries by the schedule, to copy
from. It has a function for each schedule, and ignores --retries, --draws and
--seed.`,
		Example: `  backoff show 'full-jitter(100ms, 10s) | take(8)'
  backoff show 'exponential(100ms, 2) | cap(10s)' --log
  backoff show 'normal-jitter(100ms, 10m, 2.7, 0.1)' 'normal-jitter(1s, 5m, 1.5, 0.1)' -n 20 --log --picture delays.png
  backoff show 'fibonacci(1s) | within(5m)' --format csv
  backoff show 'full-jitter(100ms, 10s) | take(8)' --format go > main.go`,
		Args:              cli.WantExprs,
		ValidArgsFunction: cli.CompleteExpr,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.check(cmd.Flags().Changed("draws")); err != nil {
				return err
			}
			exprs, err := cli.ParseExprs(args)
			if err != nil {
				return err
			}
			return s.run(cmd.OutOrStdout(), exprs)
		},
	}
	flags := show.Flags()
	flags.IntVarP(&s.Retries, "retries", "n", 12, "show at most this many retries")
	s.Sample.AddFlags(show)
	s.More = []string{"go"}
	s.Flags.AddFlags(show)
	return show
}

func (s *flags) check(drawsGiven bool) error {
	if err := s.Sample.Check("show", drawsGiven); err != nil {
		return err
	}
	return s.CheckFormat("show")
}

func (s *flags) run(w io.Writer, exprs []*expr.Expr) error {
	samples := make([]sample, len(exprs))
	for i, e := range exprs {
		samples[i] = newSample(e, s.Sample)
	}
	f := showFigure(samples, s.Scale)
	if err := s.WritePictures(f); err != nil {
		return fmt.Errorf("show: %w", err)
	}
	switch s.Format {
	case "go":
		return writeProgram(w, exprs)
	case "csv":
		return writeCSV(w, samples)
	case "json":
		return writeJSON(w, samples)
	}
	if err := writeTables(w, samples); err != nil {
		return err
	}
	return chart.Write(w, f)
}
