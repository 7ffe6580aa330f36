package plan_test

import (
	"math"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/plan"
	"github.com/google/go-cmp/cmp"
)

// 10,000 clients that come back within 100 ms are 100,000 a second: of 60 bins and
// more the luckiest said 114,000.
func TestPeakIsNotTheLuckiestBin(t *testing.T) {
	once := func(seed uint64) seq {
		return backoff.Take(backoff.FullJitter(100*ms, backoff.NoLimit, backoff.WithSeed(seed)), 1)
	}
	for seed := range uint64(15) {
		p := plan.Of(once, 5, plan.Seed(seed))
		for _, bin := range []time.Duration{100 * time.Microsecond, 1700 * time.Microsecond, 2 * ms, 20 * ms} {
			got := p.Peak(10_000, 100*ms, bin)
			if math.Abs(got.PerSecond-100_000) > 5000 || got.Draws < 4000 {
				t.Errorf("seed %d, bins of %v: %+v, want 100,000 a second ± 5 %%", seed, bin, got)
			}
			// Of a binomial count k of n the deviation is √(k(1−k/n)).
			k := float64(got.Draws)
			if want := got.PerSecond * math.Sqrt((1-k/10_000)/k); math.Abs(got.Error-want) > 0.001*want {
				t.Errorf("seed %d, bins of %v: ±%v, want ±%v", seed, bin, got.Error, want)
			}
		}
	}
}

func TestPeak(t *testing.T) {
	exactly := func(delays ...time.Duration) func(uint64) seq { return always(of(delays...)) }
	firstExact := func(seed uint64) seq {
		return backoff.Concat(of(s), backoff.Take(backoff.Uniform(s, 2*s, backoff.WithSeed(seed)), 1))
	}
	half := func(seed uint64) seq { // at the first retry half of the clients wait a second
		return backoff.Take(backoff.Cap(backoff.Uniform(0, 2*s, backoff.WithSeed(seed)), s), 1)
	}
	rare := func(seed uint64) seq { return backoff.Take(backoff.Constant(1), int(seed%10/9)) }
	for _, tt := range []struct {
		name       string
		p          *plan.Plan
		until, bin time.Duration
		want       plan.Peak
		off        float64 // how far off PerSecond may be
	}{
		{"exact", plan.Of(exactly(s, 1, 2, s), 5), 10 * s, s / 2, plan.Peak{s, s / 2, 600, 0, 3}, 0},
		{"nothing by then", plan.Of(exactly(s), 5), s, s / 10, plan.Peak{0, s / 10, 0, 0, 0}, 0},
		{"no retries", plan.Of(exactly(), 5), s, s / 10, plan.Peak{0, s / 10, 0, 0, 0}, 0},
		{"an atom in a random schedule", plan.Of(firstExact, 5), 3 * s, 10 * ms, plan.Peak{s, 10 * ms, 10_000, 0, 10_000}, 0},
		{"half of the clients", plan.Of(half, 1), 2 * s, 10 * ms, plan.Peak{s, 10 * ms, 5000, 50, 5000}, 300},
		{"few draws", plan.Of(half, 1, plan.Draws(100)), 2 * s, 10 * ms, plan.Peak{s, 10 * ms, 5000, 500, 50}, 2000},
		{"forever", plan.Of(half, 1), backoff.NoLimit, 3 << 61, plan.Peak{0, 3 << 61, 100 / time.Duration(3<<61).Seconds(), 0, 10_000}, 1e-20},
		{"forever, in bins that reach beyond", plan.Of(rare, 1), backoff.NoLimit, 3 << 61, plan.Peak{0, backoff.NoLimit, 1e-9, 0, 1000}, 1e-9},
		{"too few retries for a part of the time", plan.Of(half, 1), 100 * ms, 10 * ms, plan.Peak{0, 100 * ms, 50, 2, 500}, 10},
	} {
		got := tt.p.Peak(100, tt.until, tt.bin)
		if got.At != tt.want.At || got.Width != tt.want.Width || !(math.Abs(got.PerSecond-tt.want.PerSecond) <= tt.off) ||
			!(math.Abs(got.Error-tt.want.Error) <= tt.off/10) ||
			math.Abs(float64(got.Draws-tt.want.Draws))*tt.want.PerSecond > tt.off*float64(tt.want.Draws) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// The Error is what the peak of another seed is off by.
func TestPeakErrorIsItsDeviation(t *testing.T) {
	const seeds = 200
	var rates, errs []float64
	for seed := range uint64(seeds) {
		p := plan.Of(fullJitter, 4, plan.Draws(1000), plan.Seed(seed+1))
		// One window alone, so that there is no luck in which one it is.
		got := p.Peak(1000, 300*ms, 300*ms)
		rates, errs = append(rates, got.PerSecond), append(errs, got.Error)
	}
	mean, sum, want := 0.0, 0.0, 0.0
	for i := range rates {
		mean += rates[i] / seeds
		want += errs[i] / seeds
	}
	for _, r := range rates {
		sum += (r - mean) * (r - mean) / (seeds - 1)
	}
	// A standard deviation of 200 is off by 1/√400, a twentieth.
	if got := math.Sqrt(sum); math.Abs(got/want-1) > 0.25 {
		t.Errorf("the peak differs by %v between seeds, and says ±%v", got, want)
	}
}

// A bin that holds enough is the peak of the load.
func TestPeakIsTheLoads(t *testing.T) {
	p := plan.Of(fullJitter, 20, plan.Draws(100_000))
	got := p.Peak(10_000, 10*time.Second, 50*ms)
	at, rate := p.Load(10_000, 10*time.Second, 50*ms).Peak()
	if got.At != at || math.Abs(got.PerSecond-rate) > 1e-9*rate || got.Width != 50*ms {
		t.Errorf("the peak is %+v, and that of the load %v at %v", got, rate, at)
	}
	if diff := cmp.Diff(plan.Of(fullJitter, 20).Peak(1, s, ms), plan.Of(fullJitter, 20).Peak(1, s, ms)); diff != "" {
		t.Error(diff)
	}
}
