package plan

import (
	"math"

	"example.com/backoff/internal/wide"
)

// Endless is the number of retries of a schedule that does not end.
const Endless = math.MaxInt

// Amplification returns how many attempts a request makes on average, and the probability
// that one of them succeeds, if every attempt fails with probability fail, independently,
// and at most n retries follow the first attempt:
//
//	attempts = 1 + p + p² + ... + pⁿ = (1 − pⁿ⁺¹)/(1 − p)
//	success  = 1 − pⁿ⁺¹
//
// For fail = 0.5 and n = 3 these are 1.875 and 0.9375. In an outage, when every attempt
// fails, retries multiply the load by n+1, which is the maximum.
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
		// (1−p)·sum is 1 − pⁿ⁺¹ without the digits that are lost if p is near 1.
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

// Amplification returns the result of the function of that name, averaged over the lengths
// of the draws. A draw that goes on after the n-th retry counts as if it ended there;
// [Plan.Cost] tells how much that leaves out.
//
// It panics if fail is not in [0, 1].
func (p *Plan) Amplification(fail float64) (attempts, success float64) {
	checkFail("Amplification", fail)
	c := p.Cost(fail)
	return c.Attempts, c.Success
}

// A Cost is how many attempts a request makes, and how often it succeeds. A request that may
// go on after the retries of the [Plan] is cut off: it counts as if it ended there, so
// Attempts and Success are lower bounds. If no request is cut off, they are exact for these
// draws.
type Cost struct {
	Attempts     float64 // the mean number of attempts, at least
	MostAttempts float64 // and at most: Attempts + CutOff/(1−p), +Inf if p is 1 and CutOff is not 0
	Success      float64 // the probability that an attempt succeeds, at least
	MostSuccess  float64 // and at most: Success + CutOff; Success if p is 1
	CutOff       float64 // the probability that a request is cut off
}

// Cost returns what a request costs if every attempt fails with probability fail,
// independently, averaged over the lengths of the draws. If too much is cut off,
// [Plan.UntilCutOff] draws more retries.
//
// It panics if fail is not in [0, 1].
func (p *Plan) Cost(fail float64) Cost {
	checkFail("Cost", fail)
	ends := make([]int, len(p.Retries)+1) // ends[n]: the draws with n retries
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
