package show

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/screen"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/plan"
)

// writeTables writes for people: each schedule with its answers and its table, and notes.
func writeTables(w io.Writer, samples []sample) error {
	out := screen.NewWriter(w)
	for _, s := range samples {
		fmt.Fprintf(out, "%s\n\n%s\n\n", s.expr, s.answer())
		if len(s.plan.Retries) > 0 {
			s.table().Write(out)
			fmt.Fprintln(out)
		}
	}
	for _, note := range notes(samples) {
		fmt.Fprintln(out, note)
	}
	return out.Flush()
}

// answer returns the number of attempts and the sum of the delays.
func (s sample) answer() string {
	n := len(s.plan.Retries)
	if n == 0 {
		return "1 attempt: no delay, so no retry."
	}
	attempts := fmt.Sprintf("The first %s; the schedule goes on.", digits.Count(n, "retry"))
	switch s.plan.End() {
	case plan.Ends:
		attempts = fmt.Sprintf("Up to %s: %s, and the schedule ends.", digits.Count(n+1, "attempt"), digits.Count(n, "retry"))
	case plan.MayGoOn:
		attempts = fmt.Sprintf("The first %s; the schedule may go on.", digits.Count(n, "retry"))
	}
	sum := s.plan.LastRetry // of attempts that take no time
	if sum.Exact() {
		return fmt.Sprintf("%s The delays add up to %s.", attempts, digits.Exact(sum.Max))
	}
	return fmt.Sprintf("%s The delays add up to %s (p50), and up to %s in %s.",
		attempts, digits.ThreeDigits(median(sum)), digits.ThreeDigits(sum.Max), digits.Count(s.draws, "draw"))
}

// A quantity is a group of columns: one column if it is the same in all draws of each
// retry, and otherwise min, p50 and max.
type quantity struct {
	name string
	of   func(plan.Retry) plan.Stats
}

var quantities = []quantity{
	{"delay", func(r plan.Retry) plan.Stats { return r.Delay }},
	{"elapsed", func(r plan.Retry) plan.Stats { return r.Elapsed }},
}

// random reports whether the draws of a retry differ.
func (q quantity) random(retries []plan.Retry) bool {
	return slices.ContainsFunc(retries, func(r plan.Retry) bool { return !q.of(r).Exact() })
}

// varies reports whether anything that a table shows of a retry differs between draws.
func (s sample) varies() bool {
	return slices.ContainsFunc(quantities, func(q quantity) bool { return q.random(s.plan.Retries) })
}

// table returns the table of a schedule.
func (s sample) table() *table.Table {
	names, head := []string{""}, []string{"retry"}
	random := make([]bool, len(quantities))
	for i, q := range quantities {
		if random[i] = q.random(s.plan.Retries); random[i] {
			names, head = append(names, q.name, "", ""), append(head, "min", "p50", "max")
		} else {
			names, head = append(names, q.name), append(head, "")
		}
	}
	uneven := s.plan.Uneven()
	if uneven {
		names, head = append(names, "reached"), append(head, "")
	}
	var t table.Table
	if slices.Contains(random, true) {
		t.Add(names...)
		t.Add(head...)
	} else {
		t.Add(slices.Concat(head[:1], names[1:])...)
	}
	for _, r := range s.plan.Retries {
		row := []string{strconv.Itoa(r.N)}
		for i, q := range quantities {
			if random[i] {
				row = append(row, cells(q.of(r))...)
			} else {
				row = append(row, digits.Exact(q.of(r).Min))
			}
		}
		if uneven {
			row = append(row, digits.Percent(r.Share))
		}
		t.Add(row...)
	}
	if s.plan.End() != plan.Ends {
		t.Add("...")
	}
	return &t
}

// notes explain the columns of the tables, if there are any.
func notes(samples []sample) []string {
	var all []string
	is := func(of func(sample) bool) bool { return slices.ContainsFunc(samples, of) }
	if is(func(s sample) bool { return len(s.plan.Retries) > 0 }) {
		all = append(all, "Retry n is attempt n+1. Elapsed is the sum of the delays, without the time that attempts take.")
	}
	if i := slices.IndexFunc(samples, func(s sample) bool { return s.expr.Random() }); i >= 0 {
		draws := fmt.Sprintf("%s with seed %d", digits.Count(samples[i].draws, "draw"), samples[i].seed)
		if is(sample.varies) {
			all = append(all, fmt.Sprintf("Min, p50 (the median) and max are of %s, to three digits.", draws))
		} else {
			all = append(all, fmt.Sprintf("The delays of %s are alike.", draws))
		}
	}
	if is(func(s sample) bool { return s.plan.Uneven() }) {
		all = append(all, "Reached is the share of the draws that have the retry; the others ended before.")
	}
	return all
}

// cells returns min, p50 and max.
func cells(s plan.Stats) []string {
	return digits.SameDigits(s.Min, median(s), s.Max)
}
