package plan

import (
	"fmt"
	"time"
)

// MostRetries is the largest number of retries that [Plan.Until] draws.
const MostRetries = 100_000

// mostDelays bounds how many delays Until draws at a time, which takes about a second, and
// half a gigabyte while they are sorted.
const mostDelays = 20_000_000

// Deepest returns the largest number of retries that [Plan.Until] draws for p: at most
// [MostRetries], and at most 20 million delays in all draws. Fewer draws go deeper.
func (p *Plan) Deepest() int { return deepest(p.Draws) }

func deepest(draws int) int { return min(MostRetries, mostDelays/draws) }

// Until returns a Plan with more retries of the same clients, for which enough is true. Use
// it when the n of [Of] was too small for a question; [Plan.UntilDeadline],
// [Plan.UntilComplete] and [Plan.UntilCutOff] are Until for common questions. It
// returns p itself if that is enough, and does not change the retries that p has.
//
// Until draws four times as many retries at a time. It stops before enough is true if all
// draws have ended, or at [Plan.Deepest]. It also stops before retries that it could not
// draw well: before a schedule turns out to be random so late that all draws would be too
// many, and before a difference between a few draws would be lost, because of longer draws
// fewer are compared.
func (p *Plan) Until(enough func(*Plan) bool) *Plan {
	for p.Open > 0 && len(p.Retries) < p.Deepest() && !enough(p) {
		n := min(max(4*len(p.Retries), 1), p.Deepest())
		l := p.settings.lead(n)
		switch {
		case l.random && n > deepest(p.settings.draws):
			return p // too long for all draws
		case p.Random() && !l.random:
			return p // of longer draws fewer are compared, and these miss a difference that p has
		}
		p = newPlan(n, p.settings, l)
	}
	return p
}

// UntilDeadline returns a Plan with all retries that fit within deadline, as far as
// [Plan.Until] goes: Within(deadline).Open is 0.
//
// It panics if deadline < 0.
func (p *Plan) UntilDeadline(deadline time.Duration) *Plan {
	checkNonNegative("UntilDeadline", "deadline", deadline)
	return p.Until(func(p *Plan) bool { return p.Within(deadline).Open == 0 })
}

// UntilComplete returns a Plan in which no retry before until is missing, as far as
// [Plan.Until] goes: Complete() is at least until. Use it before [Plan.Load], [Plan.Peak]
// and [Plan.Arrivals].
//
// It panics if until < 0.
func (p *Plan) UntilComplete(until time.Duration) *Plan {
	checkNonNegative("UntilComplete", "until", until)
	return p.Until(func(p *Plan) bool { return p.Complete() >= until })
}

// UntilCutOff returns a Plan with all retries that matter for the cost of a request: if
// every attempt fails with probability fail, a request needs more retries with a
// probability of at most share, as far as [Plan.Until] goes. Cost(fail).CutOff is at most
// share.
//
// It panics if fail or share is not in [0, 1].
func (p *Plan) UntilCutOff(fail, share float64) *Plan {
	checkFail("UntilCutOff", fail)
	if !(share >= 0 && share <= 1) {
		reject("UntilCutOff", "share", fmt.Sprint(share), "a value in [0, 1]")
	}
	return p.Until(func(p *Plan) bool { return p.Cost(fail).CutOff <= share })
}

// LooksEndless reports whether every draw goes on after the retries of p, and the first
// draw even after [MostRetries], so that the schedule seems to have no end. Use
// [Amplification] with [Endless] then.
func (p *Plan) LooksEndless() bool {
	return p.End() == GoesOn && p.settings.rangeOver(0, MostRetries, func(time.Duration) {})
}
