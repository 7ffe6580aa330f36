package plan

import (
	"math"

	"example.com/backoff/internal/wide"
)

// Endless is the number of retries of a schedule that does not end.
const Endless = math.MaxInt

// Amplification returns how many attempts a request makes on average, and with
// which probability one of them succeeds, if every attempt fails with probability
// fail, independently, and at most n retries follow the first attempt:
//
//	attempts = 1 + p + p² + ... + pⁿ = (1 − pⁿ⁺¹)/(1 − p)
//	success  = 1 − pⁿ⁺¹
//
// For fail = 0.5 and n = 3 these are 1.875 and 0.9375. The factor by which retries
// multiply the load is greatest when everything fails, n+1.
//
// Special cases are:
//
//	Amplification(p, Endless) = 1/(1−p), 1 for p < 1
//	Amplification(1, Endless) = +Inf, 0
//	Amplification(1, n)       = n+1, 0
//	Amplification(0, n)       = 1, 1
//
// It panics if fail is not in [0, 1] or n < 0.
func Amplification(fail float64, n int) (attempts, success float64) {
	checkFail(fail)
	checkNonNegative("Amplification", "n", n)
	switch {
	case n < Endless:
		s := stepsOf(wide.Of(fail), int64(n)+1)
		// (1−p)·sum is 1 − pⁿ⁺¹ without what that loses where p is near 1.
		return s.sum.Hi, wide.One.Minus(wide.Of(fail)).Times(s.sum).Hi
	case fail < 1:
		return 1 / (1 - fail), 1
	}
	return math.Inf(1), 0
}

func checkFail(fail float64) {
	if !(fail >= 0 && fail <= 1) {
		reject("Amplification", "fail", fail, "a value in [0, 1]")
	}
}

// Amplification returns the function of that name for the lengths of the schedule
// that were drawn, on average. A draw that goes on after the n-th retry counts as
// one that ends there; [Plan.Open] is their share.
//
// It panics if fail is not in [0, 1].
func (p *Plan) Amplification(fail float64) (attempts, success float64) {
	checkFail(fail)
	counts := make([]int, len(p.Retries)+1)
	for _, d := range p.draws {
		counts[len(d.elapsed)]++
	}
	for n, count := range counts {
		if count > 0 {
			a, s := Amplification(fail, n)
			attempts += float64(float64(count) * a)
			success += float64(float64(count) * s)
		}
	}
	return attempts / float64(p.Draws), success / float64(p.Draws)
}
