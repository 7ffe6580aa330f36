package plan

import (
	"fmt"
	"math/big"
	"time"

	"example.com/backoff"
	"example.com/backoff/internal/wide"
)

// ElapsedAtDelay returns the elapsed time at which delay follows, the inverse of DelayAt:
// (d − a)/(r − 1) to the nearest nanosecond. For {1 s, 2, NoLimit} it is 0 for 1 s, 1 s for
// 2 s, 3 s for 4 s and 1023 s for 1024 s. A time too large for a time.Duration is
// [backoff.NoLimit].
//
// The delay may lie between two delays of the schedule. If [Geometric.RetriesAtDelay] is a
// whole n, use Elapsed(n), because rounding counts: DelayAt(ElapsedAtDelay(d)) is d if
// r <= 2, but with a larger r half a nanosecond of the time changes the delay by more, and
// for an r near 1 half a nanosecond of the delay changes the time by ½/(r−1).
//
// It returns an [*Error] if delay is below g.Base, because no delay is; if it is not below
// g.Limit, because many delays are the limit; if g.Factor is 1, because all delays are Base;
// or if g is invalid.
func (g Geometric) ElapsedAtDelay(delay time.Duration) (time.Duration, error) {
	if err := g.checkDelay("ElapsedAtDelay", delay); err != nil {
		return 0, err
	}
	above, growth := wide.OfInt(delay-g.Base), g.growth()
	return value{above.Over(growth), 2 * minErr, func() *big.Float {
		f := bigOf(above)
		return f.Quo(f, bigOf(growth))
	}}.duration(), nil
}

// RetriesAtDelay returns after how many retries delay follows, as a real number, the inverse
// of DelayAfter: logᵣ(d/a). For {1 s, 2, NoLimit} it is 0 for 1 s, 1 for 2 s, 1.58 for 3 s
// and 10 for 1024 s.
//
// Its whole part is the largest n with DelayAfter(n) <= delay, and it is whole if the two
// are equal, as long as a float64 distinguishes n from n+1. The fraction is accurate to a
// few units in the last place.
//
// It returns an [*Error] in the same cases as [Geometric.ElapsedAtDelay].
func (g Geometric) RetriesAtDelay(delay time.Duration) (float64, error) {
	if err := g.checkDelay("RetriesAtDelay", delay); err != nil {
		return 0, err
	}
	base := wide.OfInt(g.Base)
	s := longest(wide.Of(g.Factor), func(s steps) bool { return s.powerTimes(base).roundsTo(delay) })
	last := s.powerTimes(base)
	if last.duration() == delay {
		return float64(s.n), nil
	}
	rest := wide.OfInt(delay).Minus(last.near)
	return realRetries(s.n, rest.Over(last.near).Log1p().Over(logOf(g.Factor))), nil
}

// checkDelay checks a delay that belongs to one elapsed time.
func (g Geometric) checkDelay(question string, delay time.Duration) error {
	if err := g.Validate(); err != nil {
		return err
	}
	if g.Factor == 1 {
		return impossible(question, "Factor", g.Factor, "> 1: with 1 all delays are Base")
	}
	return g.checkBetween(question, delay)
}

// checkBetween checks that a delay is in [Base, Limit).
func (g Geometric) checkBetween(question string, delay time.Duration) error {
	if err := g.checkBelowLimit(question, delay); err != nil {
		return err
	}
	if delay < g.Base {
		return impossible(question, "delay", delay, fmt.Sprintf(">= Base, %v", g.Base))
	}
	return nil
}

func (g Geometric) checkBelowLimit(question string, delay time.Duration) error {
	switch {
	case delay < g.Limit:
		return nil
	case g.Limit == backoff.NoLimit:
		return impossible(question, "delay", delay, "less than backoff.NoLimit, which stands for all that are longer")
	}
	return impossible(question, "delay", delay, fmt.Sprintf("< Limit, %v: from there on all delays are Limit", g.Limit))
}
