// Package retry runs an operation on a schedule: it waits for one delay after
// each failed attempt and tries again, until the operation succeeds, says that
// it never will, or a limit is reached.
//
//	delays := backoff.Take(backoff.FullJitter(100*time.Millisecond, 10*time.Second), 8)
//	err := retry.Do(ctx, delays, func(ctx context.Context) error {
//		return call(ctx)
//	})
//
// A schedule is an [iter.Seq] of [time.Duration], such as package backoff makes.
// One of n delays allows n retries, which are n+1 attempts. The empty schedule is
// one attempt, an endless one goes on until something else stops it.
//
// [Do] calls a function. [Value] calls one that returns a value. [Loop] is for a
// body that belongs in the caller's own function.
//
// # What comes back
//
//	outcome                                         error
//	an attempt succeeded                            nil
//	an attempt failed with Permanent(err)           err, as it is
//	ctx had ended before the first attempt          *Error, Cause context.Cause(ctx), Last nil
//	ctx ended during a failed attempt or a delay    *Error, Cause context.Cause(ctx)
//	an attempt failed with err, and If refuses it   err, as it is
//	the schedule has no further delay               *Error, Cause ErrExhausted
//	the delay would last until ctx's deadline       *Error, Cause ErrDeadline, at once
//	the delay would end after MaxElapsed            *Error, Cause ErrElapsed, at once
//	the budget allows no retry                      *Error, Cause ErrBudget, at once
//
// Where several apply the first of them counts. An error that may not be retried is
// the caller's own affair, so it comes back as the operation gave it. In every other
// case retrying was stopped, and an [*Error] says after how many attempts, after how
// long, why, and what the operation said last. [errors.Is] and [errors.As] find both.
// An attempt whose error is the end of ctx, or wraps it, leaves in Last what the one
// before it said: Cause says the other.
//
// # Delays and limits
//
// The wait before a retry is the schedule's delay, or the time that the operation
// asked for by [After] if that is longer. The runner never sleeps for nothing: a
// delay after which no attempt could be made is not begun. It holds one timer, which
// it reuses, starts no goroutine, and leaves nothing behind, even when the operation
// panics; the panic goes to the caller.
//
// An operation that succeeds at once costs no allocation, and one that is retried 6 in
// all, however often. [AttemptTimeout] costs 4 an attempt, for its context.
//
// There is no clock to inject. Test with [testing/synctest], in which a schedule of
// hours takes no time.
package retry

import (
	"context"
	"iter"
	"time"
)

// Do calls op until it returns nil, waiting for one delay of delays after each
// failure; see the package comment for what else ends it, and for the error that it
// then returns. The context that op is given is ctx, or one that ends with the
// attempt if [AttemptTimeout] is set. Do looks whether ctx has ended before it calls
// op for the first time, after every failure and after every delay.
//
// It panics if ctx, delays or op is nil.
func Do(ctx context.Context, delays iter.Seq[time.Duration], op func(context.Context) error, opts ...Option) error {
	r := newRunner("Do", ctx, delays, op == nil, opts)
	return r.run(delays, op)
}

// Value is [Do] for an operation that returns a value. It returns what the last
// attempt returned, so the value beside an error is the one that op gave with it;
// it is the zero value if there was no attempt.
//
// It panics if ctx, delays or op is nil.
func Value[T any](ctx context.Context, delays iter.Seq[time.Duration], op func(context.Context) (T, error), opts ...Option) (T, error) {
	var first T
	r := newRunner("Value", ctx, delays, op == nil, opts)
	if err := r.begin(); err != nil {
		return first, err
	}
	err, over := r.attempt(func(ctx context.Context) (err error) {
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
