package expr

import (
	"iter"
	"math"
	"time"

	"example.com/backoff"
)

// backoff.Drop has to draw the delays that it discards, because a schedule is a function
// that it knows nothing of. An expression is known: a generator that is not random can
// leave out its first delays, and a drop can stand ahead of the stages that are pointwise,
// because dropping from cap(s) is the cap of dropping from s, and dropping from a sum is the
// sum of dropping from both schedules.

// drop returns seq without its first n delays, which may be more than an int holds.
func drop(seq iter.Seq[time.Duration], n int64) iter.Seq[time.Duration] {
	for n > 0 {
		part := min(n, math.MaxInt32)
		seq = backoff.Drop(seq, int(part))
		n -= part
	}
	return seq
}

func constantFrom(args []arg, _ int64) iter.Seq[time.Duration] {
	return backoff.Constant(args[0].delay)
}

func linearFrom(args []arg, n int64) iter.Seq[time.Duration] {
	base, step := args[0].delay, args[1].delay
	if int64(step) > int64(backoff.NoLimit-base)/n {
		return backoff.Constant(backoff.NoLimit)
	}
	return backoff.Linear(base+time.Duration(n)*step, step)
}

func exponentialFrom(args []arg, n int64) iter.Seq[time.Duration] {
	base, factor := args[0].delay, args[1].number
	if base == 0 || factor == 1 {
		return backoff.Constant(base)
	}
	return growingFrom(backoff.Exponential(base, factor), n)
}

func polynomialFrom(args []arg, n int64) iter.Seq[time.Duration] {
	base, power := args[0].delay, args[1].number
	if base == 0 || power == 0 {
		return backoff.Constant(base)
	}
	return growingFrom(backoff.Polynomial(base, power), n)
}

func fibonacciFrom(args []arg, n int64) iter.Seq[time.Duration] {
	base := args[0].delay
	if base == 0 {
		return backoff.Constant(base)
	}
	return growingFrom(backoff.Fibonacci(base), n)
}

// growingFrom returns the schedule of the delays of seq after the first n. It draws none of
// those that follow NoLimit, for an endless seq that grows up to NoLimit and stays there.
func growingFrom(seq iter.Seq[time.Duration], n int64) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		left := n
		for d := range seq {
			if left > 0 && d < backoff.NoLimit {
				left--
				continue
			}
			if !yield(d) {
				return
			}
		}
	}
}
