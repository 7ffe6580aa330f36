package adapt_test

import (
	"iter"
	"math"
	"math/bits"
	"slices"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestLadder(t *testing.T) {
	doubling := backoff.Exponential(time.Second, 2)
	const longest = backoff.NoLimit
	tests := []struct {
		name  string
		seq   iter.Seq[time.Duration]
		n     int
		steps int
		want  adapt.Rungs
	}{
		{"a rung for each", doubling, 3, 3, adapt.Rungs{Delays: rungList(1e9, 2e9, 4e9), Retries: []int{0, 1, 2}}},
		{"more steps than delays", doubling, 3, 9, adapt.Rungs{Delays: rungList(1e9, 2e9, 4e9), Retries: []int{0, 1, 2}}},
		// 2·1·4/(1+4) s, which is 0.6 too long for 1 s and 0.6 too short for 4 s.
		{"one rung", doubling, 3, 1, adapt.Rungs{Delays: rungList(1.6e9), Retries: []int{0, 0, 0}, Error: 0.6}},
		{"equal delays", backoff.Constant(7), 4, 2, adapt.Rungs{Delays: rungList(7), Retries: []int{0, 0, 0, 0}}},
		{"a delay that comes again", rungSeq(5, 9, 5), 9, 2, adapt.Rungs{Delays: rungList(5, 9), Retries: []int{0, 1, 0}}},
		{"fewer rungs with the same error", rungSeq(300, 600, 3000, 6000), 4, 3, adapt.Rungs{Delays: rungList(400, 4000), Retries: []int{0, 0, 1, 1}, Error: 1. / 3}},
		// 2·3·4/7 is 3.43.
		{"rounded down", rungSeq(3, 4), 2, 1, adapt.Rungs{Delays: rungList(3), Retries: []int{0, 0}, Error: 0.25}},
		// 2·3·11/14 is 4.71: 4 is 7/11 too short for 11, and 5 only 2/3 too long for 3.
		{"rounded to the smaller error", rungSeq(3, 11), 2, 1, adapt.Rungs{Delays: rungList(4), Retries: []int{0, 0}, Error: 7. / 11}},
		// 2·4·9/13 is 5.54, and 5 is 4/9 too short for 9.
		{"rounded up", rungSeq(4, 9), 2, 1, adapt.Rungs{Delays: rungList(5), Retries: []int{0, 0}, Error: 4. / 9}},
		// 2·3·12/15 is 4.8: 4 is 2/3 too short for 12, and 5 is 2/3 too long for 3.
		{"the shorter of two that are as good", rungSeq(3, 12), 2, 1, adapt.Rungs{Delays: rungList(4), Retries: []int{0, 0}, Error: 2. / 3}},
		{"0 has its own rung", rungSeq(0, 1, 1000), 3, 2, adapt.Rungs{Delays: rungList(0, 1), Retries: []int{0, 1, 1}, Error: 0.999}},
		{"0 wins", rungSeq(0, 10, 30), 3, 1, adapt.Rungs{Delays: rungList(0), Retries: []int{0, 0, 0}, Error: 1}},
		{"only 0", backoff.Constant(0), 2, 1, adapt.Rungs{Delays: rungList(0), Retries: []int{0, 0}}},
		{"a negative delay is 0", rungSeq(-5, 5), 2, 2, adapt.Rungs{Delays: rungList(0, 5), Retries: []int{0, 1}}},
		{"the longest", rungSeq(longest, longest-2), 2, 1, adapt.Rungs{Delays: rungList(longest - 1), Retries: []int{0, 0}, Error: 1. / (1 << 63)}},
		{"shorter than n", rungSeq(1, 2), 9, 9, adapt.Rungs{Delays: rungList(1, 2), Retries: []int{0, 1}}},
		{"empty", rungSeq(), 9, 9, adapt.Rungs{Delays: rungList(), Retries: []int{}}},
		{"no retries", doubling, 0, 1, adapt.Rungs{Delays: rungList(), Retries: []int{}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, adapt.Ladder(test.seq, test.n, test.steps)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLadderWithin(t *testing.T) {
	doubling := backoff.Exponential(3*time.Second, 2)
	tests := []struct {
		name  string
		seq   iter.Seq[time.Duration]
		worst float64
		want  adapt.Rungs
	}{
		{"exact", doubling, 0, adapt.Rungs{Delays: rungList(3e9, 6e9, 12e9, 24e9), Retries: []int{0, 1, 2, 3}}},
		{"not enough for two", doubling, 0.333, adapt.Rungs{Delays: rungList(3e9, 6e9, 12e9, 24e9), Retries: []int{0, 1, 2, 3}}},
		{"just enough for two", doubling, 1. / 3, adapt.Rungs{Delays: rungList(4e9, 16e9), Retries: []int{0, 0, 1, 1}, Error: 1. / 3}},
		{"more than enough for two", doubling, 0.59, adapt.Rungs{Delays: rungList(4e9, 16e9), Retries: []int{0, 0, 1, 1}, Error: 1. / 3}},
		{"0 stays alone", rungSeq(0, 1, 1, 2), math.Nextafter(1, 0), adapt.Rungs{Delays: rungList(0, 1), Retries: []int{0, 1, 1, 1}, Error: 0.5}},
		{"empty", rungSeq(), 0, adapt.Rungs{Delays: rungList(), Retries: []int{}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, adapt.LadderWithin(test.seq, 4, test.worst)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A ladder draws n delays, and does not look for one more.
func TestLadderDrawsNoMore(t *testing.T) {
	for _, n := range []int{0, 1, 5} {
		drawn := 0
		seq := func(yield func(time.Duration) bool) {
			for {
				drawn++
				if !yield(time.Duration(drawn)) {
					return
				}
			}
		}
		adapt.Ladder(seq, n, 2)
		if drawn != n {
			t.Errorf("Ladder(seq, %d, 2) drew %d delays", n, drawn)
		}
	}
}

func TestRung(t *testing.T) {
	r := adapt.Rungs{Delays: rungList(10, 20, 41)}
	tests := []struct {
		d    time.Duration
		want int
	}{
		{-1, 0}, {0, 0}, {10, 0}, {14, 0}, {15, 1}, {20, 1}, {30, 1}, {31, 2}, {41, 2}, {backoff.NoLimit, 2},
	}
	for _, test := range tests {
		if got := r.Rung(test.d); got != test.want {
			t.Errorf("Rung(%d) = %d, want %d", test.d, got, test.want)
		}
	}
	if got := (adapt.Rungs{}).Rung(5); got != -1 {
		t.Errorf("Rung of no rungs = %d, want -1", got)
	}
}

// No set of durations is better than a ladder, and none that is as good is smaller.
func TestLadderIsOptimal(t *testing.T) {
	const longest = 11
	rapid.Check(t, func(t *rapid.T) {
		ds := rapid.SliceOfN(rapid.Map(rapid.Int64Range(0, longest), rungDuration), 1, 7).Draw(t, "delays")
		steps := rapid.IntRange(1, 5).Draw(t, "steps")
		best, size := math.Inf(1), 0
		bestOf := map[int]float64{} // by the size of the set
		for set := uint(1); set < 1<<(longest+1); set++ {
			n := bits.OnesCount(set)
			if n > steps {
				continue
			}
			worst := rungWorst(set, ds)
			if known, ok := bestOf[n]; !ok || worst < known {
				bestOf[n] = worst
			}
			if worst < best || worst == best && n < size {
				best, size = worst, n
			}
		}
		got := adapt.Ladder(slices.Values(ds), len(ds), steps)
		if got.Error != best || len(got.Delays) != size {
			t.Fatalf("got %v, want error %v with %d rungs", got, best, size)
		}

		worst := rapid.Float64Range(0, 0.99).Draw(t, "worst")
		got = adapt.LadderWithin(slices.Values(ds), len(ds), worst)
		if got.Error > worst {
			t.Fatalf("LadderWithin(%v) has error %v", worst, got.Error)
		}
		for n, e := range bestOf {
			if n < len(got.Delays) && e <= worst || n == len(got.Delays) && e < got.Error {
				t.Fatalf("LadderWithin(%v) = %v, but %d rungs have error %v", worst, got, n, e)
			}
		}
	})
}

// rungWorst returns the largest relative error if each delay takes its best rung of a set,
// given as bits.
func rungWorst(set uint, ds []time.Duration) float64 {
	worst := 0.0
	for _, d := range ds {
		best := math.Inf(1)
		for rung := time.Duration(0); set>>rung != 0; rung++ {
			if set>>rung&1 == 1 {
				best = min(best, rungError(rung, d))
			}
		}
		worst = max(worst, best)
	}
	return worst
}

func rungError(got, want time.Duration) float64 {
	if got == want {
		return 0
	}
	return math.Abs(float64(got)-float64(want)) / float64(want)
}

// What Rungs promises, and more steps never make it worse.
func TestLadderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ds := rapid.SliceOfN(rungDelay(), 1, 40).Draw(t, "delays")
		seq := slices.Values(ds)
		before := math.Inf(1)
		for steps := range len(ds) + 1 {
			r := adapt.Ladder(seq, len(ds), steps+1)
			if len(r.Delays) > steps+1 {
				t.Fatalf("%d rungs, want at most %d", len(r.Delays), steps+1)
			}
			for i := 1; i < len(r.Delays); i++ {
				if r.Delays[i-1] >= r.Delays[i] {
					t.Fatalf("the rungs %v do not increase", r.Delays)
				}
			}
			used := make([]bool, len(r.Delays))
			worst := 0.0
			for i, rung := range r.Retries {
				used[rung] = true
				worst = max(worst, rungError(r.Delays[rung], ds[i]))
				if got := r.Rung(ds[i]); got != rung {
					t.Fatalf("retry %d has rung %d, and Rung(%v) = %d", i, rung, ds[i], got)
				}
			}
			if slices.Contains(used, false) {
				t.Fatalf("a rung is not used: %v", r)
			}
			// float64 has fewer digits than the longest delays.
			if math.Abs(worst-r.Error) > 1e-15 {
				t.Fatalf("Error is %v, want %v", r.Error, worst)
			}
			if r.Error > before {
				t.Fatalf("the error with %d steps is %v, and %v with fewer", steps+1, r.Error, before)
			}
			before = r.Error
			if steps+1 >= len(slices.Compact(slices.Sorted(seq))) && r.Error != 0 {
				t.Fatalf("a rung for each delay, and error %v", r.Error)
			}
		}
	})
}

func TestLadderPanics(t *testing.T) {
	seq := backoff.Constant(1)
	tests := []struct {
		call func()
		want string
	}{
		{func() { adapt.Ladder(nil, 1, 1) }, "adapt: Ladder: seq is nil, want a schedule"},
		{func() { adapt.Ladder(seq, -1, 1) }, "adapt: Ladder: n is -1, want >= 0"},
		{func() { adapt.Ladder(seq, 1, 0) }, "adapt: Ladder: steps is 0, want >= 1"},
		{func() { adapt.LadderWithin(nil, 1, 0) }, "adapt: LadderWithin: seq is nil, want a schedule"},
		{func() { adapt.LadderWithin(seq, -1, 0) }, "adapt: LadderWithin: n is -1, want >= 0"},
		{func() { adapt.LadderWithin(seq, 1, -0.1) }, "adapt: LadderWithin: worst is -0.1, want a value in [0, 1)"},
		{func() { adapt.LadderWithin(seq, 1, 1) }, "adapt: LadderWithin: worst is 1, want a value in [0, 1)"},
		{func() { adapt.LadderWithin(seq, 1, math.NaN()) }, "adapt: LadderWithin: worst is NaN, want a value in [0, 1)"},
	}
	for _, test := range tests {
		if diff := cmp.Diff(any(test.want), rungPanic(test.call)); diff != "" {
			t.Errorf("panics with (-want +got):\n%s", diff)
		}
	}
}

func rungPanic(call func()) (value any) {
	defer func() { value = recover() }()
	call()
	return nil
}

// rungList converts, so that a table can say 1e9.
func rungList(ds ...time.Duration) []time.Duration { return append([]time.Duration{}, ds...) }

// rungSeq returns a finite schedule.
func rungSeq(ds ...time.Duration) iter.Seq[time.Duration] { return slices.Values(ds) }

func rungDuration(d int64) time.Duration { return time.Duration(d) }

// rungDelay has delays of each order of magnitude, and the ends.
func rungDelay() *rapid.Generator[time.Duration] {
	return rapid.Custom(func(t *rapid.T) time.Duration {
		digits := rapid.IntRange(0, 63).Draw(t, "bits")
		return time.Duration(rapid.Int64Range(0, 1<<digits-1).Draw(t, "delay"))
	})
}

func BenchmarkLadder(b *testing.B) {
	seq := backoff.Exponential(time.Second, 1.05)
	b.ReportAllocs()
	for b.Loop() {
		adapt.Ladder(seq, 100, 10)
	}
}
