package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/backoff/plan"
)

// answers are sentences about what was asked, and about the whole.
func (f forecast) answers(p *planning) []string {
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
func (f forecast) time(p *planning) string {
	n := len(f.rows)
	last := f.rows[n-1]
	what, extra := fmt.Sprintf("Retry %d comes after", n), time.Duration(0)
	if f.goes == ends {
		what, extra = fmt.Sprintf("The whole, of %s, takes", count(n+1, "attempt")), p.attemptTime
	}
	if f.exact() {
		return fmt.Sprintf("%s %s.", what, exact(total(last.Elapsed.Mean, extra)))
	}
	worst := last.Elapsed.Greatest
	for _, r := range f.rows { // where draws end early, the longest need not be among the last
		worst = max(worst, r.Elapsed.Greatest)
	}
	times := fmt.Sprintf("%s in the worst of %s draws",
		brief(total(worst, extra)), grouped(strconv.Itoa(f.plan.Draws)))
	if f.uneven() {
		if f.goes == ends {
			what = fmt.Sprintf("The whole, of %s at most, takes", count(n+1, "attempt"))
		}
		return fmt.Sprintf("%s %s.", what, times)
	}
	return fmt.Sprintf("%s %s on average, %s.", what, brief(total(last.Elapsed.Mean, extra)), times)
}

// within says how many attempts fit within the deadline.
func (f forecast) within(p *planning) string {
	within := "Within " + exact(p.deadline)
	switch looked := len(f.plan.Retries) + 1; {
	case f.fit.Open > 0:
		return fmt.Sprintf("%s more attempts fit than the %s that were looked at%s.",
			within, grouped(strconv.Itoa(looked)), f.lookFurther())
	case f.fit.Least == f.fit.Greatest:
		return fmt.Sprintf("%s %s.", within, fits(f.fit.Least))
	}
	k := f.nearlyAll()
	return fmt.Sprintf("%s %s for %s of clients, %s on average, from %d to %d.",
		within, fits(k), percent(f.fit.AtLeast[k]), digits(f.fit.Mean, 3), f.fit.Least, f.fit.Greatest)
}

// lookFurther says what to do where not all was looked at.
func (f forecast) lookFurther() string {
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
func (f forecast) nearlyAll() int {
	k := 0
	for k+1 < len(f.fit.AtLeast) && f.fit.AtLeast[k+1] >= 0.95 {
		k++
	}
	return k
}

// together says what clients do that fail together.
func (f forecast) together(p *planning) string {
	who, come, send := grouped(strconv.Itoa(p.clients))+" clients that fail together", "come back together", "send"
	if p.clients == 1 {
		who, come, send = "A client that fails", "comes back", "sends"
	}
	cut := ""
	if f.cut > 1 { // else there are no delays at all
		cut = fmt.Sprintf(" Beyond %s nothing was looked at%s.", brief(f.cut), f.lookFurther())
	}
	if f.exact() {
		return fmt.Sprintf("%s %s, at %s.%s", who, come, f.moments(), cut)
	}
	return fmt.Sprintf("%s %s at most %s retries a second, in the %s from %s on.%s",
		who, send, about(f.peak.perSecond), exact(f.peak.bin), exact(f.peak.at), cut)
}

// moments says when clients come back: the first three times.
func (f forecast) moments() string {
	const most = 3
	var moments []string
	for _, r := range f.rows[:min(len(f.rows), most)] {
		moments = append(moments, exact(r.Elapsed.Mean))
	}
	last := len(moments) - 1
	if len(f.rows) > most || f.goes != ends {
		return strings.Join(moments, ", ") + " and so on"
	}
	if last == 0 {
		return moments[0]
	}
	return strings.Join(moments[:last], ", ") + " and " + moments[last]
}

// amplified says what a request costs where attempts fail.
func (f forecast) amplified(p *planning) string {
	share := percent(p.fail) + " of the attempts fail"
	switch p.fail {
	case 0:
		share = "no attempt fails"
	case 0.5:
		share = "half of the attempts fail"
	case 1:
		share = "all attempts fail"
	}
	most := grouped(strconv.Itoa(maxRetries))
	if f.cost.endless && p.fail == 1 {
		return fmt.Sprintf("If %s, a request does not end: after retry %s the schedule still goes on.", share, most)
	}
	given, note := "", ""
	switch {
	case f.cost.endless && leaves(p.fail, maxRetries) >= negligible:
		note = fmt.Sprintf(", if the schedule has no end: it goes on after retry %s", most)
	case f.cost.stopped > 0:
		given = fmt.Sprintf(" that ends after retry %s at the latest", grouped(strconv.Itoa(f.cost.stopped)))
		note = f.lookFurther()
	}
	attempts := onAverage(f.cost.attempts, false) + " attempts"
	if f.cost.attempts == 1 {
		attempts = "1 attempt"
	}
	return fmt.Sprintf("If %s, a request%s makes %s on average and succeeds with a probability of %s%s.",
		share, given, attempts, percent(f.cost.success), note)
}

// warnings are those of plan about the rows.
func (f forecast) warnings() []string {
	about := *f.plan
	about.Retries = f.rows
	return about.Warnings()
}

// fewWarnings are the first warnings and the last, in place of many.
func (f forecast) fewWarnings() []string {
	const most = 4
	warnings := f.warnings()
	last := len(warnings) - 1
	if more := len(warnings) - most; more > 1 {
		return append(warnings[:most-1:most-1], fmt.Sprintf("%d more such retries, and then %s", more, warnings[last]))
	}
	return warnings
}

// percent returns a share in [0, 1] to three digits, and never what is short of
// all as 100 %.
func percent(share float64) string {
	text := digits(100*share, 3)
	if share < 1 && text == "100" {
		return "more than 99.9 %"
	}
	return text + " %"
}

// about returns a number >= 0 to three digits, with commas.
func about(x float64) string { return grouped(digits(x, 3)) }

// digits returns x to n significant digits, and to all digits before the point,
// as zeros.
func digits(x float64, n int) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', n, 64), 64)
	if err != nil { // infinite
		rounded = x
	}
	if rounded != 0 && math.Abs(rounded) < 1e-4 {
		return strconv.FormatFloat(rounded, 'g', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// brief returns d to three digits.
func brief(d time.Duration) string { return rounded(d, digit(d, 3)) }

// atom returns the largest atom of the rows, and of which retry it is; 0 if there
// is none.
func (f forecast) atom() (largest plan.Atom, retry int) {
	for _, r := range f.rows {
		if r.Atom.Share > largest.Share {
			largest, retry = r.Atom, r.N
		}
	}
	return largest, retry
}
