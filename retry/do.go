// Package retry runs an operation on a schedule: after a failed attempt it waits for
// one delay and tries again, until an attempt succeeds, the operation reports that a
// retry cannot help, or a limit is reached.
//
//	delays := backoff.Take(backoff.FullJitter(100*time.Millisecond, 10*time.Second), 8)
//	err := retry.Do(ctx, delays, func(ctx context.Context) error {
//		return send(ctx)
//	})
//
// A schedule is an [iter.Seq] of [time.Duration], made by package [example.com/backoff]. A
// schedule of n delays allows n retries, which are n+1 attempts, and the empty schedule
// allows one attempt. An endless schedule, such as backoff.FullJitter without
// backoff.Take, sets no limit: use it with a context that will be done, with
// [MaxAttempts] or with [MaxElapsed]. Otherwise an operation that never succeeds is
// retried forever.
//
// # Which function to use
//
// Most callers should use [Do]. Use [Value] when the operation returns a value beside
// its error. Use [Loop] when the attempt must be able to return from the function
// around it, or to break or continue a loop there. The rules of Do are those of
// Value and Loop too.
//
// Use package [example.com/backoff/retry/retryhttp] for HTTP requests, package
// [example.com/backoff/retry/retrysql] for database transactions and module
// [example.com/backoff/retry/retrygrpc] for gRPC calls: they know which failures a retry
// can cure. Package [example.com/backoff] has the loop for a select statement, which waits
// for other channels, such as a stop channel, besides the delay.
//
// Retry at one level only. If a function that retries calls another one that retries,
// the attempts multiply: 3 levels of 3 attempts send 27 requests. [NotNested] makes one
// attempt where another call retries already. And retry only what may be done twice: a
// lost answer looks like a failure, though the operation took place.
//
// # Options
//
// In brackets are the usual names in other libraries.
//
//	If, Permanent    which errors are retried (retryable errors)
//	MaxAttempts      how many attempts (max attempts, stop after attempt)
//	MaxElapsed       until when an attempt may begin (max elapsed time, max duration)
//	AttemptTimeout   how long one attempt may take (per-try timeout)
//	After, MaxAfter  the wait that a server asks for (Retry-After), and its limit
//	WithBudget       fewer retries when everything fails (retry budget, retry throttling)
//	WithLimiter      the same by other rules (token bucket, retry quota, client throttling)
//	ResetAfter       the first delay again after an attempt that ran for a while (reset)
//	NotNested        one attempt if another call retries already (retry amplification)
//	Observe          spans, metrics, the number of attempts (instrumentation, listener)
//	OnRetry          a hook before each retry (notify)
//	WithLogger       a log line for each retry
//	KeepErrors       earlier errors beside the last one
//
// Without options every error is retried, until the schedule ends or ctx is done.
//
// This package has no circuit breaker, hedge or bulkhead. Put Do inside or outside of
// one from another library, as docs/cookbook.md shows.
//
// # What Do returns
//
//	outcome                                         error
//	an attempt succeeded                            nil
//	an attempt failed with Permanent(err)           err
//	ctx was done before the first attempt           *Error, Cause context.Cause(ctx), Last nil
//	ctx was done after a failed attempt or a delay  *Error, Cause context.Cause(ctx)
//	an attempt failed with err, and If refuses it   err
//	the call is inside of another, with NotNested   *Error, Cause ErrNested
//	MaxAttempts were made                           *Error, Cause ErrExhausted
//	the schedule has no further delay               *Error, Cause ErrExhausted
//	the delay would last until ctx's deadline       *Error, Cause ErrDeadline, at once
//	the delay would end after MaxElapsed            *Error, Cause ErrElapsed, at once
//	the budget allows no retry                      *Error, Cause ErrBudget, at once
//	a Limiter allows no attempt                     *Error, Cause the Limiter's error, at once
//
// If several rows apply, the first one wins. Errors that are not retryable are returned
// as they are, without outermost marks of [Permanent] and [After]. In every other case
// an [*Error] says how many attempts there were, how long they took, why they stopped
// and what the last one returned. [errors.Is] and [errors.As] find both the cause and
// the last error.
//
// If an attempt failed only because ctx was done, Last is the error of the attempt
// before it, if there was one, because Cause already reports the context.
//
// # Delays
//
// The wait before a retry is the schedule's delay, or the time that the operation asked
// for by [After] if that is longer. If the deadline would pass during the delay, Do
// gives up at once instead of sleeping. No delay follows the last attempt.
//
// # Cost
//
// Do starts no goroutine and reuses one timer. If the operation panics, Do passes the
// panic on and leaves nothing behind. An operation that succeeds at once costs no
// allocation; one that is retried costs 5 in all, however often, and 2 if no delay needs
// the timer. [AttemptTimeout] costs 4 for each attempt, for its context. A [Loop] costs 3
// at once and 2 more than Do if it retries, because its body and the variables that it
// sets live on the heap; Value costs 2 more if it retries.
//
// # Testing
//
// There is no clock to inject. Test in a bubble of [testing/synctest], where a schedule
// of hours takes no time.
package retry

import (
	"context"
	"iter"
	"time"
)

// Do calls op until it returns nil, and waits for one delay of delays after each
// failure. The package comment lists what else stops it, and the errors. Most callers
// should use Do.
//
// op must use the context that it gets: that is ctx, or with [AttemptTimeout] one that
// is done when the attempt's time is over. Do checks ctx before the first attempt, after
// every failure and after every delay.
//
// If delays is endless, ctx cannot be done and no option sets a limit, Do returns only
// after a success or an error that is not retried.
//
// It panics if ctx, delays or op is nil, and if delays breaks the rules of an iterator:
// if it calls its function again after that returned false, or recovers a panic of op.
func Do(ctx context.Context, delays iter.Seq[time.Duration], op func(context.Context) error, opts ...Option) error {
	check("Do", ctx, delays, op == nil)
	r := runner{ctx: ctx}
	if len(opts) > 0 {
		r.config = newConfig(opts)
	}
	return r.run(delays, op)
}

// Value is [Do] for an operation that returns a value:
//
//	user, err := retry.Value(ctx, delays, func(ctx context.Context) (User, error) {
//		return client.User(ctx, id)
//	})
//
// It returns the value of the last attempt, also beside an error, and the zero value if
// there was no attempt.
//
// It panics if ctx, delays or op is nil.
func Value[T any](ctx context.Context, delays iter.Seq[time.Duration], op func(context.Context) (T, error), opts ...Option) (T, error) {
	check("Value", ctx, delays, op == nil)
	r := runner{ctx: ctx}
	if len(opts) > 0 {
		r.config = newConfig(opts)
	}
	var first T
	err, over := r.first(func(ctx context.Context) (err error) {
		first, err = op(ctx)
		return err
	})
	if over {
		return first, err
	}
	last := first // another variable: it lives on the heap, and first need not
	err = r.retries(delays, func(ctx context.Context) (err error) {
		last, err = op(ctx)
		return err
	})
	return last, err
}
