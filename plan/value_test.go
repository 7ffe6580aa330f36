package plan_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/plan"
	"pgregory.net/rapid"
)

// A delay base·factor that misses the middle between two nanoseconds by one bit of a
// product that has 115 of them: 106 bits cannot tell.
func TestDelayNextToAHalf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const bits = 52
		m := 1<<bits + 2*rapid.Int64Range(0, 1<<(bits-1)-1).Draw(t, "m") + 1 // factor is m/2⁵²
		missed := rapid.Int64Range(-1, 0).Draw(t, "missed")
		modulus := new(big.Int).Lsh(big.NewInt(1), bits)
		base := new(big.Int).ModInverse(big.NewInt(m), modulus)
		base.Mul(base, big.NewInt(1<<(bits-1)+missed)).Mod(base, modulus)
		base.Add(base, new(big.Int).Lsh(big.NewInt(rapid.Int64Range(1<<8, 1<<9).Draw(t, "top")), bits))
		g := plan.Geometric{Base: time.Duration(base.Int64()), Factor: float64(m) / (1 << bits), Limit: backoff.NoLimit}

		product := base.Mul(base, big.NewInt(m))
		want := new(big.Int).Rsh(product, bits).Int64()
		if missed == 0 {
			want++ // halves are rounded upwards
		}
		if got := g.Delay(2); int64(got) != want {
			t.Errorf("%+v: Delay(2) = %d, want %d", g, got, want)
		}
		// The same product as a time: base·(factor − 1)·1.
		law := plan.Geometric{Base: 1, Factor: g.Factor, Limit: backoff.NoLimit}
		if got := law.DelayAt(g.Base); int64(got) != want-int64(g.Base)+1 {
			t.Errorf("%+v: DelayAt(%d) = %d, want %d", law, g.Base, got, want-int64(g.Base)+1)
		}
	})
}

// After 2·10⁹ steps 106 bits are on the wrong side of a half, or of a whole number, in
// one of a million cases. These were found by trying, and decided in 512 bits.
func TestManySteps(t *testing.T) {
	g := plan.Geometric{Base: 345458487589494513, Factor: 1.000000000885604, Limit: backoff.NoLimit}
	if got := g.DelayAfter(2147064730); got != 2313048593287077060 {
		t.Errorf("%+v: DelayAfter(2147064730) = %d, want 2313048593287077060", g, got)
	}
	g = plan.Geometric{Factor: 1.0000000004120069, Limit: backoff.NoLimit}
	if got, err := g.BaseForDelay(2147339094, 813842715458939898); got != 335978999908642446 || err != nil {
		t.Errorf("%+v: BaseForDelay(2147339094, 813842715458939898) = %d, %v, want 335978999908642446", g, got, err)
	}
}

// With the factor and the base that are found, a retry comes no later; with the next factor,
// or the next base, it does. The sums have 400 bits.
func TestFactorAndBaseForRetriesAreTheLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, n := geometric(t), counts().Draw(t, "n")+1
		elapsed := delays(t, "elapsed", 1)
		if rapid.Bool().Draw(t, "its own") {
			elapsed = g.Elapsed(n)
		}
		later := func(g plan.Geometric) bool {
			_, sum := exact(g, n)
			return sum.Cmp(bigTime(elapsed)) > 0
		}
		known := plan.Geometric{Base: g.Base, Limit: g.Limit}
		if r, err := known.FactorForRetries(n, elapsed); err == nil {
			solved, above := g, g
			solved.Factor, above.Factor = r, math.Nextafter(r, math.Inf(1))
			if later(solved) || !later(above) && elapsed != min(g.Base, g.Limit)+time.Duration(n-1)*g.Limit {
				t.Errorf("FactorForRetries(%d, %d) = %.17g: later %v, and the next %v", n, elapsed, r, later(solved), later(above))
			}
		}
		known = plan.Geometric{Factor: g.Factor, Limit: g.Limit}
		if a, err := known.BaseForRetries(n, elapsed); err == nil && a < g.Limit {
			solved, above := g, g
			solved.Base, above.Base = a, a+1
			if later(solved) || !later(above) {
				t.Errorf("BaseForRetries(%d, %d) = %d: later %v, and the next %v", n, elapsed, a, later(solved), later(above))
			}
		}
	})
}
