package plan

import (
	"fmt"
	"time"

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
