package forecast

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/plan"
)

// answers are sentences about what was asked, and about the whole.
func (f Forecast) answers(p *Params) []string {
	if len(f.rows) == 0 {
		return []string{"No delays: no retry, 1 attempt."}
	}
	answers := []string{f.time(p)}
	if f.fit != nil {
		answers = append(answers, f.within(p))
	}
	if f.load != nil {
		answers = append(answers, f.together(p))
	}
	if f.cost != nil {
		answers = append(answers, f.amplified(p))
	}
	for _, w := range f.fewWarnings() {
		answers = append(answers, "Warning: "+w+".")
	}
	return answers
}

// time says when the last row comes, or how long the whole takes.
func (f Forecast) time(p *Params) string {
	n := len(f.rows)
	last := f.rows[n-1]
	what, extra := fmt.Sprintf("Retry %d comes after", n), time.Duration(0)
	if f.goes == sampling.Ends {
		what, extra = fmt.Sprintf("The whole, of %s, takes", digits.Count(n+1, "attempt")), p.AttemptTime
	}
	if f.exact() {
		return fmt.Sprintf("%s %s.", what, digits.Exact(digits.Total(last.Elapsed.Mean, extra)))
	}
	worst := last.Elapsed.Max
	for _, r := range f.rows { // where draws end early, the longest need not be among the last
		worst = max(worst, r.Elapsed.Max)
	}
	times := fmt.Sprintf("%s in the worst of %s draws",
		digits.Brief(digits.Total(worst, extra)), digits.Grouped(strconv.Itoa(f.plan.Draws)))
	if f.uneven() {
		if f.goes == sampling.Ends {
			what = fmt.Sprintf("The whole, of %s at most, takes", digits.Count(n+1, "attempt"))
		}
		return fmt.Sprintf("%s %s.", what, times)
	}
	return fmt.Sprintf("%s %s on average, %s.", what, digits.Brief(digits.Total(last.Elapsed.Mean, extra)), times)
}

// within says how many attempts fit within the deadline.
func (f Forecast) within(p *Params) string {
	within := "Within " + digits.Exact(p.Deadline)
	switch looked := len(f.plan.Retries) + 1; {
	case f.fit.Open > 0:
		return fmt.Sprintf("%s more attempts fit than the %s that were looked at%s.",
			within, digits.Grouped(strconv.Itoa(looked)), f.lookFurther())
	case f.fit.Min == f.fit.Max:
		return fmt.Sprintf("%s %s.", within, fits(f.fit.Min))
	}
	k := f.nearlyAll()
	return fmt.Sprintf("%s %s for %s of clients, %s on average, from %d to %d.",
		within, fits(k), digits.Percent(f.fit.AtLeast[k]), digits.Significant(f.fit.Mean, 3), f.fit.Min, f.fit.Max)
}

// lookFurther says what to do where not all was looked at.
func (f Forecast) lookFurther() string {
	if f.fewerDraws() {
		return ": fewer --draws look further"
	}
	return ""
}

func fits(attempts int) string {
	if attempts == 1 {
		return "1 attempt fits"
	}
	return fmt.Sprintf("%d attempts fit", attempts)
}

// nearlyAll returns how many attempts fit for 95 % of clients at least.
func (f Forecast) nearlyAll() int {
	k := 0
	for k+1 < len(f.fit.AtLeast) && f.fit.AtLeast[k+1] >= 0.95 {
		k++
	}
	return k
}

// together says what clients do that fail together.
func (f Forecast) together(p *Params) string {
	who, come, send := digits.Grouped(strconv.Itoa(p.Clients))+" clients that fail together", "come back together", "send"
	if p.Clients == 1 {
		who, come, send = "A client that fails", "comes back", "sends"
	}
	cut := ""
	if f.cut > 1 { // else there are no delays at all
		cut = fmt.Sprintf(" Beyond %s nothing was looked at%s.", digits.Brief(f.cut), f.lookFurther())
	}
	if f.exact() {
		return fmt.Sprintf("%s %s, at %s.%s", who, come, f.moments(), cut)
	}
	return fmt.Sprintf("%s %s at most %s retries a second, in the %s from %s on.%s",
		who, send, digits.About(f.peak.perSecond), digits.Exact(f.peak.bin), digits.Exact(f.peak.at), cut)
}

// moments says when clients come back: the first three times.
func (f Forecast) moments() string {
	const most = 3
	var moments []string
	for _, r := range f.rows[:min(len(f.rows), most)] {
		moments = append(moments, digits.Exact(r.Elapsed.Mean))
	}
	last := len(moments) - 1
	if len(f.rows) > most || f.goes != sampling.Ends {
		return strings.Join(moments, ", ") + " and so on"
	}
	if last == 0 {
		return moments[0]
	}
	return strings.Join(moments[:last], ", ") + " and " + moments[last]
}

// amplified says what a request costs where attempts fail.
func (f Forecast) amplified(p *Params) string {
	share := digits.Percent(p.Fail) + " of the attempts fail"
	switch p.Fail {
	case 0:
		share = "no attempt fails"
	case 0.5:
		share = "half of the attempts fail"
	case 1:
		share = "all attempts fail"
	}
	most := digits.Grouped(strconv.Itoa(sampling.MaxRetries))
	if f.cost.endless && p.Fail == 1 {
		return fmt.Sprintf("If %s, a request does not end: after retry %s the schedule still goes on.", share, most)
	}
	given, note := "", ""
	switch {
	case f.cost.endless && leaves(p.Fail, sampling.MaxRetries) >= negligible:
		note = fmt.Sprintf(", if the schedule has no end: it goes on after retry %s", most)
	case f.cost.stopped > 0:
		given = fmt.Sprintf(" that ends after retry %s at the latest", digits.Grouped(strconv.Itoa(f.cost.stopped)))
		note = f.lookFurther()
	}
	attempts := onAverage(f.cost.attempts, false) + " attempts"
	if f.cost.attempts == 1 {
		attempts = "1 attempt"
	}
	return fmt.Sprintf("If %s, a request%s makes %s on average and succeeds with a probability of %s%s.",
		share, given, attempts, digits.Percent(f.cost.success), note)
}

// warnings are those of plan about the rows.
func (f Forecast) warnings() []string {
	about := *f.plan
	about.Retries = f.rows
	var warnings []string
	for _, w := range about.Warnings() {
		warnings = append(warnings, w.String())
	}
	return warnings
}

// fewWarnings are the first warnings and the last, in place of many.
func (f Forecast) fewWarnings() []string {
	const most = 4
	warnings := f.warnings()
	last := len(warnings) - 1
	if more := len(warnings) - most; more > 1 {
		return append(warnings[:most-1:most-1], fmt.Sprintf("%d more such retries, and then %s", more, warnings[last]))
	}
	return warnings
}

// atom returns the largest atom of the rows, and of which retry it is; 0 if there
// is none.
func (f Forecast) atom() (largest plan.Atom, retry int) {
	for _, r := range f.rows {
		if r.Atom.Share > largest.Share {
			largest, retry = r.Atom, r.N
		}
	}
	return largest, retry
}
