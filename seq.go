// Package backoff makes the delays to wait between the attempts of an
// operation.
//
// A schedule is a value: an [iter.Seq] of [time.Duration], endless or not. A
// schedule of n delays allows n retries, which are n+1 attempts.
//
// Delays count from 0, as formulas do; attempts and retries count from 1. Retry n
// is attempt n+1, so delay n is the wait before retry n+1: delay 0 comes before
// retry 1.
//
//	for d := range backoff.FullJitter(100*time.Millisecond, 10*time.Second) {
//		if err = call(); err == nil {
//			break
//		}
//		time.Sleep(d)
//	}
//
// # Schedules
//
// Some functions start a schedule. Without randomness: [Constant], [Linear],
// [Exponential], [Polynomial], [Fibonacci] and [Func]. With it: [Uniform],
// [FullJitter], [EqualJitter], [TopJitter], [DecorrelatedJitter],
// [SmoothJitter] and [NormalJitter].
//
// Others turn schedules into a schedule: [Take], [Drop] and [Within] shorten
// it, [Cap], [Floor], [Scale] and [Map] change each delay, [Jitter] and
// [Spread] make it random, [Concat], [Max] and [Min] join several.
//
//	delays := backoff.Exponential(100*time.Millisecond, 1.5)
//	delays = backoff.Cap(delays, 10*time.Second)
//	delays = backoff.Jitter(delays, 1)
//	delays = backoff.Take(delays, 8)
//
// [At], [Chan], [Ticks] and [Sleep] use one.
//
// # The contract
//
// Every schedule of this package is
//
//   - lazy: a delay is computed, and its random number drawn, only when it is
//     needed. Nothing is drawn after the loop breaks, and Take(seq, n) draws
//     exactly n;
//   - reusable: all state lives inside one range, and ranging again starts
//     again from delay 0. With [WithSeed] it gives the same delays again;
//   - concurrent: any number of goroutines may range over one value at once;
//   - total: a delay is never negative and never wraps. What is too large for a
//     [time.Duration] is [NoLimit], the largest there is;
//   - portable: the same arguments and the same seed give the same delays on
//     every GOARCH;
//   - timeless: it neither sleeps nor reads a clock. [Sleep] and [Ticks] do.
//
// What a combinator returns keeps of the contract what the schedule that it
// was given keeps. A negative delay in a schedule from elsewhere counts as 0
// wherever a delay is computed from it.
//
// Delays are whole nanoseconds, rounded once, to the nearest: between steps
// they are kept with more than the precision of a float64, so that 1 ms · 1.5ⁿ
// grows as it should.
//
// # Bad arguments
//
// A constructor panics at once, not when its schedule is ranged over, and says
// what it got and what it wants:
//
//	backoff: Exponential: factor is NaN, want a finite value >= 1
//
// No argument has a value that means "unset".
//
// # Cap, then jitter
//
// The order of combinators matters. Jitter that is drawn before the cap is
// cut off by it: most clients then wait for exactly the limit, together, which
// is what jitter is there to prevent. Jitter that only ever shortens a delay,
// as [Jitter] does, can follow the cap without breaking it. [FullJitter],
// [EqualJitter] and [TopJitter] are made in that order.
package backoff

import (
	"context"
	"iter"
	"math"
	"time"
)

// NoLimit is the largest delay, about 292 years: the limit of a schedule that
// is to have none, and the value of every delay that would exceed it.
const NoLimit time.Duration = math.MaxInt64

// At returns delay n of seq, counting from 0: the wait before retry n+1.
// The result ok is false if seq has no more than n delays.
//
// It ranges over seq from the start, so it takes time in proportion to n, and
// of a schedule that is random without a seed each call is another sample.
//
// It panics if n < 0.
func At(seq iter.Seq[time.Duration], n int) (delay time.Duration, ok bool) {
	checkCount("At", seq, n)
	i := 0
	for d := range seq {
		if i == n {
			return d, true
		}
		i++
	}
	return 0, false
}

// Chan returns a channel of the delays of seq, for a select statement. The
// channel is closed after the last delay and when ctx ends.
//
// It is lazy: the first delay is drawn at once, each other when the one before
// it was received. One goroutine serves the channel until it is closed, so a
// caller that stops receiving from an endless schedule must cancel ctx.
func Chan(ctx context.Context, seq iter.Seq[time.Duration]) <-chan time.Duration {
	checkSeq("Chan", seq)
	delays := make(chan time.Duration)
	go func() {
		defer close(delays)
		if ctx.Err() != nil {
			return
		}
		for d := range seq {
			select {
			case delays <- d:
			case <-ctx.Done():
				return
			}
		}
	}()
	return delays
}

// Ticks returns a channel that gives the time after each delay of seq: the
// first tick comes one delay after the call, each other one delay after the
// tick before it was received. No tick is dropped, and none waits in a buffer.
// The channel is closed after the last tick and when ctx ends.
//
// One goroutine serves the channel until it is closed, so a caller that stops
// receiving from an endless schedule must cancel ctx.
func Ticks(ctx context.Context, seq iter.Seq[time.Duration]) <-chan time.Time {
	checkSeq("Ticks", seq)
	ticks := make(chan time.Time)
	go func() {
		defer close(ticks)
		if ctx.Err() != nil {
			return
		}
		for d := range seq {
			if Sleep(ctx, d) != nil {
				return
			}
			select {
			case ticks <- time.Now():
			case <-ctx.Done():
				return
			}
		}
	}()
	return ticks
}

// Sleep waits for d, or until ctx ends: then it returns the cause of that end,
// see [context.Cause]. It returns the cause at once if ctx had ended before.
// A d of 0 or less waits for nothing.
func Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
