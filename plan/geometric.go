package plan

import (
	"iter"
	"math"
	"time"

	"example.com/backoff"
	"example.com/backoff/internal/wide"
)

// A Geometric is the schedule a, a·r, a·r², ... under a limit, exponential backoff without
// jitter. Use it when you know what you need, such as a number of retries or the largest
// delay, and want the parameters: every question has a formula. Retries count from 1: the
// delay before retry n is min(limit, a·rⁿ⁻¹), and retry n comes at Tₙ, the sum of the
// first n delays.
//
// The formulas assume that attempts take no time. Results are rounded once, to the nearest
// nanosecond, and are the same on every GOARCH.
//
// The methods panic with the text of [Geometric.Validate]'s error if a field is
// invalid.
type Geometric struct {
	Base   time.Duration // a, the first delay (initial delay); > 0
	Factor float64       // r, the growth per retry (multiplier); finite and >= 1
	Limit  time.Duration // the largest delay (max delay); > 0, and backoff.NoLimit for none
}

// Validate returns nil, or an [*Error] that names the first invalid field. The zero
// Geometric is invalid, because no field has a value that means "unset". If Limit < Base,
// Base is lowered to Limit, as in package backoff.
func (g Geometric) Validate() error {
	switch {
	case !(g.Base > 0):
		return impossible("Geometric", "Base", g.Base, "> 0")
	case !(g.Factor >= 1 && g.Factor <= math.MaxFloat64):
		return impossible("Geometric", "Factor", g.Factor, "a finite value >= 1")
	case !(g.Limit > 0):
		return impossible("Geometric", "Limit", g.Limit, "> 0 (backoff.NoLimit is none)")
	}
	return nil
}

// check panics if g is invalid.
func (g Geometric) check() {
	if err := g.Validate(); err != nil {
		panic(err.Error())
	}
}

// Schedule returns the endless schedule Cap(Exponential(Base, Factor), Limit) of package
// backoff. Its delays count from 0: Delay(n) is its delay n−1.
func (g Geometric) Schedule() iter.Seq[time.Duration] {
	g.check()
	return backoff.Cap(backoff.Exponential(g.Base, g.Factor), g.Limit)
}

// Delay returns the delay before retry n, counting from 1: min(Limit, a·rⁿ⁻¹). For
// Geometric{1 s, 2, NoLimit} it is 1 s, 2 s, 4 s, ... and 512 s before retry 10. A delay
// too large for a time.Duration is [backoff.NoLimit].
//
// It panics if n < 1.
func (g Geometric) Delay(n int) time.Duration {
	g.check()
	if n < 1 {
		reject("Delay", "n", n, ">= 1")
	}
	return min(g.Limit, g.delay(int64(n)-1).duration())
}

// delay returns a·rⁿ, without the limit.
func (g Geometric) delay(n int64) value {
	return stepsOf(wide.Of(g.Factor), n).powerTimes(wide.OfInt(g.Base))
}

// DelayAfter returns the delay that follows retry n: min(Limit, a·rⁿ), which is Delay(n+1),
// and delay n in package backoff. Retry 0 is the first attempt: for
// Geometric{1 s, 2, NoLimit} it is 1 s, 2 s, 4 s, ... from n = 0 on.
//
// If you know n, use it in place of DelayAt(Elapsed(n)), which multiplies the rounding of
// Elapsed by r−1, and is wrong once Elapsed is [backoff.NoLimit].
//
// It panics if n < 0.
func (g Geometric) DelayAfter(n int) time.Duration {
	g.check()
	checkNonNegative("DelayAfter", "n", n)
	return min(g.Limit, g.delay(int64(n)).duration())
}

// BelowLimit returns m, how many delays are below the limit before they are rounded. All
// delays after these are the limit. For Geometric{1 s, 2, 5 s} it is 3: 1 s, 2 s and 4 s. It
// is [math.MaxInt] if Limit is [backoff.NoLimit], if no delay reaches it, or if m is too
// large for an int.
func (g Geometric) BelowLimit() int {
	g.check()
	if g.Limit == backoff.NoLimit {
		return math.MaxInt
	}
	m, _ := g.bend()
	return int(min(m, math.MaxInt))
}

// Elapsed returns Tₙ, the time from the first attempt to retry n: the sum a·(rⁿ−1)/(r−1) of
// n delays, n·a if r is 1, and a straight line once the delays reach the limit. For
// Geometric{1 s, 2, NoLimit} it is 0, 1 s, 3 s, 7 s, ... and 1023 s for n = 10. A time too
// large for a time.Duration is [backoff.NoLimit].
//
// The schedule rounds each delay, and Elapsed only the sum, so the two may differ by half a
// nanosecond a retry.
//
// It panics if n < 0.
func (g Geometric) Elapsed(n int) time.Duration {
	g.check()
	checkNonNegative("Elapsed", "n", n)
	return g.elapsed(int64(n)).duration()
}

func (g Geometric) elapsed(n int64) value {
	m, sum := g.bend()
	if n <= m {
		return stepsOf(wide.Of(g.Factor), n).sumTimes(wide.OfInt(g.Base))
	}
	return sum.plus(product(wide.OfInt(n-m), wide.OfInt(g.Limit)))
}

// bend returns m, how many delays are below the limit, and their sum. All delays after
// these are the limit. If no delay reaches it, m is beyond every n.
func (g Geometric) bend() (m int64, sum value) {
	if g.Base >= g.Limit {
		return 0, valueOf(wide.Number{})
	}
	base, limit, factor := wide.OfInt(g.Base), valueOf(wide.OfInt(g.Limit)), wide.Of(g.Factor)
	s := longest(factor, func(s steps) bool { return s.powerTimes(base).cmp(limit) < 0 })
	if s.n < math.MaxInt64 {
		s = s.then(oneStep(factor)) // delay 0 is below the limit too
	}
	return s.n, s.sumTimes(base)
}

// DelayAt returns the delay that follows a retry at elapsed: min(Limit, a + (r−1)·T). Below
// the limit, the delay before that retry is this one divided by r.
//
// The delay of a geometric schedule is a line in the elapsed time. Once T is large compared
// with a, each delay is the share r−1 of the elapsed time: with a factor of 2 the next delay
// doubles it, with 1.1 the next delay adds a tenth to it.
//
// It panics if elapsed < 0.
func (g Geometric) DelayAt(elapsed time.Duration) time.Duration {
	g.check()
	checkNonNegative("DelayAt", "elapsed", elapsed)
	growth := product(g.growth(), wide.OfInt(elapsed))
	return min(g.Limit, valueOf(wide.OfInt(g.Base)).plus(growth).duration())
}

// growth returns r − 1, exactly.
func (g Geometric) growth() wide.Number { return wide.Of(g.Factor).Minus(wide.One) }

// Retries returns how many retries come within elapsed, as a real number: the inverse of
// Elapsed, logᵣ(1 + (r−1)·T/a), T/a if r is 1, and a straight line once the delays reach the
// limit. Retries(Elapsed(n)) is n, and the whole part of Retries(elapsed) is
// RetriesWithin(elapsed), as long as a float64 distinguishes n from n+1. The fraction is
// accurate to a few units in the last place.
//
// It panics if elapsed < 0.
func (g Geometric) Retries(elapsed time.Duration) float64 {
	g.check()
	checkNonNegative("Retries", "elapsed", elapsed)
	m, _ := g.bend()
	n := g.retriesWithin(elapsed)
	start := g.elapsed(n)
	if start.duration() == elapsed {
		return float64(n)
	}
	rest := wide.OfInt(elapsed).Minus(start.near)
	// 1 + (r−1)·T/a is rⁿ·(1 + (r−1)·(T−Tₙ)/(a·rⁿ)): taken from retry n on, the
	// logarithm has only the fraction left to find.
	switch {
	case n >= m:
		return realRetries(n, rest.Over(wide.OfInt(g.Limit)))
	case g.Factor == 1:
		return realRetries(n, rest.Over(wide.OfInt(g.Base)))
	}
	grown := rest.Over(g.delay(n).near).Times(g.growth())
	if g.Factor > 0x1p100 { // n is 0, as the second delay is the limit, and r−1 is r
		grown = wide.Number{Hi: float64(rest.Over(wide.OfInt(g.Base)).Hi * g.Factor)}
	}
	return realRetries(n, grown.Log1p().Over(logOf(g.Factor)))
}

// logOf returns ln(factor).
func logOf(factor float64) wide.Number { return wide.Number{Hi: factor}.Minus(wide.One).Log1p() }

// realRetries returns n + fraction, in [n, n+1) if a float64 distinguishes these.
func realRetries(n int64, fraction wide.Number) float64 {
	x := wide.OfInt(n).Plus(fraction).Hi
	return min(max(x, float64(n)), math.Nextafter(float64(n)+1, 0))
}

// RetriesWithin returns the largest n with Elapsed(n) <= elapsed: the whole retries that
// fit. With the first attempt these are n+1 attempts. A number too large for an int is
// math.MaxInt; use [Geometric.RetriesWithin64] for that. An elapsed of backoff.NoLimit is
// 292 years and not forever.
//
// It panics if elapsed < 0.
func (g Geometric) RetriesWithin(elapsed time.Duration) int {
	g.check()
	checkNonNegative("RetriesWithin", "elapsed", elapsed)
	return int(min(g.retriesWithin(elapsed), math.MaxInt))
}

// RetriesWithin64 is RetriesWithin as an int64, which is the same on every GOARCH, even if
// an int has 32 bits. For {1 ns, 1, NoLimit} and 292 years it is 2⁶³−1.
//
// It panics if elapsed < 0.
func (g Geometric) RetriesWithin64(elapsed time.Duration) int64 {
	g.check()
	checkNonNegative("RetriesWithin64", "elapsed", elapsed)
	return g.retriesWithin(elapsed)
}

func (g Geometric) retriesWithin(elapsed time.Duration) int64 {
	if m, sum := g.bend(); sum.roundsTo(elapsed) {
		return m + int64((elapsed-sum.duration())/g.Limit)
	}
	base := wide.OfInt(g.Base)
	return longest(wide.Of(g.Factor), func(s steps) bool { return s.sumTimes(base).roundsTo(elapsed) }).n
}
