package forecast

import (
	"math"
	"strconv"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/plan"
)

// A cost is what a request costs if each attempt fails with the same probability.
type cost struct {
	attempts, success float64 // attempts is +Inf if all attempts of an endless schedule fail
	endless           bool    // the schedule is taken to have no end
	stopped           int     // requests that may go on are taken to end after this retry; 0: none may
}

// negligible is the probability of a retry that a cost leaves out without a word: such a
// retry adds less than the last digit of a float64.
const negligible = 1e-16

// addCost adds the cost of a request. With a deadline it makes as many attempts as fit;
// without one the schedule is endless if it looks endless.
func (f *Forecast) addCost(p *Params) {
	if f.fit != nil {
		f.cost = f.costInTime(p.Fail)
		return
	}
	fail := p.Fail
	f.cost = &cost{endless: f.shown.LooksEndless()}
	if f.cost.endless {
		f.cost.attempts, f.cost.success = plan.Amplification(fail, plan.Endless)
		return
	}
	f.plan = f.plan.UntilCutOff(fail, negligible)
	c := f.plan.Cost(fail)
	f.cost.attempts, f.cost.success = c.Attempts, c.Success
	if c.CutOff > negligible {
		f.cost.stopped = len(f.plan.Retries)
	}
}

// costInTime returns the cost of a request that makes the attempts that fit within the
// deadline: it makes attempt k if that fits and those before it have failed.
func (f *Forecast) costInTime(fail float64) *cost {
	c := &cost{}
	failed := 1.0 // the probability that all attempts before fail
	for _, fits := range f.fit.AtLeast[1:] {
		c.attempts += fits * failed
		failed *= fail
	}
	c.success = (1 - fail) * c.attempts
	if f.fit.Open*failed > negligible {
		c.stopped = len(f.plan.Retries)
	}
	return c
}

// dependsOnEnd reports whether the cost of a schedule that is taken to be endless would
// differ visibly if the schedule ended after the retries that plan examined.
func (c cost) dependsOnEnd(fail float64) bool {
	const visible = 1e-6
	_, success := plan.Amplification(fail, plan.MostRetries)
	return c.endless && 1-success >= visible
}

// successText returns the probability of success. It is below 100 % if requests end and
// attempts fail, however many there are.
func (c cost) successText(fail float64) string {
	if fail > 0 && !c.endless {
		return digits.Percent(min(c.success, math.Nextafter(1, 0)))
	}
	return digits.Percent(c.success)
}

// orMore stands before the cost of a request that is cut off.
func (c cost) orMore() string {
	if c.stopped > 0 {
		return "≥ "
	}
	return ""
}

// onAverage returns a number of attempts: a whole number as it is, a lower bound rounded
// down, and any other to three digits.
func onAverage(attempts float64, orMore bool) string {
	if orMore || attempts == math.Trunc(attempts) {
		return digits.Grouped(strconv.FormatFloat(math.Floor(attempts), 'f', -1, 64))
	}
	return digits.About(attempts)
}
