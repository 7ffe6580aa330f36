package wide_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"example.com/backoff/internal/wide"
	"pgregory.net/rapid"
)

const bits = 400

func float(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

func bigOf(x wide.Number) *big.Float { return new(big.Float).Add(float(x.Hi), float(x.Lo)) }

// near fails unless got is want up to a relative error of most. It reports errors as
// powers of 2.
func near(t *rapid.T, what string, got wide.Number, want *big.Float, most float64) {
	t.Helper()
	if want.Sign() == 0 {
		if got != (wide.Number{}) {
			t.Errorf("%s is %v, want 0", what, got)
		}
		return
	}
	difference := new(big.Float).Sub(bigOf(got), want)
	f, _ := difference.Quo(difference, want).Float64()
	if !(math.Abs(f) <= most) {
		t.Errorf("%s is %v, off by 2^%.1f, want 2^%.1f at most", what, got, math.Log2(math.Abs(f)), math.Log2(most))
	}
}

// exp is the power series of eˣ after halving x until it is small.
func exp(x *big.Float) *big.Float {
	const halvings = 32
	x = new(big.Float).Quo(x, float(1<<halvings))
	sum, term := float(1), float(1)
	for k := 1.0; k < 40; k++ {
		term.Mul(term, x).Quo(term, float(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// log solves eˡ = x by Newton's method.
func log(x *big.Float) *big.Float {
	f, _ := x.Float64()
	l := float(math.Log(f))
	for range 4 {
		e := exp(new(big.Float).Neg(l))
		l.Add(l, e.Mul(e, x).Sub(e, float(1)))
	}
	return l
}

func number(t *rapid.T, name string) wide.Number {
	x := math.Exp2(rapid.Float64Range(-60, 60).Draw(t, name))
	return wide.Of(x).Plus(wide.Of(x * rapid.Float64Range(0, 0x1p-53).Draw(t, name+"'s rest")))
}

func TestArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := number(t, "x"), number(t, "y")
		bx, by := bigOf(x), bigOf(y)
		near(t, "the sum", x.Plus(y), new(big.Float).Add(bx, by), 0x1p-102)
		near(t, "the product", x.Times(y), new(big.Float).Mul(bx, by), 0x1p-102)
		near(t, "the quotient", x.Over(y), new(big.Float).Quo(bx, by), 0x1p-101)
	})
}

func TestElementary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := number(t, "x")
		near(t, "Log1p", x.Log1p(), log(new(big.Float).Add(float(1), bigOf(x))), 0x1p-98)
		y := wide.Of(rapid.Float64Range(0, 64).Draw(t, "y"))
		near(t, "Exp", y.Exp(), exp(bigOf(y)), 0x1p-96)
		near(t, "Exp of less than 0", wide.Number{}.Minus(y).Exp(), exp(bigOf(wide.Number{}.Minus(y))), 0x1p-96)
	})
}

func TestPow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.Map(rapid.IntRange(1, 1000), func(n int) float64 { return float64(n) }),
			rapid.Map(rapid.Int64Range(1, 1<<53), func(n int64) float64 { return float64(n) })).Draw(t, "x")
		y := rapid.OneOf(rapid.Float64Range(0, 70), rapid.Map(rapid.IntRange(0, 70), func(n int) float64 { return float64(n) }),
			rapid.SampledFrom([]float64{0.5, 1.5, 0.25, 5e-324, math.MaxFloat64})).Draw(t, "y")
		l := log(float(x))
		l.Mul(l, float(min(y, 1e6)))
		if f, _ := l.Float64(); f > 44.36 { // ln(2⁶⁴)
			if got := wide.Pow(x, y); got.Hi < 0.99*(1<<64) {
				t.Errorf("Pow(%v, %v) is %v, want 2⁶⁴", x, y, got)
			}
			return
		}
		near(t, "Pow", wide.Pow(x, y), exp(l), 0x1p-95)
	})
	for _, tt := range []struct {
		x, y float64
		want wide.Number
	}{
		{1, math.MaxFloat64, wide.One},
		{7, 0, wide.One},
		{3, 40, wide.OfInt(time.Duration(12157665459056928801 - 1<<63)).Plus(wide.Of(1 << 63))},
		{2, 64, wide.Of(1 << 64)},
		{2, 5000, wide.Of(1 << 64)},
	} {
		if got := wide.Pow(tt.x, tt.y); got != tt.want {
			t.Errorf("Pow(%v, %v) = %v, want %v", tt.x, tt.y, got, tt.want)
		}
	}
}

func TestDuration(t *testing.T) {
	const long = math.MaxInt64
	half := wide.Number{Hi: 0.5}
	for _, tt := range []struct {
		x    wide.Number
		want time.Duration
	}{
		{wide.Number{}, 0},
		{half, 1},
		{wide.Number{Hi: 0.5, Lo: -0x1p-60}, 0},
		{wide.OfInt(time.Duration(1<<53 + 1)), 1<<53 + 1},
		{wide.OfInt(time.Duration(1<<62 + 1)).Plus(half), 1<<62 + 2},
		{wide.OfInt(time.Duration(long)), long},
		{wide.OfInt(time.Duration(long)).Plus(half), long},
		{wide.Of(1e300), long},
	} {
		if got := tt.x.Duration(); got != tt.want {
			t.Errorf("%v rounds to %d, want %d", tt.x, got, tt.want)
		}
	}
}
