package forecast

import (
	"fmt"
	"io"
	"slices"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/screen"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/plan"
)

// Write writes the answers about one schedule and its table, for reading.
func Write(w io.Writer, f Forecast, p *Params) error {
	out := screen.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n", f.expr)
	for _, answer := range f.answers(p) {
		fmt.Fprintf(out, "%s\n", answer)
	}
	if f.load != nil && f.load.inSecond().Retries > 0 && f.load.cut != 1 {
		fmt.Fprintf(out, "\n")
		f.writeBusiest(out, p)
	}
	if len(f.shown.Retries) > 0 {
		fmt.Fprintf(out, "\n")
		short := f.writeRows(out)
		fmt.Fprintf(out, "\n%s%s", elapsedNote(p), loadNote([]Forecast{f}, p))
		if short {
			fmt.Fprintf(out, "For lack of room the table leaves out columns of elapsed; a wider screen (COLUMNS) and --format json have them.\n")
		}
		if f.plan.Random() {
			fmt.Fprintf(out, "%s", drawsNote(p))
		}
		if f.shown.Uneven() {
			fmt.Fprintf(out, "Reached is the share of the draws that have the retry; the others ended before.\n")
		}
		if f.largestAtom().Share > 0 && !f.exact() {
			fmt.Fprintf(out, "Alike is the share of clients that wait for exactly the same delay.\n")
		}
	}
	return out.Flush()
}

// writeBusiest writes how many retries come at once.
func (f Forecast) writeBusiest(out *screen.Writer, p *Params) {
	var head, cells []string
	q := busiest(p)
	for _, c := range q.columns {
		head, cells = append(head, c.head), append(cells, c.cell(f))
	}
	fmt.Fprintf(out, "%s\n", q.about)
	var t table.Table
	t.Add(head...)
	t.Add(cells...)
	t.Write(out)
}

// writeRows writes a row for each retry: of a random schedule the mean and the quantiles,
// and where there is no room for those of elapsed, its mean and largest quantile. It
// returns whether it left out quantiles.
func (f Forecast) writeRows(out *screen.Writer) (short bool) {
	var tables []table.Table
	for _, quantiles := range []int{len(f.quantiles), min(1, len(f.quantiles))} {
		var t table.Table
		if f.exact() {
			t.Add("retry", "delay", "elapsed")
			for _, r := range f.shown.Retries {
				t.Add(number(r.N), digits.Exact(r.Delay.Mean), digits.Exact(r.Elapsed.Mean))
			}
		} else {
			f.addRandom(&t, quantiles)
		}
		if f.shown.End() != plan.Ends {
			t.Add("...")
		}
		tables = append(tables, t)
	}
	return writeFirstThatFits(out, tables) > 0 && !f.exact() && len(f.quantiles) > 1
}

// addRandom adds the rows of a random schedule, and of elapsed this many quantiles, the
// largest ones.
func (f Forecast) addRandom(t *table.Table, quantiles int) {
	uneven, alike := f.shown.Uneven(), f.largestAtom().Share > 0
	stats := []string{"mean"}
	for _, q := range f.quantiles {
		stats = append(stats, digits.Quantile(q))
	}
	left := len(f.quantiles) - quantiles
	t.Add(append(append([]string{"", "delay"}, make([]string, len(stats)-1)...), "elapsed")...)
	head := slices.Concat([]string{"retry"}, stats, stats[:1], stats[1+left:])
	if uneven {
		head = append(head, "reached")
	}
	if alike {
		head = append(head, "alike")
	}
	t.Add(head...)
	for _, r := range f.shown.Retries {
		cells := slices.Concat([]string{number(r.N)}, f.cells(r.Delay, 0), f.cells(r.Elapsed, left))
		if uneven {
			cells = append(cells, digits.Percent(r.Share))
		}
		if alike {
			share := ""
			if r.Atom.Share > 0 {
				share = digits.Percent(r.Atom.Share)
			}
			cells = append(cells, share)
		}
		t.Add(cells...)
	}
}

// cells returns the mean and the quantiles that were asked for, without the first few, in
// one precision.
func (f Forecast) cells(s plan.Stats, without int) []string {
	return digits.SameDigits(append([]time.Duration{s.Mean}, s.Quantiles[without:len(f.quantiles)]...)...)
}

// elapsedNote tells how retries are counted and what elapsed is.
func elapsedNote(p *Params) string {
	note := "Retry n is attempt n+1. Elapsed is the time from the start of the first attempt\nto the start of the retry"
	if p.AttemptTime > 0 {
		return note + fmt.Sprintf("; each attempt lasts %s.\n", digits.Exact(p.AttemptTime))
	}
	return note + ".\n"
}

// loadNote tells how far a load reaches if no deadline says so and a schedule goes on.
func loadNote(forecasts []Forecast, p *Params) string {
	if !p.Asked["clients"] || p.Asked["deadline"] {
		return ""
	}
	until := time.Duration(0)
	for _, f := range forecasts {
		if f.load.cut == 0 && f.shown.End() != plan.Ends {
			until = max(until, f.load.until)
		}
	}
	if until == 0 {
		return ""
	}
	return fmt.Sprintf("The busiest windows and the chart are of the first %s; --deadline changes that.\n", digits.Exact(until))
}

// drawsNote tells how the numbers of a random schedule were found.
func drawsNote(p *Params) string {
	note := fmt.Sprintf("Estimated from %s draws, seed %d, to three digits.\n", number(p.Draws), p.Seed)
	if p.tooMany > 0 {
		note += fmt.Sprintf("%s draws with enough retries do not fit into memory.\n", number(p.tooMany))
	}
	if p.Asked["clients"] {
		note += "The busiest windows have expected numbers: a single outage has some more.\n"
	}
	return note
}
