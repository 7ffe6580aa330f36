package forecast

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/internal/saturating"
	"example.com/backoff/plan"
)

// WriteComparison writes schedules side by side, for reading.
func WriteComparison(w io.Writer, forecasts []Forecast, p *Params) error {
	out := bufio.NewWriter(w)
	for i, f := range forecasts {
		fmt.Fprintf(out, "%s  %s\n", table.Letter(i), f.expr)
	}
	fmt.Fprintf(out, "\n")
	var rows table.Table
	addSideBySide(&rows, forecasts, p)
	rows.Write(out)
	fmt.Fprintf(out, "\n")
	answers := table.Table{Left: true}
	addAnswers(&answers, forecasts, p)
	answers.Write(out)
	for i, f := range forecasts {
		for j, warning := range f.fewWarnings() {
			if j == 0 {
				fmt.Fprintf(out, "\n")
			}
			fmt.Fprintf(out, "%s  Warning: %s.\n", table.Letter(i), warning)
		}
	}
	fmt.Fprintf(out, "\n%s%s", openNote(forecasts), elapsedNote(p))
	if slices.ContainsFunc(forecasts, func(f Forecast) bool { return f.plan.Random() }) {
		fmt.Fprintf(out, "%s", drawsNote(p))
	}
	return out.Flush()
}

// addSideBySide adds the rows of all schedules: of a random one the median and the
// largest quantile.
func addSideBySide(t *table.Table, forecasts []Forecast, p *Params) {
	names, above, head := []string{""}, []string{""}, []string{"retry"}
	retries := 0
	for i, f := range forecasts {
		columns := f.sideBySide(p)
		blank := make([]string, len(columns)-1)
		names = append(append(names, table.Letter(i)), append(slices.Clone(blank), make([]string, len(columns))...)...)
		above = append(append(append(append(above, "delay"), blank...), "elapsed"), blank...)
		head = append(append(head, columns...), columns...)
		retries = max(retries, len(f.shown.Retries))
	}
	t.Add(names...)
	t.Add(above...)
	t.Add(head...)
	more := []string{"..."}
	for i := range retries {
		cells := []string{strconv.Itoa(i + 1)}
		for _, f := range forecasts {
			columns := len(f.sideBySide(p))
			if i < len(f.shown.Retries) {
				r := f.shown.Retries[i]
				for _, s := range []plan.Stats{r.Delay, r.Elapsed} {
					cells = append(cells, f.sideCells(s, columns)...)
				}
			} else {
				cells = append(cells, make([]string, 2*columns)...)
			}
		}
		t.Add(cells...)
	}
	if slices.ContainsFunc(forecasts, func(f Forecast) bool { return f.shown.End() != plan.Ends }) {
		for _, f := range forecasts {
			mark := ""
			if f.shown.End() != plan.Ends {
				mark = "..."
			}
			more = append(more, mark)
			more = append(more, make([]string, 2*len(f.sideBySide(p))-1)...)
		}
		t.Add(more...)
	}
}

// sideBySide returns the heads of the columns of one schedule.
func (f Forecast) sideBySide(p *Params) []string {
	if f.exact() {
		return []string{"exactly"}
	}
	if most := p.Quantiles[len(p.Quantiles)-1]; most > 0.5 {
		return []string{digits.Quantile(0.5), digits.Quantile(most)}
	}
	return []string{digits.Quantile(0.5)}
}

func (f Forecast) sideCells(s plan.Stats, columns int) []string {
	switch {
	case f.exact():
		return []string{digits.Exact(s.Mean)}
	case columns == 1:
		return digits.SameDigits(f.median(s))
	}
	return digits.SameDigits(f.median(s), s.Quantiles[len(f.quantiles)-1])
}

// orMore stands before a number of attempts where more may fit than were looked at.
func (f Forecast) orMore() string {
	if f.fit.Open > 0 {
		return "≥ "
	}
	return ""
}

// openNote says why there is a ≥, if there is one.
func openNote(forecasts []Forecast) string {
	open, further := false, ""
	for _, f := range forecasts {
		if f.fit != nil && f.fit.Open > 0 || f.cost != nil && f.cost.stopped > 0 {
			open = true
			further = max(further, f.lookFurther())
		}
	}
	if !open {
		return ""
	}
	return "≥ stands where more attempts may be made than were looked at" + further + ".\n"
}

// addAnswers adds a row for each thing to compare.
func addAnswers(t *table.Table, forecasts []Forecast, p *Params) {
	add := func(what string, answer func(f Forecast) string) {
		cells := []string{what}
		for _, f := range forecasts {
			cells = append(cells, answer(f))
		}
		t.Add(cells...)
	}
	last := func(f Forecast, of func(plan.Stats) time.Duration) string {
		switch {
		case len(f.shown.Retries) == 0:
			return digits.Exact(p.AttemptTime)
		case f.exact():
			return digits.Exact(of(f.shown.LastRetry()))
		}
		return digits.Brief(of(f.shown.LastRetry()))
	}
	add("", func(f Forecast) string {
		return table.Letter(slices.IndexFunc(forecasts, func(g Forecast) bool { return g.expr == f.expr }))
	})
	add("retries", func(f Forecast) string {
		switch {
		case f.shown.End() != plan.Ends:
			return fmt.Sprintf("%d ...", len(f.shown.Retries))
		case f.shown.Uneven():
			return fmt.Sprintf("≤ %d", len(f.shown.Retries))
		}
		return strconv.Itoa(len(f.shown.Retries))
	})
	add("the last retry, mean", func(f Forecast) string {
		return last(f, func(s plan.Stats) time.Duration { return s.Mean })
	})
	add("the last retry, max", func(f Forecast) string {
		return last(f, func(s plan.Stats) time.Duration { return s.Max })
	})
	if p.Asked["deadline"] {
		within := "attempts within " + digits.Exact(p.Deadline)
		add(within+", mean", func(f Forecast) string { return f.orMore() + onAverage(f.fit.Mean, f.fit.Open > 0) })
		add(within+", for 95 %", func(f Forecast) string { return f.orMore() + strconv.Itoa(f.fit.AttemptsFor(nearlyAll)) })
	}
	if p.Asked["clients"] {
		peak := fmt.Sprintf("most retries a second of %s", digits.Grouped(strconv.Itoa(p.Clients)))
		add(peak, Forecast.peakText)
		add("between", func(f Forecast) string {
			if f.peak.PerSecond == 0 {
				return ""
			}
			return digits.Exact(f.peak.At) + " and " + digits.Exact(saturating.Add(f.peak.At, f.peak.Width))
		})
	}
	if p.Asked["fail"] {
		fail := ", " + digits.Percent(p.Fail) + " failing"
		add("attempts a request"+fail, func(f Forecast) string {
			if math.IsInf(f.cost.attempts, 1) {
				return "no end"
			}
			return f.cost.orMore() + onAverage(f.cost.attempts, f.cost.stopped > 0)
		})
		add("success"+fail, func(f Forecast) string { return f.cost.orMore() + f.cost.successText(p.Fail) })
	}
	add("clients alike, at most", func(f Forecast) string {
		atom, _ := f.shown.LargestAtom()
		if atom.Share == 0 {
			return "none"
		}
		return digits.Percent(atom.Share)
	})
	add("at retry", func(f Forecast) string {
		switch _, retry := f.shown.LargestAtom(); {
		case retry == 0:
			return ""
		case f.exact():
			return "all"
		default:
			return strconv.Itoa(retry)
		}
	})
}
