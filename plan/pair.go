package plan

import (
	"fmt"
	"time"

	"example.com/backoff/internal/wide"
)

// FactorAndBase returns the factor and the base with which retry n comes at elapsed and
// delay follows it: the r that solves d·(1 − r⁻ⁿ)/(r − 1) = T, and d/rⁿ. It ignores
// g.Factor and g.Base. For n = 10, 1023 s and 1024 s they are 2 and 1 s.
//
// The factor is the float64 nearest to that r, and the base is [Geometric.BaseForDelay] with
// that factor. With both, Elapsed(n) differs from elapsed by the effect of half a nanosecond
// of the base, (rⁿ−1)/(r−1)/2, and of the last bit of the factor.
//
// It returns an [*Error] if there is no such schedule: if n < 1; if elapsed <= 0 or above
// n·delay, because no delay before it is longer; if the base would be under 1 ns; if delay
// is not below g.Limit; or if g.Limit is invalid.
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
	// The sum of the n delays before d is d·(1/r + 1/r² + ... + 1/rⁿ), which falls as r
	// grows; multiplied by rⁿ it needs no subtraction. If rⁿ is more than any delay in
	// nanoseconds, there is no base.
	factor = nearestFactor(1<<65, func(r wide.Number) int {
		s := stepsOf(r, int64(n))
		if s.power.Hi >= 1<<65 {
			return 1
		}
		return s.powerTimes(t).cmp(s.sumTimes(d))
	})
	g.Factor = factor
	if base, err = g.BaseForDelay(n, delay); err != nil {
		return 0, 0, impossible(question, "elapsed", elapsed, "a longer one, or fewer retries: Base would be under 1ns")
	}
	return factor, base, nil
}
