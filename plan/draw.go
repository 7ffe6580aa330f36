package plan

import (
	"context"
	"runtime"
	"time"

	"example.com/backoff/internal/saturating"
	"example.com/backoff/internal/splitmix"
	"example.com/backoff/internal/workers"
)

// plus returns a + b for a, b >= 0, at most NoLimit.
func plus(a, b time.Duration) time.Duration { return saturating.Add(a, b) }

// seedOf returns the seed of draw i. The seeds of a Plan look unrelated, so that a
// schedule can compute more seeds from its own.
func seedOf(seed uint64, i int) uint64 { return splitmix.At(seed, uint64(i)) }

// parallel does the tasks 0, 1, ..., n−1 on all processors; see [workers.Do].
func parallel(n int, newWorker func() func(task int)) {
	// The background context is never cancelled, so there is no error.
	_ = workers.Do(context.Background(), runtime.GOMAXPROCS(0), n, func(context.Context) func(int) { return newWorker() })
}
