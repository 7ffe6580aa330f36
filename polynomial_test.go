package backoff_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"example.com/backoff"
	"pgregory.net/rapid"
)

// bigExp is the power series of eˣ, in 400 bits, after halving x until it is small.
func bigExp(x *big.Float) *big.Float {
	number := func(f float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(f) }
	const halvings = 32
	x = new(big.Float).Quo(x, number(1<<halvings))
	sum, term := number(1), number(1)
	for k := 1.0; k < 40; k++ {
		term.Mul(term, x).Quo(term, number(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog solves eˡ = x by Newton's method.
func bigLog(x float64) *big.Float {
	l := new(big.Float).SetPrec(400).SetFloat64(math.Log(x))
	for range 4 {
		e := bigExp(new(big.Float).Neg(l))
		e.Mul(e, big.NewFloat(x)).Sub(e, big.NewFloat(1))
		l.Add(l, e)
	}
	return l
}

// bigPolynomial is base·(n+1)ᵖ, computed to 400 bits and rounded once. It is unsure if
// the value is so near to the middle between two nanoseconds that both are right.
func bigPolynomial(base time.Duration, power float64, n int) (delay time.Duration, unsure bool) {
	l := bigLog(float64(n + 1))
	l.Mul(l, new(big.Float).SetFloat64(power))
	if f, _ := l.Float64(); f > 50 {
		return backoff.NoLimit, false
	}
	x := bigExp(l)
	x.Mul(x, new(big.Float).SetPrec(400).SetInt64(int64(base)))
	x.Add(x, big.NewFloat(0.5))
	whole, _ := x.Int(nil)
	rest, _ := x.Sub(x, new(big.Float).SetPrec(400).SetInt(whole)).Float64()
	if !whole.IsInt64() {
		return backoff.NoLimit, false
	}
	return time.Duration(whole.Int64()), min(rest, 1-rest) < 1e-9
}

func TestPolynomialIsNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := time.Duration(rapid.OneOf(rapid.Int64Range(1, 1e12), rapid.Int64Min(1)).Draw(t, "base"))
		power := rapid.OneOf(rapid.Float64Range(0, 10), rapid.SampledFrom([]float64{0, 0.5, 1, 1.5, 2, 3, 20, math.MaxFloat64})).Draw(t, "power")
		n := rapid.IntRange(0, 300).Draw(t, "n")
		if base == math.MaxInt64 && n == 0 {
			base--
		}
		want, unsure := bigPolynomial(base, power, n)
		if n == 0 {
			want, unsure = base, false
		}
		if got, _ := backoff.At(backoff.Polynomial(base, power), n); got != want && !unsure {
			t.Errorf("delay %d of Polynomial(%d, %v) is %d, want %d", n, base, power, got, want)
		}
	})
}

// The last bits of a power in float64 were off by a nanosecond here.
func TestPolynomialBeyondFloat64(t *testing.T) {
	for n := range 40 {
		want, _ := bigPolynomial(time.Minute, 3.131, n)
		if got, _ := backoff.At(backoff.Polynomial(time.Minute, 3.131), n); got != want {
			t.Errorf("delay %d is %d, want %d", n, got, want)
		}
	}
	for n, want := range map[int]time.Duration{3: 2<<60 + 2, 8: 3<<60 + 3} {
		if got, _ := backoff.At(backoff.Polynomial(1<<60+1, 0.5), n); got != want {
			t.Errorf("delay %d of (2⁶⁰ + 1)·√(n+1) is %d, want %d", n, got, want)
		}
	}
}

func BenchmarkPolynomialByLength(b *testing.B) {
	for _, bench := range []struct {
		name string
		base time.Duration
	}{{"short", time.Microsecond}, {"seconds", 100 * time.Millisecond}, {"days", 24 * time.Hour}} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				n := 0
				for range backoff.Polynomial(bench.base, 1.7) {
					if n++; n == 100 {
						break
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/delay")
		})
	}
}
