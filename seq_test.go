package backoff_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/internal/samples"
	"github.com/google/go-cmp/cmp"
)

const (
	ms = time.Millisecond
	s  = time.Second
	m  = time.Minute
)

// prefix returns the first n delays of seq, or all if it has fewer.
func prefix(seq iter.Seq[time.Duration], n int) []time.Duration {
	delays := []time.Duration{}
	for d := range backoff.Take(seq, n) {
		delays = append(delays, d)
	}
	return delays
}

// list is a schedule of the given delays.
func list(delays ...time.Duration) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for _, d := range delays {
			if !yield(d) {
				return
			}
		}
	}
}

// A counter is a source that counts up. From 0 it draws the lower ends of intervals. A
// source that always gives 0 would not do: a draw from three values would never end.
type counter uint64

func (c *counter) Uint64() uint64 {
	*c++
	return uint64(*c - 1)
}

// largest is a source that draws the upper ends.
type largest struct{}

func (largest) Uint64() uint64 { return math.MaxUint64 }

var (
	lowest  = backoff.WithSource(func() rand.Source { return new(counter) })
	highest = backoff.WithSource(func() rand.Source { return largest{} })
)

// given is an option whose source repeats the given numbers.
func given(values ...uint64) backoff.Option {
	return backoff.WithSource(func() rand.Source { return &numbers{values: values} })
}

type numbers struct {
	values []uint64
	drawn  int
}

func (n *numbers) Uint64() uint64 {
	n.drawn++
	return n.values[(n.drawn-1)%len(n.values)]
}

func TestDelays(t *testing.T) {
	double := func(d time.Duration) time.Duration { return 2 * d }
	cases := []struct {
		name string
		seq  iter.Seq[time.Duration]
		want []time.Duration // the first ones, or all if there are fewer than 10
	}{
		{"Constant", backoff.Constant(3 * s), []time.Duration{3 * s, 3 * s, 3 * s}},
		{"Constant zero", backoff.Constant(0), []time.Duration{0, 0, 0}},
		{"Linear", backoff.Linear(s, 500*ms), []time.Duration{s, 1500 * ms, 2 * s, 2500 * ms}},
		{"Linear saturates", backoff.Linear(1, backoff.NoLimit/2+1), []time.Duration{1, backoff.NoLimit/2 + 2, backoff.NoLimit, backoff.NoLimit}},

		// A Ruby Enumerator article: base 1 s, doubled from the first retry on.
		{"article", backoff.Exponential(2*s, 2), []time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 64 * s, 128 * s, 256 * s, 512 * s, 1024 * s}},
		{"article, five attempts", backoff.Take(backoff.Exponential(2*s, 2), 5), []time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 32 * s}},
		{"article, capped", backoff.Cap(backoff.Exponential(2*s, 2), 100*s), []time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 64 * s, 100 * s, 100 * s, 100 * s, 100 * s}},
		{"article, base 10", backoff.Exponential(20*s, 2), []time.Duration{20 * s, 40 * s, 80 * s, 160 * s, 320 * s, 640 * s, 1280 * s, 2560 * s, 5120 * s, 10240 * s}},

		{"Exponential grows from 1 ms by half", backoff.Exponential(ms, 1.5), []time.Duration{ms, 1500 * time.Microsecond, 2250 * time.Microsecond, 3375 * time.Microsecond, 5062500, 7593750, 11390625, 17085938, 25628906}},
		{"Exponential grows from 1 ns by half", backoff.Exponential(1, 1.5), []time.Duration{1, 2, 2, 3, 5, 8, 11, 17, 26, 38}},
		{"Exponential zero", backoff.Exponential(0, math.MaxFloat64), []time.Duration{0, 0, 0}},
		{"Exponential factor 1", backoff.Exponential(backoff.NoLimit-1, 1), []time.Duration{backoff.NoLimit - 1, backoff.NoLimit - 1}},
		{"Exponential is exact above 2⁵³", backoff.Exponential(1<<60+1, 2), []time.Duration{1<<60 + 1, 1<<61 + 2, 1<<62 + 4, backoff.NoLimit, backoff.NoLimit}},
		{"Exponential of 3 is exact just above 2⁵³", backoff.Exponential(1<<53+1, 3), []time.Duration{1<<53 + 1, 3<<53 + 3, 9<<53 + 9}},
		{"Exponential of 3 is exact above 2⁵³", backoff.Exponential(1e17+1, 3), []time.Duration{1e17 + 1, 3e17 + 3, 9e17 + 9, 27e17 + 27, 81e17 + 81, backoff.NoLimit}},
		{"Exponential reaches 2⁶³ exactly", backoff.Exponential(1<<61, 2), []time.Duration{1 << 61, 1 << 62, backoff.NoLimit, backoff.NoLimit}},
		{"Exponential passes 2⁶³ by its last bits", backoff.Exponential(1<<62+2047, math.Nextafter(2, 1)), []time.Duration{1<<62 + 2047, backoff.NoLimit, backoff.NoLimit}},
		{"Exponential huge factor", backoff.Exponential(1, 1e300), []time.Duration{1, backoff.NoLimit, backoff.NoLimit}},
		{"huge factor under a cap", backoff.Cap(backoff.Exponential(s, 1e300), m), []time.Duration{s, m, m, m}},
		{"Exponential largest", backoff.Exponential(backoff.NoLimit, math.MaxFloat64), []time.Duration{backoff.NoLimit, backoff.NoLimit, backoff.NoLimit}},

		{"Polynomial", backoff.Polynomial(100*ms, 2), []time.Duration{100 * ms, 400 * ms, 900 * ms, 1600 * ms, 2500 * ms}},
		{"Polynomial root", backoff.Polynomial(s, 0.5), []time.Duration{s, 1414213562, 1732050808, 2 * s, 2236067977}},
		{"Polynomial 1.5", backoff.Polynomial(s, 1.5), []time.Duration{s, 2828427125, 5196152423, 8 * s}},
		{"Polynomial 0", backoff.Polynomial(s, 0), []time.Duration{s, s, s}},
		{"Polynomial 0 above 2⁵³", backoff.Polynomial(1<<60+1, 0), []time.Duration{1<<60 + 1, 1<<60 + 1}},
		{"Polynomial 1 above 2⁵³", backoff.Polynomial(1<<60+1, 1), []time.Duration{1<<60 + 1, 1<<61 + 2, 3<<60 + 3, 1<<62 + 4}},
		{"Polynomial zero", backoff.Polynomial(0, 1e308), []time.Duration{0, 0, 0}},
		{"Polynomial huge", backoff.Polynomial(1, 1e308), []time.Duration{1, backoff.NoLimit, backoff.NoLimit}},
		{"Polynomial of 63", backoff.Polynomial(1, 63), []time.Duration{1, backoff.NoLimit}},
		{"Polynomial of 62", backoff.Polynomial(1, 62), []time.Duration{1, 1 << 62, backoff.NoLimit}},

		{"Fibonacci", backoff.Fibonacci(s), []time.Duration{s, s, 2 * s, 3 * s, 5 * s, 8 * s, 13 * s, 21 * s, 34 * s}},
		{"Fibonacci saturates", backoff.Fibonacci(backoff.NoLimit / 2), []time.Duration{backoff.NoLimit / 2, backoff.NoLimit / 2, backoff.NoLimit - 1, backoff.NoLimit, backoff.NoLimit}},
		{"Fibonacci under a cap", backoff.Cap(backoff.Fibonacci(s), 6*s), []time.Duration{s, s, 2 * s, 3 * s, 5 * s, 6 * s, 6 * s}},
		{"Func", backoff.Func(func(n int) time.Duration { return time.Duration(2-n) * s }), []time.Duration{2 * s, s, 0, 0, 0}},

		// The ends of the intervals of random schedules. From oslo.db's article:
		{"full low", backoff.FullJitter(s, 16*s, lowest), []time.Duration{0, 0, 0, 0, 0, 0}},
		{"full high", backoff.FullJitter(s, 16*s, highest), []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 16 * s}},
		{"top 25 % low", backoff.TopJitter(s, 16*s, 0.25, lowest), []time.Duration{750 * ms, 1500 * ms, 3 * s, 6 * s, 12 * s, 12 * s}},
		{"top 25 % high", backoff.TopJitter(s, 16*s, 0.25, highest), []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 16 * s}},
		{"without jitter", backoff.TopJitter(s, 8*s, 0), []time.Duration{s, 2 * s, 4 * s, 8 * s, 8 * s}},
		// From AWS's article, whose first delay is doubled already: its base of 5 ms
		// is 10 ms here.
		{"equal low", backoff.EqualJitter(10*ms, 60*ms, lowest), []time.Duration{5 * ms, 10 * ms, 20 * ms, 30 * ms, 30 * ms}},
		{"equal high", backoff.EqualJitter(10*ms, 60*ms, highest), []time.Duration{10 * ms, 20 * ms, 40 * ms, 60 * ms, 60 * ms}},
		{"equal odd low", backoff.EqualJitter(3, 3, lowest), []time.Duration{1, 1, 1}},
		{"decorrelated low", backoff.DecorrelatedJitter(5*ms, 2*s, lowest), []time.Duration{5 * ms, 5 * ms, 5 * ms, 5 * ms}},
		{"decorrelated high", backoff.DecorrelatedJitter(5*ms, 100*ms, highest), []time.Duration{15 * ms, 45 * ms, 100 * ms, 100 * ms}},
		{"decorrelated saturates", backoff.DecorrelatedJitter(1, backoff.NoLimit, highest), powersOf3()},
		{"decorrelated zero", backoff.DecorrelatedJitter(0, 1, highest), []time.Duration{0, 0, 0}},
		{"decorrelated to the nanosecond", backoff.DecorrelatedJitter(1, 8, highest), []time.Duration{3, 8, 8}},
		{"uniform low", backoff.Uniform(s, 3*s, lowest), []time.Duration{s, s, s}},
		{"uniform high", backoff.Uniform(s, 3*s, highest), []time.Duration{3 * s, 3 * s, 3 * s}},
		{"uniform point", backoff.Uniform(s, s), []time.Duration{s, s, s}},
		{"uniform all", backoff.Uniform(0, backoff.NoLimit, highest), []time.Duration{backoff.NoLimit, backoff.NoLimit}},
		{"limit below base", backoff.FullJitter(s, 100*ms, highest), []time.Duration{100 * ms, 100 * ms}},
		{"limit below base, decorrelated", backoff.DecorrelatedJitter(s, 100*ms), []time.Duration{100 * ms, 100 * ms}},
		{"limit below base, normal", backoff.NormalJitter(s, 100*ms, 2, 0), []time.Duration{100 * ms, 100 * ms}},
		{"no limit, full", backoff.Drop(backoff.FullJitter(1, backoff.NoLimit, highest), 61), []time.Duration{1 << 61, 1 << 62, backoff.NoLimit}},
		{"smooth zero", backoff.SmoothJitter(0, s), []time.Duration{0, 0, 0}},
		{"smooth limit zero", backoff.SmoothJitter(s, 0), []time.Duration{0, 0, 0}},

		// From smira's article, without its jitter.
		{"normal, blue", backoff.NormalJitter(100*ms, 10*m, 2.7, 0), []time.Duration{100 * ms, 270 * ms, 729 * ms, 1968300 * time.Microsecond, 5314410 * time.Microsecond, 14348907 * time.Microsecond, 38742048900, 104603532030, 282429536481, 10 * m, 10 * m}},
		{"normal, green", backoff.NormalJitter(s, 5*m, 1.5, 0), []time.Duration{s, 1500 * ms, 2250 * ms, 3375 * ms, 5062500 * time.Microsecond, 7593750 * time.Microsecond, 11390625 * time.Microsecond, 17085937500, 25628906250, 38443359375, 57665039063, 86497558594, 129746337891, 194619506836, 291929260254, 5 * m}},
		{"normal never sticks at zero", backoff.NormalJitter(s, m, 2, 1e9, lowest), []time.Duration{s, 0, 0, 0}},
		{"normal begins again from zero", backoff.NormalJitter(s, m, 2, 1, given(0, 1<<63)), []time.Duration{s, 0, s}},
		{"normal zero", backoff.NormalJitter(0, m, 2, 1), []time.Duration{0, 0, 0}},
		{"normal huge", backoff.NormalJitter(s, m, 2, math.MaxFloat64, highest), []time.Duration{s, backoff.NoLimit, backoff.NoLimit}},

		{"Take", backoff.Take(backoff.Exponential(s, 2), 4), []time.Duration{s, 2 * s, 4 * s, 8 * s}},
		{"Take none", backoff.Take(backoff.Constant(s), 0), nil},
		{"Take too many", backoff.Take(list(s, m), 5), []time.Duration{s, m}},
		{"Drop", backoff.Drop(backoff.Exponential(s, 2), 2), []time.Duration{4 * s, 8 * s, 16 * s}},
		{"Drop all", backoff.Drop(list(s, m), 2), nil},
		{"Cap", backoff.Cap(backoff.Exponential(s, 2), 5*s), []time.Duration{s, 2 * s, 4 * s, 5 * s, 5 * s}},
		{"Cap keeps the length", backoff.Cap(list(s, m), 5*s), []time.Duration{s, 5 * s}},
		{"Floor", backoff.Floor(backoff.Exponential(s, 2), 3*s), []time.Duration{3 * s, 3 * s, 4 * s, 8 * s}},
		{"Scale", backoff.Scale(backoff.Fibonacci(s), 0.5), []time.Duration{500 * ms, 500 * ms, s, 1500 * ms}},
		{"Scale rounds halves up", backoff.Scale(list(1, 2, 3, 4), 0.5), []time.Duration{1, 1, 2, 2}},
		{"Scale saturates", backoff.Scale(list(0, 1, 2, backoff.NoLimit), math.MaxFloat64), []time.Duration{0, backoff.NoLimit, backoff.NoLimit, backoff.NoLimit}},
		{"Scale to nothing", backoff.Scale(list(0, backoff.NoLimit), math.SmallestNonzeroFloat64), []time.Duration{0, 0}},
		{"Scale by 2⁶³", backoff.Scale(list(0, 1), 1<<63), []time.Duration{0, backoff.NoLimit}},
		{"Scale by 2⁶²", backoff.Scale(list(0, 1, 2), 1<<62), []time.Duration{0, 1 << 62, backoff.NoLimit}},
		{"Scale by 0.3", backoff.Scale(list(s, 10*s), 0.3), []time.Duration{300 * ms, 3 * s}},
		{"Map", backoff.Map(list(s, m), double), []time.Duration{2 * s, 2 * m}},
		{"Map raises to 0", backoff.Map(list(s), func(d time.Duration) time.Duration { return -d }), []time.Duration{0}},
		{"Jitter low", backoff.Jitter(list(10*s, 0, backoff.NoLimit), 0.25, lowest), []time.Duration{7500 * ms, 0, backoff.NoLimit - backoff.NoLimit/4 - 1}},
		{"Jitter high", backoff.Jitter(list(10*s, 0, backoff.NoLimit), 0.25, highest), []time.Duration{10 * s, 0, backoff.NoLimit}},
		{"Jitter after the cap", backoff.Jitter(backoff.Cap(backoff.Exponential(s, 2), 3*s), 1, highest), []time.Duration{s, 2 * s, 3 * s, 3 * s}},
		{"Spread low", backoff.Spread(list(10*s, 0, backoff.NoLimit), 0.1, lowest), []time.Duration{9 * s, 0, 8301034833169298175}},
		{"Spread high", backoff.Spread(list(10*s, 0, backoff.NoLimit), 0.1, highest), []time.Duration{11 * s, 0, backoff.NoLimit}},
		{"Within", backoff.Within(backoff.Exponential(s, 2), 10*s), []time.Duration{s, 2 * s, 4 * s}},
		{"Within exactly", backoff.Within(backoff.Exponential(s, 2), 7*s), []time.Duration{s, 2 * s, 4 * s}},
		{"Within nothing", backoff.Within(backoff.Constant(1), 0), nil},
		{"Within zeros", backoff.Within(list(0, 0, 1, 0), 0), []time.Duration{0, 0}},
		{"Within does not wrap", backoff.Within(list(s, backoff.NoLimit, s), backoff.NoLimit), []time.Duration{s}},
		{"Concat", backoff.Concat(list(0, s), list(), list(m)), []time.Duration{0, s, m}},
		{"Concat of none", backoff.Concat(), nil},
		{"Max", backoff.Max(backoff.Exponential(s, 2), backoff.Constant(3*s)), []time.Duration{3 * s, 3 * s, 4 * s, 8 * s}},
		{"Max ends with the first", backoff.Max(list(s, m), backoff.Constant(2*s)), []time.Duration{2 * s, m}},
		{"Max ends with the second", backoff.Max(backoff.Constant(2*s), list(s, m)), []time.Duration{2 * s, m}},
		{"Min", backoff.Min(backoff.Exponential(s, 2), backoff.Constant(3*s)), []time.Duration{s, 2 * s, 3 * s, 3 * s}},
		{"Min goes on with the second", backoff.Min(list(s, m), list(2*s, 2*s, 5*s)), []time.Duration{s, 2 * s, 5 * s}},
		{"Min goes on with the first", backoff.Min(list(2*s, 2*s, 5*s), list(s, m)), []time.Duration{s, 2 * s, 5 * s}},
		{"Add", backoff.Add(backoff.Exponential(s, 2), backoff.Constant(3*s)), []time.Duration{4 * s, 5 * s, 7 * s, 11 * s}},
		{"Add saturates", backoff.Add(list(backoff.NoLimit-1, backoff.NoLimit, 1), list(1, 1, backoff.NoLimit)), []time.Duration{backoff.NoLimit, backoff.NoLimit, backoff.NoLimit}},
		{"Add ends with the first", backoff.Add(list(s, m), backoff.Constant(2*s)), []time.Duration{3 * s, 62 * s}},
		{"Add ends with the second", backoff.Add(backoff.Constant(2*s), list(s, m)), []time.Duration{3 * s, 62 * s}},
		{"Add, lowest jitter", backoff.Add(backoff.Exponential(100*ms, 2), backoff.Uniform(0, 100*ms, lowest)), []time.Duration{100 * ms, 200 * ms, 400 * ms}},
		{"Add, highest jitter", backoff.Add(backoff.Exponential(100*ms, 2), backoff.Uniform(0, 100*ms, highest)), []time.Duration{200 * ms, 300 * ms, 500 * ms}},

		{"a negative delay from elsewhere: Cap", backoff.Cap(list(-s), m), []time.Duration{0}},
		{"a negative delay from elsewhere: Floor", backoff.Floor(list(-s), 0), []time.Duration{0}},
		{"a negative delay from elsewhere: Scale", backoff.Scale(list(-s), 2), []time.Duration{0}},
		{"a negative delay from elsewhere: Jitter", backoff.Jitter(list(-s), 1), []time.Duration{0}},
		{"a negative delay from elsewhere: Spread", backoff.Spread(list(-s), 1), []time.Duration{0}},
		{"a negative delay from elsewhere: Add", backoff.Add(list(-s, m, -s), list(m, -s, -s)), []time.Duration{m, m, 0}},
		{"a negative delay from elsewhere: Within", backoff.Within(list(-s, m, 1), m), []time.Duration{-s, m}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := len(c.want)
			if n < 10 && isFinite(c.seq) {
				n = 11
			}
			want := c.want
			if want == nil {
				want = []time.Duration{}
			}
			if diff := cmp.Diff(want, prefix(c.seq, n)); diff != "" {
				t.Errorf("delays (-want +got):\n%s", diff)
			}
		})
	}
}

// powersOf3 returns the upper ends of decorrelated jitter from 1 ns.
func powersOf3() []time.Duration {
	delays := []time.Duration{}
	for d := time.Duration(3); len(delays) < 39; d *= 3 {
		delays = append(delays, d)
	}
	return append(delays, backoff.NoLimit, backoff.NoLimit)
}

// isFinite reports whether seq ends within 20 delays.
func isFinite(seq iter.Seq[time.Duration]) bool {
	_, ok := backoff.At(seq, 20)
	return !ok
}

func TestAt(t *testing.T) {
	seq := list(s, 2*s, m)
	for n, want := range []string{"1s true", "2s true", "1m0s true", "0s false", "0s false"} {
		d, ok := backoff.At(seq, n)
		if got := fmt.Sprint(d, ok); got != want {
			t.Errorf("At(seq, %d) = %s, want %s", n, got, want)
		}
	}
	if d, ok := backoff.At(backoff.Exponential(s, 2), 1000); d != backoff.NoLimit || !ok {
		t.Errorf("At(Exponential, 1000) = %v, %v, want NoLimit, true", d, ok)
	}
}

func TestChan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		drawn := 0
		seq := backoff.Map(backoff.Exponential(s, 2), func(d time.Duration) time.Duration {
			drawn++
			return d
		})
		ctx, cancel := context.WithCancel(t.Context())
		delays := backoff.Chan(ctx, seq)
		synctest.Wait()
		if drawn != 1 {
			t.Errorf("%d delays drawn before the first was received, want 1", drawn)
		}
		for i := range 5 {
			if got, want := <-delays, s<<i; got != want {
				t.Errorf("delay %d is %v, want %v", i, got, want)
			}
			synctest.Wait()
			if drawn != i+2 {
				t.Errorf("%d delays drawn when %d were received, want one more", drawn, i+1)
			}
		}
		cancel()
		synctest.Wait()
		if d, ok := <-delays; ok {
			t.Errorf("received %v after the context's end, want a closed channel", d)
		}
		if drawn != 6 {
			t.Errorf("%d delays drawn in the end, want 6", drawn)
		}
	})
}

func TestChanEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := []time.Duration{}
		for d := range backoff.Chan(t.Context(), list(s, m)) {
			got = append(got, d)
		}
		if diff := cmp.Diff([]time.Duration{s, m}, got); diff != "" {
			t.Errorf("delays (-want +got):\n%s", diff)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 20 { // a select statement would choose at random
			for d := range backoff.Chan(ctx, undrawn(t)) {
				t.Fatalf("received %v from an ended context, want a closed channel", d)
			}
			for tick := range backoff.Ticks(ctx, undrawn(t)) {
				t.Fatalf("a tick at %v in an ended context, want a closed channel", tick)
			}
		}
	})
}

// undrawn is a schedule that fails the test if a delay is drawn from it.
func undrawn(t *testing.T) iter.Seq[time.Duration] {
	return backoff.Func(func(n int) time.Duration {
		t.Errorf("delay %d is drawn", n)
		return 0
	})
}

func TestTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got := []time.Duration{}
		for tick := range backoff.Ticks(t.Context(), backoff.Take(backoff.Exponential(s, 2), 4)) {
			got = append(got, tick.Sub(start))
			time.Sleep(500 * ms) // the next delay runs meanwhile
		}
		if diff := cmp.Diff([]time.Duration{s, 3 * s, 7 * s, 15 * s}, got); diff != "" {
			t.Errorf("ticks (-want +got):\n%s", diff)
		}

		// A slow receiver finds each tick waiting, and loses none.
		start = time.Now()
		got = got[:0]
		for tick := range backoff.Ticks(t.Context(), list(s, s, s)) {
			time.Sleep(10 * s)
			got = append(got, tick.Sub(start))
		}
		if diff := cmp.Diff([]time.Duration{s, 2 * s, 12 * s}, got); diff != "" {
			t.Errorf("ticks of a slow receiver (-want +got):\n%s", diff)
		}
	})
}

func TestTicksEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// While a delay runs, and while a tick waits to be received.
		for _, after := range []time.Duration{1500 * ms, 2500 * ms} {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			ticks := backoff.Ticks(ctx, backoff.Constant(s))
			<-ticks
			<-ctx.Done()
			synctest.Wait()
			if _, ok := <-ticks; ok {
				t.Errorf("a tick after the context's end at %v, want a closed channel", after)
			}
			cancel()
		}
	})
}

// A receiver that waits when the context ends gets no more ticks. The select statement
// of a Ticks that did not notice would choose at random, hence 20 times.
func TestTicksEndWhileReceiving(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			got := 0
			go func() {
				for range backoff.Ticks(ctx, backoff.Constant(s)) {
					got++
				}
			}()
			time.Sleep(2500 * ms)
			cancel()
			synctest.Wait()
			if got != 2 {
				t.Errorf("%d ticks when the context ended after 2.5 s, want 2", got)
			}
			time.Sleep(m)
			if got != 2 {
				t.Errorf("%d ticks a minute after the context ended, want 2", got)
			}
		})
	}
}

// If the delay and the context end together, Sleep returns the cause, even if it wakes
// because of the delay.
func TestSleepEndsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := &unnoticed{t.Context(), time.Now().Add(s)}
		if err := backoff.Sleep(ctx, s-1); err != nil {
			t.Errorf("Sleep before the end = %v, want nil", err)
		}
		if err := backoff.Sleep(ctx, 1); err != context.DeadlineExceeded {
			t.Errorf("Sleep to the end = %v, want %v", err, context.DeadlineExceeded)
		}
	})
}

// An unnoticed context ends at a time, and wakes nobody.
type unnoticed struct {
	context.Context
	end time.Time
}

func (*unnoticed) Done() <-chan struct{} { return nil }

func (*unnoticed) Value(any) any { return nil }

func (c *unnoticed) Err() error {
	if time.Now().Before(c.end) {
		return nil
	}
	return context.DeadlineExceeded
}

func TestSleep(t *testing.T) {
	cause := errors.New("shutting down")
	cases := []struct {
		name  string
		d     time.Duration
		end   time.Duration // of the context; 0: ended before
		want  error
		slept time.Duration
	}{
		{"whole", 5 * s, m, nil, 5 * s},
		{"ended meanwhile", m, 5 * s, cause, 5 * s},
		{"ended before", m, 0, cause, 0},
		{"zero", 0, m, nil, 0},
		{"negative", -s, m, nil, 0},
		{"zero in an ended context", 0, 0, cause, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				if c.end == 0 {
					cancel(cause)
				} else {
					defer time.AfterFunc(c.end, func() { cancel(cause) }).Stop()
				}
				start := time.Now()
				err := backoff.Sleep(ctx, c.d)
				if !errors.Is(err, c.want) {
					t.Errorf("Sleep = %v, want %v", err, c.want)
				}
				if slept := time.Since(start); slept != c.slept {
					t.Errorf("slept %v, want %v", slept, c.slept)
				}
			})
		})
	}
}

func TestPanics(t *testing.T) {
	var (
		seq  = backoff.Constant(s)
		none iter.Seq[time.Duration]
		ctx  = t.Context()

		noContext context.Context
	)
	cases := []struct {
		f    func()
		want string
	}{
		{func() { backoff.Func(nil) }, "Func: delay is nil, want a function"},
		{func() { backoff.Uniform(2*s, s) }, "Uniform: hi is 1s, want >= lo, which is 2s"},
		{func() { backoff.WithSource(nil) }, "WithSource: newSource is nil, want a function"},
		{func() {
			for range backoff.Uniform(0, s, backoff.WithSource(func() rand.Source { return nil })) {
				break
			}
		}, "WithSource: newSource returned nil, want a source"},
		{func() { backoff.Map(none, func(d time.Duration) time.Duration { return d }) }, "Map: seq is nil, want a schedule"},
		{func() { backoff.Map(seq, nil) }, "Map: f is nil, want a function"},
		{func() { backoff.Concat(seq, none) }, "Concat: argument 1 is nil, want a schedule"},
		{func() { backoff.Max(none, seq) }, "Max: a is nil, want a schedule"},
		{func() { backoff.Max(seq, none) }, "Max: b is nil, want a schedule"},
		{func() { backoff.Min(none, seq) }, "Min: a is nil, want a schedule"},
		{func() { backoff.Min(seq, none) }, "Min: b is nil, want a schedule"},
		{func() { backoff.Add(none, seq) }, "Add: a is nil, want a schedule"},
		{func() { backoff.Add(seq, none) }, "Add: b is nil, want a schedule"},
		{func() { backoff.At(none, 1) }, "At: seq is nil, want a schedule"},
		{func() { backoff.At(seq, -1) }, "At: n is -1, want >= 0"},
		{func() { backoff.Attempts(ctx, none) }, "Attempts: seq is nil, want a schedule"},
		{func() { backoff.Attempts(noContext, seq) }, "Attempts: ctx is nil, want a context"},
		{func() { backoff.Chan(noContext, seq) }, "Chan: ctx is nil, want a context"},
		{func() { backoff.Ticks(noContext, seq) }, "Ticks: ctx is nil, want a context"},
		{func() { backoff.Chan(ctx, none) }, "Chan: seq is nil, want a schedule"},
		{func() { backoff.Ticks(ctx, none) }, "Ticks: seq is nil, want a schedule"},
	}
	for _, c := range cases {
		t.Run(c.want, func(t *testing.T) { panics(t, "backoff: "+c.want, c.f) })
	}
}

func panics(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("panic %v, want %v", got, want)
		}
	}()
	f()
}

// refused has, for each kind of parameter of package expr, arguments that package
// backoff refuses, and the words that it uses.
var refused = map[string]struct {
	values []any
	want   string
}{
	"a duration >= 0":                   {[]any{-time.Nanosecond}, ">= 0"},
	"a duration >= 0 or none":           {[]any{-time.Nanosecond}, ">= 0"},
	"a finite number >= 1":              {[]any{0.999, -1., math.NaN(), math.Inf(1)}, "a finite value >= 1"},
	"a finite number >= 0":              {[]any{-0.5, math.NaN(), math.Inf(1)}, "a finite value >= 0"},
	"a number in [0, 1]":                {[]any{-0.1, 1.5, math.NaN()}, "a value in [0, 1]"},
	"a whole number in [0, 2147483647]": {[]any{-1}, ">= 0"},
}

// TestRefused verifies that each function refuses the arguments that package expr
// refuses.
func TestRefused(t *testing.T) {
	var none iter.Seq[time.Duration]
	for _, stage := range expr.Stages() {
		if stage.Func == "" || slices.ContainsFunc(stage.Params, func(p expr.Param) bool { return p.Want == "a schedule" }) {
			continue // TestPanics has those that join schedules
		}
		names := make([]string, len(stage.Params))
		bad := make([][]any, len(stage.Params))
		wants := make([]string, len(stage.Params))
		for i, p := range stage.Params {
			r, ok := refused[p.Want]
			if !ok {
				t.Fatalf("no refused values of a parameter that wants %s: add some", p.Want)
			}
			names[i], bad[i], wants[i] = p.Name, r.values, r.want
		}
		if !stage.Starts {
			names = append([]string{"seq"}, names...)
			bad = append([][]any{{none}}, bad...)
			wants = append([]string{"a schedule"}, wants...)
		}
		sample := samples.Of(stage.Func)
		for i, values := range bad {
			if stage.Func == "Uniform" && names[i] == "hi" {
				continue // TestPanics has it: its bound is lo
			}
			for _, v := range values {
				got := v
				if i == 0 && !stage.Starts {
					got = "nil"
				}
				want := fmt.Sprintf("%s: %s is %v, want %s", stage.Func, names[i], got, wants[i])
				t.Run(want, func(t *testing.T) {
					args := slices.Clone(sample.Args)
					args[i] = v
					panics(t, "backoff: "+want, func() { samples.Call(sample.Func, args...) })
				})
			}
		}
	}
}

// TestAllocations limits what a range allocates: nothing if the compiler sees the
// generator, at most 3 small objects per stage if it does not, and nothing per delay.
func TestAllocations(t *testing.T) {
	count := func(run func()) float64 { return testing.AllocsPerRun(100, run) }
	var sum time.Duration
	seen := map[string]func(){
		"Exponential": func() {
			for d := range backoff.Exponential(s, 2) {
				if sum += d; d == backoff.NoLimit {
					break
				}
			}
		},
		"Exponential of 3": func() {
			for d := range backoff.Exponential(s, 3) {
				if sum += d; d == backoff.NoLimit {
					break
				}
			}
		},
		"FullJitter": func() {
			n := 0
			for d := range backoff.FullJitter(s, m) {
				sum += d
				if n++; n == 50 {
					break
				}
			}
		},
		"FullJitter of a seed": func() {
			n := 0
			for d := range backoff.FullJitter(s, m, backoff.WithSeed(1)) {
				sum += d
				if n++; n == 50 {
					break
				}
			}
		},
		"DecorrelatedJitter": func() {
			n := 0
			for d := range backoff.DecorrelatedJitter(s, m) {
				sum += d
				if n++; n == 50 {
					break
				}
			}
		},
		"SmoothJitter": func() {
			n := 0
			for d := range backoff.SmoothJitter(s, m) {
				sum += d
				if n++; n == 50 {
					break
				}
			}
		},
	}
	for name, run := range seen {
		if n := count(run); n != 0 {
			t.Errorf("%s, seen: %v allocations, want 0", name, n)
		}
	}

	seed := backoff.WithSeed(1)
	opaque := []struct {
		name   string
		seq    iter.Seq[time.Duration]
		stages float64
	}{
		{"Exponential", backoff.Exponential(s, 2), 1},
		{"FullJitter", backoff.FullJitter(s, m), 1},
		{"FullJitter of a seed", backoff.FullJitter(s, m, seed), 1},
		{"NormalJitter", backoff.NormalJitter(s, m, 2, 0.1, seed), 1},
		// Each of these holds one of its two schedules in a coroutine.
		{"Max", backoff.Max(backoff.Exponential(s, 2), backoff.Constant(s)), 4},
		{"Min", backoff.Min(backoff.Exponential(s, 2), backoff.Constant(s)), 4},
		{"Add", backoff.Add(backoff.Exponential(s, 2), backoff.Constant(s)), 4},
		{"stack", backoff.Within(backoff.Jitter(backoff.Cap(backoff.Exponential(s, 2), m), 1, seed), 1000*time.Hour), 4},
	}
	for _, c := range opaque {
		var few, many float64
		for _, run := range []struct {
			n      int
			allocs *float64
		}{{2, &few}, {200, &many}} {
			seq := backoff.Take(c.seq, run.n)
			*run.allocs = count(func() {
				for d := range seq {
					sum += d
				}
			})
		}
		if few != many {
			t.Errorf("%s: %v allocations for 2 delays, %v for 200, want the same", c.name, few, many)
		}
		if limit := 3 * (c.stages + 1); many > limit {
			t.Errorf("%s: %v allocations, want at most %v", c.name, many, limit)
		}
	}
}

// joins are the combinators that range over two schedules at once.
var joins = map[string]func(a, b iter.Seq[time.Duration]) iter.Seq[time.Duration]{
	"Max": backoff.Max, "Min": backoff.Min, "Add": backoff.Add,
}

// TestPullStops verifies that none of the joins leaves a coroutine behind, however
// its range ends: a bubble does not end while one is blocked in it.
func TestPullStops(t *testing.T) {
	for name, join := range joins {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for n := range 4 {
					for range backoff.Take(join(backoff.Constant(1), backoff.Constant(2)), n) {
					}
					for range join(backoff.Take(backoff.Constant(1), 2), backoff.Take(backoff.Constant(2), n)) {
					}
				}
				func() {
					defer func() { _ = recover() }()
					for range join(backoff.Constant(1), backoff.Constant(2)) {
						panic("loop")
					}
				}()
			})
		})
	}
}
