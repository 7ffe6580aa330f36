package plan

import (
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/internal/wide"
)

// BaseForRetries returns the base with which retry n comes at elapsed, for g's Factor and
// Limit: T·(r−1)/(rⁿ−1), T/n if r is 1, and more if the limit shortens delays. It ignores
// g.Base. The result is the largest whole number of nanoseconds with which retry n comes no
// later. If elapsed is n·Limit, it is Limit, because a larger base changes nothing.
//
// It returns an [*Error] if there is no such base: if n < 1; if elapsed is so short that a
// base of 1 ns is too long; if elapsed is above n·Limit; or if g.Factor or g.Limit is
// invalid.
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

// BaseForDelay returns the base with which delay follows retry n, for g's Factor: d/rⁿ to
// the nearest nanosecond, such as 1 s for a Factor of 2, n = 10 and 1024 s. It ignores
// g.Base. BaseForDelay(n, DelayAfter(n)) is the Base.
//
// It returns an [*Error] if there is no such base: if n < 0; if delay is so short that the
// base would be under 1 ns; if delay is not below g.Limit; or if g.Factor or g.Limit is
// invalid.
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

// shortDelay returns the error about a delay that is below the shortest one with a base.
func shortDelay(delay time.Duration, shortest value) error {
	const question, why = "BaseForDelay", "Base would be under 1ns"
	if shortest.cmp(valueOf(wide.OfInt(backoff.NoLimit))) > 0 {
		return impossible(question, "delay", delay, "more than a time.Duration holds, or fewer retries: "+why)
	}
	d := shortest.duration()
	if shortest.cmp(valueOf(wide.OfInt(d))) > 0 {
		d++
	}
	return impossible(question, "delay", delay, fmt.Sprintf(">= %v, or fewer retries: %s", d, why))
}

// BaseForDelayAt returns the base with which delay follows a retry at elapsed, for g's
// Factor: d − (r−1)·T, such as 1 s for a Factor of 2, 1023 s and 1024 s. It ignores g.Base.
// With this base DelayAt(elapsed) is exactly delay.
//
// It returns an [*Error] if elapsed < 0; if delay is not above (r−1)·T, because then no base
// is left; if delay is not below g.Limit; or if g.Factor or g.Limit is invalid.
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
