package forecast

import (
	"math"
	"strconv"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/plan"
)

// A cost is what an operation that fails with a probability needs.
type cost struct {
	attempts, success float64 // infinite attempts where all of an endless schedule fail
	endless           bool    // the schedule is taken to have no end
	stopped           int     // requests that may go on are taken to end after this retry; 0: there are none
}

// negligible is the probability of a retry that a cost may leave out unsaid: what it adds
// is less than the last digit of a float64.
const negligible = 1e-16

// addCost adds the cost of f's schedule, which is endless if it looks so.
func (f *Forecast) addCost(fail float64) {
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

// dependsOnEnd reports whether the cost of a schedule that is taken to be endless shows if
// it ends after all, after the retries that were looked at.
func (c cost) dependsOnEnd(fail float64) bool {
	const shows = 1e-6
	_, success := plan.Amplification(fail, plan.MostRetries)
	return c.endless && 1-success >= shows
}

// successText returns the probability of success. It is short of 100 % where requests
// end and attempts fail, however many there are.
func (c cost) successText(fail float64) string {
	if fail > 0 && !c.endless {
		return digits.Percent(min(c.success, math.Nextafter(1, 0)))
	}
	return digits.Percent(c.success)
}

// orMore stands before what is of a request that is cut off.
func (c cost) orMore() string {
	if c.stopped > 0 {
		return "≥ "
	}
	return ""
}

// onAverage returns a number of attempts: as it is where it is whole, rounded down
// where more may be made, and else to three digits.
func onAverage(attempts float64, orMore bool) string {
	if orMore || attempts == math.Trunc(attempts) {
		return strconv.FormatFloat(math.Floor(attempts), 'f', -1, 64)
	}
	return digits.Significant(attempts, 3)
}
