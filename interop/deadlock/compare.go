package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/backoff/interop/contest"
	"example.com/backoff/retry/retrysql"
)

// run plays all rounds and writes the table to stdout, and its progress to stderr.
func (c *comparison) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	t, err := contest.Open(ctx, c.Settings)
	if err != nil {
		return err
	}
	defer func() {
		if closing := t.Close(); err == nil {
			err = closing
		}
	}()
	var opts []retrysql.Option
	if !c.oslo {
		opts = append(opts, retrysql.KeepDelays())
	}
	results := make([][]contest.Result, len(c.schedules))
	for round := range c.rounds {
		for i, s := range c.schedules {
			fmt.Fprintf(stderr, "round %d of %d: %v\n", round+1, c.rounds, s.expr)
			limited, cancel := context.WithTimeout(ctx, c.timeout)
			r, err := t.Round(limited, s.expr.Schedule(), opts...)
			cancel()
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				return err
			}
			results[i] = append(results[i], r)
		}
	}
	return c.write(stdout, results)
}

// write writes the table.
func (c *comparison) write(w io.Writer, results [][]contest.Result) error {
	rule := "the schedule's own jitter"
	if c.oslo {
		rule = "full jitter of every delay"
	}
	fmt.Fprintf(w, "%s, mode %s, %s: %d workers, %d transactions each, hold %v, %d rounds\n\n",
		c.Database, c.Mode, rule, c.Workers, c.Transactions, c.Hold, c.rounds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "schedule\ttried\tfailed\tby code\ttime\tmin\tmax\tper second")
	for i, rounds := range results {
		fmt.Fprintln(t, strings.Join(c.row(c.schedules[i], rounds), "\t"))
	}
	return t.Flush()
}

// row returns the cells of one schedule.
func (c *comparison) row(s schedule, rounds []contest.Result) []string {
	name := s.expr.String()
	if s.name != "" {
		name = s.name + ": " + name
	}
	var (
		tried, failed []int
		elapsed       []time.Duration
		codes         = map[string]int{}
		unfinished    int
		gaveUp        error
	)
	for _, r := range rounds {
		tried = append(tried, r.Tried())
		failed = append(failed, r.Tried()-r.Committed)
		elapsed = append(elapsed, r.Elapsed)
		for code, n := range r.Failed {
			codes[code] += n
		}
		if r.Err != nil {
			unfinished++
			gaveUp = r.Err
		}
	}
	middle := median(elapsed)
	cells := []string{
		name, fmt.Sprint(median(tried)), fmt.Sprint(median(failed)), strings.Join(slices.Sorted(maps.Keys(codes)), ", "),
		short(middle), short(slices.Min(elapsed)), short(slices.Max(elapsed)),
	}
	if unfinished > 0 {
		return append(cells, fmt.Sprintf("%d of %d rounds not finished: %s", unfinished, len(rounds), oneLine(gaveUp)))
	}
	perSecond := float64(c.Workers*c.Transactions) / middle.Seconds()
	return append(cells, fmt.Sprintf("%.3g", perSecond))
}

// median returns the median, the upper one of two.
func median[T int | time.Duration](values []T) T {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

// short rounds d to three digits.
func short(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}
