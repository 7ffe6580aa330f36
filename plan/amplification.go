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
	checkFail("Amplification", fail)
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

func checkFail(question string, fail float64) {
	if !(fail >= 0 && fail <= 1) {
		reject(question, "fail", fail, "a value in [0, 1]")
	}
}

// Amplification returns the function of that name for the lengths of the schedule
// that were drawn, on average. A draw that goes on after the n-th retry counts as
// one that ends there; [Plan.Cost] says how much that leaves out.
//
// It panics if fail is not in [0, 1].
func (p *Plan) Amplification(fail float64) (attempts, success float64) {
	checkFail("Amplification", fail)
	c := p.Cost(fail)
	return c.Attempts, c.Success
}

// A Cost is what a request costs. A request that is cut off, because it may go on
// after the retries that were looked at, counts as one that ends there, so that
// Attempts and Success are lower bounds; without it they are exact but for the draws.
type Cost struct {
	Attempts     float64 // how many a request makes on average, at least
	MostAttempts float64 // and at most: Attempts + CutOff/(1−p), +Inf if all that go on fail
	Success      float64 // the probability that one of them succeeds, at least
	MostSuccess  float64 // and at most: Success + CutOff; Success if all attempts fail
	CutOff       float64 // the probability that a request is cut off; 0: nothing is left out
}

// Cost returns what a request costs if every attempt fails with probability fail,
// independently, on average over the lengths of the schedule that were drawn.
// [Plan.UntilCutOff] looks further where too much is cut off.
//
// It panics if fail is not in [0, 1].
func (p *Plan) Cost(fail float64) Cost {
	checkFail("Cost", fail)
	ends := make([]int, len(p.Retries)+1) // ends[n]: the draws of n retries
	goOn := make([]int, len(p.Retries)+1) // those of them that go on
	for _, d := range p.draws {
		ends[len(d.elapsed)]++
		if d.more {
			goOn[len(d.elapsed)]++
		}
	}
	var c Cost
	for n, count := range ends {
		if count == 0 {
			continue
		}
		attempts, success := Amplification(fail, n)
		c.Attempts += float64(float64(count) * attempts)
		c.Success += float64(float64(count) * success)
		if goOn[n] > 0 {
			c.CutOff += float64(float64(goOn[n]) * stepsOf(wide.Of(fail), int64(n)+1).power.Hi)
		}
	}
	draws := float64(p.Draws)
	c.Attempts, c.Success, c.CutOff = c.Attempts/draws, c.Success/draws, c.CutOff/draws
	c.MostAttempts, c.MostSuccess = c.Attempts, c.Success
	if c.CutOff > 0 {
		c.MostAttempts += float64(c.CutOff / (1 - fail)) // 1/0 is +Inf
		if fail < 1 {
			c.MostSuccess = min(1, c.Success+c.CutOff)
		}
	}
	return c
}
