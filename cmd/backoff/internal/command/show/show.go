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

// A flags is what the flags of show say.
type flags struct {
	sampling.Sample
	present.Flags
}

// New returns the command.
func New() *cobra.Command {
	var s flags
	show := &cobra.Command{
		Use:   "show EXPR...",
		Short: "Show the delays of a schedule",
		Long: `Show the delays of a schedule, or of several: a table of retry, delay and
elapsed, and a chart of delay by retry.

A schedule that is random is drawn many times: the table then has the min, the
p50, which is the median, and the max of the draws. It is the same at every call,
until --seed changes it.

Retry n is attempt n+1, and its delay is the wait before it, so n delays are n
retries, which are n+1 attempts. Elapsed is the sum of the delays up to and
including this one.

With --format csv or json all times are exact numbers of seconds. Each retry has

    retry     its number, from 1
    reached   the share of the draws that have it, in [0, 1]
    delay     min, p50 and max of the delay before it
    elapsed   min, p50 and max of the sum of the delays so far

which are delay_min, delay_p50, ... in CSV, after a column expression; a schedule
that is not random has them all equal. In JSON each schedule is an object with
expression, random, draws, seed, goes_on (some draw has more delays than these)
and retries.

--png and --svg draw the same as a picture: the p50, and around it the band from
min to max.`,
		Example: `  backoff show 'full-jitter(100ms, 10s) | take(8)'
  backoff show 'exponential(100ms, 2) | cap(10s)' --log
  backoff show 'normal-jitter(100ms, 10m, 2.7, 0.1)' 'normal-jitter(1s, 5m, 1.5, 0.1)' -n 20 --log --png delays.png
  backoff show 'fibonacci(1s) | within(5m)' --format csv`,
		Args:              cli.WantExprs,
		ValidArgsFunction: cli.CompleteExpr,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.check(); err != nil {
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
	flags.IntVarP(&s.Retries, "retries", "n", 12, "how many retries to show, at most")
	s.Sample.AddFlags(show)
	s.Flags.AddFlags(show)
	return show
}

func (s *flags) check() error {
	if err := s.Sample.Check("show"); err != nil {
		return err
	}
	return s.CheckFormat("show")
}

func (s *flags) run(w io.Writer, exprs []*expr.Expr) error {
	samples := make([]sample, len(exprs))
	for i, e := range exprs {
		samples[i] = newSample(e, s.Sample)
	}
	f := showFigure(samples, s.Logarithmic)
	if err := s.WritePictures(f); err != nil {
		return fmt.Errorf("show: %w", err)
	}
	switch s.Format {
	case "csv":
		return writeCSV(w, samples)
	case "json":
		return writeJSON(w, samples)
	}
	for i, d := range samples {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := writeTable(w, d); err != nil {
			return err
		}
	}
	return chart.Write(w, f)
}
