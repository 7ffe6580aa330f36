package contention

import (
	"iter"
	"math/rand/v2"
	"time"

	"example.com/backoff"
)

type schedule func(seed uint64) iter.Seq[time.Duration]

const (
	base  = 10 * time.Millisecond // the program's attempt counter is 1 at the first backoff: 2·5 ms
	limit = 2 * time.Second
)

// These are the five schedules of the published program.
var (
	exponential schedule = func(uint64) iter.Seq[time.Duration] {
		return backoff.Cap(backoff.Exponential(base, 2), limit)
	}
	equal schedule = func(seed uint64) iter.Seq[time.Duration] {
		return backoff.EqualJitter(base, limit, backoff.WithSeed(seed))
	}
	full schedule = func(seed uint64) iter.Seq[time.Duration] {
		return backoff.FullJitter(base, limit, backoff.WithSeed(seed))
	}
	decorrelated schedule = func(seed uint64) iter.Seq[time.Duration] {
		return backoff.DecorrelatedJitter(5*time.Millisecond, limit, backoff.WithSeed(seed))
	}
	none schedule = func(uint64) iter.Seq[time.Duration] {
		return backoff.Constant(0)
	}
)

// clamped is the published decorrelated jitter. It clamps its draws to the limit, while
// DecorrelatedJitter draws below the limit.
func clamped(seed uint64) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		const lo = 5 * time.Millisecond
		r := rand.New(rand.NewPCG(seed, 0))
		d := lo
		for {
			d = min(limit, lo+time.Duration(r.Int64N(int64(3*d-lo)+1)))
			if !yield(d) {
				return
			}
		}
	}
}

// fiveRetries gives up after five retries.
func fiveRetries(seed uint64) iter.Seq[time.Duration] {
	return backoff.Take(full(seed), 5)
}

var schedules = []struct {
	name  string
	delay schedule
}{
	{"exponential", exponential},
	{"equal-jitter", equal},
	{"full-jitter", full},
	{"decorrelated-jitter", decorrelated},
	{"published decorrelated", clamped},
	{"none", none},
	{"ending", fiveRetries},
}
