package plan_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/plan"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestArrivalsOfExactSchedule(t *testing.T) {
	for _, tt := range []struct {
		name          string
		seq           seq
		until, within time.Duration
		moments       []plan.Moment
		want          plan.Burst
	}{
		{
			"constant", backoff.Constant(s), 3 * s, s,
			[]plan.Moment{{s, 100}, {2 * s, 100}},
			plan.Burst{s, s, 100, 0, s},
		},
		{
			"a window that no bin is", of(s-1, 1, 1, s), 10 * s, 3,
			[]plan.Moment{{s - 1, 100}, {s, 100}, {s + 1, 100}, {2*s + 1, 100}},
			plan.Burst{3, s - 1, 300, 0, 3},
		},
		{
			"half-open", of(s-1, 1, 1, s), 10 * s, 2,
			[]plan.Moment{{s - 1, 100}, {s, 100}, {s + 1, 100}, {2*s + 1, 100}},
			plan.Burst{2, s - 1, 200, 0, 2},
		},
		{"at once, twice", of(s, 0, s), 10 * s, 1, []plan.Moment{{s, 200}, {2 * s, 100}}, plan.Burst{1, s, 200, 0, 1}},
		{"the second has more", of(s, s, 1), 10 * s, ms, []plan.Moment{{s, 100}, {2 * s, 100}, {2*s + 1, 100}}, plan.Burst{ms, 2 * s, 200, 0, ms}},
		{"no retries", of(), s, ms, []plan.Moment{}, plan.Burst{ms, 0, 0, 0, ms}},
		{"none before until", of(s), s, ms, []plan.Moment{}, plan.Burst{ms, 0, 0, 0, ms}},
		{"longer than all", of(1, 1), 3, backoff.NoLimit, []plan.Moment{{1, 100}, {2, 100}}, plan.Burst{backoff.NoLimit, 1, 200, 0, backoff.NoLimit}},
	} {
		a := plan.Of(always(tt.seq), 5).Arrivals(100, tt.until)
		if diff := cmp.Diff(tt.moments, a.Moments()); diff != "" {
			t.Errorf("%s: moments (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.want, a.Most(tt.within)); diff != "" {
			t.Errorf("%s: most (-want +got):\n%s", tt.name, diff)
		}
	}
}

// No window has more retries than the one that Most returns.
func TestMostIsTheFullestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delays := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(0, 9).Draw(t, "delay"))
		}), 0, 20).Draw(t, "delays")
		within := time.Duration(rapid.IntRange(1, 30).Draw(t, "within"))
		const until = 60
		got := plan.Of(always(of(delays...)), 20).Arrivals(1, until).Most(within)
		var times []time.Duration
		for at, i := time.Duration(0), 0; i < len(delays) && at+delays[i] < until; i++ {
			at += delays[i]
			times = append(times, at)
		}
		want := 0.0
		for at := range time.Duration(until) {
			n := 0.0
			for _, t := range times {
				if t >= at && t < at+within {
					n++
				}
			}
			want = max(want, n)
		}
		if got.Retries != want || !slices.Contains(append(times, 0), got.At) {
			t.Errorf("%v within %v: %+v, want %v retries", times, within, got, want)
		}
	})
}

// 10,000 clients that come back within 100 ms are 100 a millisecond, and the luckiest
// millisecond of the draws has a third more.
func TestMostIsNotLuck(t *testing.T) {
	once := func(seed uint64) seq {
		return backoff.Take(backoff.FullJitter(100*ms, backoff.NoLimit, backoff.WithSeed(seed)), 1)
	}
	for seed := range uint64(10) {
		a := plan.Of(once, 5, plan.Seed(seed)).Arrivals(10_000, s)
		if got := a.Moments(); len(got) > 0 {
			t.Errorf("seed %d: %d moments, the first %+v, want none", seed, len(got), got[0])
		}
		for within, want := range map[time.Duration]float64{ms: 100, 10 * ms: 1000, 100 * ms: 10_000, s: 10_000} {
			got := a.Most(within)
			if math.Abs(got.Retries/want-1) > 0.05 || got.Width < within || within == s && got.Retries != want {
				t.Errorf("seed %d: %+v, want %v within %v", seed, got, want, within)
			}
			// Of n draws k are in the width: √(k·(1−k/n)).
			k := got.Retries * got.Width.Seconds() / within.Seconds()
			deviation := math.Sqrt(k*(1-min(1, k/10_000))) * within.Seconds() / got.Width.Seconds()
			if math.Abs(got.Error-deviation) > 0.01*deviation+1e-9 {
				t.Errorf("seed %d: %+v, want an error of %v", seed, got, deviation)
			}
		}
	}
}

// A share of the clients that wait for exactly one delay counts in full, however short the
// window is, and whatever comes beside it.
func TestMostOfRandomMoments(t *testing.T) {
	half := func(seed uint64) seq { // at the first retry half of the clients wait a second
		return backoff.Take(backoff.Cap(backoff.Uniform(0, 2*s, backoff.WithSeed(seed)), s), 1)
	}
	few := func(seed uint64) seq { // one client in ten
		return backoff.Take(backoff.Cap(backoff.Uniform(0, s, backoff.WithSeed(seed)), 900*ms), 1)
	}
	for _, tt := range []struct {
		name     string
		schedule func(uint64) seq
		at       time.Duration
		share    float64
		within   map[time.Duration]float64
	}{
		{"half", half, s, 0.5, map[time.Duration]float64{1: 0.5, ms: 0.5, 10 * ms: 0.5, 2 * s: 1}},
		{"a tenth", few, 900 * ms, 0.1, map[time.Duration]float64{1: 0.1, ms: 0.1, 200 * ms: 0.3, 300 * ms: 0.4, 800 * ms: 0.9}},
	} {
		a := plan.Of(tt.schedule, 1).Arrivals(1000, 10*s)
		moments := a.Moments()
		if len(moments) != 1 || moments[0].At != tt.at || math.Abs(moments[0].Retries/1000-tt.share) > 0.02 {
			t.Errorf("%s: the moments are %+v, want %v of the clients at %v", tt.name, moments, tt.share, tt.at)
		}
		for within, share := range tt.within {
			got := a.Most(within)
			if math.Abs(got.Retries/1000-share) > 0.03 {
				t.Errorf("%s: %+v, want %v of 1000 clients", tt.name, got, share)
			}
			// Ten draws stand for a client: of n draws √(k·(1−k/n))/10.
			k := 10 * got.Retries
			if want := math.Sqrt(k*(1-k/10_000)) / 10; got.Width == within && math.Abs(got.Error-want) > 0.01*want {
				t.Errorf("%s: %+v, want an error of %v", tt.name, got, want)
			}
		}
	}
}

// Of several moments only those in the window count.
func TestMostOfSeveralMoments(t *testing.T) {
	schedule := func(seed uint64) seq {
		switch {
		case seed%100 < 15:
			return of(s)
		case seed%100 < 25:
			return of(3 * s)
		case seed%100 < 35:
			return of(3*s + ms)
		}
		return backoff.Take(backoff.Uniform(10*s, 20*s, backoff.WithSeed(seed)), 1)
	}
	a := plan.Of(schedule, 1).Arrivals(100, 20*s)
	if got := len(a.Moments()); got != 3 {
		t.Errorf("%d moments, want 3", got)
	}
	for _, tt := range []struct {
		within, at time.Duration
		want       float64
	}{{ms, s, 15}, {ms + 1, 3 * s, 20}, {2*s + 1, s, 25}, {2*s + ms + 1, s, 35}} {
		if got := a.Most(tt.within); math.Abs(got.Retries-tt.want) > 2 || got.At != tt.at {
			t.Errorf("%+v, want %v at %v", got, tt.want, tt.at)
		}
	}
}

// The fullest window is not always the one with the most retries at moments: others come
// beside these. Each schedule here has one retry or none.
func TestMostOfMomentsAndOthers(t *testing.T) {
	type part struct {
		percent uint64
		lo, hi  time.Duration
	}
	for _, tt := range []struct {
		name   string
		parts  []part
		until  time.Duration
		within []time.Duration
		want   []plan.Burst // of 100 clients, and how much they may differ
	}{
		{
			"two moments with less than one moment and others",
			[]part{{10, s, s}, {25, s, 1100 * ms}, {6, 5 * s, 5 * s}, {6, 5200 * ms, 5200 * ms}, {53, 10 * s, 1000 * s}},
			1000 * s,
			[]time.Duration{1, 50 * ms, 100*ms + 1, 200 * ms, 200*ms + 1, s},
			[]plan.Burst{{At: s, Retries: 10, Error: 1.5}, {At: s, Retries: 22.5, Error: 1.5}, {At: s, Retries: 35, Error: 1.5}, {At: s, Retries: 35, Error: 1.5}, {At: s, Retries: 35, Error: 1.5}, {At: s, Retries: 35, Error: 1.5}},
		},
		{
			"a window that ends with the moment and begins before 0",
			[]part{{10, s, s}, {20, 0, s / 2}},
			10 * s,
			[]time.Duration{10 * s},
			[]plan.Burst{{At: 0, Retries: 30, Error: 1.5}},
		},
		{
			"a moment in the time over which the others are counted",
			[]part{{2, 9 * s, 9 * s}, {30, 0, s}, {9, s, 10 * s}},
			10 * s,
			[]time.Duration{s},
			[]plan.Burst{{At: 0, Retries: 3.9, Error: 0.1}},
		},
		{"no moment, and a window beyond the end", []part{{10, 0, 2 * s}}, 3 * s, []time.Duration{30 * s}, []plan.Burst{{At: 0, Retries: 10, Error: 1.5}}},
	} {
		a := plan.Of(func(seed uint64) seq {
			i := seed % 100
			for _, part := range tt.parts {
				switch {
				case i >= part.percent:
					i -= part.percent
				case part.lo == part.hi:
					return of(part.lo)
				default:
					return backoff.Take(backoff.Uniform(part.lo, part.hi, backoff.WithSeed(seed)), 1)
				}
			}
			return of()
		}, 1).Arrivals(100, tt.until)
		for i, within := range tt.within {
			if got, want := a.Most(within), tt.want[i]; got.At != want.At || math.Abs(got.Retries-want.Retries) > want.Error {
				t.Errorf("%s: %+v, want %v ± %v at %v", tt.name, got, want.Retries, want.Error, want.At)
			}
		}
	}
}

// Of equal moments the first wins.
func TestMostOfEqualMoments(t *testing.T) {
	a := plan.Of(inTurn(s, 3*s, 10*s, 11*s, 12*s, 13*s, 14*s, 15*s), 1, plan.Draws(16*8)).Arrivals(8, 20*s)
	if got, want := a.Most(ms), (plan.Burst{Within: ms, At: s, Retries: 1}); got.At != want.At || got.Retries != want.Retries {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// inTurn returns schedules of one delay each, which the draws have in turn. One goroutine
// makes the first 256.
func inTurn(delays ...time.Duration) func(seed uint64) seq {
	var seeds []uint64
	return func(seed uint64) seq {
		if !slices.Contains(seeds, seed) {
			seeds = append(seeds, seed)
		}
		return of(delays[slices.Index(seeds, seed)%len(delays)])
	}
}

// Windows are half-open: one that holds two draws which are 10 ns apart is 11 ns wide. Two
// of five draws are enough.
func TestMostHoldsItsLastDraw(t *testing.T) {
	for _, times := range [][]time.Duration{{s, s + 10, 3 * s, 5 * s, 9 * s}, {s - 20, s / 2, s / 4, s, s + 10}} {
		a := plan.Of(inTurn(times...), 1, plan.Draws(5)).Arrivals(5, 10*s)
		for _, want := range []plan.Burst{
			{Within: 5, At: s, Width: 11, Retries: 2 * 5. / 11},
			{Within: 11, At: s, Width: 11, Retries: 2},
			{Within: 15, At: s, Width: 15, Retries: 2},
		} {
			got := a.Most(want.Within)
			want.Error = got.Error
			if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
				t.Errorf("most of %v (-want +got):\n%s", times, diff)
			}
		}
	}
}

// A longer window has at least as many retries, and the shares of a second are those of the
// Load that has bins of it.
func TestMostGrowsWithTheWindow(t *testing.T) {
	p := plan.Of(fullJitter, 40).UntilComplete(20 * s)
	a := p.Arrivals(10_000, 20*s)
	last := plan.Burst{}
	for _, within := range []time.Duration{ms, 2 * ms, 10 * ms, 50 * ms, 100 * ms, 500 * ms, s, 10 * s, 20 * s} {
		got := a.Most(within)
		if got.Retries < last.Retries {
			t.Errorf("%+v, and %+v", last, got)
		}
		last = got
	}
	for _, bin := range []time.Duration{s / 2, s, 10 * s} {
		if _, rate := p.Load(10_000, 20*s, bin).Peak(); a.Most(bin).Retries < rate*bin.Seconds()-1e-6 {
			t.Errorf("a bin of %v has %v retries, and a window %+v", bin, rate*bin.Seconds(), a.Most(bin))
		}
	}
}

func TestArrivalsPanics(t *testing.T) {
	p := plan.Of(always(of(1)), 1)
	for _, tt := range []struct {
		call func()
		want string
	}{
		{func() { p.Arrivals(-1, 1) }, "plan: Arrivals: clients is -1, want >= 0"},
		{func() { p.Arrivals(1, 0) }, "plan: Arrivals: until is 0s, want > 0"},
		{func() { p.Arrivals(1, 1).Most(0) }, "plan: Most: within is 0s, want > 0"},
	} {
		if got := panicOf(tt.call); got != tt.want {
			t.Errorf("got  %v\nwant %s", got, tt.want)
		}
	}
}

// Without jitter all 10,000 clients come back at once; with it they come apart.
func ExamplePlan_Arrivals() {
	together := plan.Of(func(uint64) seq { return backoff.Constant(time.Second) }, 12)
	apart := plan.Of(fullJitter, 12)
	for _, p := range []*plan.Plan{together, apart} {
		arrivals := p.Arrivals(10_000, 10*time.Second)
		fmt.Println(len(arrivals.Moments()), "moments")
		for _, within := range []time.Duration{time.Millisecond, time.Second} {
			most := arrivals.Most(within)
			fmt.Printf("%.0f ± %.0f retries within %v\n", most.Retries, most.Error, within)
		}
	}
	// Output:
	// 9 moments
	// 10000 ± 0 retries within 1ms
	// 10000 ± 0 retries within 1s
	// 0 moments
	// 151 ± 2 retries within 1ms
	// 39899 ± 64 retries within 1s
}
