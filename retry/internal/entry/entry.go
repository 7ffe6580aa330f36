// Package entry is how the packages below retry call its runner: with their options
// folded once, settings of their own among these, and an operation that is one object.
// So a call that succeeds allocates nothing for the runner.
//
// The options are of type retry.Option. This package cannot name that type, because
// package retry imports it.
package entry

import (
	"context"
	"iter"
	"time"
)

// An Operation is what a [Runner] runs.
type Operation interface {
	// Attempt makes one attempt.
	Attempt(ctx context.Context) error

	// Retryable is called instead of the function of retry.If, unless the caller has
	// set one.
	Retryable(err error) bool

	// Retrying is called before the delay of each retry, after the functions of
	// retry.Observe, retry.WithLogger and retry.OnRetry. Its time is part of the delay.
	Retrying(delay time.Duration)
}

// A Runner holds the options of many calls. Any number of goroutines may use it.
type Runner interface {
	// Run is retry.Do.
	Run(ctx context.Context, delays iter.Seq[time.Duration], op Operation) error

	// Values returns the values of the options that [Option] made, in their order.
	Values() []any

	// HasIf reports whether the caller has set retry.If.
	HasIf() bool

	// Retryable reports whether Run would retry op after an attempt that returned err,
	// apart from limits: by the mark of retry.Permanent, retry.If or op, in this order.
	Retryable(op Operation, err error) bool

	// Warn returns a function that logs to the logger of retry.WithLogger, or nil if
	// there is none.
	Warn() func(ctx context.Context, msg string, args ...any)
}

// The functions that package retry sets when it is initialized.
var (
	PrepareHook func(opts any) Runner
	OptionHook  func(value any) any
)

// Prepare folds opts, a []retry.Option.
func Prepare[O any](opts []O) Runner { return PrepareHook(opts) }

// Option returns a retry.Option that carries value, for [Runner.Values]. It changes
// nothing in a call of package retry itself.
func Option[O any](value any) O { return OptionHook(value).(O) }
