// Package tally decides what the metrics of retries count, so that every kind of metrics
// counts the same.
package tally

import (
	"context"
	"time"

	"example.com/backoff/retry"
)

// A Meter counts. Its methods are called by any number of goroutines at once.
type Meter interface {
	Attempt(ctx context.Context, result string)           // an attempt ended
	Call(ctx context.Context, result string, retries int) // a call ended
	Delay(ctx context.Context, d time.Duration)           // a delay passed
}

// Begin counts an attempt that begins, and returns the function to call with its outcome.
//
// The delay before an attempt is counted when the attempt begins. A delay that the context
// cuts short has no attempt after it: it is counted, as long as it lasted, when the call
// ends. So the delays of a call and the times of its attempts add up to its elapsed time.
func Begin(ctx context.Context, m Meter, a retry.Attempt) func(retry.Outcome) {
	if a.Number > 1 {
		m.Delay(ctx, a.Delay)
	}
	ended := false
	var elapsed time.Duration // when the attempt ended
	return func(o retry.Outcome) {
		if ended {
			m.Delay(ctx, o.Elapsed-elapsed)
		} else {
			ended, elapsed = true, o.Elapsed
			m.Attempt(ctx, o.Result())
		}
		if !o.Retry {
			m.Call(ctx, o.Result(), a.Number-1)
		}
	}
}
