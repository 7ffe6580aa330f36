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

// An Attempt counts an attempt, and the end of its call.
//
// The delay before an attempt is counted when the attempt begins. A delay that the context
// cuts short has no attempt after it: it is counted, as long as it lasted, when the call
// ends. So the delays of a call and the times of its attempts add up to its elapsed time,
// apart from the lateness of timers.
type Attempt struct {
	ctx     context.Context
	meter   Meter
	retries int
	ended   bool
	elapsed time.Duration // when the attempt ended
}

// Begin returns an Attempt that begins.
func Begin(ctx context.Context, m Meter, a retry.Attempt) Attempt {
	if a.Number > 1 {
		m.Delay(ctx, a.Delay)
	}
	return Attempt{ctx: ctx, meter: m, retries: a.Number - 1}
}

// Outcome counts an outcome. Call it with every one, as [retry.Observe] does.
func (a *Attempt) Outcome(o retry.Outcome) {
	if a.ended {
		a.meter.Delay(a.ctx, o.Elapsed-a.elapsed)
	} else {
		a.ended, a.elapsed = true, o.Elapsed
		a.meter.Attempt(a.ctx, o.Result())
	}
	if !o.Retry {
		a.meter.Call(a.ctx, o.Result(), a.retries)
	}
}
