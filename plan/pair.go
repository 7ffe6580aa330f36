package plan

import (
	"fmt"
	"time"

	"example.com/backoff/internal/wide"
)

// FactorAndBase returns the factor and the base of the schedule whose retry n comes
// at elapsed and is followed by delay: the r that solves
// d·(1 − r⁻ⁿ)/(r − 1) = T, and d/rⁿ. It does not look at g.Factor and g.Base. For
// n = 10, 1023 s and 1024 s they are 2 and 1 s.
//
// The factor is the float64 nearest to the r that solves it, and the base is
// [Geometric.BaseForDelay] with that factor. With the two Elapsed(n) is elapsed
// but for what half a nanosecond of the base counts, (rⁿ−1)/(r−1)/2, and what the
// last bit of the factor does.
//
// It returns an [*Error] where there is no such schedule: if n < 1; if elapsed <= 0 or
// above n·delay, because the delays before it are not longer; if the base would be
// under 1 ns; if delay is not below g.Limit; and if g.Limit is invalid.
func (g Geometric) FactorAndBase(n int, elapsed, delay time.Duration) (factor float64, base time.Duration, err error) {
	const question = "FactorAndBase"
	g.Factor, g.Base = 1, 1
	if err := g.Validate(); err != nil {
		return 0, 0, err
	}
	if n < 1 {
		return 0, 0, impossible(question, "n", n, ">= 1")
	}
	if err := g.checkBelowLimit(question, delay); err != nil {
		return 0, 0, err
	}
	if delay <= 0 {
		return 0, 0, impossible(question, "delay", delay, "> 0")
	}
	if elapsed <= 0 {
		return 0, 0, impossible(question, "elapsed", elapsed, "> 0")
	}
	d, t := wide.OfInt(delay), wide.OfInt(elapsed)
	if most := product(d, wide.OfInt(int64(n))); most.cmp(valueOf(t)) < 0 {
		return 0, 0, tooLong(question, elapsed, most, fmt.Sprintf("%d retries before a delay of %v take no more", n, delay))
	}
	// The sum of the n delays before d is d·(1/r + 1/r² + ... + 1/rⁿ), and it falls as
	// r grows; times rⁿ nothing is subtracted. Where rⁿ is more than any delay in
	// nanoseconds there is no base.
	factor = nearestFactor(1<<65, func(r wide.Number) int {
		s := stepsOf(r, int64(n))
		if s.power.Hi >= 1<<65 {
			return 1
		}
		return s.powerTimes(t).cmp(s.sumTimes(d))
	})
	g.Factor = factor
	if base, err = g.BaseForDelay(n, delay); err != nil {
		return 0, 0, impossible(question, "elapsed", elapsed, "a longer one, or less retries: Base would be under 1ns")
	}
	return factor, base, nil
}
