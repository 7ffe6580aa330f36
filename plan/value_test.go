package plan_test

import (
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
