package backoff

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"example.com/backoff/internal/saturating"
)

// Take returns the schedule of the first n delays of seq, or of all if seq has
// fewer: Take(Exponential(1 s, 2), 4) is 1 s, 2 s, 4 s, 8 s, and allows 4 retries,
// which are 5 attempts. It draws no delay after the n-th.
//
// Use Take to limit the number of retries: n is also known as max retries, and n+1 as
// max attempts.
//
// Take(seq, 0) is the empty schedule: one attempt and no retry.
//
// It panics if n < 0.
func Take(seq iter.Seq[time.Duration], n int) iter.Seq[time.Duration] {
	checkCount("Take", seq, n)
	return func(yield func(time.Duration) bool) {
		if n == 0 {
			return
		}
		left := n
		for d := range seq {
			if !yield(d) {
				return
			}
			// Counting after yield would draw one delay too many.
			left--
			if left == 0 {
				return
			}
		}
	}
}

// Drop returns the schedule of the delays of seq after the first n:
// Drop(Exponential(1 s, 2), 2) is 4 s, 8 s, 16 s, ... It is empty if seq has n delays
// or fewer. Each range draws the first n delays and discards them, so the first delay
// takes time in proportion to n.
//
// Use Drop to continue a schedule after n retries, such as those of an earlier process.
//
// It panics if n < 0.
func Drop(seq iter.Seq[time.Duration], n int) iter.Seq[time.Duration] {
	checkCount("Drop", seq, n)
	return func(yield func(time.Duration) bool) {
		left := n
		for d := range seq {
			if left > 0 {
				left--
				continue
			}
			if !yield(d) {
				return
			}
		}
	}
}

// Cap returns the schedule min(d, limit) for each delay d of seq:
// Cap(Exponential(1 s, 2), 5 s) is 1 s, 2 s, 4 s, 5 s, 5 s, ... The limit is also known
// as the max delay.
//
// Use Cap after every generator that grows and has no limit of its own: the limit is how
// late a client notices that the server is back. Cap does not end the retrying: it
// limits each delay, [Take] their number and [Within] their sum.
//
// Put jitter after the cap, not before; see the package comment.
//
// It panics if limit < 0.
func Cap(seq iter.Seq[time.Duration], limit time.Duration) iter.Seq[time.Duration] {
	checkBound("Cap", seq, "limit", limit)
	return func(yield func(time.Duration) bool) {
		for d := range seq {
			if !yield(max(min(d, limit), 0)) {
				return
			}
		}
	}
}

// Floor returns the schedule max(d, limit) for each delay d of seq:
// Floor(Exponential(1 s, 2), 3 s) is 3 s, 3 s, 4 s, 8 s, ... It is
// Max(seq, Constant(limit)). The limit is also known as the min delay.
//
// Use Floor when a shorter delay is useless or forbidden. Put it before the jitter, or
// use a jitter with a lower bound, such as [EqualJitter]: after the jitter it gives
// exactly limit to all clients whose delay it raises, so they retry together.
//
// It panics if limit < 0.
func Floor(seq iter.Seq[time.Duration], limit time.Duration) iter.Seq[time.Duration] {
	checkBound("Floor", seq, "limit", limit)
	return func(yield func(time.Duration) bool) {
		for d := range seq {
			if !yield(max(d, limit)) {
				return
			}
		}
	}
}

// Scale returns the schedule factor·d for each delay d of seq, to the nearest
// nanosecond, and [NoLimit] where that is more: Scale(Fibonacci(1 s), 0.5) is
// 500 ms, 500 ms, 1 s, 1.5 s, ... Scale(seq, 1) is seq.
//
// Use Scale to make all delays of a schedule shorter or longer and keep its shape.
//
// It panics if factor < 0, infinite or not a number.
func Scale(seq iter.Seq[time.Duration], factor float64) iter.Seq[time.Duration] {
	checkScale(seq, factor)
	return func(yield func(time.Duration) bool) {
		r := newRatio(factor)
		for d := range seq {
			if !yield(r.of(max(d, 0))) {
				return
			}
		}
	}
}

// Map returns the schedule f(d) for each delay d of seq. Negative results are
// raised to 0.
//
// Use Map for a change of each delay that no other function makes, such as rounding to
// seconds. It keeps the contract if f depends on nothing but d.
//
// It panics if f is nil.
func Map(seq iter.Seq[time.Duration], f func(time.Duration) time.Duration) iter.Seq[time.Duration] {
	checkMap(seq, f)
	return func(yield func(time.Duration) bool) {
		for d := range seq {
			if !yield(max(f(d), 0)) {
				return
			}
		}
	}
}

// Jitter returns a schedule with one random delay for each delay d of seq, uniform over
// the closed interval [(1−fraction)·d, d] and independent of the others:
// Jitter(Constant(10 s), 0.25) is 7.5–10 s, 7.5–10 s, ... Fraction 1 is full jitter, 0.5
// equal jitter, and 0 none.
//
// Use Jitter after [Cap], where many clients use the schedule. It only subtracts
// (subtractive jitter), so the limit of the cap holds:
// Jitter(Cap(seq, limit), fraction) <= limit. Nor do clients meet at the limit.
//
// It panics if fraction is not in [0, 1].
func Jitter(seq iter.Seq[time.Duration], fraction float64, opts ...Option) iter.Seq[time.Duration] {
	checkWidth("Jitter", seq, fraction)
	return func(yield func(time.Duration) bool) {
		part, r := newRatio(fraction), newRandom(opts)
		for d := range seq {
			d = max(d, 0)
			lo := d - part.of(d)
			if !yield(lo + time.Duration(r.below(r.pcg.Uint64(), uint64(d-lo)+1))) {
				return
			}
		}
	}
}

// Spread returns a schedule with one random delay for each delay d of seq, uniform over
// the closed interval [(1−fraction)·d, (1+fraction)·d] and independent of the others:
// Spread(Constant(10 s), 0.1) is 9–11 s, 9–11 s, ... The upper end is [NoLimit] where it
// would be more. The fraction is also known as the randomization factor, or as ± jitter.
//
// Use Spread when the mean delay has to stay d, as in polling. Use [Jitter] where there
// is a limit: Spread exceeds a [Cap] before it. A Cap after it puts clients on exactly
// the limit: half of them if there is a Cap before it as well, and in the end all of
// them if not.
//
// It panics if fraction is not in [0, 1].
func Spread(seq iter.Seq[time.Duration], fraction float64, opts ...Option) iter.Seq[time.Duration] {
	checkWidth("Spread", seq, fraction)
	return func(yield func(time.Duration) bool) {
		part, r := newRatio(fraction), newRandom(opts)
		for d := range seq {
			d = max(d, 0)
			width := part.of(d)
			lo, hi := d-width, saturating.Add(d, width)
			if !yield(lo + time.Duration(r.below(r.pcg.Uint64(), uint64(hi-lo)+1))) {
				return
			}
		}
	}
}

// Within returns the longest prefix of seq whose sum is at most total:
// Within(Exponential(1 s, 2), 10 s) is 1 s, 2 s, 4 s, because 8 s more would make 15 s.
//
// Use Within to limit the time spent waiting. It counts the delays alone and reads no
// clock. To limit the time that attempts take as well (max elapsed time, max duration),
// give the context a deadline or use package retry's MaxElapsed.
//
// A delay of 0 always fits, so Within(Constant(0), total) is endless. Within ends at the
// first delay that does not fit, which it has to draw.
//
// It panics if total < 0.
func Within(seq iter.Seq[time.Duration], total time.Duration) iter.Seq[time.Duration] {
	checkBound("Within", seq, "total", total)
	return func(yield func(time.Duration) bool) {
		left := total
		for d := range seq {
			if d > left {
				return
			}
			left -= max(d, 0)
			if !yield(d) {
				return
			}
		}
	}
}

// Concat returns the schedule of the delays of each of seqs, one schedule after
// the other: Concat(Take(Constant(0), 1), Constant(1 s)) is 0, 1 s, 1 s, ... Concat()
// is the empty schedule.
//
// Use Concat for retries in phases, such as one retry at once and then growing delays.
// All schedules but the last must end: those after an endless one are never reached.
func Concat(seqs ...iter.Seq[time.Duration]) iter.Seq[time.Duration] {
	for i, seq := range seqs {
		if seq == nil {
			reject("Concat", fmt.Sprintf("argument %d", i), "nil", "a schedule")
		}
	}
	seqs = slices.Clone(seqs) // the caller may change its slice
	return func(yield func(time.Duration) bool) {
		for _, seq := range seqs {
			for d := range seq {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// Max returns the schedule of the larger of the two delays that a and b have at
// each place: Max(Exponential(1 s, 2), Constant(3 s)) is 3 s, 3 s, 4 s, 8 s, ...
// It ends with the shorter one, because a schedule that has ended counts as +∞.
//
// Use Max when two schedules both have to be respected, such as your own and one that
// the server asks for.
//
// To find its end it may draw one delay of a that it does not use. Each range
// holds b in a coroutine, see [iter.Pull].
func Max(a, b iter.Seq[time.Duration]) iter.Seq[time.Duration] {
	checkPair("Max", a, b)
	return pairwise(a, b, func(d, e time.Duration) time.Duration { return max(d, e) })
}

// Min returns the schedule of the smaller of the two delays that a and b have at
// each place: Min(Exponential(1 s, 2), Constant(3 s)) is 1 s, 2 s, 3 s, 3 s, ...
// It ends with the longer one, because a schedule that has ended counts as +∞.
//
// Use Min to slow the growth of one schedule by another, such as exponential growth that
// becomes linear. Use [Cap] for a limit: Min(seq, Constant(limit)) is endless even if
// seq ends.
//
// Each range holds b in a coroutine, see [iter.Pull].
func Min(a, b iter.Seq[time.Duration]) iter.Seq[time.Duration] {
	checkPair("Min", a, b)
	return func(yield func(time.Duration) bool) {
		next, stop := iter.Pull(b)
		defer stop()
		ended := false
		for d := range a {
			if !ended {
				e, ok := next()
				ended = !ok
				if ok {
					d = min(d, e)
				}
			}
			if !yield(d) {
				return
			}
		}
		for !ended {
			e, ok := next()
			if !ok {
				return
			}
			if !yield(e) {
				return
			}
		}
	}
}

// Add returns the schedule of the sum of the two delays that a and b have at each
// place, and [NoLimit] where that is more: Add(Exponential(1 s, 2), Constant(3 s)) is
// 4 s, 5 s, 7 s, 11 s, ... It ends with the shorter one, because a schedule that has
// ended counts as +∞.
//
// Use Add for additive jitter, which does not grow with the delay:
// Add(Exponential(100 ms, 2), Uniform(0, 100 ms)) is 100–200 ms, 200–300 ms,
// 400–500 ms, ... Put [Cap] before Add, not after. Add then exceeds the limit by the
// jitter, and clients do not meet at the limit.
//
// To find its end it may draw one delay of a that it does not use. Each range
// holds b in a coroutine, see [iter.Pull].
func Add(a, b iter.Seq[time.Duration]) iter.Seq[time.Duration] {
	checkPair("Add", a, b)
	return pairwise(a, b, func(d, e time.Duration) time.Duration {
		return saturating.Add(max(d, 0), max(e, 0))
	})
}

// pairwise returns the schedule join(d, e) for the delays d of a and e of b at each
// place, up to the end of the shorter one.
//
// A range over a cannot step a range over b: b has to be pulled. A coroutine is the
// cheapest way to pull that draws each delay once.
func pairwise(a, b iter.Seq[time.Duration], join func(d, e time.Duration) time.Duration) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		next, stop := iter.Pull(b)
		defer stop()
		for d := range a {
			e, ok := next()
			if !ok || !yield(join(d, e)) {
				return
			}
		}
	}
}
