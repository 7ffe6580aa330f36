package forecast

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/plan"
)

// answers are sentences about what was asked, and about the whole.
func (f Forecast) answers(p *Params) []string {
	if len(f.shown.Retries) == 0 {
		return []string{"No delays: no retry, 1 attempt."}
	}
	answers := []string{f.time()}
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
func (f Forecast) time() string {
	n, ends := len(f.shown.Retries), f.shown.End() == plan.Ends
	what, takes := fmt.Sprintf("Retry %d comes after", n), f.shown.LastRetry()
	if ends {
		what, takes = fmt.Sprintf("The whole, of %s, takes", digits.Count(n+1, "attempt")), f.shown.Duration()
	}
	if f.exact() {
		return fmt.Sprintf("%s %s.", what, digits.Exact(takes.Mean))
	}
	draws := digits.Grouped(strconv.Itoa(f.shown.Draws))
	if f.shown.Uneven() {
		if ends {
			what = fmt.Sprintf("The whole, of %s at most, takes", digits.Count(n+1, "attempt"))
		}
		return fmt.Sprintf("%s %s, the max of %s draws.", what, digits.Brief(takes.Max), draws)
	}
	return fmt.Sprintf("%s %s on average; the max of %s draws is %s.", what, digits.Brief(takes.Mean), draws, digits.Brief(takes.Max))
}

// nearlyAll is the share of clients for whom so many attempts are said to fit.
const nearlyAll = 0.95

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
	k := f.fit.AttemptsFor(nearlyAll)
	return fmt.Sprintf("%s %s for %s of clients, %s on average, from %d to %d.",
		within, fits(k), digits.Percent(f.fit.Share(k)), digits.Significant(f.fit.Mean, 3), f.fit.Min, f.fit.Max)
}

// lookFurther says what to do where not all was looked at. If that is less than can be
// looked at of any schedule, there are too many draws for more.
func (f Forecast) lookFurther() string {
	if len(f.plan.Retries) < plan.MostRetries {
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
	if !f.plan.Random() {
		return fmt.Sprintf("%s %s, at %s.%s", who, come, f.moments(), cut)
	}
	return fmt.Sprintf("%s %s at most %s retries a second, in the %s from %s on.%s",
		who, send, f.peakText(), digits.Exact(f.peak.Width), digits.Exact(f.peak.At), cut)
}

// peakText returns the retries a second of the peak, and their standard error if they are
// estimated.
func (f Forecast) peakText() string {
	text := digits.About(f.peak.PerSecond)
	if f.peak.Error > 0 {
		text += " ± " + digits.Grouped(digits.Significant(f.peak.Error, 2))
	}
	return text
}

// moments says when clients come back: the first three times.
func (f Forecast) moments() string {
	const most = 3
	var moments []string
	rows := f.shown.Retries
	for _, r := range rows[:min(len(rows), most)] {
		moments = append(moments, digits.Exact(r.Elapsed.Mean))
	}
	last := len(moments) - 1
	if len(rows) > most || f.shown.End() != plan.Ends {
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
	most := digits.Grouped(strconv.Itoa(plan.MostRetries))
	if f.cost.endless && p.Fail == 1 {
		return fmt.Sprintf("If %s, a request does not end: after retry %s the schedule still goes on.", share, most)
	}
	given, note := "", ""
	switch {
	case f.cost.dependsOnEnd(p.Fail):
		note = fmt.Sprintf(", if the schedule has no end: it goes on after retry %s", most)
	case f.cost.stopped > 0:
		given = fmt.Sprintf(" that ends after retry %s at the latest", digits.Grouped(strconv.Itoa(f.cost.stopped)))
		note = f.lookFurther()
	}
	attempts := onAverage(f.cost.attempts, false) + " attempts"
	if attempts == "1 attempts" {
		attempts = "1 attempt"
	}
	return fmt.Sprintf("If %s, a request%s makes %s on average and succeeds with a probability of %s%s.",
		share, given, attempts, f.cost.successText(p.Fail), note)
}

// warnings are the sentences about the rows.
func (f Forecast) warnings() []string {
	warnings := []string{}
	for _, w := range f.shown.Warnings() {
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
