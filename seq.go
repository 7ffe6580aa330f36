// Package backoff makes schedules: the delays to wait between the attempts of an
// operation that may fail, for retrying, reconnecting and polling.
//
// A schedule is a value, an [iter.Seq] of [time.Duration], endless or not. A
// schedule of n delays allows n retries, which are n+1 attempts.
//
// # Retrying
//
// Most callers should use [example.com/backoff/retry]. Its Do stops when ctx is
// done, gives up at once if the next delay would reach the deadline, and returns an
// error that says how many attempts there were and why they stopped:
//
//	err := retry.Do(ctx, delays, send)
//
// For HTTP requests use [example.com/backoff/retry/retryhttp], and for database
// transactions [example.com/backoff/retry/retrysql].
//
// Use [Attempts] for a loop of your own. It waits between attempts, never after the
// last one:
//
//	var err error
//	for range backoff.Attempts(ctx, delays) {
//		if err = send(ctx); err == nil {
//			break
//		}
//	}
//
// To write the loop by hand, make the first attempt before it, because n delays are
// n+1 attempts:
//
//	err := send(ctx)
//	for d := range delays {
//		if err == nil || backoff.Sleep(ctx, d) != nil {
//			break
//		}
//		err = send(ctx)
//	}
//
// A loop that attempts and then sleeps in its body is wrong: it makes n attempts
// instead of n+1, and sleeps in vain after the last.
//
// To wait for another channel as well, such as a stop channel, use a select statement
// with a timer:
//
//	err := send(ctx)
//	for d := range delays {
//		if err == nil {
//			break
//		}
//		select {
//		case <-time.After(d):
//			err = send(ctx)
//		case <-stop:
//			return errors.Join(errStopped, err)
//		case <-ctx.Done():
//			return errors.Join(context.Cause(ctx), err)
//		}
//	}
//
// See [Chan] for an event loop that serves other channels meanwhile.
//
// An endless schedule retries until an attempt succeeds or ctx is done. Limit it by
// [Take] or [Within], or give ctx a deadline.
//
// # Which schedule
//
// Use [FullJitter] by default: it spreads clients the most, so those that fail
// together do not come back together.
//
//	delays := backoff.FullJitter(100*time.Millisecond, 10*time.Second)
//	delays = backoff.Take(delays, 5) // 5 retries, so at most 6 attempts
//
// Choose as base about the time in which the fault may be over, and as limit how late a
// client may notice that the server is back. Use another schedule in these cases:
//
//   - A delay near 0 would be wasted, because an outage lasts for seconds or longer:
//     [EqualJitter], which waits for at least half of the exponential delay. A fleet
//     of clients that reconnects needs a long base, such as 30 s.
//   - Transactions conflict in a database: [DecorrelatedJitter], which tried the
//     fewest transactions on three databases. Its base must not be below the time
//     that the database takes to notice the conflict.
//   - Many clients retry for a long time, and the server should see a steady rate:
//     [SmoothJitter].
//   - You poll until something is ready: Cap(Exponential(base, 1.1), limit). You
//     notice late by at most base and a tenth of the elapsed time. For many clients
//     add [Spread].
//   - There is only one client, such as a script on your own machine:
//     Cap(Exponential(base, 2), limit). It needs no jitter.
//   - The delays grow by a factor other than 2: [Exponential], [Cap], [Jitter] and
//     [Take], in this order.
//
// docs/choosing.md has the reasons, and the measurements behind them.
//
// # Schedules
//
// Generators make a schedule from numbers. [Constant], [Linear], [Exponential],
// [Polynomial], [Fibonacci] and [Func] are not random. [Uniform], [FullJitter],
// [EqualJitter], [TopJitter], [DecorrelatedJitter], [SmoothJitter] and
// [NormalJitter] are. [slices.Values] makes a schedule of a slice of delays.
//
// Combinators make a schedule from other schedules. [Take], [Drop] and [Within]
// shorten it. [Cap], [Floor], [Scale] and [Map] change each delay. [Jitter] and
// [Spread] make it random. [Concat], [Max], [Min] and [Add] join several.
//
//	delays := backoff.Exponential(100*time.Millisecond, 1.5)
//	delays = backoff.Cap(delays, 10*time.Second)
//	delays = backoff.Jitter(delays, 1)
//	delays = backoff.Take(delays, 8)
//
// [Attempts] and [Sleep] wait. [Chan] and [Ticks] serve a select statement. [At]
// returns one delay. Package [example.com/backoff/expr] reads schedules from text,
// for configuration.
//
// # Words
//
// Delays count from 0, as in formulas. Attempts and retries count from 1, as people
// count: delay 0 is the wait before retry 1, which is attempt 2.
//
// Other libraries call the same things by other names:
//
//	initial delay, initial interval     base
//	multiplier                          factor
//	max delay, max interval             limit, of Cap or of a generator with jitter
//	min delay                           limit of Floor
//	max retries n                       Take(seq, n)
//	max attempts n                      Take(seq, n-1), or retry.MaxAttempts(n)
//	max duration                        Within, which counts delays alone
//	max elapsed time                    a context's deadline, or retry.MaxElapsed
//	± jitter, randomization factor      fraction of Spread
//	subtractive jitter                  fraction of Jitter
//	additive jitter                     Add of Uniform
//
// Clients that fail together and wait for the same delay come back together: a
// thundering herd, or synchronized clients. Jitter prevents that by making delays
// random.
//
// # The contract
//
// Every schedule of this package is
//
//   - lazy: it computes a delay, and draws its random number, only when the loop
//     needs it. It draws nothing after the loop breaks, and Take(seq, n) draws
//     exactly n;
//   - reusable: all state lives inside one range, and ranging again starts
//     again from delay 0. With [WithSeed] it gives the same delays again;
//   - concurrent: any number of goroutines may range over one value at once;
//   - total: a delay is never negative and never wraps. A delay that is too large
//     for a [time.Duration] is [NoLimit], the largest there is;
//   - portable: the same arguments and the same seed give the same delays on
//     every GOARCH;
//   - timeless: it neither sleeps nor reads a clock. [Attempts], [Sleep] and [Ticks]
//     do.
//
// A combinator preserves these guarantees: given lazy schedules it returns a lazy one,
// and so on for each of them.
//
// Only a schedule from elsewhere can have a negative delay. Combinators that compute
// with delays treat it as 0; [Take], [Drop], [Within], [Concat], [Max] and [Min] pass it
// on.
//
// Delays are whole nanoseconds. Each is rounded once, to the nearest: between steps
// a delay is kept with more than the precision of a float64, so 1 ms · 1.5ⁿ grows as
// it should.
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
// The order of combinators matters. A cap cuts off jitter that was drawn before it:
// most clients then wait for exactly the limit, together, which is what jitter
// should prevent. [Jitter] only shortens delays, so it can follow the cap without
// exceeding the limit. [FullJitter], [EqualJitter] and [TopJitter] use this order.
//
// # What stays the same
//
// Before v1.0.0 a minor version may change the API; CHANGELOG.md lists each change.
//
// The delays under a seed are the same on every GOARCH and with every version of
// Go: [WithSeed] uses a [rand.PCG], and no formula depends on the processor or the
// compiler. Another version of this package changes them only if CHANGELOG.md says
// so. Delays without a seed differ at every range.
//
// The package needs Go 1.26 and nothing but the standard library.
//
// [rand.PCG]: https://pkg.go.dev/math/rand/v2#PCG
package backoff

import (
	"context"
	"iter"
	"math"
	"time"
)

// NoLimit is the largest delay, about 292 years. Use it as the limit of a schedule
// without one. A delay that would be larger is NoLimit.
const NoLimit time.Duration = math.MaxInt64

// At returns delay n of seq, counting from 0: the wait before retry n+1. The result
// ok is false if seq has n delays or fewer.
//
// Use At for one delay by its number; package [example.com/backoff/adapt] has functions
// for the engines that ask for it. It ranges over seq from the start, so it takes time in
// proportion to n. If seq is random and has no seed, each call returns another sample.
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

// Chan returns a channel of the delays of seq. The channel is closed after the last
// delay and when ctx is done.
//
// Use Chan for an event loop that retries and serves other channels meanwhile. Each
// delay sets a timer when an attempt is over:
//
//	delays := backoff.Chan(ctx, seq)
//	timer := time.NewTimer(0) // attempt 1 at once
//	defer timer.Stop()
//	var err error
//	for {
//		select {
//		case <-timer.C:
//			if err = send(ctx); err == nil {
//				return nil
//			}
//			d, ok := <-delays
//			if !ok {
//				return err // the schedule has ended, or ctx is done
//			}
//			timer.Reset(d)
//		case m := <-messages:
//			handle(m)
//		case <-ctx.Done():
//			return errors.Join(context.Cause(ctx), err)
//		}
//	}
//
// A loop that does nothing but retry needs no Chan: its select statement can stand in
// the body of a range over seq, as in the package comment.
//
// It is lazy: it draws the first delay at once, and each other delay when the one
// before it was received. One goroutine serves the channel until it is closed, so a
// caller that stops receiving from an endless schedule must cancel ctx.
//
// It panics if ctx or seq is nil.
func Chan(ctx context.Context, seq iter.Seq[time.Duration]) <-chan time.Duration {
	checkUse("Chan", ctx, seq)
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

// Ticks returns a channel that gives the time after each delay of seq. The first
// tick comes one delay after the call, and each other tick one delay after the tick
// before it was received. It drops no tick and buffers none. The channel is closed
// after the last tick and when ctx is done.
//
// Use Ticks for polling at growing intervals, as [time.Tick] polls at a constant one.
// The next delay runs while you work on a tick.
//
// Do not use Ticks for retrying, because the delays run during the attempts: with
// delays of 200 ms and attempts of 300 ms, each tick but the first is already there when
// the attempt before it ends, and a struggling server is retried without a pause. Use
// [Attempts], or [Chan] and a timer in a select statement: there a delay begins when an
// attempt is over.
//
// One goroutine serves the channel until it is closed, so a caller that stops
// receiving from an endless schedule must cancel ctx.
//
// It panics if ctx or seq is nil.
func Ticks(ctx context.Context, seq iter.Seq[time.Duration]) <-chan time.Time {
	checkUse("Ticks", ctx, seq)
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

// Sleep waits for d and returns nil, or returns the cause as soon as ctx is done; see
// [context.Cause]. If ctx is already done, it returns the cause at once. If d <= 0, it
// does not wait.
//
// Use Sleep instead of [time.Sleep], which ignores the context.
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
	case <-ctx.Done():
	}
	return context.Cause(ctx) // nil unless ctx is done, which may be so after either
}
