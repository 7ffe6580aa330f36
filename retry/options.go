package retry

import (
	"context"
	"log/slog"
	"time"

	"example.com/backoff/internal/argument"
)

// An Option of [Do], [Value] and [NewLoop]. If several options set one thing, the last
// one wins, except that every [OnRetry] and every [Observe] is called. The zero Option sets
// nothing.
type Option struct{ set func(config) config }

// config is the sum of the options of one call. It is passed by value, so that a call
// without a retry allocates nothing.
type config struct {
	retryable      func(error) bool // nil: every error
	attemptTimeout time.Duration    // 0: none
	maxAttempts    int              // 0: unlimited
	maxElapsed     time.Duration    // 0: none
	maxAfter       time.Duration    // if limitAfter
	resetAfter     time.Duration    // 0: never
	keepErrors     int              // 0: 1
	budget         *Budget
	limiter        Limiter
	observers      []observer
	logRetry       func(context.Context, Outcome)
	onRetry        func(Outcome)
	warn           func(ctx context.Context, msg string, args ...any) // of the logger
	values         *value                                             // for package entry
	limitAfter     bool
	notNested      bool
}

// newConfig gathers options.
func newConfig(opts []Option) config {
	var c config
	for _, o := range opts {
		if o.set != nil {
			c = o.set(c)
		}
	}
	return c
}

// An Event describes a retry that is about to happen, for [OnRetry].
type Event struct {
	Attempt int           // the number of the attempt that failed, from 1
	Err     error         // its error, without marks
	Delay   time.Duration // the wait before the next attempt
	Elapsed time.Duration // since the first attempt began
}

// If retries only errors for which retryable returns true (retryable errors). Other
// errors are returned unchanged. Without If every error is retried, unless it is
// [Permanent].
//
// Use If to name the failures that a retry can cure, such as a timeout or a lost
// connection, and leave out those that it cannot, such as a bad request.
//
// retryable is not called for a Permanent error, which is never retried, nor for an
// attempt that failed after its [AttemptTimeout], which always is.
//
// It panics if retryable is nil.
func If(retryable func(error) bool) Option {
	notNil("If", "retryable", retryable == nil, "a function")
	return Option{func(c config) config {
		c.retryable = retryable
		return c
	}}
}

// AttemptTimeout limits each attempt to d (per-try timeout). The context of an attempt
// is done after d, when the attempt returns, or when the caller's context is done.
//
// Use AttemptTimeout when an attempt can hang: without it one attempt may use all of the
// caller's time.
//
// An attempt that failed after d is retried while the caller's context is not done,
// unless its error is [Permanent]; [If] is not called for it. A server that knows the
// deadline, as in gRPC, may fail the attempt just before d: let If accept that error. An
// operation that ignores its context is not interrupted.
//
// It panics if d <= 0.
func AttemptTimeout(d time.Duration) Option {
	positive("AttemptTimeout", d)
	return Option{func(c config) config {
		c.attemptTimeout = d
		return c
	}}
}

// MaxAttempts limits the number of attempts, the first one included, to n. After n
// failures [Do] stops with [ErrExhausted]; it draws no delay for a retry that
// cannot happen. The schedule may end earlier. Default: the schedule is the limit.
//
// Use MaxAttempts when the schedule and the number of attempts come from different
// places, such as an endless schedule that several callers share. If one place decides
// both, backoff.Take(delays, n-1) also makes n attempts, and the schedule shows it.
//
// MaxAttempts counts all attempts of the call. [backoff.Take] counts again when
// [ResetAfter] starts the schedule again. So use Take for a connection that may fail
// 5 times in a row, but any number of times in a week.
//
// It panics if n <= 0.
func MaxAttempts(n int) Option {
	count("MaxAttempts", n)
	return Option{func(c config) config {
		c.maxAttempts = n
		return c
	}}
}

// MaxElapsed limits when the last attempt may begin, to d after the first one began (max
// elapsed time, max duration). If a delay would end later, [Do] gives up at once
// with [ErrElapsed] instead of sleeping. Default: no limit.
//
// Use MaxElapsed when an attempt that has begun should be allowed to finish. Use a
// deadline of ctx to end the attempt as well.
//
// MaxElapsed counts the time of attempts and delays. [backoff.Within] limits the sum of
// the delays alone, and counts again when [ResetAfter] starts the schedule again, which
// MaxElapsed does not.
//
// It panics if d <= 0.
func MaxElapsed(d time.Duration) Option {
	positive("MaxElapsed", d)
	return Option{func(c config) config {
		c.maxElapsed = d
		return c
	}}
}

// MaxAfter limits the wait that [After] and RetryAfter methods can ask for: a longer one
// counts as d. It does not shorten the schedule's own delays. Default: only the
// context's deadline and [MaxElapsed] limit it.
//
// Use MaxAfter whenever the wait comes from a server, which may ask for a year.
// MaxAfter(0) ignores it altogether.
//
// It panics if d < 0.
func MaxAfter(d time.Duration) Option {
	notNegative("MaxAfter", d)
	return Option{func(c config) config {
		c.maxAfter, c.limitAfter = d, true
		return c
	}}
}

// ResetAfter starts the schedule again, from its first delay, after an attempt that ran
// for d or longer before it failed.
//
// Use ResetAfter when an attempt is a connection or a session: if it lasted for an hour,
// the failures before it are no reason to wait longer now. Then the operation returns
// an error whenever the connection ends, and Do reconnects.
//
// The number of attempts and the elapsed time are not reset, so [MaxAttempts] and
// [MaxElapsed] go on counting.
//
// It panics if d <= 0.
func ResetAfter(d time.Duration) Option {
	positive("ResetAfter", d)
	return Option{func(c config) config {
		c.resetAfter = d
		return c
	}}
}

// OnRetry calls f before the delay of each retry, after every limit has allowed it. It
// does not call f for a failure that no retry follows. Use it to count or print retries,
// and [Observe] if successes and final failures count too.
//
// If the context is done during the delay, the retry does not happen after all. The time
// that f takes is part of the delay.
//
// It panics if f is nil.
func OnRetry(f func(Event)) Option {
	notNil("OnRetry", "f", f == nil, "a function")
	call := func(o Outcome) {
		f(Event{Attempt: o.Attempts, Err: o.Err, Delay: o.Delay, Elapsed: o.Elapsed})
	}
	return Option{func(c config) config {
		before := c.onRetry
		if before == nil {
			c.onRetry = call
			return c
		}
		c.onRetry = func(o Outcome) {
			before(o)
			call(o)
		}
		return c
	}}
}

// WithLogger logs each retry at level warning, as "attempt failed, retrying" with the
// attributes attempt, err, delay and elapsed, when [OnRetry] would call its function.
// The final failure is not logged, because the caller gets it as an error.
//
// It panics if logger is nil.
func WithLogger(logger *slog.Logger) Option {
	notNil("WithLogger", "logger", logger == nil, "a logger")
	// Only this function calls methods of slog, so that the linker leaves them out of a
	// program that does not log.
	warn := logger.WarnContext
	logRetry := func(ctx context.Context, o Outcome) {
		logger.LogAttrs(ctx, slog.LevelWarn, "attempt failed, retrying",
			slog.Int("attempt", o.Attempts), slog.Any("err", o.Err),
			slog.Duration("delay", o.Delay), slog.Duration("elapsed", o.Elapsed))
	}
	return Option{func(c config) config {
		c.warn, c.logRetry = warn, logRetry
		return c
	}}
}

// KeepErrors keeps the last n errors of the operation in the [Error]: one in Last, and up
// to n-1 in Earlier. Default: 1. Use it when the last error alone may hide the cause,
// such as a "connection refused" after a crash that an earlier error describes.
//
// It panics if n <= 0.
func KeepErrors(n int) Option {
	count("KeepErrors", n)
	return Option{func(c config) config {
		c.keepErrors = n
		return c
	}}
}

// WithBudget counts every success and failure in b, and stops with [ErrBudget] when b
// allows no retry (retry budget, retry throttling). Use one [Budget] for all calls to
// one server.
//
// Errors that no retry could cure cost nothing: [Permanent] errors, errors that [If]
// refuses, and failures after the context was done. Other failures cost a token, also the
// last one.
//
// It panics if b is nil.
func WithBudget(b *Budget) Option {
	notNil("WithBudget", "b", b == nil, "a budget")
	return Option{func(c config) config {
		c.budget = b
		return c
	}}
}

// reject panics about one argument.
func reject(function, name string, got any, want string) {
	argument.Reject("retry", function, name, got, want)
}

// The checks of numbers are marked go:noinline, so that the compiler can inline the
// functions that call them. Then an option that holds only a number, and is made in the
// call, does not escape to the heap.

func notNil(function, name string, isNil bool, want string) {
	if isNil {
		reject(function, name, "nil", want)
	}
}

//go:noinline
func notNegative(function string, d time.Duration) {
	if d < 0 {
		reject(function, "d", d, ">= 0")
	}
}

//go:noinline
func positive(function string, d time.Duration) {
	if d <= 0 {
		reject(function, "d", d, "> 0")
	}
}

//go:noinline
func count(function string, n int) {
	if n <= 0 {
		reject(function, "n", n, "> 0")
	}
}
