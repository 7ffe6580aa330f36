// Package portable has elementary functions whose results are equal on every
// GOARCH.
//
// Package math promises that only for its exact functions: on some architectures Exp,
// Log and Tanh are written in assembly, and a compiler may fuse a multiplication and an
// addition. The functions here use nothing but exact functions, and convert each
// product, which forbids fusing. So a seed replays everywhere. Each function is right to
// a few units in the last place.
package portable

import "math"

// horner returns c[0] + c[1]·x + c[2]·x² + ...
func horner(x float64, c []float64) float64 {
	sum := 0.0
	for i := len(c) - 1; i >= 0; i-- {
		sum = float64(sum*x) + c[i]
	}
	return sum
}

// expSeries are the coefficients 1/k! of the power series of eˣ. If |x| <= ln(2)/2, the
// first term that is left out is 4e-18.
var expSeries = []float64{
	1, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320,
	1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800,
}

// Exp2 returns 2ˣ for |x| <= 1000.
func Exp2(x float64) float64 {
	whole := math.Floor(x + 0.5)
	return math.Ldexp(horner(float64((x-whole)*math.Ln2), expSeries), int(whole))
}

// atanhSeries are the coefficients 1/(2k+1) of the power series of atanh(s)/s in s². If
// |s| <= 3−√8, which is 0.17, the first term that is left out is 2e-18.
var atanhSeries = []float64{
	1, 1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21,
}

// Log2 returns the logarithm of x to base 2, if x is finite and > 0. It is exact if x is
// a power of 2.
func Log2(x float64) float64 {
	m, exp := math.Frexp(x) // x = m·2^exp, m in [1/2, 1)
	if m < math.Sqrt2/2 {
		m, exp = 2*m, exp-1
	}
	s := (m - 1) / (m + 1) // ln(m) = 2·atanh(s)
	return float64(float64(2*math.Log2E*s)*horner(float64(s*s), atanhSeries)) + float64(exp)
}

// Tanh returns the hyperbolic tangent of x >= 0, right to 1e-16 (absolute).
func Tanh(x float64) float64 {
	if x > 20 {
		return 1 // to within 1e-17
	}
	return 1 - 2/(Exp2(float64(2*math.Log2E*x))+1)
}

// Pow returns xʸ for x = 1 or x >= 2 and a finite y >= 0, and 2⁶³ where that is more. For
// a whole y it only multiplies, so whole powers of whole numbers are exact as long as
// they fit a float64.
func Pow(x, y float64) float64 {
	whole, frac := math.Modf(min(y, 64))
	p := 1.0
	for square, n := x, uint(whole); n > 0; n >>= 1 {
		if n&1 == 1 {
			p *= square
		}
		square *= square
	}
	if frac > 0 {
		p *= Exp2(float64(frac * Log2(x)))
	}
	return min(p, 1<<63)
}

// Quantile returns the x below which a standard normal variate falls with
// probability p, for 0 < p < 1, right to a relative 1e-15 or so.
//
// It is PPND16 of M. J. Wichura, "Algorithm AS 241: The Percentage Points of the
// Normal Distribution", Applied Statistics 37 (1988). It turns one random number into
// one normal variate, where the usual methods need a varying number of them.
func Quantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - float64(q*q)
		return q * horner(r, centreTop) / horner(r, centreBottom)
	}
	r := math.Sqrt(-Log2(min(p, 1-p)) * math.Ln2)
	var x float64
	if r <= 5 {
		x = horner(r-1.6, middleTop) / horner(r-1.6, middleBottom)
	} else {
		x = horner(r-5, tailTop) / horner(r-5, tailBottom)
	}
	return math.Copysign(x, q)
}

// The rational approximations of AS 241.
var (
	centreTop = []float64{
		3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
		4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3,
	}
	centreBottom = []float64{
		1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
		2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3,
	}
	middleTop = []float64{
		1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
		1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
	}
	middleBottom = []float64{
		1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
		1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
	}
	tailTop = []float64{
		6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
		2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
	}
	tailBottom = []float64{
		1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
		7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
	}
)
