package backoff

import (
	"math"
	"math/bits"
	"time"

	"example.com/backoff/internal/portable"
	"example.com/backoff/internal/wide"
)

// twice returns min(limit, 2·d) for 0 <= d <= limit.
func twice(d, limit time.Duration) time.Duration {
	if d > limit/2 {
		return limit
	}
	return 2 * d
}

// round returns the whole number nearest to f >= 0, or NoLimit where that is
// more. Converting a float64 that is out of range gives different results on
// different architectures, and float64(NoLimit) is 2⁶³, which is out of range: hence >=.
func round(f float64) time.Duration {
	f = float64(f) // f may be a product, which must not be fused with the subtraction
	if f >= math.MaxInt64 {
		return NoLimit
	}
	d := time.Duration(f)
	if f-float64(d) >= 0.5 {
		d++
	}
	return d
}

// A ratio is a finite number >= 0 as m/2^shift with 0 <= shift <= 64, by which
// a delay is multiplied exactly, in 128 bits, and then rounded once. So 1·d is
// d and no part of d exceeds it, which float64 does not promise above 2⁵³ ns.
type ratio struct {
	m     uint64
	shift uint
}

// newRatio returns f as a ratio: exactly if f = 0 or f >= 2⁻¹¹, and otherwise to
// 2⁻⁶⁴, which changes no delay by as much as 1 ns. Every f >= 2⁶³ turns every delay
// above 0 into NoLimit, so 2⁶³ stands for all of them.
func newRatio(f float64) ratio {
	frac, exp := math.Frexp(min(f, 1<<63)) // f = frac·2^exp, frac in [1/2, 1)
	m := uint64(float64(frac * (1 << 63))) // f = m·2^(exp-63), the top bit of m at 62
	if exp < 0 {
		return ratio{m << 1 >> -exp, 64}
	}
	return ratio{m << 1, uint(64 - exp)}
}

// of returns the whole number nearest to r·d, halves upwards, or NoLimit where
// that is more, for d >= 0.
func (r ratio) of(d time.Duration) time.Duration {
	hi, lo := bits.Mul64(uint64(d), r.m)
	// Adding a half before the shift rounds. The half is 2^(shift-1), and 0 for shift
	// 0, where the shift count wraps and shifts everything out.
	lo, carry := bits.Add64(lo, 1<<(r.shift-1), 0)
	hi += carry
	if hi>>r.shift != 0 {
		return NoLimit
	}
	q := hi<<(64-r.shift) | lo>>r.shift
	return time.Duration(min(q, math.MaxInt64))
}

// timesPower returns the whole number nearest to d·xᵖ, or NoLimit where that is more,
// for d >= 0, a whole x >= 1 and p >= 0.
func timesPower(d time.Duration, x, p float64) time.Duration {
	const err = 0x1p-42 // more than the relative error of f
	f := float64(float64(d) * portable.Pow(x, p))
	if whole := math.Floor(f + 0.5); f < 1<<42 && math.Abs(math.Abs(f-whole)-0.5) > err*f {
		return time.Duration(whole)
	}
	return wide.OfInt(d).Times(wide.Pow(x, p)).Duration()
}

// A product is base·factorⁿ as a sum: hi is the result of float64 multiplication, and
// lo is the sum of its rounding errors. The relative error is about n²·2⁻¹⁰⁶, where that
// of hi alone is n·2⁻⁵³. With a whole factor the product is exact as long as lo is.
//
// It is the compensated product of Ogita, Rump and Oishi, "Accurate Sum and Dot
// Product", SIAM J. Sci. Comput. 26 (2005), applied to powers as in Graillat,
// "Accurate Floating-Point Product and Exponentiation", IEEE Trans. Computers
// 58 (2009).
type product struct{ hi, lo float64 }

// newProduct returns base >= 0, exactly: above 2⁵³, where float64 skips whole
// numbers, lo begins with the last 11 bits.
func newProduct(base time.Duration) product {
	if base < 1<<53 {
		return product{hi: float64(base)}
	}
	low := base & (1<<11 - 1)
	return product{float64(base - low), float64(low)}
}

// times returns p·factor. FMA is exact on every architecture. The conversion prevents
// the compiler from fusing the other multiplication, which it does on some of them.
func (p product) times(factor float64) product {
	hi := p.hi * factor
	return product{hi, float64(p.lo*factor) + math.FMA(p.hi, factor, -hi)}
}

// delay returns the whole number nearest to p, or NoLimit where that is more.
func (p product) delay() time.Duration {
	if p.hi >= math.MaxInt64 {
		return NoLimit
	}
	d := time.Duration(p.hi)
	rest := time.Duration(math.Floor(p.hi - float64(d) + p.lo + 0.5))
	if rest > NoLimit-d {
		return NoLimit
	}
	return d + rest
}
