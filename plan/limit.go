package plan

import (
	"fmt"
	"time"

	"example.com/backoff"
)

// LimitForRetries returns the limit with which retry n comes at elapsed, for g's Base and
// Factor: (T − a·(rᵐ−1)/(r−1))/(n − m), where m is how many delays are below the limit. It
// ignores g.Limit. The result is the smallest whole number of nanoseconds with which
// Elapsed(n) is at least elapsed, such as 5 s for {1 s, 2}, n = 5 and 17 s, which is
// 1 + 2 + 4 + 5 + 5.
//
// It returns an [*Error] if there is no such limit: if n < 1; if elapsed is longer than n
// retries take without a limit; if elapsed is below n·Base, because a limit below Base would
// change Base; or if g.Base or g.Factor is invalid.
func (g Geometric) LimitForRetries(n int, elapsed time.Duration) (time.Duration, error) {
	const question = "LimitForRetries"
	g.Limit = backoff.NoLimit
	if err := g.Validate(); err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, impossible(question, "n", n, ">= 1")
	}
	// fits reports whether retry n comes no sooner.
	fits := func(limit uint64) bool {
		g.Limit = time.Duration(limit)
		return elapsed <= 0 || !g.elapsed(int64(n)).roundsTo(elapsed-1)
	}
	if !fits(uint64(backoff.NoLimit)) {
		return 0, tooLong(question, elapsed, g.elapsed(int64(n)), fmt.Sprintf("without a limit %d retries take no more", n))
	}
	if base := uint64(g.Base); !fits(base) {
		short := func(limit uint64) bool { return !fits(limit) }
		return time.Duration(largest(base, uint64(backoff.NoLimit), short) + 1), nil
	}
	if shortest := g.elapsed(int64(n)); shortest.duration() > elapsed {
		return 0, tooShort(question, elapsed, shortest, fmt.Sprintf("%d retries with a Limit of Base take that much", n))
	}
	return g.Base, nil
}
