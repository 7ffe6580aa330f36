package backofftest_test

import (
	"iter"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/backofftest"
	"github.com/google/go-cmp/cmp"
)

type seq = iter.Seq[time.Duration]

// fixed is a newSchedule that always returns one value, as in a test of a variable.
func fixed(s seq) func(uint64) seq { return func(uint64) seq { return s } }

// each is a newSchedule of delay(0), delay(1), ...
func each(delay func(n int) time.Duration) func(uint64) seq {
	return fixed(func(yield func(time.Duration) bool) {
		for n := 0; ; n++ {
			if !yield(delay(n)) {
				return
			}
		}
	})
}

// convert turns a number out of range into the smallest Duration, as an amd64 does.
func convert(f float64) time.Duration {
	if f >= math.MinInt64 && f < math.MaxInt64 {
		return time.Duration(f)
	}
	return math.MinInt64
}

// broken is a schedule with a defect, which a published library has or had, or which
// people write by mistake.
type broken struct {
	name        string
	newSchedule func(seed uint64) seq
	opts        []backofftest.Option
	want        string
}

// Some keep state outside of a range, so each test has them new.
func defects() []broken {
	return []broken{
		// Arithmetic.
		{
			"doubling wraps negative",
			each(func(n int) time.Duration { return second << n }),
			nil,
			"backofftest: delay 34 is -351909h41m29.709551616s, want >= 0 (seed 0; delay 33 was 2386092h56m32s)",
		},
		{
			"doubling wraps to zero",
			each(func(n int) time.Duration { return time.Duration(uint64(second) << n >> 1) }),
			nil,
			"backofftest: delay 55 and all after it are 0, a loop without a wait, see ZeroTail (seed 0; delay 54 was 1281023h53m38.427387904s; of 10000 delays)",
		},
		{
			"doubling wraps to something positive",
			each(func(n int) time.Duration { return time.Duration(uint64(second) << n >> 1) }),
			[]backofftest.Option{backofftest.Depth(50), backofftest.Monotone()},
			"backofftest: delay 35 is 2210138h5m47.145224192s, want at least 2386092h56m32s, the delay before it (seed 0)",
		},
		{
			"> for >=, at exactly 2^63",
			each(func(n int) time.Duration {
				u := uint64(1<<30) << min(n, 33)
				if u > 1<<63 {
					return math.MaxInt64
				}
				return time.Duration(u)
			}),
			nil,
			"backofftest: delay 33 is -2562047h47m16.854775808s, want >= 0 (seed 0; delay 32 was 1281023h53m38.427387904s)",
		},
		{
			"a huge factor under a cap: 0 forever",
			each(func(n int) time.Duration {
				return max(0, min(convert(float64(second)*math.Pow(1e300, float64(n))), 10*second))
			}),
			nil,
			"backofftest: delay 1 and all after it are 0, a loop without a wait, see ZeroTail (seed 0; delay 0 was 1s; of 10000 delays)",
		},
		{
			"a factor that is not a number",
			each(func(int) time.Duration { return convert(float64(second) * math.Sqrt(-1)) }),
			nil,
			"backofftest: delay 0 is -2562047h47m16.854775808s, want >= 0 (seed 0)",
		},
		{
			"Inf − Inf, after 1024 retries",
			each(func(n int) time.Duration {
				d := math.Ldexp(1, n+1) - math.Ldexp(1, n)
				if math.IsNaN(d) {
					return 0
				}
				return time.Duration(min(d, 1<<62))
			}),
			nil,
			"backofftest: delay 1024 and all after it are 0, a loop without a wait, see ZeroTail (seed 0; delay 1023 was 1281023h53m38.427387904s; of 10000 delays)",
		},
		{
			"a normal variate that sticks at zero",
			func(seed uint64) seq {
				return func(yield func(time.Duration) bool) {
					r := rand.New(rand.NewPCG(seed, 0))
					for f := float64(second); ; f = min(2*f, 600e9) {
						f = max(0, f+float64(f*r.NormFloat64()))
						if !yield(time.Duration(f)) {
							return
						}
					}
				}
			},
			nil,
			"backofftest: delay 1 and all after it are 0, a loop without a wait, see ZeroTail (seed 5; delay 0 was 3.167763211s; of 10000 delays)",
		},
		{
			"rounded each step, never grows",
			fixed(func(yield func(time.Duration) bool) {
				for d := ms; ; d = time.Duration(float64(d)*1.5) / ms * ms {
					if !yield(d) {
						return
					}
				}
			}),
			[]backofftest.Option{backofftest.Reaches(second)},
			"backofftest: the largest delay is delay 0, 1ms, want one of at least 1s (seed 0; of 10000 delays)",
		},
		{
			"a random bound of 0",
			func(seed uint64) seq {
				return func(yield func(time.Duration) bool) {
					r := rand.New(rand.NewPCG(seed, 0))
					for d := 4 * time.Nanosecond; yield(d); d /= 2 {
						_ = r.Int64N(int64(d / 2))
					}
				}
			},
			nil,
			"backofftest: the schedule panicked at delay 3: invalid argument to Int64N (seed 0)",
		},
		{
			"a table that ends",
			each(tableOfThree),
			nil,
			"backofftest: the schedule panicked at delay 3: runtime error: index out of range [3] with length 3 (seed 0)",
		},

		// Bounds and jitter.
		{
			"jitter above the cap",
			func(seed uint64) seq {
				return backoff.Spread(backoff.Cap(backoff.Exponential(second, 2), 60*second), 0.5, backoff.WithSeed(seed))
			},
			[]backofftest.Option{backofftest.Between(0, 60*second)},
			"backofftest: delay 6 is 1m13.736897721s, want a value in [0s, 1m0s] (seed 0; delay 5 was 18.461265651s)",
		},
		{
			"jitter above the limit",
			func(seed uint64) seq {
				return backoff.Spread(backoff.Cap(backoff.Exponential(second, 2), 60*second), 0.5, backoff.WithSeed(seed))
			},
			[]backofftest.Option{backofftest.SpreadUnder(60 * second)},
			"backofftest: delay 6 is 1m13.736897721s, want at most the limit, 1m0s (seed 0; delay 5 was 18.461265651s)",
		},
		{
			"jitter lost at the cap",
			func(seed uint64) seq {
				return backoff.Cap(backoff.Spread(backoff.Exponential(100*ms, 2), 0.5, backoff.WithSeed(seed)), 10*second)
			},
			[]backofftest.Option{backofftest.SpreadUnder(10 * second)},
			"backofftest: delay 7 is exactly 10s for 719 of 1000 clients, want fewer than 20 (the first of them have the seeds 0 and 1)",
		},
		{
			"decorrelated jitter clamped, as published",
			func(seed uint64) seq {
				return backoff.Cap(backoff.DecorrelatedJitter(100*ms, backoff.NoLimit, backoff.WithSeed(seed)), 10*second)
			},
			[]backofftest.Option{backofftest.SpreadUnder(10 * second)},
			"backofftest: delay 5 is exactly 10s for 32 of 1000 clients, want fewer than 20 (the first of them have the seeds 21 and 52)",
		},
		{
			"SmoothJitter capped",
			func(seed uint64) seq {
				return backoff.Cap(backoff.SmoothJitter(100*ms, backoff.NoLimit, backoff.WithSeed(seed)), 10*second)
			},
			[]backofftest.Option{backofftest.SpreadUnder(10 * second)},
			"backofftest: delay 7 is exactly 10s for 156 of 1000 clients, want fewer than 20 (the first of them have the seeds 4 and 6)",
		},
		{
			"±1 % with two distinct values",
			func(seed uint64) seq {
				return func(yield func(time.Duration) bool) {
					r := rand.New(rand.NewPCG(seed, 0))
					for {
						if !yield(second + time.Duration(2*r.IntN(2)-1)*10*ms) {
							return
						}
					}
				}
			},
			[]backofftest.Option{backofftest.SpreadUnder(2 * second)},
			"backofftest: delay 0 is exactly 1.01s for 507 of 1000 clients, want fewer than 20 (the first of them have the seeds 1 and 2)",
		},
		{
			"the first delay is not jittered",
			func(seed uint64) seq {
				return backoff.Concat(backoff.Take(backoff.Constant(second), 1), backoff.FullJitter(2*second, 60*second, backoff.WithSeed(seed)))
			},
			[]backofftest.Option{backofftest.SpreadUnder(60 * second)},
			"backofftest: delay 0 is exactly 1s for 1000 of 1000 clients, want fewer than 20 (the first of them have the seeds 0 and 1)",
		},
		{
			"the first delay is not capped",
			fixed(func(yield func(time.Duration) bool) {
				for d := 20 * second; yield(d); d = min(2*d, 10*second) {
				}
			}),
			[]backofftest.Option{backofftest.Between(0, 10*second)},
			"backofftest: delay 0 is 20s, want a value in [0s, 10s] (seed 0)",
		},
		{
			"all clients have one seed",
			func(uint64) seq { return backoff.FullJitter(second, 10*second, backoff.WithSeed(1)) },
			[]backofftest.Option{backofftest.SpreadUnder(10 * second)},
			"backofftest: delay 0 is exactly 598.260949ms for 1000 of 1000 clients, want fewer than 20 (the first of them have the seeds 0 and 1)",
		},
		{
			"Fibonacci overshoots its cap",
			fixed(func(yield func(time.Duration) bool) {
				d, next := second, second
				for yield(d) {
					if next < 10*second {
						d, next = next, d+next
					} else {
						d = next
					}
				}
			}),
			[]backofftest.Option{backofftest.Between(0, 10*second)},
			"backofftest: delay 6 is 13s, want a value in [0s, 10s] (seed 0; delay 5 was 8s)",
		},
		{
			"a total that wrapped",
			fixed(func(yield func(time.Duration) bool) {
				total := time.Duration(math.MaxInt64 - 4*second)
				elapsed := total - 10*second
				for d := second; elapsed+d <= total; d *= 2 {
					elapsed += d
					if !yield(d) {
						return
					}
				}
			}),
			[]backofftest.Option{backofftest.TotalAtMost(10 * second)},
			"backofftest: delay 3 is 8s, want a total of at most 10s (seed 0; the delays before it total 7s)",
		},
		{
			"one delay too few",
			fixed(backoff.Take(backoff.Constant(second), 4)),
			[]backofftest.Option{backofftest.Delays(5)},
			"backofftest: the schedule ends after 4 delays, want 5 (seed 0)",
		},
		{
			"Take(0) yields one",
			fixed(takeZero(backoff.Constant(second))),
			[]backofftest.Option{backofftest.Delays(0)},
			"backofftest: delay 0 is 1s, want no more than 0 delays (seed 0)",
		},
		{
			"a cap that is the minimum with a constant",
			fixed(backoff.Min(backoff.Take(backoff.Exponential(second, 2), 5), backoff.Constant(10*second))),
			[]backofftest.Option{backofftest.Delays(5)},
			"backofftest: delay 5 is 10s, want no more than 5 delays (seed 0; delay 4 was 10s)",
		},
		{
			"empty",
			fixed(backoff.Concat()),
			[]backofftest.Option{backofftest.Reaches(second)},
			"backofftest: the schedule is empty, want a delay of at least 1s (seed 0)",
		},

		{
			"one client in a thousand waits for less than nothing",
			func(seed uint64) seq {
				return each(func(int) time.Duration { return second - time.Duration(seed/777)*2*second })(seed)
			},
			nil,
			"backofftest: delay 0 is -1s, want >= 0 (seed 777)",
		},
		{
			"one client in a thousand panics",
			func(seed uint64) seq {
				return each(func(n int) time.Duration { return second / time.Duration(min(seed^777, 1)) })(seed)
			},
			nil,
			"backofftest: the schedule panicked at delay 0: runtime error: integer divide by zero (seed 777)",
		},
		{
			"one client in a thousand panics, and late",
			func(seed uint64) seq {
				return each(func(n int) time.Duration {
					if seed == 777 && n == 100 {
						panic("out of luck")
					}
					return second + time.Duration(seed)
				})(seed)
			},
			[]backofftest.Option{backofftest.SpreadUnder(2 * second)},
			"backofftest: the schedule panicked at delay 100: out of luck (seed 777)",
		},

		// State.
		{
			"a counter outside the range",
			func(uint64) seq {
				left := 4
				return func(yield func(time.Duration) bool) {
					for left > 0 {
						left--
						if !yield(second) {
							return
						}
					}
				}
			},
			nil,
			"backofftest: after a loop that broke at delay 1, the next range differs at delay 1: 1s, then the end: state outlives a range (seed 0)",
		},
		{
			"a counter outside the range, of one value",
			fixed(retries(1)),
			nil,
			"backofftest: after a loop that broke at delay 0, the next range differs at delay 0: 1s, then the end: state outlives a range (seed 0)",
		},
		{
			"a counter outside the range, of a random schedule",
			func() func(uint64) seq {
				left := 4
				return fixed(func(yield func(time.Duration) bool) {
					for left > 0 {
						left = 0
						if !yield(rand.N(second)) {
							return
						}
					}
				})
			}(),
			[]backofftest.Option{backofftest.Unseeded()},
			"backofftest: a range gave delays, and all 42 after it gave none: state outlives a range (seed 0)",
		},
		{
			"a counter outside the range, of a random schedule of a known length",
			func(uint64) seq {
				left := 40
				return func(yield func(time.Duration) bool) {
					for n := 0; n < 4 && left > 0; n++ {
						left--
						if !yield(rand.N(second)) {
							return
						}
					}
				}
			},
			[]backofftest.Option{backofftest.Unseeded(), backofftest.Delays(4)},
			"backofftest: the schedule ends after 2 delays, want 4 (seed 0)",
		},
		{
			"a delay outside the range",
			func(uint64) seq {
				d := second
				return func(yield func(time.Duration) bool) {
					for yield(d) {
						d *= 2
					}
				}
			},
			nil,
			"backofftest: after a loop that broke at delay 1, the next range differs at delay 0: 1s, then 2s: state outlives a range (seed 0)",
		},
		{
			"a delay outside the range, reset at its natural end only",
			func(uint64) seq {
				n := 0
				return func(yield func(time.Duration) bool) {
					for ; n < 5; n++ {
						if !yield(time.Duration(n) * second) {
							return
						}
					}
					n = 0
				}
			},
			nil,
			"backofftest: after a loop that broke at delay 1, the next range differs at delay 0: 0s, then 1s: state outlives a range (seed 0)",
		},
		{
			"a delay outside the range, reset at its start",
			func(uint64) seq {
				var d time.Duration
				return func(yield func(time.Duration) bool) {
					for d = second; yield(d); d *= 2 {
						d = min(d, 8*second)
					}
				}
			},
			nil,
			"backofftest: a range with another inside its body at delay 0 differs at delay 1: 2s, then 4s: ranges share state (seed 0)",
		},
		{
			"a delay outside the range, reset at its end",
			func(uint64) seq {
				d := second
				return func(yield func(time.Duration) bool) {
					defer func() { d = second }()
					for yield(d) {
						d = min(2*d, 8*second)
					}
				}
			},
			nil,
			"backofftest: a range inside another's body at delay 1 differs at delay 0: 1s, then 2s: ranges share state (seed 0)",
		},
		{
			"a delay outside the range, restored at its end",
			func(uint64) seq {
				d := second
				return func(yield func(time.Duration) bool) {
					was := d
					defer func() { d = was }()
					for d = second; yield(d); {
						d = min(2*d, 8*second)
					}
				}
			},
			nil,
			"backofftest: of two ranges that advance in turn, one differs at delay 2: 4s, then 8s: ranges share state (seed 0)",
		},
		{
			"a flag that a panic leaves set",
			flagged(func() {}),
			nil,
			"backofftest: after a panic of the loop's body, the next range differs at delay 0: 1s, then the end: state outlives a range (seed 0)",
		},
		{
			"a flag that a panic leaves set, and a complaint about it",
			flagged(func() { panic("in use") }),
			nil,
			"backofftest: the schedule panicked at delay 0: in use (seed 0; after a panic of the loop's body)",
		},
		{
			"a complaint about a range inside another",
			func(uint64) seq {
				busy := false
				return func(yield func(time.Duration) bool) {
					if busy {
						panic("in use")
					}
					busy = true
					defer func() { busy = false }()
					for yield(second) {
					}
				}
			},
			nil,
			"backofftest: the schedule panicked at delay 0: in use (seed 0; inside another range's body at delay 0)",
		},
		{
			"one range ends another",
			latest(func() {}),
			nil,
			"backofftest: a range with another inside its body at delay 0 differs at delay 1: 1s, then the end: ranges share state (seed 0)",
		},
		{
			"one range makes another panic",
			latest(func() { panic("superseded") }),
			nil,
			"backofftest: the schedule panicked at delay 1: superseded (seed 0; with another range inside its body at delay 0)",
		},
		{
			"a yield outlives its range",
			func(uint64) seq {
				var saved func(time.Duration) bool
				return func(yield func(time.Duration) bool) {
					if saved != nil {
						saved(second)
					}
					saved = yield
					for yield(second) {
					}
				}
			},
			nil,
			"backofftest: yield was called after its range had returned (seed 0)",
		},
		{
			"a complaint about ranges that are not over in the order they were begun",
			func(uint64) seq {
				depth := 0
				return func(yield func(time.Duration) bool) {
					depth++
					mine := depth
					for yield(second) {
						if depth != mine {
							panic("out of order")
						}
					}
					depth--
				}
			},
			nil,
			"backofftest: of two ranges that advance in turn, one panicked: out of order (seed 0)",
		},
		{
			"a schedule that is made once",
			func() func(uint64) seq {
				made := false
				return func(uint64) seq {
					if made {
						return nil
					}
					made = true
					return backoff.Constant(second)
				}
			}(),
			nil,
			"backofftest: newSchedule(0) returned nil, want a schedule (seed 0)",
		},
		{
			"a generator outside the range",
			func(seed uint64) seq {
				r := rand.New(rand.NewPCG(seed, 0))
				return func(yield func(time.Duration) bool) {
					for yield(time.Duration(r.Int64N(int64(second)))) {
					}
				}
			},
			nil,
			"backofftest: after a loop that broke at delay 0, the next range differs at delay 0: 222.656214ms, then 675.725411ms: state outlives a range (seed 0)",
		},
		{
			"a generator in a variable",
			func() func(uint64) seq {
				r := rand.New(rand.NewPCG(0, 0))
				return func(uint64) seq {
					d := time.Duration(r.Int64N(int64(second)))
					return backoff.Constant(d)
				}
			}(),
			nil,
			"backofftest: newSchedule(0), called again, differs at delay 0: 222.656214ms, then 675.725411ms: the seed does not fix the delays, see Unseeded (seed 0)",
		},

		// The loop.
		{
			"yield after false",
			fixed(func(yield func(time.Duration) bool) {
				for {
					yield(second)
				}
			}),
			nil,
			"backofftest: yield was called again after it returned false at delay 0 (seed 0)",
		},
		{
			"yield after false, where one schedule follows another",
			fixed(func(yield func(time.Duration) bool) {
				backoff.Take(backoff.Constant(second), 3)(yield)
				backoff.Constant(2 * second)(yield)
			}),
			nil,
			"backofftest: yield was called again after it returned false at delay 0 (seed 0)",
		},
		{
			"yield after false, at the end",
			fixed(func(yield func(time.Duration) bool) {
				for n := range 5 {
					if !yield(time.Duration(n)*second) && n == 4 {
						yield(0)
					} else if n < 4 {
						continue
					}
				}
			}),
			nil,
			"backofftest: yield was called again after it returned false at delay 0 (seed 0)",
		},
		{
			"a swallowed panic",
			fixed(func(yield func(time.Duration) bool) {
				defer func() { _ = recover() }()
				backoff.Constant(second)(yield)
			}),
			nil,
			"backofftest: the panic of a loop's body at delay 0 did not come out of the range (seed 0)",
		},
		{
			"a panic swallowed from the second delay on",
			fixed(func(yield func(time.Duration) bool) {
				if !yield(second) {
					return
				}
				defer func() { _ = recover() }()
				backoff.Constant(second)(yield)
			}),
			nil,
			"backofftest: the panic of a loop's body at delay 1 did not come out of the range (seed 0)",
		},
		{
			"a panic after the break",
			fixed(func(yield func(time.Duration) bool) {
				for yield(second) {
				}
				panic("out of delays")
			}),
			nil,
			"backofftest: the schedule panicked after yield returned false at delay 0: out of delays (seed 0)",
		},
		{
			"no schedule",
			fixed(nil),
			nil,
			"backofftest: newSchedule(0) returned nil, want a schedule (seed 0)",
		},
		{
			"no schedule of one seed",
			func(seed uint64) seq {
				return backoff.Constant(map[bool]time.Duration{true: second, false: -1}[seed != 3])
			},
			nil,
			"backofftest: newSchedule(3) panicked: backoff: Constant: delay is -1ns, want >= 0 (seed 3)",
		},
	}
}

// retries is sethvargo's WithMaxRetries as a schedule: its counter is the value's.
func retries(n int) seq {
	used := 0
	return func(yield func(time.Duration) bool) {
		for used < n {
			used++
			if !yield(second) {
				return
			}
		}
	}
}

// flagged sets a flag while its loop's body runs. A panic leaves the flag set, and then
// every range ends at once.
func flagged(complain func()) func(uint64) seq {
	return func(uint64) seq {
		busy := false
		return func(yield func(time.Duration) bool) {
			if busy {
				complain()
				return
			}
			for range 40 {
				busy = true
				more := yield(second)
				busy = false
				if !more {
					return
				}
			}
		}
	}
}

// latest continues until another range begins.
func latest(complain func()) func(uint64) seq {
	return func(uint64) seq {
		begun := 0
		return func(yield func(time.Duration) bool) {
			begun++
			mine := begun
			for yield(second) {
				if mine != begun {
					complain()
					return
				}
			}
		}
	}
}

// takeZero checks how many delays are left after it has yielded one.
func takeZero(s seq) seq {
	return func(yield func(time.Duration) bool) {
		left := 0
		for d := range s {
			if !yield(d) {
				return
			}
			if left--; left < 0 {
				return
			}
		}
	}
}

func TestDefects(t *testing.T) {
	for _, test := range defects() {
		t.Run(test.name, func(t *testing.T) {
			checkError(t, test.want, backofftest.Check(test.newSchedule, test.opts...))
		})
	}
}

func checkError(t *testing.T, want string, err error) {
	t.Helper()
	got := "no error"
	if err != nil {
		got = err.Error()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is reported (-want +got):\n%s", diff)
	}
}

// Defects whose report changes from run to run.
func TestRandomDefects(t *testing.T) {
	var scratch atomic.Int64
	// State that goroutines share while they compute does no harm in one goroutine.
	shared := func(n int) time.Duration {
		scratch.Store(int64(n) * int64(second))
		runtime.Gosched()
		return time.Duration(scratch.Load())
	}
	unseeded := func(uint64) seq { return backoff.Spread(backoff.Constant(10*second), 0.5) }
	tests := []struct {
		name        string
		newSchedule func(seed uint64) seq
		opts        []backofftest.Option
		want        string // a pattern
	}{
		{
			"goroutines share a variable",
			each(shared),
			nil,
			`of ranges in 8 goroutines, one differs at delay \d+: \S+s, then \S+s: ranges share state \(seed \d\)`,
		},
		{
			"goroutines share a variable, and one panics",
			each(func(n int) time.Duration {
				d := shared(n)
				if d != time.Duration(n)*second {
					panic("out of step")
				}
				return d
			}),
			nil,
			`the schedule panicked at delay \d+: out of step \(seed \d; in one of 8 goroutines\)`,
		},
		{
			"random without a seed",
			unseeded,
			nil,
			`after a loop that broke at delay 0, the next range differs at delay 0: \S+s, then \S+s: state outlives a range, or the seed does not fix the delays, see Unseeded \(seed 0\)`,
		},
		{
			"random without a seed, above the cap",
			unseeded,
			[]backofftest.Option{backofftest.Unseeded(), backofftest.Between(0, 10*second)},
			`delay \d is 1[0-5]\.\d+s, want a value in \[0s, 10s\] \(seed \d(; delay \d was \S+s)?\)`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := backofftest.Check(test.newSchedule, test.opts...)
			want := regexp.MustCompile("^backofftest: " + test.want + "$")
			if err == nil || !want.MatchString(err.Error()) {
				t.Errorf("error is %v, want a match of %v", err, want)
			}
		})
	}
}

// A brokenStage is a combinator with a defect.
type brokenStage struct {
	name     string
	newStage func(src seq, seed uint64) seq
	opts     []backofftest.Option
	want     string
}

func stageDefects() []brokenStage {
	return []brokenStage{
		{
			"Take draws one too many",
			func(src seq, _ uint64) seq {
				return func(yield func(time.Duration) bool) {
					left := 2
					for d := range src {
						if left == 0 {
							return
						}
						left--
						if !yield(d) {
							return
						}
					}
				}
			},
			nil,
			"backofftest: to give 2 delays the stage drew 3, want at most 2 (seed 0; the source is 1s, 2s, 4s)",
		},
		{
			"Take(0) yields one",
			func(src seq, _ uint64) seq { return takeZero(src) },
			[]backofftest.Option{backofftest.Delays(0)},
			"backofftest: delay 0 is 1s, want no more than 0 delays (seed 0; the source is 1s, 2s, 4s, ...)",
		},
		{
			"Take(0) draws one",
			func(src seq, _ uint64) seq {
				return func(func(time.Duration) bool) {
					for range src {
						return
					}
				}
			},
			nil,
			"backofftest: to give 0 delays the stage drew 1, want at most 0 (seed 0; the source is 1s)",
		},
		{
			"Take counts outside the range",
			func(src seq, _ uint64) seq {
				left := 3
				return func(yield func(time.Duration) bool) {
					if left == 0 {
						return
					}
					for d := range src {
						left--
						if !yield(d) || left == 0 {
							return
						}
					}
				}
			},
			nil,
			"backofftest: after a range to the end, the next range differs at delay 0: 1s, then the end: state outlives a range (seed 0; the source is 1s)",
		},
		{
			"Drop counts outside the range",
			func(src seq, _ uint64) seq {
				left := 1
				return func(yield func(time.Duration) bool) {
					for d := range src {
						if left > 0 {
							left--
							continue
						}
						if !yield(d) {
							return
						}
					}
				}
			},
			[]backofftest.Option{backofftest.Extra(1)},
			"backofftest: after a range to the end, the next range differs at delay 0: the end, then 1s: state outlives a range (seed 0; the source is 1s)",
		},
		{
			"Cycle keeps on after false",
			func(src seq, _ uint64) seq {
				return func(yield func(time.Duration) bool) {
					some := true
					for range 3 {
						src(func(d time.Duration) bool { some = yield(d); return some })
					}
					_ = some
				}
			},
			nil,
			"backofftest: yield was called again after it returned false at delay 0 (seed 0; the source is 1s)",
		},
		{
			"a cap that is the minimum with a constant",
			func(src seq, _ uint64) seq { return backoff.Min(src, backoff.Constant(10*second)) },
			[]backofftest.Option{backofftest.KeepsLength()},
			"backofftest: delay 0 is 10s, want no more than 0 delays (seed 0; the source is empty)",
		},
		{
			"a stage that loses the last delay",
			func(src seq, _ uint64) seq {
				return func(yield func(time.Duration) bool) {
					var last time.Duration
					n := 0
					for d := range src {
						if n > 0 && !yield(last) {
							return
						}
						last = d
						n++
					}
				}
			},
			[]backofftest.Option{backofftest.KeepsLength(), backofftest.Extra(1)},
			"backofftest: the schedule ends after 0 delays, want 1 (seed 0; the source is 1s)",
		},
		{
			"a stage that draws one ahead",
			func(src seq, _ uint64) seq {
				return func(yield func(time.Duration) bool) {
					next, stop := iter.Pull(src)
					defer stop()
					d, ok := next()
					for ok {
						ahead, more := next()
						if !yield(d) {
							return
						}
						d, ok = ahead, more
					}
				}
			},
			nil,
			"backofftest: delay 0 came when 2 delays had been drawn, want at most 1 (seed 0; the source is 1s, 2s, 4s)",
		},
		{
			"a stage that collects",
			func(src seq, _ uint64) seq {
				return func(yield func(time.Duration) bool) {
					for _, d := range slices.Collect(backoff.Take(src, 100)) {
						if !yield(d) {
							return
						}
					}
				}
			},
			nil,
			"backofftest: delay 0 came when 3 delays had been drawn, want at most 1 (seed 0; the source is 1s, 2s, 4s)",
		},
		{
			"a stage that draws when it is built",
			func(src seq, _ uint64) seq {
				first, _ := backoff.At(src, 0)
				return backoff.Floor(src, first)
			},
			nil,
			"backofftest: newStage drew 1 delay from its source before there was a range (seed 0; the source is 1s)",
		},
		{
			"a stage that draws after the break",
			func(src seq, _ uint64) seq {
				return func(yield func(time.Duration) bool) {
					next, stop := iter.Pull(src)
					defer stop()
					for {
						d, ok := next()
						if !ok {
							return
						}
						if !yield(d) {
							_, _ = next()
							return
						}
					}
				}
			},
			nil,
			"backofftest: after the loop broke at delay 0 the stage drew 1 more of its source (seed 0; the source is 1s, 2s, 4s)",
		},
		{
			"a stage that starts again for each delay",
			func(src seq, _ uint64) seq {
				return func(yield func(time.Duration) bool) {
					for n := 0; ; n++ {
						d, ok := backoff.At(src, n)
						if !ok || !yield(d) {
							return
						}
					}
				}
			},
			nil,
			"backofftest: to give 1 delay the stage drew 2, want at most 1 (seed 0; the source is 1s)",
		},
		{
			"a Pull that is not stopped",
			func(src seq, _ uint64) seq {
				return func(yield func(time.Duration) bool) {
					next, _ := iter.Pull(src)
					for {
						d, ok := next()
						if !ok || !yield(d) {
							return
						}
					}
				}
			},
			nil,
			"backofftest: a range over the source is not over after the loop broke at delay 0: is an iter.Pull not stopped? (seed 0; the source is 1s)",
		},
		{
			"a Pull that is not stopped at the end",
			func(src seq, _ uint64) seq {
				return func(yield func(time.Duration) bool) {
					next, stop := iter.Pull(src)
					for range 2 {
						d, ok := next()
						if !ok || !yield(d) {
							stop()
							return
						}
					}
				}
			},
			nil,
			"backofftest: a range over the source is not over after the range over the stage: is an iter.Pull not stopped? (seed 0; the source is 1s, 2s, 4s)",
		},
		{
			"jitter lost at the cap",
			func(src seq, seed uint64) seq {
				return backoff.Cap(backoff.Jitter(src, 1, backoff.WithSeed(seed)), 10*second)
			},
			[]backofftest.Option{backofftest.SpreadUnder(10 * second)},
			"backofftest: delay 4 is exactly 10s for 344 of 1000 clients, want fewer than 20 (the first of them have the seeds 1 and 4; the source is 1s, 2s, 4s, ...)",
		},
		{
			"doubling wraps",
			func(src seq, _ uint64) seq {
				return func(yield func(time.Duration) bool) {
					for d := range src {
						if !yield(2 * d) {
							return
						}
					}
				}
			},
			nil,
			"backofftest: delay 33 is -351909h41m29.709551616s, want >= 0 (seed 0; delay 32 was 2386092h56m32s; the source is 1s, 2s, 4s, ...)",
		},
		{
			"jitter of a delay of 0",
			func(src seq, seed uint64) seq {
				return func(yield func(time.Duration) bool) {
					r := rand.New(rand.NewPCG(seed, 0))
					for d := range src {
						if !yield(time.Duration(r.Int64N(int64(d)))) {
							return
						}
					}
				}
			},
			nil,
			"backofftest: the schedule panicked at delay 0: invalid argument to Int64N (seed 0; the source is 0s, 0s, 0s, ...)",
		},
		{
			"a stage whose function counts",
			func(src seq, _ uint64) seq {
				first := time.Duration(0)
				return backoff.Map(src, func(time.Duration) time.Duration {
					first++
					return first
				})
			},
			nil,
			"backofftest: after a loop that broke at delay 0, the next range differs at delay 0: 1ns, then 2ns: state outlives a range (seed 0; the source is 1s)",
		},
		{
			"a stage that counts how often it was made",
			func() func(seq, uint64) seq {
				made := time.Duration(0)
				return func(src seq, _ uint64) seq {
					made++
					return backoff.Floor(src, made*second)
				}
			}(),
			nil,
			"backofftest: after a loop that broke at delay 0, the next range differs at delay 0: 17m29s, then 17m30s: state outlives a range, or the seed does not fix the delays, see Unseeded (seed 0; the source is 1s)",
		},
		{
			"no stage",
			func(seq, uint64) seq { return nil },
			nil,
			"backofftest: newStage(src, 0) returned nil, want a schedule (seed 0; the source is empty)",
		},
	}
}

func TestStageDefects(t *testing.T) {
	for _, test := range stageDefects() {
		t.Run(test.name, func(t *testing.T) {
			checkError(t, test.want, backofftest.CheckStage(test.newStage, test.opts...))
		})
	}
}
