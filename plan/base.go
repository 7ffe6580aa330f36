package plan

import (
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/internal/wide"
)

// BaseForRetries returns the base with which retry n of a schedule with g's
// Factor and Limit comes at elapsed: T·(r−1)/(rⁿ−1), T/n where r is 1, and more
// where the limit holds the delays back. It does not look at g.Base. It is the
// largest whole number of nanoseconds with which retry n comes no later; where
// elapsed is n·Limit it is Limit, the smallest that does, for larger ones change
// nothing.
//
// It returns an [*Error] where there is no such base: if n < 1; if elapsed is so
// short that a base of 1 ns is too long; if elapsed is above n·Limit; and if
// g.Factor or g.Limit is invalid.
func (g Geometric) BaseForRetries(n int, elapsed time.Duration) (time.Duration, error) {
	const question = "BaseForRetries"
	g.Base = 1
	if err := g.Validate(); err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, impossible(question, "n", n, ">= 1")
	}
	want := valueOf(wide.OfInt(max(elapsed, 0)))
	fits := func(base uint64) bool {
		g.Base = time.Duration(base)
		return g.elapsed(int64(n)).cmp(want) <= 0
	}
	if !fits(1) {
		return 0, tooShort(question, elapsed, g.elapsed(int64(n)),
			fmt.Sprintf("%d retries with a Factor of %v take that much with a base of 1ns", n, g.Factor))
	}
	if fits(uint64(g.Limit)) {
		if end := g.elapsed(int64(n)); end.cmp(want) < 0 {
			return 0, tooLong(question, elapsed, end,
				fmt.Sprintf("%d retries under a Limit of %v take no more", n, g.Limit))
		}
		return g.Limit, nil
	}
	return time.Duration(largest(1, uint64(g.Limit), fits)), nil
}

// BaseForDelay returns the base with which the delay that follows retry n of a
// schedule with g's Factor is delay: d/rⁿ to the nearest nanosecond, 1 s for a Factor
// of 2, n = 10 and 1024 s. It does not look at g.Base. Of a delay that the schedule
// has, DelayAfter(n), it is the Base.
//
// It returns an [*Error] where there is no such base: if n < 0; if delay is so short
// that the base would be under 1 ns; if delay is not below g.Limit; and if g.Factor or
// g.Limit is invalid.
func (g Geometric) BaseForDelay(n int, delay time.Duration) (time.Duration, error) {
	const question = "BaseForDelay"
	g.Base = 1
	if err := g.Validate(); err != nil {
		return 0, err
	}
	if n < 0 {
		return 0, impossible(question, "n", n, ">= 0")
	}
	if err := g.checkBelowLimit(question, delay); err != nil {
		return 0, err
	}
	s, want := stepsOf(wide.Of(g.Factor), int64(n)), valueOf(wide.OfInt(max(delay, 0)))
	half := wide.Number{Hi: 0.5}
	fits := func(base uint64) bool {
		return s.powerTimes(wide.OfInt(int64(base)).Minus(half)).cmp(want) <= 0
	}
	if !fits(1) {
		return 0, shortDelay(delay, s.powerTimes(half))
	}
	return time.Duration(largest(1, uint64(delay)+1, fits)), nil
}

// shortDelay is about a delay below the one from which on there is a base.
func shortDelay(delay time.Duration, least value) error {
	const question, why = "BaseForDelay", "Base would be under 1ns"
	if least.cmp(valueOf(wide.OfInt(backoff.NoLimit))) > 0 {
		return impossible(question, "delay", delay, "more than a time.Duration holds, or less retries: "+why)
	}
	d := least.duration()
	if least.cmp(valueOf(wide.OfInt(d))) > 0 {
		d++
	}
	return impossible(question, "delay", delay, fmt.Sprintf(">= %v, or less retries: %s", d, why))
}

// BaseForDelayAt returns the base with which the delay of a schedule with g's Factor
// that follows when elapsed has gone by is delay: d − (r−1)·T, 1 s for a Factor of 2,
// 1023 s and 1024 s. It does not look at g.Base. With it DelayAt(elapsed) is delay
// exactly.
//
// It returns an [*Error] if elapsed < 0; if delay is not above (r−1)·T, because then no
// base is left; if it is not below g.Limit; and if g.Factor or g.Limit is invalid.
func (g Geometric) BaseForDelayAt(elapsed, delay time.Duration) (time.Duration, error) {
	const question = "BaseForDelayAt"
	g.Base = 1
	if err := g.Validate(); err != nil {
		return 0, err
	}
	if elapsed < 0 {
		return 0, impossible(question, "elapsed", elapsed, ">= 0")
	}
	if err := g.checkBelowLimit(question, delay); err != nil {
		return 0, err
	}
	growth := product(g.growth(), wide.OfInt(elapsed)).duration()
	if delay <= growth {
		return 0, impossible(question, "delay", delay, fmt.Sprintf("> (Factor − 1)·elapsed, %v: no base is left", growth))
	}
	return delay - growth, nil
}
