package plan

import (
	"fmt"
	"math/big"
	"time"

	"example.com/backoff"
	"example.com/backoff/internal/wide"
)

// ElapsedAtDelay returns how much time has gone by when the delay that follows is
// delay, the inverse of DelayAt: (d − a)/(r − 1) to the nearest nanosecond. Of
// {1 s, 2, NoLimit} it is 0 for 1 s, 1 s for 2 s, 3 s for 4 s and 1023 s for 1024 s. A
// time too large for a time.Duration is [backoff.NoLimit].
//
// The delay need not be one that the schedule has. DelayAt(ElapsedAtDelay(d)) is d
// if r <= 2; for a larger r half a nanosecond of the time changes the delay by more.
// For an r near 1 it is the other way round: half a nanosecond of the delay changes the
// time by ½/(r−1). If [Geometric.RetriesAtDelay] is a whole n, Elapsed(n) is the time
// that the schedule has.
//
// It returns an [*Error] if delay is below g.Base, which no delay is; if it is not
// below g.Limit, which all delays are from there on; if g.Factor is 1, with which all
// delays are Base; and if g is invalid.
func (g Geometric) ElapsedAtDelay(delay time.Duration) (time.Duration, error) {
	if err := g.checkDelay("ElapsedAtDelay", delay); err != nil {
		return 0, err
	}
	above, growth := wide.OfInt(delay-g.Base), g.growth()
	return value{above.Over(growth), 2 * leastErr, func() *big.Float {
		f := bigOf(above)
		return f.Quo(f, bigOf(growth))
	}}.duration(), nil
}

// RetriesAtDelay returns how many retries have come when the delay that follows is
// delay, as a real number, the inverse of DelayAfter: logᵣ(d/a). Of {1 s, 2, NoLimit}
// it is 0 for 1 s, 1 for 2 s, 1.58 for 3 s and 10 for 1024 s.
//
// Its whole part is the largest n with DelayAfter(n) <= delay, and it is whole where
// the two are equal, as long as float64 can tell n from n+1. Its fraction is right to
// a few units in the last place.
//
// It returns an [*Error] where [Geometric.ElapsedAtDelay] does.
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

// checkDelay checks a delay that tells when it is.
func (g Geometric) checkDelay(question string, delay time.Duration) error {
	if err := g.Validate(); err != nil {
		return err
	}
	if g.Factor == 1 {
		return impossible(question, "Factor", g.Factor, "> 1: else all delays are Base, and delay does not tell when it is")
	}
	return g.checkBetween(question, delay)
}

// checkBetween checks a delay that is to be reached from Base under Limit.
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
