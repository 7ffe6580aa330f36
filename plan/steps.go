package plan

import (
	"math/big"

	"example.com/backoff/internal/wide"
)

// A steps has the sum 1 + r + ... + rⁿ⁻¹ of the first n terms of the geometric sequence
// 1, r, r², ..., and the power rⁿ, which is the next term.
//
// The textbook's (rⁿ−1)/(r−1) loses its digits as r approaches 1, and is 0/0 there. The sum
// of n+k terms is the sum of n plus rⁿ times the sum of k, so doubling reaches any n in
// log₂(n) rounds. Nothing is subtracted, so r = 1 is as good as any r. After n steps the
// relative error is about n·2⁻¹⁰⁴, 10⁻²² for a thousand million steps, and there is none as
// long as the terms fit into 106 bits.
type steps struct {
	r          wide.Number
	n          int64
	sum, power wide.Number
}

// oneStep returns the sum 1 and the power r >= 0.
func oneStep(r wide.Number) steps { return steps{r, 1, wide.One, r} }

// noSteps is the empty sum.
func noSteps(r wide.Number) steps { return steps{r: r, power: wide.One} }

// then returns s followed by t, of the same r.
func (s steps) then(t steps) steps {
	return steps{s.r, s.n + t.n, s.sum.Plus(s.power.Times(t.sum)), s.power.Times(t.power)}
}

// stepsOf returns n steps, n >= 0.
func stepsOf(r wide.Number, n int64) steps {
	s, double := noSteps(r), oneStep(r)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			s = s.then(double)
		}
		double = double.then(double)
	}
	return s
}

// longest returns the largest number of steps that fits, below 2⁶³. It requires that nothing
// fits above a number that does not.
func longest(r wide.Number, fits func(steps) bool) steps {
	doubles := make([]steps, 0, 63) // doubles[i] is 2^i steps
	for d := oneStep(r); len(doubles) < 63 && fits(d); d = d.then(d) {
		doubles = append(doubles, d)
	}
	s := noSteps(r)
	for i := len(doubles) - 1; i >= 0; i-- {
		if next := s.then(doubles[i]); fits(next) {
			s = next
		}
	}
	return s
}

// err is more than the relative error of sum and power.
func (s steps) err() float64 { return float64((float64(s.n) + 8) * minErr) }

// sumTimes returns a·(1 + r + ... + rⁿ⁻¹) for an exact a.
func (s steps) sumTimes(a wide.Number) value {
	return value{a.Times(s.sum), s.err(), func() *big.Float {
		sum, _ := bigSteps(s.r, s.n)
		return sum.Mul(sum, bigOf(a))
	}}
}

// powerTimes returns a·rⁿ for an exact a.
func (s steps) powerTimes(a wide.Number) value {
	return value{a.Times(s.power), s.err(), func() *big.Float {
		_, power := bigSteps(s.r, s.n)
		return power.Mul(power, bigOf(a))
	}}
}

// bigSteps returns the sum and the power of n steps to bigBits.
func bigSteps(r wide.Number, n int64) (sum, power *big.Float) {
	number := func(x int64) *big.Float { return new(big.Float).SetPrec(bigBits).SetInt64(x) }
	sum, power = number(0), number(1)
	doubleSum, double := number(1), bigOf(r)
	next := number(0)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			sum.Add(sum, next.Mul(power, doubleSum))
			power.Mul(power, double)
		}
		doubleSum.Add(doubleSum, next.Mul(double, doubleSum))
		double.Mul(double, double)
	}
	return sum, power
}
