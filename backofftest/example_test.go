package backofftest_test

import (
	"fmt"
	"iter"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/backofftest"
)

// doubling is a schedule as people write it: it forgets that a Duration can wrap.
func doubling(base time.Duration) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for d := base; yield(d); d *= 2 {
		}
	}
}

// unjittered is a schedule whose jitter its cap cuts off.
func unjittered(seed uint64) iter.Seq[time.Duration] {
	delays := backoff.Exponential(time.Second, 2)
	delays = backoff.Spread(delays, 0.5, backoff.WithSeed(seed))
	return backoff.Cap(delays, 20*time.Second)
}

// skipping is a stage that draws from its source before it has to.
func skipping(src iter.Seq[time.Duration], _ uint64) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		last, some := time.Duration(0), false
		for d := range src {
			if some && !yield(last) {
				return
			}
			last, some = d, true
		}
	}
}

func Example() {
	fmt.Println(backofftest.Check(func(uint64) iter.Seq[time.Duration] {
		return doubling(time.Second)
	}))
	fmt.Println(backofftest.Check(func(uint64) iter.Seq[time.Duration] {
		return backoff.Exponential(time.Second, 2)
	}))
	// Output:
	// backofftest: delay 34 is -351909h41m29.709551616s, want >= 0 (seed 0; delay 33 was 2386092h56m32s)
	// <nil>
}

func ExampleRun() {
	// In a test file this function stands by itself.
	_ = func(t *testing.T) { // func TestMine(t *testing.T)
		backofftest.Run(t, func(seed uint64) iter.Seq[time.Duration] {
			return backoff.FullJitter(100*time.Millisecond, 10*time.Second, backoff.WithSeed(seed))
		}, backofftest.SpreadUnder(10*time.Second))
	}
}

func ExampleRunStage() {
	// In a test file this function stands by itself.
	_ = func(t *testing.T) { // func TestMine(t *testing.T)
		backofftest.RunStage(t, func(src iter.Seq[time.Duration], seed uint64) iter.Seq[time.Duration] {
			return backoff.Jitter(src, 1, backoff.WithSeed(seed))
		}, backofftest.KeepsLength())
	}
}

func ExampleCheck() {
	left := 3
	mine := func(yield func(time.Duration) bool) {
		for ; left > 0; left-- {
			if !yield(time.Second) {
				return
			}
		}
	}
	fmt.Println(backofftest.Check(func(uint64) iter.Seq[time.Duration] { return mine }))
	// Output:
	// backofftest: after a range to the end, the next range differs at delay 0: 1s, then the end: state outlives a range (seed 0)
}

func ExampleCheckStage() {
	fmt.Println(backofftest.CheckStage(skipping))
	fmt.Println(backofftest.CheckStage(func(src iter.Seq[time.Duration], _ uint64) iter.Seq[time.Duration] {
		return backoff.Take(src, 3)
	}))
	// Output:
	// backofftest: to give 0 delays the stage drew 1, want at most 0 (seed 0; the source is 1s)
	// <nil>
}

func ExampleBetween() {
	mine := func(seed uint64) iter.Seq[time.Duration] {
		delays := backoff.Cap(backoff.Exponential(time.Second, 2), 20*time.Second)
		return backoff.Spread(delays, 0.1, backoff.WithSeed(seed))
	}
	fmt.Println(backofftest.Check(mine, backofftest.Between(0, 20*time.Second)))
	fmt.Println(backofftest.Check(mine, backofftest.Between(0, 22*time.Second)))
	// Output:
	// backofftest: delay 5 is 20.221821438s, want a value in [0s, 20s] (seed 1; delay 4 was 16.644921901s)
	// <nil>
}

func ExampleMonotone() {
	fmt.Println(backofftest.Check(func(uint64) iter.Seq[time.Duration] {
		return backoff.Concat(backoff.Take(backoff.Linear(0, time.Second), 3), backoff.Constant(time.Second))
	}, backofftest.Monotone()))
	// Output:
	// backofftest: delay 3 is 1s, want at least 2s, the delay before it (seed 0)
}

func ExampleDelays() {
	fmt.Println(backofftest.Check(func(uint64) iter.Seq[time.Duration] {
		return backoff.Within(backoff.Exponential(time.Second, 2), 10*time.Second)
	}, backofftest.Delays(4)))
	// Output:
	// backofftest: the schedule ends after 3 delays, want 4 (seed 0)
}

func ExampleTotalAtMost() {
	fmt.Println(backofftest.Check(func(uint64) iter.Seq[time.Duration] {
		return backoff.Take(backoff.Exponential(time.Second, 2), 4)
	}, backofftest.TotalAtMost(10*time.Second)))
	// Output:
	// backofftest: delay 3 is 8s, want a total of at most 10s (seed 0; the delays before it total 7s)
}

func ExampleReaches() {
	// Rounded down to whole milliseconds at each step, 1 ms · 1.5 is 1 ms again.
	fmt.Println(backofftest.Check(func(uint64) iter.Seq[time.Duration] {
		return func(yield func(time.Duration) bool) {
			for ms := int64(1); yield(time.Duration(ms) * time.Millisecond); ms = ms * 3 / 2 {
			}
		}
	}, backofftest.Reaches(time.Minute)))
	// Output:
	// backofftest: the largest delay is delay 0, 1ms, want one of at least 1m0s (seed 0; of 10000 delays)
}

func ExampleSpreadUnder() {
	fmt.Println(backofftest.Check(unjittered, backofftest.SpreadUnder(20*time.Second)))
	fmt.Println(backofftest.Check(func(seed uint64) iter.Seq[time.Duration] {
		return backoff.EqualJitter(time.Second, 20*time.Second, backoff.WithSeed(seed))
	}, backofftest.SpreadUnder(20*time.Second)))
	// Output:
	// backofftest: delay 4 is exactly 20s for 236 of 1000 clients, want fewer than 20 (the first of them have the seeds 4 and 5)
	// <nil>
}

func ExampleDepth() {
	mine := func(uint64) iter.Seq[time.Duration] { return doubling(time.Second) }
	fmt.Println(backofftest.Check(mine, backofftest.Depth(20), backofftest.Reaches(100*time.Hour)))
	// Output:
	// <nil>
}

func ExampleUnseeded() {
	fmt.Println(backofftest.Check(func(uint64) iter.Seq[time.Duration] {
		return backoff.FullJitter(time.Second, 20*time.Second)
	}, backofftest.Unseeded(), backofftest.SpreadUnder(20*time.Second)))
	// Output:
	// <nil>
}

func ExampleZeroTail() {
	mine := func(uint64) iter.Seq[time.Duration] {
		return backoff.Concat(backoff.Take(backoff.Constant(time.Second), 3), backoff.Constant(0))
	}
	fmt.Println(backofftest.Check(mine))
	fmt.Println(backofftest.Check(mine, backofftest.ZeroTail()))
	// Output:
	// backofftest: delay 3 and all after it are 0, a loop without a wait, see ZeroTail (seed 0; delay 2 was 1s; of 10000 delays)
	// <nil>
}

func ExampleExtra() {
	within := func(src iter.Seq[time.Duration], _ uint64) iter.Seq[time.Duration] {
		return backoff.Within(src, 10*time.Second)
	}
	fmt.Println(backofftest.CheckStage(within))
	fmt.Println(backofftest.CheckStage(within, backofftest.Extra(1)))
	// Output:
	// backofftest: to give 3 delays the stage drew 4, want at most 3 (seed 0; the source is 1s, 2s, 4s, ...)
	// <nil>
}

func ExampleKeepsLength() {
	fmt.Println(backofftest.CheckStage(func(src iter.Seq[time.Duration], _ uint64) iter.Seq[time.Duration] {
		return backoff.Min(src, backoff.Constant(10*time.Second))
	}, backofftest.KeepsLength()))
	// Output:
	// backofftest: delay 0 is 10s, want no more than 0 delays (seed 0; the source is empty)
}
