package plan

import (
	"fmt"
	"math"
	"time"
)

// FactorForRatio returns 1 + ratio, the factor with which a delay is that share
// of the time gone by, once this is large beside the base: for delays of about
// 100 s at 1000 s, a ratio of 0.1, it is 1.1. How long a client waits on after
// the other side has recovered is then at most that share of the outage, and the
// base.
//
// It returns an [*Error] unless ratio is finite and > 0: the delays of no
// schedule that grows are a share of 0, or less, of the time gone by. A ratio below
// 2⁻⁵³, which is 10⁻¹⁶, is lost beside 1.
func FactorForRatio(ratio float64) (float64, error) {
	if !(ratio > 0 && ratio <= math.MaxFloat64) {
		return 0, impossible("FactorForRatio", "ratio", ratio, "a finite value > 0")
	}
	return 1 + ratio, nil
}

// RetryCost returns ln(from)/ln(to): how many times the retries in one time a
// change of factor costs, in the limit of a long time. From 2 to 1.1 it is 7.27.
// Over a shorter time it costs less; [RetryCostAt] says how much. The last bits
// may differ between architectures, for they are of logarithms.
//
// It returns an [*Error] unless both factors are finite and > 1: with a factor of
// 1 the retries grow with the time itself and not with its logarithm.
func RetryCost(from, to float64) (float64, error) {
	for _, f := range []struct {
		name   string
		factor float64
	}{{"from", from}, {"to", to}} {
		if !(f.factor > 1 && f.factor <= math.MaxFloat64) {
			return 0, impossible("RetryCost", f.name, f.factor, "a finite value > 1")
		}
	}
	return math.Log1p(from-1) / math.Log1p(to-1), nil
}

// RetryCostAt returns how many times the retries within elapsed the change from
// one schedule to another costs: to.Retries(elapsed)/from.Retries(elapsed). With a
// base of 1 s the change of factor from 2 to 1.1 costs 4.86 times the retries
// within 1000 s, where [RetryCost] is 7.27.
//
// It returns an [*Error] if elapsed <= 0 or one of the schedules is invalid.
func RetryCostAt(elapsed time.Duration, from, to Geometric) (float64, error) {
	if elapsed <= 0 {
		return 0, impossible("RetryCostAt", "elapsed", elapsed, "> 0")
	}
	if err := from.Validate(); err != nil {
		return 0, err
	}
	if err := to.Validate(); err != nil {
		return 0, err
	}
	return to.Retries(elapsed) / from.Retries(elapsed), nil
}

// FactorForRetries returns the factor with which retry n of a schedule with g's
// Base and Limit comes at elapsed: the r that solves a·(rⁿ−1)/(r−1) = T. It does
// not look at g.Factor. Of the float64 numbers it is the largest with which
// retry n comes no later; where elapsed is Base + (n−1)·Limit it is the smallest
// such that the second delay is the limit, for larger ones change nothing.
//
// It returns an [*Error] where there is no such factor: if n < 2, for the first
// delay is Base with any factor; if elapsed is below n·Base, for growth makes it
// only longer; if elapsed is above Base + (n−1)·Limit; and if g.Base or g.Limit
// is invalid.
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
	want := wideOfInt(elapsed)
	fits := func(factor float64) bool {
		g.Factor = factor
		return !want.less(g.elapsed(int64(n)))
	}
	if !fits(1) {
		return 0, tooShort(question, elapsed, g.elapsed(int64(n)),
			fmt.Sprintf("%d retries with a Base of %v take that much with a factor of 1", n, g.Base))
	}
	// From here on the second delay is the limit, and a larger factor changes
	// nothing.
	most := float64(g.Limit) / float64(g.Base)
	if wideOfInt(g.Base).times(wideOf(most)).less(wideOfInt(g.Limit)) {
		most = math.Nextafter(most, math.Inf(1))
	}
	if fits(most) {
		if end := g.elapsed(int64(n)); end.less(want) {
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

// BaseForRetries returns the base with which retry n of a schedule with g's
// Factor and Limit comes at elapsed: T·(r−1)/(rⁿ−1), T/n where r is 1, and more
// where the limit holds the delays back. It does not look at g.Base. It is the
// largest whole number of nanoseconds with which retry n comes no later; where
// elapsed is n·Limit it is Limit, the smallest that does, for larger ones change
// nothing.
//
// It returns an [*Error] where there is no such base: if n < 1; if elapsed is so
// short that a base of 1 ns is too long; if elapsed is above n·Limit; and if
// g.Factor or g.Limit is invalid.
func (g Geometric) BaseForRetries(n int, elapsed time.Duration) (time.Duration, error) {
	const question = "BaseForRetries"
	g.Base = 1
	if err := g.Validate(); err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, impossible(question, "n", n, ">= 1")
	}
	want := wideOfInt(elapsed)
	fits := func(base uint64) bool {
		g.Base = time.Duration(base)
		return !want.less(g.elapsed(int64(n)))
	}
	if !fits(1) {
		return 0, tooShort(question, elapsed, g.elapsed(int64(n)),
			fmt.Sprintf("%d retries with a Factor of %v take that much with a base of 1ns", n, g.Factor))
	}
	if fits(uint64(g.Limit)) {
		if end := g.elapsed(int64(n)); end.less(want) {
			return 0, tooLong(question, elapsed, end,
				fmt.Sprintf("%d retries under a Limit of %v take no more", n, g.Limit))
		}
		return g.Limit, nil
	}
	return time.Duration(largest(1, uint64(g.Limit), fits)), nil
}

// largest returns the largest x in [lo, hi) for which fits holds, if it holds of
// lo, not of hi, and of nothing above an x of which it does not.
func largest(lo, hi uint64, fits func(uint64) bool) uint64 {
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		if fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// tooShort and tooLong are about an elapsed time that no parameter reaches, and
// the nearest one that a parameter does.
func tooShort(question string, elapsed time.Duration, least wide, why string) error {
	if !least.roundsTo(math.MaxInt64) {
		return impossible(question, "elapsed", elapsed, "more than a time.Duration holds: "+why)
	}
	return impossible(question, "elapsed", elapsed, fmt.Sprintf(">= %v: %s", least.duration(), why))
}

func tooLong(question string, elapsed time.Duration, most wide, why string) error {
	return impossible(question, "elapsed", elapsed, fmt.Sprintf("<= %v: %s", most.duration(), why))
}
