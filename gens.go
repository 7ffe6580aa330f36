package backoff

import (
	"iter"
	"math"
	"time"

	"example.com/backoff/internal/portable"
	"example.com/backoff/internal/saturating"
)

// Constant returns the endless schedule delay, delay, delay, ...
// Constant(0) retries at once, forever.
//
// Use Constant for polling by one client, for a first retry at once, as in
// Concat(Take(Constant(0), 1), seq), and in tests. Many clients need [Uniform] or
// [Jitter]: under a constant delay those that fail together retry together, every
// time.
//
// It panics if delay < 0.
func Constant(delay time.Duration) iter.Seq[time.Duration] {
	checkDelay("Constant", "delay", delay)
	return func(yield func(time.Duration) bool) {
		for {
			if !yield(delay) {
				return
			}
		}
	}
}

// Linear returns the endless schedule base, base + step, base + 2·step, ...
// Delay n, counting from 0, is base + n·step, and [NoLimit] where that is more:
// Linear(1 s, 500 ms) is 1 s, 1.5 s, 2 s, 2.5 s, ...
//
// Use Linear when delays must grow slowly and predictably, and [Jitter] after it
// where there is more than one client.
//
// It panics if base < 0 or step < 0.
func Linear(base, step time.Duration) iter.Seq[time.Duration] {
	checkLinear(base, step)
	return func(yield func(time.Duration) bool) {
		d := base
		for {
			if !yield(d) {
				return
			}
			d = saturating.Add(d, step)
		}
	}
}

// Exponential returns the endless schedule base, base·factor, base·factor², ...
// Delay n, counting from 0, is base·factorⁿ to the nearest nanosecond, and
// [NoLimit] where that is more: Exponential(100 ms, 2) is 100 ms, 200 ms,
// 400 ms, 800 ms, ... The base is also known as the initial delay, and the factor as
// the multiplier.
//
// Use Exponential when you need a factor other than 2, or no jitter; otherwise use
// [FullJitter]. Put [Cap] after it, because it has no limit of its own, and then
// [Jitter] where there is more than one client.
//
// The first delay is base, not base·factor. A first delay of 2 s that doubles is
// Exponential(2*time.Second, 2).
//
// Special cases are:
//
//	Exponential(0, factor) = 0, 0, 0, ...
//	Exponential(base, 1) = Constant(base)
//
// It panics if base < 0, or if factor < 1, infinite or not a number.
func Exponential(base time.Duration, factor float64) iter.Seq[time.Duration] {
	checkExponential(base, factor)
	return func(yield func(time.Duration) bool) {
		if factor == 2 { // the usual one, which is exact without a product
			for d := base; ; d = twice(d, NoLimit) {
				if !yield(d) {
					return
				}
			}
		}
		p := newProduct(base)
		for {
			if !yield(p.delay()) {
				return
			}
			p = p.times(factor)
		}
	}
}

// Polynomial returns the endless schedule base, base·2ᵖ, base·3ᵖ, ... where p is
// power. Delay n, counting from 0, is base·(n+1)ᵖ to the nearest nanosecond, and
// [NoLimit] where that is more: Polynomial(100 ms, 2) is 100 ms, 400 ms, 900 ms,
// 1.6 s, ... If that is within 10⁻⁹ ns of the middle between two nanoseconds, the delay
// is one of the two.
//
// Use Polynomial when [Linear] grows too slowly and [Exponential] too fast: with a
// power above 1 it grows faster than a line, and in the end slower than any
// exponential whose factor is above 1.
//
// Special cases are:
//
//	Polynomial(0, power) = 0, 0, 0, ...
//	Polynomial(base, 0) = Constant(base)
//	Polynomial(base, 1) = Linear(base, base)
//
// It panics if base < 0, or if power < 0, infinite or not a number.
func Polynomial(base time.Duration, power float64) iter.Seq[time.Duration] {
	checkPolynomial(base, power)
	return func(yield func(time.Duration) bool) {
		for x := 1.0; ; x++ { // stays where x+1 rounds to x, at 2⁵³
			if !yield(timesPower(base, x, power)) {
				return
			}
		}
	}
}

// Fibonacci returns the endless schedule base·(1, 1, 2, 3, 5, 8, ...). Each delay is
// the sum of the two before it, and [NoLimit] where that is more: Fibonacci(1 s)
// is 1 s, 1 s, 2 s, 3 s, 5 s, ... Its growth tends to a factor of
// (1+√5)/2 = 1.618.
//
// Use Fibonacci when doubling grows too fast and whole multiples of base are wanted.
// Put [Cap] after it, and then [Jitter] where there is more than one client.
//
// It panics if base < 0.
func Fibonacci(base time.Duration) iter.Seq[time.Duration] {
	checkDelay("Fibonacci", "base", base)
	return func(yield func(time.Duration) bool) {
		d, next := base, base
		for {
			if !yield(d) {
				return
			}
			d, next = next, saturating.Add(d, next)
		}
	}
}

// Func returns the endless schedule delay(0), delay(1), delay(2), ...: if delay(n) is
// n² ms, it is 0 ms, 1 ms, 4 ms, 9 ms, ... Negative results are raised to 0.
//
// Use Func for a formula that no other function has. For a fixed list of delays use
// [slices.Values], which returns a schedule as well. The schedule keeps the contract if
// delay depends on nothing but n. After delay(math.MaxInt) it calls delay(math.MaxInt)
// again.
//
// It panics if delay is nil.
func Func(delay func(n int) time.Duration) iter.Seq[time.Duration] {
	checkFunc(delay)
	return func(yield func(time.Duration) bool) {
		n := 0
		for {
			if !yield(max(delay(n), 0)) {
				return
			}
			if n < math.MaxInt {
				n++
			}
		}
	}
}

// Uniform returns the endless schedule of independent delays, each uniform over
// the closed interval [lo, hi]: Uniform(1 s, 3 s) is 1–3 s, 1–3 s, 1–3 s, ..., with a
// mean of 2 s.
//
// Use Uniform for polling by many clients: it keeps them apart, and does not back off.
// Use it in [Add] for additive jitter, which is the same for short delays and long ones.
//
// Uniform(d, d) is [Constant](d). No delay exceeds hi, so nothing can overflow.
//
// It panics if lo < 0 or hi < lo.
func Uniform(lo, hi time.Duration, opts ...Option) iter.Seq[time.Duration] {
	checkUniform(lo, hi)
	return func(yield func(time.Duration) bool) {
		r := newRandom(opts)
		for {
			if !yield(lo + time.Duration(r.below(r.pcg.Uint64(), uint64(hi-lo)+1))) {
				return
			}
		}
	}
}

// FullJitter returns the endless schedule whose delay n, counting from 0, is
// uniform over the closed interval [0, e], e = min(limit, base·2ⁿ):
// FullJitter(100 ms, 10 s) is 0–100 ms, 0–200 ms, 0–400 ms, ... 0–6.4 s, 0–10 s,
// 0–10 s, ... The base is also known as the initial delay, and the limit as the max
// delay.
//
// Use FullJitter by default: it spreads clients the most, and its mean delay is e/2.
// Use [EqualJitter], [TopJitter] or [Floor] if a delay near 0 would be a wasted
// attempt.
//
// FullJitter(base, limit) is Jitter(Cap(Exponential(base, 2), limit), 1).
// If limit < base, base is lowered to limit. [NoLimit] means no limit.
//
// It panics if base < 0 or limit < 0.
//
// It is the "Full Jitter" of M. Brooker, [Exponential Backoff And Jitter].
//
// [Exponential Backoff And Jitter]: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
func FullJitter(base, limit time.Duration, opts ...Option) iter.Seq[time.Duration] {
	checkJitter("FullJitter", base, limit)
	return func(yield func(time.Duration) bool) {
		r := newRandom(opts)
		e := min(base, limit)
		for {
			if !yield(time.Duration(r.below(r.pcg.Uint64(), uint64(e)+1))) {
				return
			}
			e = twice(e, limit)
		}
	}
}

// EqualJitter returns the endless schedule whose delay n, counting from 0, is
// uniform over the closed interval [e/2, e], e = min(limit, base·2ⁿ):
// EqualJitter(100 ms, 10 s) is 50–100 ms, 100–200 ms, 200–400 ms, ... 5–10 s,
// 5–10 s, ...
//
// Use EqualJitter when a delay near 0 would be wasted, because the fault lasts for some
// time: an outage, or a quota that refills slowly. Its mean delay is 3/4 of e, where that
// of [FullJitter] is e/2.
//
// EqualJitter(base, limit) is TopJitter(base, limit, 0.5), and
// Jitter(Cap(Exponential(base, 2), limit), 0.5).
// If limit < base, base is lowered to limit. [NoLimit] means no limit.
//
// It panics if base < 0 or limit < 0.
//
// It is the "Equal Jitter" of M. Brooker, [Exponential Backoff And Jitter].
//
// [Exponential Backoff And Jitter]: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
func EqualJitter(base, limit time.Duration, opts ...Option) iter.Seq[time.Duration] {
	checkJitter("EqualJitter", base, limit)
	return func(yield func(time.Duration) bool) {
		r := newRandom(opts)
		e := min(base, limit)
		for {
			lo := e / 2
			if !yield(lo + time.Duration(r.below(r.pcg.Uint64(), uint64(e-lo)+1))) {
				return
			}
			e = twice(e, limit)
		}
	}
}

// TopJitter returns the endless schedule whose delay n, counting from 0, is
// uniform over the closed interval [(1−fraction)·e, e], e = min(limit, base·2ⁿ):
// TopJitter(1 s, 16 s, 0.25) is 0.75–1 s, 1.5–2 s, 3–4 s, 6–8 s, 12–16 s,
// 12–16 s, ...
//
// Use TopJitter when a delay has to be close to e. A small fraction also keeps clients
// close together: the width of the interval is what separates them. A fraction of 1 is [FullJitter], and 0.5 is [EqualJitter].
//
// It equals Jitter(Cap(Exponential(base, 2), limit), fraction).
// If limit < base, base is lowered to limit. [NoLimit] means no limit.
//
// It panics if base < 0, limit < 0, or fraction is not in [0, 1].
//
// With a fraction of 0.25 it is the "Top X Jitter" of Yikun Jiang's article on
// [retries after deadlocks in oslo.db].
//
// [retries after deadlocks in oslo.db]: https://github.com/Yikun/yikun.github.com/issues/71
func TopJitter(base, limit time.Duration, fraction float64, opts ...Option) iter.Seq[time.Duration] {
	checkTopJitter(base, limit, fraction)
	return func(yield func(time.Duration) bool) {
		r := newRandom(opts)
		part, e := newRatio(fraction), min(base, limit)
		for {
			lo := e - part.of(e)
			if !yield(lo + time.Duration(r.below(r.pcg.Uint64(), uint64(e-lo)+1))) {
				return
			}
			e = twice(e, limit)
		}
	}
}

// DecorrelatedJitter returns the endless schedule whose delay is uniform over
// the closed interval [base, min(limit, 3·previous)]. The previous delay of the first
// one is base: DecorrelatedJitter(100 ms, 10 s) is 100–300 ms, then from 100 ms to
// three times that, and so on. Delay n is at most min(limit, base·3ⁿ⁺¹).
//
// Use DecorrelatedJitter when clients conflict with each other, as transactions in a
// database do, and when base has to be the min delay. Each delay depends on the
// one before, so two clients that once drew different delays draw from different
// intervals from then on.
//
// The published formula draws from [base, 3·previous] and clamps the result to
// limit. The bounds are the same, but about 30 % of its clients wait for exactly
// limit, together, by retry 20 of base 100 ms and limit 10 s. Here limit bounds the
// interval, so clients do not meet at its end.
//
// Special cases are:
//
//	DecorrelatedJitter(0, limit) = 0, 0, 0, ...
//	an interval's end that is too large is NoLimit
//	if limit < base, base is lowered to limit
//
// It panics if base < 0 or limit < 0.
//
// It is the "Decorrelated Jitter" of M. Brooker, [Exponential Backoff And Jitter],
// with that change.
//
// [Exponential Backoff And Jitter]: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
func DecorrelatedJitter(base, limit time.Duration, opts ...Option) iter.Seq[time.Duration] {
	checkJitter("DecorrelatedJitter", base, limit)
	return func(yield func(time.Duration) bool) {
		r := newRandom(opts)
		lo := min(base, limit)
		d := lo
		for {
			hi := limit
			if d <= limit/3 {
				hi = 3 * d
			}
			d = lo + time.Duration(r.below(r.pcg.Uint64(), uint64(hi-lo)+1))
			if !yield(d) {
				return
			}
		}
	}
}

// NormalJitter returns the endless schedule whose first delay is base. Each other delay
// is normally distributed with mean m and standard deviation deviation·m, where
// m = min(limit, factor·previous), and previous is the delay before it:
// NormalJitter(100 ms, 10 min, 2.7, 0.1) is 100 ms, then 270 ms ± 10 %,
// then 2.7 times that ± 10 %, and so on up to 10 min ± 10 %.
//
// Use NormalJitter to reproduce the published measurements, or an existing client of
// this kind. For a new client use [FullJitter]: its first delay is random too, and no
// delay exceeds its limit.
//
// The limit bounds the mean, not the delay: half of the delays there exceed it.
//
// The published algorithm can stick at zero forever: a delay that was drawn at or
// below 0 stays there when it is multiplied by factor. Here m never falls below base,
// and the delay never below 0.
//
// Special cases are:
//
//	NormalJitter(0, limit, factor, deviation) = 0, 0, 0, ...
//	NormalJitter(base, limit, factor, 0) = Cap(Exponential(base, factor), limit), up to rounding
//	a delay too large for a time.Duration is NoLimit
//	if limit < base, base is lowered to limit
//
// It panics if base < 0, limit < 0, factor < 1, deviation < 0, or if factor or deviation
// is infinite or not a number.
//
// It is the algorithm of A. Smirnov, [Exponential Backoff, or how not to bring
// down a server], 2014, with that change.
//
// [Exponential Backoff, or how not to bring down a server]: https://habr.com/ru/post/227225/
func NormalJitter(base, limit time.Duration, factor, deviation float64, opts ...Option) iter.Seq[time.Duration] {
	checkNormalJitter(base, limit, factor, deviation)
	return func(yield func(time.Duration) bool) {
		r := newRandom(opts)
		first := min(base, limit)
		if !yield(first) {
			return
		}
		least, most := float64(first), float64(limit)
		f := least // the delay before, not rounded, and so not cut off at NoLimit either
		for {
			m := max(least, min(float64(f*factor), most))
			// Half a step away from both ends, because Quantile wants an open interval.
			u := float64((float64(r.uint64()>>12) + 0.5) / (1 << 52))
			f = max(0, m+float64(float64(deviation*m)*portable.Quantile(u)))
			if !yield(round(f)) {
				return
			}
		}
	}
}
