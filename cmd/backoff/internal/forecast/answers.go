package forecast

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/internal/saturating"
	"example.com/backoff/plan"
)

// answers are sentences: those that were asked for, then how long the schedule takes, then
// the warnings.
func (f Forecast) answers(p *Params) []string {
	var answers []string
	if f.fit != nil {
		answers = append(answers, f.within(p))
	}
	if f.load != nil {
		answers = append(answers, f.together(p))
	}
	if f.cost != nil {
		answers = append(answers, f.amplified(p))
	}
	answers = append(answers, f.time())
	for _, w := range f.fewWarnings() {
		answers = append(answers, "Warning: "+w+".")
	}
	return answers
}

// time tells how long the schedule takes if it ends, and when the last row comes if not.
func (f Forecast) time() string {
	n := len(f.shown.Retries)
	if n == 0 {
		return "The schedule has no delays: a request makes 1 attempt and no retry."
	}
	start, times, end := fmt.Sprintf("Retry %s comes after ", number(n)), f.shown.LastRetry(), "; the schedule "+f.shown.End().String()
	if f.shown.End() == plan.Ends {
		most := ""
		if f.shown.Uneven() {
			most = "up to "
		}
		start = fmt.Sprintf("The schedule ends after %s%s, %s, in ", most, digits.Count(n, "retry"), digits.Count(n+1, "attempt"))
		times, end = f.shown.Duration(), ""
	}
	if f.exact() {
		return start + digits.Exact(times.Mean) + end + "."
	}
	return fmt.Sprintf("%s%s on average, up to %s in %s draws%s.",
		start, digits.Brief(times.Mean), digits.Brief(times.Max), number(f.shown.Draws), end)
}

// nearlyAll is the share of clients for whom a number of attempts is said to fit.
const nearlyAll = 0.95

// within tells how many attempts fit within the deadline.
func (f Forecast) within(p *Params) string {
	within := "Within " + digits.Exact(p.Deadline) + ", "
	switch {
	case f.fit.Open > 0:
		return within + fmt.Sprintf("more attempts fit than the %s that plan examined%s.", number(len(f.plan.Retries)+1), f.lookFurther())
	case f.fit.Min == f.fit.Max:
		return within + fits(f.fit.Min) + "." + f.exactlyAt(p)
	}
	k := f.fit.AttemptsFor(nearlyAll)
	return within + fmt.Sprintf("%s for %s of clients, %s on average.%s",
		fits(k), digits.Percent(f.fit.Share(k)), digits.Significant(f.fit.Mean, 3), f.exactlyAt(p))
}

// exactlyAt tells of a retry at exactly the deadline. It fits, because it takes no time
// here, but retry.Do does not begin it.
func (f Forecast) exactlyAt(p *Params) string {
	const visible = 0.005 // of the clients
	if p.AttemptTime > 0 || f.fit.Mean-f.plan.Within(p.Deadline-1).Mean < visible {
		return ""
	}
	return fmt.Sprintf(" A retry at exactly %s counts; run --timeout and retry.Do do not begin it.", digits.Exact(p.Deadline))
}

// lookFurther tells how to examine more retries. There is no way if plan examined as many
// as it does of any schedule; otherwise there are too many draws for more.
func (f Forecast) lookFurther() string {
	if len(f.plan.Retries) < plan.MostRetries {
		return "; with fewer --draws it examines more"
	}
	return ""
}

func fits(attempts int) string {
	if attempts == 1 {
		return "1 attempt fits"
	}
	return digits.Count(attempts, "attempt") + " fit"
}

// together tells what clients do that fail together at 0s.
func (f Forecast) together(p *Params) string {
	who, come, send := digits.Count(p.Clients, "client"), "come back at once", "send"
	if p.Clients == 1 {
		come, send = "comes back", "sends"
	}
	once, second := f.load.atOnce(), f.load.inSecond()
	switch cut := f.cutNote(); {
	case len(f.plan.Retries) == 0:
		return who + " " + send + " no retries."
	case f.load.cut == 1:
		return who + " " + send + " retries without a wait: their load has no limit."
	case second.Retries == 0:
		return fmt.Sprintf("%s %s no retries within %s.%s", who, send, digits.Exact(f.load.until), cut)
	case !f.plan.Random():
		return fmt.Sprintf("%s %s, at %s.%s", who, come, f.comingTimes(), cut)
	case once.Retries >= f.load.most[tenth].Retries/2:
		return fmt.Sprintf("%s %s %s retries at once, at %s.%s", who, send, digits.About(once.Retries), digits.Brief(once.At), cut)
	case second.Retries < fewRetries:
		return fmt.Sprintf("%s %s too few retries for a rate: %s on average in the busiest second, %s.%s",
			who, send, retriesText(second), when(second), cut)
	default:
		return fmt.Sprintf("%s %s %s retries in the busiest second, %s.%s", who, send, retriesText(second), when(second), cut)
	}
}

// fewRetries is how many retries in the busiest second are not called a rate: the number
// of a single outage would differ from it by a third and more.
const fewRetries = 10

// when tells when the busiest second is, to a hundredth. If it holds too few draws, it is
// somewhere in a longer time.
func when(b plan.Burst) string {
	at := b.At.Round(time.Second / 100)
	begin, end := digits.Brief(at), digits.Brief(saturating.Add(at, b.Width))
	if b.Width > b.Within {
		return fmt.Sprintf("between %s and %s", begin, end)
	}
	return fmt.Sprintf("from %s to %s", begin, end)
}

// cutNote tells where the load ends if that is before it should.
func (f Forecast) cutNote() string {
	if f.load.cut == 0 {
		return ""
	}
	return fmt.Sprintf(" This is the load of the first %s: plan examined no more%s.", digits.Brief(f.load.cut), f.lookFurther())
}

// retriesText returns the retries of b, and their standard error if they are estimated.
func retriesText(b plan.Burst) string {
	text := retriesOf(b)
	if b.Error > 0 {
		text += " ± " + digits.Grouped(digits.Significant(b.Error, 2))
	}
	return text
}

// comingTimes tells when clients come back: the first three times.
func (f Forecast) comingTimes() string {
	const most = 3
	var times []string
	for _, m := range f.load.moments[:min(len(f.load.moments), most)] {
		times = append(times, digits.Exact(m.At))
	}
	if len(f.load.moments) > most || f.plan.End() != plan.Ends || f.plan.LastRetry().Max > f.load.until {
		return strings.Join(times, ", ") + " and so on"
	}
	return listed(times)
}

// amplified tells what a request costs if attempts fail.
func (f Forecast) amplified(p *Params) string {
	share := failing(p.Fail)
	if f.cost.endless && p.Fail == 1 {
		return fmt.Sprintf("If %s, a request does not end: after retry %s the schedule still goes on.", share, number(plan.MostRetries))
	}
	given, note := "", ""
	switch {
	case f.cost.dependsOnEnd(p.Fail):
		note = fmt.Sprintf(", if the schedule has no end: it goes on after retry %s", number(plan.MostRetries))
	case f.cost.stopped > 0:
		given = fmt.Sprintf(" that ends after at most %s", digits.Count(f.cost.stopped, "retry"))
		note = f.lookFurther()
	}
	return fmt.Sprintf("If %s, a request%s makes %s on average%s; %s succeed%s.",
		share, given, onAverage(f.cost.attempts, false), p.inTime(), f.cost.successText(p.Fail), note)
}

// inTime tells which attempts a request makes: with a deadline those that fit.
func (p *Params) inTime() string {
	if p.Asked["deadline"] {
		return " within " + digits.Exact(p.Deadline)
	}
	return ""
}

// failing tells which attempts fail.
func failing(share float64) string {
	switch share {
	case 0:
		return "no attempt fails"
	case 0.5:
		return "half of the attempts fail"
	case 1:
		return "all attempts fail"
	}
	return digits.Percent(share) + " of the attempts fail"
}

// warnings are about the rows. If later retries are random, each row has its own warning:
// one about every retry would be wrong.
func (f Forecast) warnings() []plan.Warning {
	of := f.shown
	if f.exact() {
		of = f.plan
	}
	return slices.DeleteFunc(of.Warnings(), func(w plan.Warning) bool { return w.Retry > len(f.shown.Retries) })
}

// fewWarnings returns the warnings as sentences, and those about the same delay of several
// retries in one.
func (f Forecast) fewWarnings() []string {
	var few []string
	all := f.warnings()
	for i := 0; i < len(all); {
		first, j := all[i], i+1
		low, high := first.Atom.Share, first.Atom.Share
		for j < len(all) && all[j].Advice == first.Advice && all[j].Atom.Delay == first.Atom.Delay {
			low, high = min(low, all[j].Atom.Share), max(high, all[j].Atom.Share)
			j++
		}
		few = append(few, first.String())
		if j-i > 1 {
			_, what, _ := strings.Cut(first.String(), " clients ")
			who := "all clients"
			if low < 1 {
				who = fmt.Sprintf("%s to %s of clients", digits.Percent(low), digits.Percent(high))
			}
			few[len(few)-1] = fmt.Sprintf("retries %s to %s: %s %s", number(first.Retry), number(all[j-1].Retry), who, what)
		}
		i = j
	}
	const most = 4
	if more := len(few) - most; more > 1 {
		return append(few[:most-1:most-1], fmt.Sprintf("%d more such retries, and then %s", more, few[len(few)-1]))
	}
	return few
}

// number returns a whole number with commas.
func number(n int) string { return digits.Grouped(strconv.Itoa(n)) }
