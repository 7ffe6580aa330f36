package backoff

import (
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestProduct compares step n of a product with arithmetic of 400 bits, at a factor so
// close to 1 that plain multiplication is wrong by 1e-11.
func TestProduct(t *testing.T) {
	const n = 1_000_000
	for _, factor := range []float64{math.Nextafter(1, 2), 1 + 1e-12, 1 + 1e-7, 1.00001} {
		p := newProduct(3_600_000_000_007)
		want := new(big.Float).SetPrec(400).SetInt64(3_600_000_000_007)
		f := new(big.Float).SetPrec(400).SetFloat64(factor)
		for range n {
			p = p.times(factor)
			want.Mul(want, f)
		}
		w, _ := want.Int64()
		if got := int64(p.delay()); got < w-1 || got > w+1 {
			t.Errorf("%v^%d: %d, want %d", factor, n, got, w)
		}
	}
}

// TestDoubling compares the path that Exponential has for the factor 2 with a product.
func TestDoubling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Shifted, so that every length in bits has the same probability.
		base := time.Duration(rapid.Uint64().Draw(t, "bits") >> rapid.IntRange(1, 64).Draw(t, "shift"))
		p, n := newProduct(base), 0
		for d := range Exponential(base, 2) {
			if want := p.delay(); d != want {
				t.Fatalf("Exponential(%d, 2): delay %d is %d, want %d", base, n, d, want)
			}
			if n++; n > 70 {
				break
			}
			p = p.times(2)
		}
	})
}
