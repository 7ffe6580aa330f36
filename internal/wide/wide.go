// Package wide has numbers of about 106 bits, twice what a float64 has, whose
// operations give the same bits on every GOARCH.
package wide

import (
	"math"
	"time"
)

// A Number is the number Hi + Lo, which has about 106 bits where a float64 has 53.
// It holds every time.Duration exactly, and a power or a sum to the nanosecond.
// Its operations use nothing but exact functions, and convert each product, which
// forbids fusing. So they give the same bits on every architecture.
//
// It is the double-double number of T. J. Dekker, "A Floating-Point Technique
// for Extending the Available Precision", Numerische Mathematik 18 (1971). All
// numbers here are >= 0, except the results of Minus.
type Number struct{ Hi, Lo float64 }

// huge is the largest product, and stands for all larger ones: nothing needs more than
// 2⁶³ ns. A sum of a few hundred of them does not overflow, and neither does the product
// of two such sums.
const huge = 0x1p500

// One is 1.
var One = Number{Hi: 1}

// Of returns min(f, 2⁵⁰⁰) for f >= 0.
func Of(f float64) Number { return Number{Hi: min(f, huge)} }

// OfInt returns n >= 0, exactly.
func OfInt[T ~int64](n T) Number {
	low := n & (1<<11 - 1)
	return quickSum(float64(n-low), float64(low))
}

// quickSum returns a + b, exactly, if |a| >= |b|.
func quickSum(a, b float64) Number {
	s := a + b
	return Number{s, b - (s - a)}
}

// exactSum returns a + b, exactly.
func exactSum(a, b float64) Number {
	s := a + b
	t := s - a
	return Number{s, (a - (s - t)) + (b - t)}
}

// Plus returns x + y.
func (x Number) Plus(y Number) Number {
	s := exactSum(x.Hi, y.Hi)
	return quickSum(s.Hi, s.Lo+(x.Lo+y.Lo))
}

// Minus returns x − y.
func (x Number) Minus(y Number) Number { return x.Plus(Number{-y.Hi, -y.Lo}) }

// Times returns x·y, or 2⁵⁰⁰ where that is more.
func (x Number) Times(y Number) Number {
	p := float64(x.Hi * y.Hi) // not to be fused with the sum that follows
	if p >= huge {
		return Number{Hi: huge}
	}
	return quickSum(p, math.FMA(x.Hi, y.Hi, -p)+(float64(x.Hi*y.Lo)+float64(x.Lo*y.Hi)))
}

// Duration returns the whole number nearest to x >= 0, halves upwards, or
// the largest time.Duration where that is more.
func (x Number) Duration() time.Duration {
	if x.Hi >= 1<<64 {
		return math.MaxInt64
	}
	// 2⁶³ − 1024 is the largest float64 that converts.
	d := time.Duration(min(x.Hi, 1<<63-1<<10))
	above := exactSum(x.Hi-float64(d), 0.5).Plus(Number{Hi: x.Lo})
	whole := math.Floor(above.Hi)
	if whole == above.Hi && above.Lo < 0 {
		whole--
	}
	rest := time.Duration(min(whole, 1<<62))
	if rest > math.MaxInt64-d {
		return math.MaxInt64
	}
	return d + rest
}
