package plan

import (
	"fmt"
	"time"
)

// MostRetries is how many retries [Plan.Until] looks at, at most.
const MostRetries = 100_000

// mostDelays bounds how many delays Until draws at a time: about a second, and half a
// gigabyte while they are sorted.
const mostDelays = 20_000_000

// Deepest returns how many retries [Plan.Until] looks at, at most: [MostRetries], or
// fewer if there are so many draws that these have 20 million. Then fewer draws look
// further.
func (p *Plan) Deepest() int { return deepest(p.Draws) }

func deepest(draws int) int { return min(MostRetries, mostDelays/draws) }

// Until returns a Plan of more retries of the same clients, four times as many at a
// time, until enough of it is true, no draw goes on, or there are as many as
// [Plan.Deepest] says. The retries that p has stay what they are. It is p itself if
// that is enough.
//
// A schedule that turns out to be random where p has not looked may be too long for
// all draws; then Until stops before that. So it does where a difference between a few
// draws of many would be lost, because of more retries fewer draws are compared.
func (p *Plan) Until(enough func(*Plan) bool) *Plan {
	for p.Open > 0 && len(p.Retries) < p.Deepest() && !enough(p) {
		n := min(max(4*len(p.Retries), 1), p.Deepest())
		l := p.settings.lead(n)
		switch {
		case l.random && n > deepest(p.settings.draws):
			return p // too long for all draws
		case p.Random() && !l.random:
			return p // more retries have fewer draws compared, which miss what p has seen
		}
		p = newPlan(n, p.settings, l)
	}
	return p
}

// UntilDeadline returns a Plan of so many retries that no more fit within deadline,
// as far as [Plan.Until] looks: Within(deadline).Open is 0.
//
// It panics if deadline < 0.
func (p *Plan) UntilDeadline(deadline time.Duration) *Plan {
	checkNonNegative("UntilDeadline", "deadline", deadline)
	return p.Until(func(p *Plan) bool { return p.Within(deadline).Open == 0 })
}

// UntilComplete returns a Plan in which no retry before that time is missing, as far
// as [Plan.Until] looks: Complete() is at least until. A [Load] wants that.
//
// It panics if until < 0.
func (p *Plan) UntilComplete(until time.Duration) *Plan {
	checkNonNegative("UntilComplete", "until", until)
	return p.Until(func(p *Plan) bool { return p.Complete() >= until })
}

// UntilCutOff returns a Plan of so many retries that a request of which every attempt
// fails with probability fail goes on after them with a probability of at most share,
// as far as [Plan.Until] looks: Cost(fail).CutOff is at most share.
//
// It panics if fail or share is not in [0, 1].
func (p *Plan) UntilCutOff(fail, share float64) *Plan {
	checkFail("UntilCutOff", fail)
	if !(share >= 0 && share <= 1) {
		reject("UntilCutOff", "share", fmt.Sprint(share), "a value in [0, 1]")
	}
	return p.Until(func(p *Plan) bool { return p.Cost(fail).CutOff <= share })
}

// LooksEndless reports whether every draw goes on after the retries of p, and the
// first of them after [MostRetries], so that nothing says that the schedule ends.
// [Amplification] of [Endless] is for such a one.
func (p *Plan) LooksEndless() bool {
	return p.End() == GoesOn && p.settings.rangeOver(0, MostRetries, func(time.Duration) {})
}
