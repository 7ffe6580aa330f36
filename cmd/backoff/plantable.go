package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"example.com/backoff/plan"
)

// writeForecast writes the table of one schedule and the answers, for reading.
func writeForecast(w io.Writer, f forecast, p *planning) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n", f.expr)
	if len(f.rows) > 0 {
		var t table
		if f.exact() {
			t.add("retry", "delay", "elapsed")
			for _, r := range f.rows {
				t.add(strconv.Itoa(r.N), exact(r.Delay.Mean), exact(r.Elapsed.Mean))
			}
		} else {
			f.addRandom(&t)
		}
		if f.goes != ends {
			t.add("...")
		}
		t.write(out)
		fmt.Fprintf(out, "\n")
	}
	for _, answer := range f.answers(p) {
		fmt.Fprintf(out, "%s\n", answer)
	}
	if len(f.rows) > 0 {
		fmt.Fprintf(out, "\n%s", f.footer())
		if f.exact() {
			fmt.Fprintf(out, "%s", elapsedNote(p))
		} else {
			fmt.Fprintf(out, "%s%s", elapsedNote(p), drawsNote(p))
		}
		if f.uneven() {
			fmt.Fprintf(out, "Reached is the share of the draws that have the retry; the others ended before.\n")
		}
		if _, retry := f.atom(); retry > 0 && !f.exact() {
			fmt.Fprintf(out, "Alike is the share of clients that wait for exactly one delay, if any.\n")
		}
	}
	return out.Flush()
}

func (f forecast) addRandom(t *table) {
	uneven := f.uneven()
	_, atom := f.atom()
	stats := []string{"mean"}
	for _, q := range f.quantiles {
		stats = append(stats, percent(q))
	}
	above := append([]string{"", "delay"}, make([]string, len(stats)-1)...)
	t.add(append(above, "elapsed")...)
	head := slices.Concat([]string{"retry"}, stats, stats)
	if uneven {
		head = append(head, "reached")
	}
	if atom > 0 {
		head = append(head, "alike")
	}
	t.add(head...)
	for _, r := range f.rows {
		cells := slices.Concat([]string{strconv.Itoa(r.N)}, f.cells(r.Delay), f.cells(r.Elapsed))
		if uneven {
			cells = append(cells, percent(r.Share))
		}
		if atom > 0 {
			alike := ""
			if r.Atom.Share > 0 {
				alike = percent(r.Atom.Share)
			}
			cells = append(cells, alike)
		}
		t.add(cells...)
	}
}

// cells returns the mean and the quantiles that were asked for, with one precision.
func (f forecast) cells(s plan.Stats) []string {
	return sameDigits(append([]time.Duration{s.Mean}, s.Quantiles[:len(f.quantiles)]...)...)
}

// footer counts, and says how.
func (f forecast) footer() string {
	n := len(f.rows)
	what := map[going]string{on: ", and the schedule goes on", mixed: ", and the schedule may go on", ends: ", and the schedule ends"}[f.goes]
	if f.goes == ends && f.uneven() {
		what = " at most" + what
	}
	return fmt.Sprintf("%s, %s%s.\n", count(n, "retry"), count(n+1, "attempt"), what)
}

// elapsedNote says how retries are counted and what elapsed is.
func elapsedNote(p *planning) string {
	note := "Retries count from 1 here: retry n waits for what \"backoff show\" has as delay n-1.\n" +
		"Elapsed is the time from the start of the first attempt to that of the retry"
	if p.attemptTime > 0 {
		return note + fmt.Sprintf(",\nof which each attempt lasts %s.\n", exact(p.attemptTime))
	}
	return note + ".\n"
}

func drawsNote(p *planning) string {
	return fmt.Sprintf("Mean and quantiles of %s draws from seed %d, to three digits of the most in a row.\n",
		grouped(strconv.Itoa(p.draws)), p.seed)
}

// planFigure returns what plan draws: the load where clients are asked about, and
// else the delays.
func planFigure(forecasts []forecast, p *planning, logarithmic bool) figure {
	if p.asked["clients"] {
		f := figure{
			title:       "Retries per second by time",
			vertical:    rates,
			up:          "retries/s", // a longer name would take room above a logarithmic axis
			along:       fmt.Sprintf("time since %s clients failed together", grouped(strconv.Itoa(p.clients))),
			horizontal:  horizontal{bin: forecasts[0].load.Bin},
			logarithmic: logarithmic,
		}
		for _, forecast := range forecasts {
			c := curve{name: forecast.expr.String(), median: forecast.load.PerSecond}
			f.curves = append(f.curves, c.onlyMedian())
		}
		return f
	}
	f := delayFigure(1, logarithmic)
	n := len(p.quantiles)
	if n > 1 {
		f.band = percent(p.quantiles[0]) + " and " + percent(p.quantiles[n-1])
	}
	for _, forecast := range forecasts {
		c := curve{name: forecast.expr.String(), random: !forecast.exact()}
		for _, r := range forecast.rows {
			median := forecast.median(r.Delay).Seconds()
			least, most := median, median
			if n > 1 {
				least, most = r.Delay.Quantiles[0].Seconds(), r.Delay.Quantiles[n-1].Seconds()
			}
			c.least, c.median, c.most = append(c.least, least), append(c.median, median), append(c.most, most)
		}
		f.curves = append(f.curves, c)
		if c.random {
			draws := grouped(strconv.Itoa(p.draws))
			f.along = fmt.Sprintf("retry     (lines: medians of %s draws)", draws)
			if n > 1 {
				f.along = fmt.Sprintf("retry     (lines: medians; bands: %s to %s of %s draws)",
					percent(p.quantiles[0]), percent(p.quantiles[n-1]), draws)
			}
		}
	}
	return f
}
