package forecast

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/plan"
)

// Write writes the table of one schedule and the answers, for reading.
func Write(w io.Writer, f Forecast, p *Params) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n", f.expr)
	if len(f.shown.Retries) > 0 {
		var t table.Table
		if f.exact() {
			t.Add("retry", "delay", "elapsed")
			for _, r := range f.shown.Retries {
				t.Add(strconv.Itoa(r.N), digits.Exact(r.Delay.Mean), digits.Exact(r.Elapsed.Mean))
			}
		} else {
			f.addRandom(&t)
		}
		if f.shown.End() != plan.Ends {
			t.Add("...")
		}
		t.Write(out)
		fmt.Fprintf(out, "\n")
	}
	for _, answer := range f.answers(p) {
		fmt.Fprintf(out, "%s\n", answer)
	}
	if len(f.shown.Retries) > 0 {
		fmt.Fprintf(out, "\n%s", f.footer())
		fmt.Fprintf(out, "%s", elapsedNote(p))
		if f.plan.Random() {
			fmt.Fprintf(out, "%s", drawsNote(p))
		}
		if f.shown.Uneven() {
			fmt.Fprintf(out, "Reached is the share of the draws that have the retry; the others ended before.\n")
		}
		if _, retry := f.shown.LargestAtom(); retry > 0 && !f.exact() {
			fmt.Fprintf(out, "Alike is the share of clients that wait for exactly one delay, if any.\n")
		}
	}
	return out.Flush()
}

func (f Forecast) addRandom(t *table.Table) {
	uneven := f.shown.Uneven()
	_, atom := f.shown.LargestAtom()
	stats := []string{"mean"}
	for _, q := range f.quantiles {
		stats = append(stats, digits.Quantile(q))
	}
	above := append([]string{"", "delay"}, make([]string, len(stats)-1)...)
	t.Add(append(above, "elapsed")...)
	head := slices.Concat([]string{"retry"}, stats, stats)
	if uneven {
		head = append(head, "reached")
	}
	if atom > 0 {
		head = append(head, "alike")
	}
	t.Add(head...)
	for _, r := range f.shown.Retries {
		cells := slices.Concat([]string{strconv.Itoa(r.N)}, f.cells(r.Delay), f.cells(r.Elapsed))
		if uneven {
			cells = append(cells, digits.Percent(r.Share))
		}
		if atom > 0 {
			alike := ""
			if r.Atom.Share > 0 {
				alike = digits.Percent(r.Atom.Share)
			}
			cells = append(cells, alike)
		}
		t.Add(cells...)
	}
}

// cells returns the mean and the quantiles that were asked for, with one precision.
func (f Forecast) cells(s plan.Stats) []string {
	return digits.SameDigits(append([]time.Duration{s.Mean}, s.Quantiles[:len(f.quantiles)]...)...)
}

// footer counts, and says how.
func (f Forecast) footer() string {
	n := len(f.shown.Retries)
	what := ", and the schedule " + f.shown.End().String()
	if f.shown.End() == plan.Ends && f.shown.Uneven() {
		what = " at most" + what
	}
	return fmt.Sprintf("%s, %s%s.\n", digits.Count(n, "retry"), digits.Count(n+1, "attempt"), what)
}

// elapsedNote says how retries are counted and what elapsed is.
func elapsedNote(p *Params) string {
	note := "Retry n is attempt n+1.\n" +
		"Elapsed is the time from the start of the first attempt to that of the retry"
	if p.AttemptTime > 0 {
		return note + fmt.Sprintf(",\nof which each attempt lasts %s.\n", digits.Exact(p.AttemptTime))
	}
	return note + ".\n"
}

func drawsNote(p *Params) string {
	return fmt.Sprintf("Mean and quantiles of %s draws from seed %d, to three digits of the largest in a row.\n",
		digits.Grouped(strconv.Itoa(p.Draws)), p.Seed)
}
