package backoff_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/internal/samples"
	"pgregory.net/rapid"
)

// The seeds of these tests are fixed, so a statistic passes always or never. Its
// false-alarm rate is the probability that another seed would have failed.

// chiSquared returns how far counts are from equal shares.
func chiSquared(counts []int) float64 {
	n := 0
	for _, c := range counts {
		n += c
	}
	want := float64(n) / float64(len(counts))
	sum := 0.0
	for _, c := range counts {
		sum += (float64(c) - want) * (float64(c) - want) / want
	}
	return sum
}

// uniformOver fails unless the shares of [0, 1) look uniform over 100 cells. By
// chance χ² of 99 degrees of freedom exceeds 180 once in two million times.
func uniformOver(t *testing.T, name string, shares iter.Seq[float64]) {
	t.Helper()
	counts := make([]int, 100)
	for share := range shares {
		counts[int(share*100+1e-9)]++ // k/100·100 may be a little below k
	}
	if x := chiSquared(counts); x > 180 {
		t.Errorf("%s: χ² of 99 degrees of freedom is %.0f, want at most 180", name, x)
	}
}

func TestUniform(t *testing.T) {
	// Some numbers of delays that a mask or one multiplication would get wrong.
	for _, n := range []time.Duration{100, 1000, 3e9, 1<<32 + 1, 10 * s, 3 << 61} {
		shares := func(yield func(float64) bool) {
			for d := range backoff.Take(backoff.Uniform(0, n-1, backoff.WithSeed(1)), 100_000) {
				if !yield(float64(d) / float64(n)) {
					return
				}
			}
		}
		uniformOver(t, fmt.Sprintf("Uniform(0, %d)", n-1), shares)
	}
}

// TestSeeds verifies that neighbouring seeds, and the streams of one seed, are as good
// as independent: over many seeds, each of the first delays is uniform, and so is its
// difference between one seed and the next.
func TestSeeds(t *testing.T) {
	schedules := map[string]func(i uint64) iter.Seq[time.Duration]{
		"seeds": func(i uint64) iter.Seq[time.Duration] {
			return backoff.Uniform(0, s-1, backoff.WithSeed(i))
		},
		"streams": func(i uint64) iter.Seq[time.Duration] {
			return backoff.Uniform(0, s-1, backoff.WithSeed(1), backoff.WithStream(i))
		},
	}
	for name, schedule := range schedules {
		const delays, seeds = 4, 20_000
		var drawn [delays][seeds]float64
		for i := range seeds {
			for j, d := range prefix(schedule(uint64(i)), delays) {
				drawn[j][i] = d.Seconds()
			}
		}
		for j := range drawn {
			uniformOver(t, fmt.Sprintf("%s, delay %d", name, j), func(yield func(float64) bool) {
				for i := range seeds {
					if !yield(drawn[j][i]) {
						return
					}
				}
			})
			uniformOver(t, fmt.Sprintf("%s, delay %d, differences", name, j), func(yield func(float64) bool) {
				for i := range seeds - 1 {
					if _, d := math.Modf(1 + drawn[j][i+1] - drawn[j][i]); !yield(d) {
						return
					}
				}
			})
		}
	}
}

func TestOptions(t *testing.T) {
	delays := func(opts ...backoff.Option) string {
		return fmt.Sprint(prefix(backoff.FullJitter(s, m, opts...), 4))
	}
	seed := backoff.WithSeed(1)
	if got, want := delays(backoff.WithSeed(2), seed), delays(seed); got != want {
		t.Errorf("with two seeds %s, want those of the last, %s", got, want)
	}
	if got, want := delays(seed, backoff.WithStream(0)), delays(seed); got != want {
		t.Errorf("stream 0 %s, want that of no stream, %s", got, want)
	}
	if got, want := delays(backoff.WithStream(3), seed), delays(seed, backoff.WithStream(3)); got != want {
		t.Errorf("the stream before the seed %s, after it %s", got, want)
	}
	if got, other := delays(seed, backoff.WithStream(1)), delays(seed); got == other {
		t.Errorf("streams 0 and 1 are both %s", got)
	}
	if got, want := delays(backoff.Option{}, seed, backoff.Option{}), delays(seed); got != want {
		t.Errorf("with zero options %s, want %s", got, want)
	}
	if a, b := delays(), delays(); a == b {
		t.Errorf("two ranges without a seed are both %s", a)
	}
	source := backoff.WithSource(func() rand.Source { return rand.NewPCG(1, 0) })
	if got, want := delays(source, backoff.WithStream(9)), delays(seed); got != want {
		t.Errorf("WithSource %s, want those of the same generator, %s", got, want)
	}
}

// TestSeedIsPCG verifies that the generator inside a range gives the numbers of the
// rand.PCG that WithSeed and WithStream promise.
func TestSeedIsPCG(t *testing.T) {
	random := slices.DeleteFunc(samples.All(), func(s samples.Sample) bool { return !s.Random() })
	law(t, "WithSeed(a), WithStream(b) = WithSource(rand.NewPCG(a, b))", func(t *rapid.T) {
		sample := random[draw(t, rapid.IntRange(0, len(random)-1))]
		a, b := draw(t, rapid.Uint64()), draw(t, rapid.Uint64())
		source := backoff.WithSource(func() rand.Source { return rand.NewPCG(a, b) })
		same(t, sample.Delays(source), sample.Delays(backoff.WithSeed(a), backoff.WithStream(b)), sample.Text, a, b)
	})
}

// TestUnseeded verifies that without an option two ranges differ. The probability that
// 64 delays are equal by chance, most of them of at least 10⁸ values, is below 10⁻³⁰⁰.
func TestUnseeded(t *testing.T) {
	for _, s := range samples.All() {
		if !s.Random() {
			continue
		}
		seq := s.Delays()
		if a, b := fmt.Sprint(prefix(seq, 64)), fmt.Sprint(prefix(seq, 64)); a == b {
			t.Errorf("%s: two ranges are both %s", s.Text, a)
		}
	}
}

// If the low word would favour some delays, below draws again.
func TestDrawnAgain(t *testing.T) {
	// For n = 3·2⁶¹ the words below −n mod n = 2⁶² are refused: x = 0 has the
	// low word 0.
	d, _ := backoff.At(backoff.Uniform(0, 3<<61-1, given(0, 0, math.MaxUint64)), 0)
	if d != 3<<61-1 {
		t.Errorf("Uniform = %d, want what the third number gives, %d", d, int64(3<<61-1))
	}
	// Without a source, the words of the generator inside the range are refused as often, 1
	// in 4 times here. That none of 1,000 is refused has a probability of 1e-125.
	counts := make([]int, 12)
	for d := range backoff.Take(backoff.Uniform(0, 3<<61-1), 12_000) {
		counts[d/(1<<59)]++
	}
	// This test has no fixed seed: χ² of 11 degrees of freedom exceeds 70 once in
	// 10¹⁰ times.
	if x := chiSquared(counts); x > 70 {
		t.Errorf("χ² of 11 degrees of freedom is %.0f, want at most 70", x)
	}
}

// most returns the delay that most clients share before a retry, over many seeds, and
// how many share it.
func most(schedule func(seed uint64) iter.Seq[time.Duration], retry, seeds int) (count int, delay time.Duration) {
	counts := map[time.Duration]int{}
	for seed := range seeds {
		d, _ := backoff.At(schedule(uint64(seed)), retry-1)
		counts[d]++
		if counts[d] > count {
			count, delay = counts[d], d
		}
	}
	return count, delay
}

// TestNoAtom verifies that no two of 2,000 clients share a delay at the cap, where the
// published forms put between a third and all of them. If the delays of a schedule fill
// a second, two clients share one by chance with a probability of 2,000²/2/1e9, 0.2 %,
// and three with 1e-9.
func TestNoAtom(t *testing.T) {
	const seeds, retry = 2000, 20
	base, limit := 100*ms, 10*s
	capped := backoff.Cap(backoff.Exponential(base, 2), limit)
	for name, schedule := range map[string]func(o backoff.Option) iter.Seq[time.Duration]{
		"Jitter": func(o backoff.Option) iter.Seq[time.Duration] {
			return backoff.Jitter(capped, 0.1, o)
		},
		"FullJitter": func(o backoff.Option) iter.Seq[time.Duration] {
			return backoff.FullJitter(base, limit, o)
		},
		"EqualJitter": func(o backoff.Option) iter.Seq[time.Duration] {
			return backoff.EqualJitter(base, limit, o)
		},
		"TopJitter": func(o backoff.Option) iter.Seq[time.Duration] {
			return backoff.TopJitter(base, limit, 0.25, o)
		},
		"DecorrelatedJitter": func(o backoff.Option) iter.Seq[time.Duration] {
			return backoff.DecorrelatedJitter(base, limit, o)
		},
		"SmoothJitter": func(o backoff.Option) iter.Seq[time.Duration] {
			return backoff.SmoothJitter(base, limit, o)
		},
		"NormalJitter": func(o backoff.Option) iter.Seq[time.Duration] {
			return backoff.NormalJitter(base, limit, 2, 0.1, o)
		},
	} {
		count, delay := most(func(seed uint64) iter.Seq[time.Duration] { return schedule(backoff.WithSeed(seed)) }, retry, seeds)
		if count > 2 {
			t.Errorf("%s: %d of %d clients wait for %v", name, count, seeds, delay)
		}
	}

	// The figures that the comments give for the other forms.
	published := func(seed uint64) iter.Seq[time.Duration] {
		return func(yield func(time.Duration) bool) {
			r := rand.New(rand.NewPCG(seed, 0))
			d := base
			for {
				d = min(limit, base+time.Duration(r.Int64N(int64(3*d-base)+1)))
				if !yield(d) {
					return
				}
			}
		}
	}
	clamped := func(seed uint64) iter.Seq[time.Duration] {
		return backoff.Cap(backoff.SmoothJitter(base, backoff.NoLimit, backoff.WithSeed(seed)), limit)
	}
	before := func(seed uint64) iter.Seq[time.Duration] {
		return backoff.Cap(backoff.Jitter(backoff.Exponential(base, 2), 1, backoff.WithSeed(seed)), limit)
	}
	for _, c := range []struct {
		name     string
		schedule func(seed uint64) iter.Seq[time.Duration]
		retry    int
		share    float64
	}{
		{"the published decorrelated jitter", published, 20, 0.30},
		{"smooth jitter, its result capped", clamped, 10, 0.92},
		{"full jitter before the cap", before, 10, 0.80},
	} {
		count, delay := most(c.schedule, c.retry, seeds)
		share := float64(count) / seeds
		if delay != limit || math.Abs(share-c.share) > 0.05 {
			t.Errorf("%s: %.2f of the clients wait for %v, want %.2f for %v", c.name, share, delay, c.share, limit)
		}
	}
}

// normalShare returns the share of a normal distribution that lies below x.
func normalShare(x, mean, deviation float64) float64 {
	return math.Erfc((mean-x)/deviation/math.Sqrt2) / 2
}

// TestNormal compares smira's two schedules with the normal distribution.
func TestNormal(t *testing.T) {
	for _, c := range []struct {
		base, limit time.Duration
		factor      float64
	}{{100 * ms, 10 * m, 2.7}, {s, 5 * m, 1.5}} {
		schedule := func(seed int) iter.Seq[time.Duration] {
			return backoff.NormalJitter(c.base, c.limit, c.factor, 0.1, backoff.WithSeed(uint64(seed)))
		}
		for _, n := range []int{1, 5, 50} {
			uniformOver(t, fmt.Sprintf("factor %v, delay %d", c.factor, n), func(yield func(float64) bool) {
				for seed := range 20_000 {
					delays := prefix(schedule(seed), n+1)
					mean := min(float64(delays[n-1])*c.factor, float64(c.limit))
					if !yield(normalShare(float64(delays[n]), mean, 0.1*mean)) {
						return
					}
				}
			})
		}
	}
}

// g is the curve of SmoothJitter, by package math.
func g(t float64) float64 {
	if t < 0 {
		return 0
	}
	return math.Exp2(t) * math.Tanh(math.Sqrt(4*t)) / 1.4
}

func TestSmooth(t *testing.T) {
	law(t, "the elapsed time after n delays is in base·[g(n−1), g(n))", func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "base"))
		seed, text := seeded(t)
		elapsed, n := time.Duration(0), 0
		for d := range backoff.Take(backoff.SmoothJitter(base, backoff.NoLimit, seed), 20) {
			elapsed += d
			n++
			slack := float64(n) + 1e-12*float64(elapsed) // the delays are rounded
			lo, hi := float64(base)*g(float64(n-1))-slack, float64(base)*g(float64(n))+slack
			if got := float64(elapsed); got < lo || got > hi {
				t.Fatalf("SmoothJitter(%d, NoLimit, %s): elapsed %d after %d delays, want [%.0f, %.0f)", base, text, elapsed, n, lo, hi)
			}
		}
	})
	law(t, "no delay exceeds limit", func(t *rapid.T) {
		base, limit := durations().Draw(t, "base"), durations().Draw(t, "limit")
		seed, _ := seeded(t)
		for d := range backoff.Take(backoff.SmoothJitter(base, limit, seed), some) {
			if d > limit {
				t.Fatalf("%d > %d", d, limit)
			}
		}
	})
	law(t, "nor has one to be clamped where limit >= 3·base", func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(1000, math.MaxInt64/3).Draw(t, "base"))
		limit := time.Duration(rapid.Int64Range(int64(3*base), math.MaxInt64).Draw(t, "limit"))
		seed, _ := seeded(t)
		for d := range backoff.Take(backoff.SmoothJitter(base, limit, seed), 200) {
			if d == limit {
				t.Fatalf("a delay is exactly the limit, %d", d)
			}
		}
	})
	law(t, "beyond the bend the elapsed time follows the line", func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(int64(ms), int64(s)).Draw(t, "base"))
		limit := time.Duration(rapid.Int64Range(int64(3*base), int64(m)).Draw(t, "limit"))
		seed, _ := seeded(t)
		// Between two elapsed times, k retries apart and both on the line,
		// lie more than k−1 and less than k+1 units of t.
		const bent, k = 30, 50
		elapsed, n := time.Duration(0), 0
		for d := range backoff.Take(backoff.SmoothJitter(base, limit, seed), bent+k) {
			if n++; n > bent {
				elapsed += d
			}
		}
		if units := float64(elapsed) / (float64(limit) / 2); units < k-1.001 || units > k+1.001 {
			t.Fatalf("%d retries in %v, which is %.2f units of %v", k, elapsed, units, limit/2)
		}
	})
	t.Run("never 0 after saturation", func(t *testing.T) {
		for _, limit := range []time.Duration{10 * s, time.Hour, backoff.NoLimit} {
			n := 0
			for d := range backoff.Take(backoff.SmoothJitter(100*ms, limit, backoff.WithSeed(1)), 5000) {
				// One in a million pairs of draws differs by less than
				// 1e-6 of the line's slope.
				if n++; n > 1000 && d < limit/2_000_000 {
					t.Errorf("limit %v: delay %d is %v", limit, n-1, d)
				}
			}
		}
	})
	t.Run("retries are spread evenly over time", func(t *testing.T) {
		// On the line 20,000 clients retry at the same rate in each of 100
		// slices of two units of t.
		const bent = 40
		base, limit := 100*ms, 10*s
		uniformOver(t, "phase on the line", func(yield func(float64) bool) {
			for seed := range 20_000 {
				elapsed := time.Duration(0)
				for d := range backoff.Take(backoff.SmoothJitter(base, limit, backoff.WithSeed(uint64(seed))), bent) {
					elapsed += d
				}
				_, share := math.Modf(float64(elapsed) / float64(limit/2))
				if !yield(share) {
					return
				}
			}
		})
	})
}
