package retry

import (
	"log/slog"
	"time"

	"example.com/backoff"
	"example.com/backoff/internal/argument"
)

// An Option sets what the schedule does not say. If several set one thing, the last
// counts, except that every [OnRetry] is called. The zero Option sets nothing.
type Option struct{ set func(config) config }

// config is what the options of one call amount to. It goes by value, so that a
// call without a retry allocates nothing.
type config struct {
	retryable      func(error) bool // nil: every error
	attemptTimeout time.Duration    // 0: none
	maxElapsed     time.Duration    // 0: none
	maxAfter       time.Duration
	resetAfter     time.Duration // 0: never
	onRetry        func(Event)
	logger         *slog.Logger
	keepErrors     int
	budget         *Budget
}

// newConfig gathers options.
func newConfig(opts []Option) config {
	c := config{maxAfter: backoff.NoLimit, keepErrors: 1}
	for _, o := range opts {
		if o.set != nil {
			c = o.set(c)
		}
	}
	return c
}

// An Event is what [OnRetry] is told before a retry.
type Event struct {
	Attempt int           // the number of the attempt that failed, from 1
	Err     error         // what it said
	Delay   time.Duration // the wait before the next attempt
	Elapsed time.Duration // since the first attempt began
}

// If retries only errors for which retryable returns true; any other goes to the
// caller as it is. Without it every error is retried that is not [Permanent].
// retryable is not asked about those, nor about an attempt that failed after its
// [AttemptTimeout]: that is retried whatever it said.
//
// It panics if retryable is nil.
func If(retryable func(error) bool) Option {
	notNil("If", "retryable", retryable == nil, "a function")
	return Option{func(c config) config {
		c.retryable = retryable
		return c
	}}
}

// AttemptTimeout gives each attempt a context of its own, which ends after d, with
// the attempt, and with the caller's context. An attempt that failed after d is
// retried while the caller's context lives, unless it is [Permanent]; [If] is not
// asked.
//
// It can only ask: an operation that does not look at its context goes on.
//
// It panics if d <= 0.
func AttemptTimeout(d time.Duration) Option {
	positive("AttemptTimeout", d)
	return Option{func(c config) config {
		c.attemptTimeout = d
		return c
	}}
}

// MaxElapsed lets no attempt begin later than d after the first one began: a delay
// that would end after that is not begun, and retrying stops with [ErrElapsed]. An
// attempt that has begun is not interrupted; give ctx a deadline for that. Off
// unless set.
//
// [backoff.Within] bounds the sum of the delays instead, and counts anew when
// [ResetAfter] starts the schedule anew, which MaxElapsed does not.
//
// It panics if d <= 0.
func MaxElapsed(d time.Duration) Option {
	positive("MaxElapsed", d)
	return Option{func(c config) config {
		c.maxElapsed = d
		return c
	}}
}

// MaxAfter bounds what [After] may ask for: a longer wait counts as d. The schedule's
// own delays may be longer. Unless set, only the context and [MaxElapsed] bound it.
//
// MaxAfter(0) ignores what After asks for.
//
// It panics if d < 0.
func MaxAfter(d time.Duration) Option {
	notNegative("MaxAfter", d)
	return Option{func(c config) config {
		c.maxAfter = d
		return c
	}}
}

// ResetAfter starts the schedule anew after a retry that took d or longer before it
// failed: a connection that held on for an hour is no continuation of the failures
// before it. The count of attempts and the elapsed time go on.
//
// It panics if d <= 0.
func ResetAfter(d time.Duration) Option {
	positive("ResetAfter", d)
	return Option{func(c config) config {
		c.resetAfter = d
		return c
	}}
}

// OnRetry calls f before the delay of each retry, when every limit has allowed it,
// so once per retry, and not for a failure that none follows. Only the end of the
// context during the delay can still prevent the retry. The time that f takes is
// part of the delay.
//
// It panics if f is nil.
func OnRetry(f func(Event)) Option {
	notNil("OnRetry", "f", f == nil, "a function")
	return Option{func(c config) config {
		before := c.onRetry
		if before == nil {
			c.onRetry = f
			return c
		}
		c.onRetry = func(e Event) {
			before(e)
			f(e)
		}
		return c
	}}
}

// WithLogger logs a warning, "attempt failed, retrying", where [OnRetry] would be
// called, with the attributes attempt, err, delay and elapsed. What ends retrying is
// not logged: the caller has the error.
//
// It panics if logger is nil.
func WithLogger(logger *slog.Logger) Option {
	notNil("WithLogger", "logger", logger == nil, "a logger")
	return Option{func(c config) config {
		c.logger = logger
		return c
	}}
}

// KeepErrors keeps the last n errors of the operation in the [Error]: one in Last,
// n-1 in Earlier. It is 1 unless set.
//
// It panics if n <= 0.
func KeepErrors(n int) Option {
	if n <= 0 {
		reject("KeepErrors", "n", n, "> 0")
	}
	return Option{func(c config) config {
		c.keepErrors = n
		return c
	}}
}

// WithBudget lets b hear of every success and failure, and stops with [ErrBudget]
// where it allows no retry. Failures that are not retried for their own sake,
// [Permanent] ones, those that [If] refuses, and those of a context that has ended,
// cost nothing.
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

// The checks of numbers are marked go:noinline: then the compiler can inline the
// function that makes an option, and an option made in the call that holds no more
// than a number need not be on the heap.

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
