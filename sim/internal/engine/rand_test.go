package engine

import (
	"math"
	"testing"

	"example.com/backoff/internal/portable"
	"example.com/backoff/internal/splitmix"
)

// The layers of the ziggurat close at the top, so all have the same area, and the two
// constants are right.
func TestZigguratCloses(t *testing.T) {
	x := tailStart
	for i := layers - 1; i > 1; i-- {
		x = math.Sqrt(-2 * math.Log(layerArea/x+math.Exp(-x*x/2)))
	}
	if top := layerArea/x + math.Exp(-x*x/2); math.Abs(top-1) > 1e-10 {
		t.Errorf("the top layer ends at height %v, want 1", top)
	}
	tail := math.Sqrt(math.Pi/2) * math.Erfc(tailStart/math.Sqrt2)
	if area := tailStart*math.Exp(-tailStart*tailStart/2) + tail; math.Abs(area/layerArea-1) > 1e-10 {
		t.Errorf("the base layer has area %v, want %v", area, layerArea)
	}
}

// χ² of 1,000 bins of equal probability has mean 999 and standard deviation 45. It exceeds
// 1,200, which is 4.5 deviations more, in one of 100,000 seeds. The seed is fixed.
func TestDistributions(t *testing.T) {
	draws := 20_000_000
	if testing.Short() {
		draws = 2_000_000
	}
	const bins = 1000
	tests := []struct {
		name string
		draw func(*Rand) float64
		cdf  func(float64) float64
	}{
		{"Float64", (*Rand).Float64, func(x float64) float64 { return x }},
		{"Exp", (*Rand).Exp, func(x float64) float64 { return 1 - math.Exp(-x) }},
		{"Normal", (*Rand).Normal, func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }},
		// The tails have bins of their own.
		{"Normal's tails", tail, func(x float64) float64 {
			return 1 - math.Erfc(x/math.Sqrt2)/math.Erfc(3/math.Sqrt2)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := NewRand(Seed(1))
			n := draws
			if test.name == "Normal's tails" {
				n /= 20
			}
			var count [bins]int
			for range n {
				count[int(test.cdf(test.draw(&r))*bins)]++
			}
			chi, want := 0.0, float64(n)/bins
			for _, c := range count {
				chi += (float64(c) - want) * (float64(c) - want) / want
			}
			if chi > 1200 || chi < 820 {
				t.Errorf("χ² of %d bins is %.0f, want 820 to 1200", bins, chi)
			}
		})
	}
}

// tail draws |Normal| given that it is above 3, a part of which lies beyond
// tailStart.
func tail(r *Rand) float64 {
	for {
		if x := math.Abs(r.Normal()); x > 3 {
			return x
		}
	}
}

func TestUint64N(t *testing.T) {
	r := NewRand(Seed(1))
	var count [7]int
	for range 70_000 {
		count[r.Uint64N(7)]++
	}
	for i, c := range count {
		if math.Abs(float64(c)-10_000) > 450 { // 4.9 standard deviations
			t.Errorf("%d came %d times of 70,000, want 10,000 ± 450", i, c)
		}
	}
	if got := r.Uint64N(1); got != 0 {
		t.Errorf("Uint64N(1) = %d, want 0", got)
	}
}

// Different paths give different seeds, also prefixes and neighbours.
func TestSeed(t *testing.T) {
	from := map[uint64][]uint64{}
	add := func(seed uint64, path ...uint64) {
		s := Seed(seed, path...)
		key := append([]uint64{seed}, path...)
		if other, taken := from[s]; taken {
			t.Errorf("%v and %v share the seed %#x", other, key, s)
		}
		from[s] = key
	}
	for seed := range uint64(20) {
		add(seed)
		for i := range uint64(20) {
			add(seed, i)
			for j := range uint64(20) {
				add(seed, i, j)
			}
		}
	}
}

// The same numbers on every architecture.
func TestRandGolden(t *testing.T) {
	r := NewRand(Seed(1, 2, 3))
	sum := uint64(0)
	for range 100_000 {
		sum = splitmix.Mix(sum ^ r.Uint64())
		sum = splitmix.Mix(sum ^ math.Float64bits(r.Float64()))
		sum = splitmix.Mix(sum ^ math.Float64bits(r.Exp()))
		sum = splitmix.Mix(sum ^ math.Float64bits(r.Normal()))
		sum = splitmix.Mix(sum ^ r.Uint64N(1000))
	}
	if want := uint64(0xb6dbdf22332ca808); sum != want {
		t.Errorf("got %#x, want %#x", sum, want)
	}
	// SplitMix64 from 0, as published.
	r = NewRand(0)
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := r.Uint64(); got != want {
			t.Errorf("number %d is %#x, want %#x", i, got, want)
		}
	}
}

func BenchmarkRand(b *testing.B) {
	r := NewRand(1)
	b.Run("Uint64", func(b *testing.B) {
		for b.Loop() {
			r.Uint64()
		}
	})
	b.Run("Exp", func(b *testing.B) {
		for b.Loop() {
			r.Exp()
		}
	})
	b.Run("Normal", func(b *testing.B) {
		for b.Loop() {
			r.Normal()
		}
	})
	b.Run("portable.Quantile", func(b *testing.B) {
		for b.Loop() {
			portable.Quantile(r.Float64())
		}
	})
}
