package retry

import (
	"context"
	"errors"
	"time"
)

// An Attempt is about to begin. See [Observe].
type Attempt struct {
	Number int           // 1, 2, 3, ...: retry n is attempt n+1
	Delay  time.Duration // the wait before it; 0 before the first
	Start  time.Time     // when it begins
}

// An Outcome tells how an attempt ended and what follows it. See [Observe].
type Outcome struct {
	Attempts int           // made so far, this one included
	Err      error         // of the attempt, without marks; nil if it succeeded
	Took     time.Duration // by the attempt
	Elapsed  time.Duration // since the first attempt began
	Retry    bool          // another attempt follows; false: the call ends
	Delay    time.Duration // the wait before that attempt
	Cause    error         // why the call ends, as in Error; nil after a success and after a permanent error

	result string
}

// The results of an [Outcome].
const (
	resultSuccess   = "success"
	resultRetry     = "retry"
	resultPermanent = "permanent"
	resultContext   = "context"
	resultPanic     = "panic"
)

// errPanic is the Cause of an Outcome if the call ends by a panic.
var errPanic = errors.New("panic")

// Result names in one word what follows the attempt. Use it as a label of a metric,
// because it has few values:
//
//	success     the attempt succeeded
//	retry       a retry follows after Delay
//	permanent   the error is marked by Permanent, or If refuses it
//	exhausted   Cause is ErrExhausted
//	deadline    Cause is ErrDeadline
//	elapsed     Cause is ErrElapsed
//	budget      Cause is ErrBudget
//	nested      Cause is ErrNested
//	throttled   Cause is ErrThrottled
//	context     the caller's context was done
//	panic       the attempt panicked or called runtime.Goexit, or a function that decides
//	            what follows it, such as that of If
//	other       Cause is another error of a Limiter
func (o Outcome) Result() string {
	switch {
	case o.result != "":
		return o.result
	case o.Retry:
		return resultRetry
	case o.Cause == nil && o.Err == nil:
		return resultSuccess
	case o.Cause == nil:
		return resultPermanent
	}
	switch o.Cause {
	case ErrExhausted:
		return "exhausted"
	case ErrDeadline:
		return "deadline"
	case ErrElapsed:
		return "elapsed"
	case ErrBudget:
		return "budget"
	case ErrNested:
		return "nested"
	case ErrThrottled:
		return "throttled"
	case context.Canceled, context.DeadlineExceeded:
		return resultContext
	}
	return "other"
}

// Observe calls f before each attempt, for spans and metrics (hooks, instrumentation).
// f returns the context for the attempt, such as one with a span, and a function that is
// called with the outcome of the attempt:
//
//	retry.Observe(func(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
//		ctx, span := tracer.Start(ctx, "attempt")
//		return ctx, func(o retry.Outcome) {
//			span.SetAttributes(attribute.String("result", o.Result()))
//			span.End()
//		}
//	})
//
// Use Observe when successes count too, or when the attempt needs a context of its own.
// Use [OnRetry] when only retries count. Module [example.com/backoff/retry/otelretry] has
// spans and metrics of OpenTelemetry, and package
// [example.com/backoff/retry/expvarretry] has counters without a dependency.
//
// f gets the caller's context, and [AttemptTimeout] limits the context that f returns,
// which must derive from the one that f got. If f returns a nil context, the attempt gets
// the context that f got; the function may be nil as well.
//
// The function is called as soon as it is known what follows, so before the delay of a
// retry, and its time is part of the delay. Of the outcomes of a call exactly one has
// Retry == false: the last, with the number of attempts, the elapsed time and the cause.
// If the context is done during the delay, that outcome comes after one with Retry ==
// true, and is passed to the same function. If the attempt panics, or a function that
// decides what follows it, the outcome has the result "panic", and the panic goes on.
//
// If the context is done before the first attempt, or a [Limiter] rejects it, there is no
// attempt and f is not called.
//
// If there are several Observe options, all are called: each f gets the context of the
// one before it, and the functions are called in reverse order.
//
// It panics if f is nil.
func Observe(f func(ctx context.Context, a Attempt) (context.Context, func(Outcome))) Option {
	notNil("Observe", "f", f == nil, "a function")
	alone := []observer{f}
	return Option{func(c config) config {
		if c.observers == nil {
			c.observers = alone
			return c
		}
		c.observers = append(c.observers[:len(c.observers):len(c.observers)], f)
		return c
	}}
}

// observer is a function for [Observe].
type observer func(context.Context, Attempt) (context.Context, func(Outcome))

// begins tells the observers of an attempt, and keeps their functions in done.
func (r *runner) begins(ctx context.Context, a Attempt) context.Context {
	if r.done == nil {
		r.done = make([]func(Outcome), len(r.observers))
	}
	for i, f := range r.observers {
		inner, done := f(ctx, a)
		if inner != nil {
			ctx = inner
		}
		r.done[i] = done
	}
	return ctx
}

// ends calls the functions of the observers in reverse order, all of them even if one
// panics.
func (r *runner) ends(o Outcome) {
	if len(r.done) == 1 { // as most often, and a deferred call in a loop takes 40 ns
		if r.done[0] != nil {
			r.done[0](o)
		}
		return
	}
	for _, done := range r.done {
		if done != nil {
			defer done(o)
		}
	}
}

// observed is attempt with an observer.
func (r *runner) observed(ctx context.Context, op func(context.Context) error, delay time.Duration) (err error, over bool) {
	r.told, r.took = false, 0
	var began time.Duration // the observers' time is not the attempt's
	calling, returned := false, false
	defer func() {
		if calling {
			r.took = clock() - began
		}
		if !returned {
			r.panicked()
		}
	}()
	ctx = r.begins(ctx, Attempt{Number: r.attempts, Delay: delay, Start: time.Now()})
	began, calling = clock(), true
	if r.resetAfter > 0 {
		r.began = began
	}
	failure, timedOut := r.perform(ctx, op)
	r.took, calling = clock()-began, false
	err, over = r.judge(failure, timedOut)
	returned = true
	return err, over
}

// panicked tells an observer that the call ends by a panic, of the attempt or of a
// function that decides what follows it.
func (r *runner) panicked() {
	if !r.told {
		r.tell(Outcome{Cause: errPanic, result: resultPanic})
	}
}

// tell passes the last outcome of the run to the observer of the latest attempt.
func (r *runner) tell(o Outcome) {
	if r.done == nil {
		return
	}
	r.told = true
	o.Attempts, o.Took = r.attempts, r.took
	if o.Elapsed == 0 {
		o.Elapsed = clock() - r.start
	}
	r.ends(o)
}
