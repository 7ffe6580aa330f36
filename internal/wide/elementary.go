package wide

import "math"

// Over returns x/y for y > 0.
func (x Number) Over(y Number) Number {
	q := x.Hi / y.Hi
	rest := x.Minus(y.Times(Number{Hi: q}))
	return quickSum(q, rest.Hi/y.Hi)
}

// scaled returns x·2^exp, exactly.
func (x Number) scaled(exp int) Number { return Number{math.Ldexp(x.Hi, exp), math.Ldexp(x.Lo, exp)} }

// ln2 is the natural logarithm of 2.
var ln2 = Number{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}

// atanhSeries are the coefficients 1/(2k+1) of the power series of atanh(s)/s in
// s². If |s| <= 3−√8, which is 0.17, the first term that is left out is 2⁻¹²³.
var atanhSeries = series(24, func(k int64) Number { return One.Over(OfInt(2*k + 1)) })

// expSeries are the coefficients 1/k! of the power series of eˣ. If |x| <= ln(2)/2, the
// first term that is left out is 2⁻¹²⁷.
var expSeries = func() []Number {
	term := One
	return series(26, func(k int64) Number {
		term = term.Over(OfInt(max(k, 1)))
		return term
	})
}()

func series(n int, coefficient func(k int64) Number) []Number {
	c := make([]Number, n)
	for k := range c {
		c[k] = coefficient(int64(k))
	}
	return c
}

// horner returns c[0] + c[1]·x + c[2]·x² + ...
func horner(x Number, c []Number) Number {
	sum := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		sum = sum.Times(x).Plus(c[i])
	}
	return sum
}

// Log1p returns ln(1 + x) for x >= 0, to a relative 2⁻⁹⁸.
func (x Number) Log1p() Number {
	// ln(1+x) = exp·ln(2) + 2·atanh(s), where (1+s)/(1−s) = (1+x)/2^exp is in
	// [√½, √2]. Without a power of 2 the sum 1+x is not needed.
	m, exp := One.Plus(x), 0
	if m.Hi > math.Sqrt2 {
		var frac float64
		frac, exp = math.Frexp(m.Hi)
		if frac < math.Sqrt2/2 {
			exp--
		}
		m = m.scaled(-exp)
		x = m.Minus(One)
	}
	s := x.Over(m.Plus(One))
	log := s.Times(horner(s.Times(s), atanhSeries)).scaled(1)
	if exp == 0 {
		return log
	}
	return ln2.Times(OfInt(int64(exp))).Plus(log)
}

// Exp returns eˣ for |x| <= 100, to a relative 2⁻⁹⁶.
func (x Number) Exp() Number {
	exp := math.Floor(float64(x.Hi*math.Log2E) + 0.5)
	x = x.Minus(ln2.Times(Number{Hi: exp}))
	return horner(x, expSeries).scaled(int(exp))
}

// Pow returns xʸ for a whole x in [1, 2⁵³] and a finite y >= 0, and 2⁶⁴ where that is
// more, to a relative 2⁻⁹⁵. For a whole y it only multiplies, so whole powers are exact.
func Pow(x, y float64) Number {
	whole, frac := math.Modf(min(y, 64))
	p := One
	for square, n := Of(x), uint(whole); n > 0; n >>= 1 {
		if n&1 == 1 {
			p = p.Times(square)
		}
		square = square.Times(square)
	}
	if frac > 0 && p.Hi < 1<<64 {
		p = p.Times(Of(x).Minus(One).Log1p().Times(Number{Hi: frac}).Exp())
	}
	if p.Hi >= 1<<64 && x > 1 {
		return Number{Hi: 1 << 64}
	}
	return p
}
