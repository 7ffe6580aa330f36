package plan

import (
	"fmt"
	"math"
	"time"

	"example.com/backoff/internal/wide"
)

// FactorForRatio returns 1 + ratio, the factor with which each delay is this share of the
// elapsed time, once that is large compared with the base. Use it to choose a factor: a
// client notices a recovery late by at most this share of the outage, plus the base. For
// delays of about 100 s at 1000 s, a ratio of 0.1, the factor is 1.1.
//
// It returns an [*Error] unless ratio is finite and > 0. A ratio below 2⁻⁵³, about 10⁻¹⁶, is
// lost in the sum.
func FactorForRatio(ratio float64) (float64, error) {
	if !(ratio > 0 && ratio <= math.MaxFloat64) {
		return 0, impossible("FactorForRatio", "ratio", ratio, "a finite value > 0")
	}
	return 1 + ratio, nil
}

// FactorForRetries returns the factor with which retry n comes at elapsed, for g's Base and
// Limit: the r that solves a·(rⁿ−1)/(r−1) = T. It ignores g.Factor. The result is the
// largest float64 with which retry n comes no later. If elapsed is Base + (n−1)·Limit, it is
// the smallest factor with which the second delay is the limit, because a larger one changes
// nothing.
//
// It returns an [*Error] if there is no such factor: if n < 2, because the first delay is
// Base with any factor; if elapsed is below n·Base, because growth only lengthens it; if
// elapsed is above Base + (n−1)·Limit; or if g.Base or g.Limit is invalid.
func (g Geometric) FactorForRetries(n int, elapsed time.Duration) (float64, error) {
	const question = "FactorForRetries"
	g.Factor = 1
	if err := g.Validate(); err != nil {
		return 0, err
	}
	if n < 2 {
		return 0, impossible(question, "n", n, ">= 2: the first delay is Base with any factor")
	}
	g.Base = min(g.Base, g.Limit)
	want := valueOf(wide.OfInt(max(elapsed, 0)))
	fits := func(factor float64) bool {
		g.Factor = factor
		return g.elapsed(int64(n)).cmp(want) <= 0
	}
	if !fits(1) {
		return 0, tooShort(question, elapsed, g.elapsed(int64(n)),
			fmt.Sprintf("%d retries with a Base of %v take that much with a factor of 1", n, g.Base))
	}
	// With this factor the second delay is the limit, and a larger one changes nothing.
	most := float64(g.Limit) / float64(g.Base)
	if product(wide.OfInt(g.Base), wide.Of(most)).cmp(valueOf(wide.OfInt(g.Limit))) < 0 {
		most = math.Nextafter(most, math.Inf(1))
	}
	if fits(most) {
		if end := g.elapsed(int64(n)); end.cmp(want) < 0 {
			return 0, tooLong(question, elapsed, end,
				fmt.Sprintf("%d retries from a Base of %v under a Limit of %v take no more", n, g.Base, g.Limit))
		}
		return most, nil
	}
	// The bits of positive numbers are in the order of the numbers.
	lo, hi := math.Float64bits(1), math.Float64bits(most)
	lo = largest(lo, hi, func(bits uint64) bool { return fits(math.Float64frombits(bits)) })
	return math.Float64frombits(lo), nil
}

// FactorForDelay returns the factor with which delay follows retry n, for g's Base: the
// float64 nearest to (d/a)^(1/n), such as 10 for a Base of 30 s, n = 8 and 3·10⁹ s. It
// ignores g.Factor.
//
// It returns an [*Error] if there is no such factor: if n < 1, because the first delay is
// Base with any factor; if delay is below g.Base; if delay is not below g.Limit, which many
// factors reach; or if g.Base or g.Limit is invalid.
func (g Geometric) FactorForDelay(n int, delay time.Duration) (float64, error) {
	const question = "FactorForDelay"
	g.Factor = 1
	if err := g.Validate(); err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, impossible(question, "n", n, ">= 1: the first delay is Base with any factor")
	}
	if err := g.checkBetween(question, delay); err != nil {
		return 0, err
	}
	base, want := wide.OfInt(g.Base), valueOf(wide.OfInt(delay))
	// The root is at most d/a, which may be rounded downwards.
	most := float64(float64(delay)/float64(g.Base)) * (1 + 0x1p-48)
	return nearestFactor(most, func(r wide.Number) int {
		return stepsOf(r, int64(n)).powerTimes(base).cmp(want)
	}), nil
}

// FactorForDelayAt returns the factor with which delay follows a retry at elapsed, for g's
// Base: the float64 nearest to 1 + (d − a)/T, such as 2 for a Base of 1 s, 1023 s and
// 1024 s. It ignores g.Factor.
//
// It returns an [*Error] if elapsed <= 0, because then the delay is Base with any factor; if
// delay is below g.Base or not below g.Limit; or if g.Base or g.Limit is invalid.
func (g Geometric) FactorForDelayAt(elapsed, delay time.Duration) (float64, error) {
	const question = "FactorForDelayAt"
	g.Factor = 1
	if err := g.Validate(); err != nil {
		return 0, err
	}
	if elapsed <= 0 {
		return 0, impossible(question, "elapsed", elapsed, "> 0")
	}
	if err := g.checkBetween(question, delay); err != nil {
		return 0, err
	}
	return nearestQuotient(delay-g.Base, elapsed), nil
}
