package backoff

import (
	"iter"
	"math"
	"time"

	"example.com/backoff/internal/portable"
)

// SmoothJitter returns the endless schedule whose delay n, counting from 0, is
// base·(g(tₙ) − g(tₙ₋₁)), where tₙ = n + Uₙ, the Uₙ are independent and uniform
// over [0, 1), g(t) = 2ᵗ·tanh(√(4t))/1.4, and g(t₋₁) is 0. Delay n lies in
// base·[0, g(n+1) − g(n−1)]: SmoothJitter(1 s, NoLimit) is 0–1.4 s, 0–2.9 s,
// 0–4.4 s, 0–8.6 s, ... The median of the first delay is about base.
//
// Use SmoothJitter when many clients that fail together retry for a long time, and the
// server should see a steady rate: their retries are spread evenly over time, without
// the bands of denser and thinner traffic that other jitters leave.
//
// Its sums telescope, so the elapsed time after n delays lies in
// base·[g(n−1), g(n)). With a base of 1 s every client has retried once within 1.4 s,
// twice within 2.9 s, three times within 5.8 s.
//
// The limit bends the curve: from the t on where base·g′(t) = limit/2 (the larger
// solution), g continues as a straight line. A delay spans less than two units of t,
// so if limit >= 3·base, no delay exceeds limit, no two clients share one, and the sum
// still telescopes. For a smaller limit the result is clamped as well. Clamping alone
// would put most clients on exactly the limit: 92 % by retry 10 of
// SmoothJitter(100 ms, 10 s).
//
// Special cases are:
//
//	SmoothJitter(0, limit) = 0, 0, 0, ...
//	a delay too large for a time.Duration is NoLimit
//	if limit < base, base is lowered to limit
//
// It panics if base < 0 or limit < 0.
//
// It is the DecorrelatedJitterBackoffV2 of [Polly.Contrib.WaitAndRetry], by
// G. Rossetto and others, with a limit.
//
// [Polly.Contrib.WaitAndRetry]: https://github.com/Polly-Contrib/Polly.Contrib.WaitAndRetry
func SmoothJitter(base, limit time.Duration, opts ...Option) iter.Seq[time.Duration] {
	checkJitter("SmoothJitter", base, limit)
	return func(yield func(time.Duration) bool) {
		r := newRandom(opts)
		curve := newBentCurve(float64(min(base, limit)), float64(limit)/2)
		n, before := 0.0, 0.0 // before is base·g(tₙ₋₁)
		uBefore := 0.0
		for {
			u := float64(float64(r.uint64()>>11) / (1 << 53))
			var d float64
			if n-1 < curve.bend {
				at := curve.at(n + u)
				d = at - before
				before = at
				n++
			} else {
				// Both ends are on the line. Their difference, computed
				// directly, stays exact forever; t would lose its fraction,
				// and g would become infinite.
				d = float64(curve.slope * (1 + u - uBefore))
			}
			uBefore = u
			if !yield(min(round(max(d, 0)), limit)) {
				return
			}
		}
	}
}

// A bentCurve is base·g(t) up to t = bend, and from there on the straight line of
// the given slope that continues it.
type bentCurve struct {
	base, slope, bend, atBend float64
}

// newBentCurve returns the curve that bends at the largest t where base·g′(t) is
// slope. If there is no such t, because slope is too small, it bends where g′ is least.
func newBentCurve(base, slope float64) bentCurve {
	if base == 0 {
		return bentCurve{}
	}
	// From leastSlope on, the logarithm of g′ grows, soon as fast as t. The secant
	// method needs a few steps to find where it is log₂(slope/base).
	excess := func(t float64) float64 { return portable.Log2(base * smoothSlope(t) / slope) }
	t := leastSlope
	if e := excess(t); e < 0 {
		before, eBefore := t, e
		t = max(t, portable.Log2(slope/base)+1) // about right, for g′(t) is about 2ᵗ·ln(2)/1.4
		for range 10 {
			e = excess(t)
			if math.Abs(e) < 1e-14 || e == eBefore {
				break
			}
			next := t - e*(t-before)/(e-eBefore)
			before, eBefore, t = t, e, max(next, leastSlope)
		}
	}
	return bentCurve{base, slope, t, float64(base * smooth(t))}
}

func (c bentCurve) at(t float64) float64 {
	if t < c.bend {
		return float64(c.base * smooth(t))
	}
	return c.atBend + float64(c.slope*(t-c.bend))
}

// smooth is g.
func smooth(t float64) float64 {
	return portable.Exp2(t) * portable.Tanh(2*math.Sqrt(t)) / 1.4
}

// smoothSlope is g′, for t > 0.
func smoothSlope(t float64) float64 {
	root := math.Sqrt(t)
	th := portable.Tanh(2 * root)
	return portable.Exp2(t) * (float64(math.Ln2*th) + (1-float64(th*th))/root) / 1.4
}

// leastSlope is where g′ is least, 0.9158.
const leastSlope = 0.57413
