package plan

import "example.com/backoff/internal/wide"

// A steps is what n steps of a geometric sequence 1, r, r², ... amount to: the
// sum 1 + r + ... + rⁿ⁻¹ of the first n terms, and the power rⁿ, which is the
// term that follows.
//
// The textbook's (rⁿ−1)/(r−1) loses its digits as r comes near 1 and is 0/0
// there. The sum of n+k terms is the sum of n and rⁿ times the sum of k, so that
// doubling reaches any n in log₂(n) rounds, and as nothing is ever subtracted
// r = 1 is as good as any r. After n steps the relative error is about n·2⁻¹⁰⁴,
// 10⁻²² for a thousand million of them, and as long as the terms have 106 bits
// there is none.
type steps struct{ sum, power wide.Number }

// oneStep returns the sum 1 and the power r >= 0.
func oneStep(r float64) steps { return steps{wide.One, wide.Of(r)} }

// noSteps is the empty sum.
func noSteps() steps { return steps{power: wide.One} }

// then returns s followed by t, of the same r.
func (s steps) then(t steps) steps {
	return steps{s.sum.Plus(s.power.Times(t.sum)), s.power.Times(t.power)}
}

// stepsOf returns n steps, n >= 0.
func stepsOf(r float64, n int64) steps {
	s, double := noSteps(), oneStep(r)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			s = s.then(double)
		}
		double = double.then(double)
	}
	return s
}

// longest returns the largest n in [0, 2⁶³) for which fits holds of n steps, and
// those steps. Of more steps than do not fit, none may fit.
func longest(r float64, fits func(steps) bool) (n int64, s steps) {
	doubles := make([]steps, 0, 63) // doubles[i] is 2^i steps
	for d := oneStep(r); len(doubles) < 63 && fits(d); d = d.then(d) {
		doubles = append(doubles, d)
	}
	s = noSteps()
	for i := len(doubles) - 1; i >= 0; i-- {
		if next := s.then(doubles[i]); fits(next) {
			n, s = n+1<<i, next
		}
	}
	return n, s
}
