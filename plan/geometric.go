package plan

import (
	"iter"
	"math"
	"time"

	"example.com/backoff"
	"example.com/backoff/internal/wide"
)

// A Geometric is the schedule a, a·r, a·r², ... under a limit, for which every
// question has a formula. Retries count from 1: the delay before retry n is
// a·rⁿ⁻¹, or the limit where that is more, and Tₙ, the sum of the first n delays,
// is when retry n comes.
//
// The formulas take attempts to last no time. Their results are rounded once, to
// the nearest nanosecond, and the same on every GOARCH, but for the last bits of
// [Geometric.Retries].
//
// The methods panic with the text of [Geometric.Validate]'s error if a field is
// invalid.
type Geometric struct {
	Base   time.Duration // a, the first delay; > 0
	Factor float64       // r, the growth per retry; finite and >= 1
	Limit  time.Duration // the largest delay; > 0, and backoff.NoLimit for none
}

// Validate returns nil, or an [*Error] that names the first invalid field. The
// zero Geometric is invalid: no field has a value that means "unset". As in the
// schedules of package backoff a Limit below Base is valid, and lowers it.
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

// Schedule returns the endless schedule that g describes,
// Cap(Exponential(Base, Factor), Limit). It counts from 0: Delay(n) is its
// delay n−1.
func (g Geometric) Schedule() iter.Seq[time.Duration] {
	g.check()
	return backoff.Cap(backoff.Exponential(g.Base, g.Factor), g.Limit)
}

// Delay returns the delay before retry n, counting from 1: min(Limit, a·rⁿ⁻¹). Of
// Geometric{1 s, 2, NoLimit} it is 1 s, 2 s, 4 s, ... and 512 s before retry 10.
// A delay too large for a time.Duration is [backoff.NoLimit].
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

// Elapsed returns Tₙ, the time from the first attempt to retry n: the sum
// a·(rⁿ−1)/(r−1) of n delays, n·a where r is 1, and a straight line from where the
// delays reach the limit. Of Geometric{1 s, 2, NoLimit} it is 0, 1 s, 3 s, 7 s,
// ... and 1023 s for n = 10. A time too large for a time.Duration is
// [backoff.NoLimit].
//
// The schedule rounds each delay, Elapsed only the sum, so that the two may differ
// by half a nanosecond a retry.
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

// bend returns how many delays are below the limit, and their sum. All that
// follow are the limit. Where no delay reaches it, m is beyond every n.
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

// DelayAt returns the delay that follows a retry which comes when elapsed has
// gone by: min(Limit, a + (r−1)·T). It takes no n and no logarithm. The delay
// before that retry is this one divided by r, below the limit.
//
// Once T is large beside a, a delay is the share r−1 of the time gone by: with a
// factor of 2 the wait doubles the whole, with 1.1 it adds a tenth to it.
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

// Retries returns how many retries come within elapsed as a real number, the
// inverse of Elapsed: logᵣ(1 + (r−1)·T/a), T/a where r is 1, and a straight line
// from where the delays reach the limit. Retries(Elapsed(n)) is n, and the whole
// part of Retries(elapsed) is RetriesWithin(elapsed), as long as float64 can tell
// n from n+1. Its fraction may differ in the last bits between architectures,
// for it is a logarithm.
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
	rest := wide.OfInt(elapsed).Minus(start.near).Hi
	// 1 + (r−1)·T/a is rⁿ·(1 + (r−1)·(T−Tₙ)/(a·rⁿ)): taken from retry n on, the
	// logarithm has only the fraction left to find.
	var fraction float64
	switch {
	case n >= m:
		fraction = rest / float64(g.Limit)
	case g.Factor == 1:
		fraction = rest / float64(g.Base)
	default:
		part := rest / g.delay(n).near.Hi
		fraction = math.Log1p(part*(g.Factor-1)) / math.Log1p(g.Factor-1)
	}
	return min(float64(n)+fraction, math.Nextafter(float64(n)+1, 0))
}

// RetriesWithin returns the largest n with Elapsed(n) <= elapsed: the whole
// retries that fit. With the first attempt that makes n+1 attempts. A number
// too large for an int is math.MaxInt. An elapsed of backoff.NoLimit is 292 years
// and not for ever.
//
// It panics if elapsed < 0.
func (g Geometric) RetriesWithin(elapsed time.Duration) int {
	g.check()
	checkNonNegative("RetriesWithin", "elapsed", elapsed)
	return int(min(g.retriesWithin(elapsed), math.MaxInt))
}

func (g Geometric) retriesWithin(elapsed time.Duration) int64 {
	if m, sum := g.bend(); sum.roundsTo(elapsed) {
		return m + int64((elapsed-sum.duration())/g.Limit)
	}
	base := wide.OfInt(g.Base)
	return longest(wide.Of(g.Factor), func(s steps) bool { return s.sumTimes(base).roundsTo(elapsed) }).n
}
