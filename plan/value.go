package plan

import (
	"math"
	"math/big"
	"time"

	"example.com/backoff"
	"example.com/backoff/internal/wide"
)

// A value is a number >= 0 that is computed in 106 bits, and in more if the answer to a
// question depends on the bits that follow.
//
// If such a number is exactly on the border of two answers, half-way between two
// nanoseconds or equal to what it is compared with, near is the number itself: a·rⁿ with
// r = m/2ᵏ, m odd, k > 0, is whole only if 2ᵏⁿ divides a, and then all its parts have fewer
// bits than near. If it is not exactly on the border, 512 bits show on which side it is: for
// n below 9 always, and for a larger n almost certainly.
type value struct {
	near  wide.Number
	err   float64           // the number is in near·(1 ± err)
	exact func() *big.Float // the number to bigBits; nil if near is the number itself
}

// bigBits is the precision if 106 bits are not enough.
const bigBits = 512

// minErr is more than the relative error of a sum, or of a product, in 106 bits.
const minErr = 0x1p-100

func bigOf(x wide.Number) *big.Float {
	f := new(big.Float).SetPrec(bigBits).SetFloat64(x.Hi)
	return f.Add(f, big.NewFloat(x.Lo))
}

// valueOf returns x, exactly.
func valueOf(x wide.Number) value { return value{near: x} }

// product returns x·y for exact x and y.
func product(x, y wide.Number) value {
	return value{x.Times(y), minErr, func() *big.Float {
		f := bigOf(x)
		return f.Mul(f, bigOf(y))
	}}
}

func (x value) plus(y value) value {
	return value{x.near.Plus(y.near), max(x.err, y.err) + minErr, func() *big.Float {
		f := x.big()
		return f.Add(f, y.big())
	}}
}

func (x value) big() *big.Float {
	if x.exact == nil {
		return bigOf(x.near)
	}
	return x.exact()
}

// slack returns the largest absolute error of near.
func (x value) slack() float64 { return float64(x.err * x.near.Hi) }

// cmp returns −1 if x < y, 0 if x = y and +1 if x > y. At most one of them may be huge.
func (x value) cmp(y value) int {
	difference := x.near.Minus(y.near).Hi
	unsure := x.slack() + y.slack() + float64(minErr*max(x.near.Hi, y.near.Hi))
	switch {
	case difference > unsure:
		return 1
	case difference < -unsure:
		return -1
	}
	return x.big().Cmp(y.big())
}

// half returns d + ½.
func half(d time.Duration) value { return valueOf(wide.OfInt(d).Plus(wide.Number{Hi: 0.5})) }

// roundsTo reports whether x, rounded as duration rounds it but not limited, is at
// most d >= 0.
func (x value) roundsTo(d time.Duration) bool { return x.cmp(half(d)) < 0 }

// duration returns the whole number nearest to x, halves upwards, at most
// NoLimit.
func (x value) duration() time.Duration {
	d := x.near.Duration()
	if x.exact == nil || x.near.Hi >= 1<<64 {
		return d
	}
	// It is right if x is farther from a half than the error of near.
	rest := math.Abs(x.near.Minus(wide.OfInt(d)).Hi)
	if slack := x.slack() + minErr; slack < 0.25 && math.Abs(0.5-rest) > slack {
		return d
	}
	f := x.big()
	i, _ := f.Add(f, big.NewFloat(0.5)).Int(nil)
	if !i.IsInt64() {
		return backoff.NoLimit
	}
	return time.Duration(i.Int64())
}
