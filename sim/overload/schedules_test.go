package overload

import (
	"iter"
	"math"
	"time"

	"example.com/backoff"
)

// fixed is what the article advises against.
func fixed(uint64) iter.Seq[time.Duration] {
	return backoff.Constant(100 * time.Millisecond)
}

// article is what it advises: 100 ms, times e, up to 5 min.
func article(seed uint64) iter.Seq[time.Duration] {
	return backoff.NormalJitter(100*time.Millisecond, 5*time.Minute, math.E, 0.1, backoff.WithSeed(seed))
}
