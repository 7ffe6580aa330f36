package forecast

import (
	"math"
	"strconv"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/expr"
	"example.com/backoff/plan"
)

// A cost is what an operation that fails with a probability needs.
type cost struct {
	attempts, success float64 // infinite attempts where all of an endless schedule fail
	endless           bool    // the schedule is taken to have no end
	stopped           int     // requests that may go on are taken to end after this retry; 0: there are none
}

// negligible is the probability of a retry that an amplification may leave out.
const negligible = 1e-6

// costOf returns the cost of f's schedule. A schedule of which every draw goes on,
// and the first one beyond all retries that can be looked at, has no end.
func (p *Params) costOf(f *Forecast) *cost {
	if f.goes == sampling.On && p.goesOn(f.expr) {
		c := cost{endless: true}
		c.attempts, c.success = plan.Amplification(p.Fail, plan.Endless)
		return &c
	}
	f.deepen(p, func() bool { return leaves(p.Fail, len(f.plan.Retries)) < negligible })
	c := cost{}
	c.attempts, c.success = f.plan.Amplification(p.Fail)
	if f.plan.Open > 0 && leaves(p.Fail, len(f.plan.Retries)) >= negligible {
		c.stopped = len(f.plan.Retries)
	}
	return &c
}

// leaves returns the probability that n retries and the first attempt fail.
func leaves(fail float64, n int) float64 {
	_, success := plan.Amplification(fail, n)
	return 1 - success
}

// goesOn reports whether there are more than sampling.MaxRetries delays.
func (p *Params) goesOn(e *expr.Expr) bool {
	n := 0
	for range e.Schedule(backoff.WithSeed(p.Seed)) {
		if n == sampling.MaxRetries {
			return true
		}
		n++
	}
	return false
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
