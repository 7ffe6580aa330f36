package backoff

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"example.com/backoff/internal/saturating"
)

// Take returns the schedule of the first n delays of seq, or of all if seq has
// fewer: Take(Exponential(1 s, 2), 4) is 1 s, 2 s, 4 s, 8 s, and allows 4 retries,
// which are 5 attempts. It draws no delay after the n-th.
//
// Take(seq, 0) is the empty schedule, one attempt.
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
			// Here, not above yield: seq must not be asked for one more.
			left--
			if left == 0 {
				return
			}
		}
	}
}

// Drop returns the schedule of the delays of seq after the first n:
// Drop(Exponential(1 s, 2), 2) is 4 s, 8 s, 16 s, ... It is empty if seq has no
// more than n. Each range draws those n and discards them.
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
// Cap(Exponential(1 s, 2), 5 s) is 1 s, 2 s, 4 s, 5 s, 5 s, ... It bounds the
// delays and not their number: where seq ends, it ends. [Within] bounds their sum.
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
// Max(seq, Constant(limit)).
//
// Every delay that it raises is exactly limit. To keep jittered clients apart, put
// the floor before the jitter, or choose a jitter with a lower bound such as
// [EqualJitter].
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
// raised to 0. It keeps the contract if f depends on nothing but d.
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

// Jitter returns the schedule that has for each delay d of seq one that is uniform
// over the closed interval [(1−fraction)·d, d], drawn independently: fraction 1 is
// full jitter, 0.5 equal jitter, 0 none. Jitter(Constant(10 s), 0.25) is 7.5–10 s,
// 7.5–10 s, ...
//
// It never exceeds d, so it can follow [Cap] and the limit holds, and then no two
// clients need share a delay: Jitter(Cap(seq, limit), fraction) <= limit.
//
// It panics if fraction is not in [0, 1].
func Jitter(seq iter.Seq[time.Duration], fraction float64, opts ...Option) iter.Seq[time.Duration] {
	checkWidth("Jitter", seq, fraction)
	return func(yield func(time.Duration) bool) {
		part, src := newRatio(fraction), sourceOf(opts)
		for d := range seq {
			d = max(d, 0)
			var x uint64
			if src == nil {
				x = rand.Uint64()
			} else {
				x = src.Uint64()
			}
			lo := d - part.of(d)
			if !yield(lo + time.Duration(below(uint64(d-lo)+1, x, src))) {
				return
			}
		}
	}
}

// Spread returns the schedule that has for each delay d of seq one that is uniform
// over the closed interval [(1−fraction)·d, (1+fraction)·d], drawn independently;
// the upper end is [NoLimit] where it would be more. The mean stays d:
// Spread(Constant(10 s), 0.1) is 9–11 s, 9–11 s, ...
//
// It breaks a limit that [Cap] has set before, and a cap after it puts most clients on
// exactly the limit: half where one stands before it as well, all in the end where
// none does. Use [Jitter] where there is a limit.
//
// It panics if fraction is not in [0, 1].
func Spread(seq iter.Seq[time.Duration], fraction float64, opts ...Option) iter.Seq[time.Duration] {
	checkWidth("Spread", seq, fraction)
	return func(yield func(time.Duration) bool) {
		part, src := newRatio(fraction), sourceOf(opts)
		for d := range seq {
			d = max(d, 0)
			width := part.of(d)
			lo, hi := d-width, saturating.Add(d, width)
			var x uint64
			if src == nil {
				x = rand.Uint64()
			} else {
				x = src.Uint64()
			}
			if !yield(lo + time.Duration(below(uint64(hi-lo)+1, x, src))) {
				return
			}
		}
	}
}

// Within returns the longest prefix of seq whose sum is at most total:
// Within(Exponential(1 s, 2), 10 s) is 1 s, 2 s, 4 s, for 8 s more would be 15 s.
// It counts the delays alone, not the time that attempts take, and reads no clock.
//
// A delay of 0 always fits, so Within(Constant(0), total) is endless. To know where
// to end it draws the first delay that does not fit.
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
// the other: Concat(Take(Constant(0), 1), Constant(1 s)) is 0, 1 s, 1 s, ... What
// follows an endless schedule is never reached. Concat() is the empty schedule.
func Concat(seqs ...iter.Seq[time.Duration]) iter.Seq[time.Duration] {
	for i, seq := range seqs {
		if seq == nil {
			reject("Concat", fmt.Sprintf("argument %d", i), "nil", "a schedule")
		}
	}
	seqs = slices.Clone(seqs) // the caller may change its own
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
// It ends with the shorter one, for an ended schedule counts as +∞: there is no
// retry that both allow.
//
// To find its end it may draw one delay of a that it does not use. Each range
// holds b in a coroutine, see [iter.Pull].
func Max(a, b iter.Seq[time.Duration]) iter.Seq[time.Duration] {
	checkPair("Max", a, b)
	return func(yield func(time.Duration) bool) {
		next, stop := iter.Pull(b)
		defer stop()
		for d := range a {
			e, ok := next()
			if !ok {
				return
			}
			if !yield(max(d, e)) {
				return
			}
		}
	}
}

// Min returns the schedule of the smaller of the two delays that a and b have at
// each place: Min(Exponential(1 s, 2), Constant(3 s)) is 1 s, 2 s, 3 s, 3 s, ...
// It ends with the longer one, for an ended schedule counts as +∞. So
// Min(seq, Constant(limit)) is endless even where seq ends, and Cap(seq, limit) is
// not.
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
