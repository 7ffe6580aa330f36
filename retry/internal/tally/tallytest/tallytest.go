// Package tallytest has calls of package retry that end in every way, and what is to be
// counted of them, for the tests of all kinds of metrics.
package tallytest

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"time"

	"example.com/backoff/internal/ending"
	"example.com/backoff/retry"
)

// Took is the time that every attempt takes.
const Took = 1_234_567 * time.Nanosecond

// Err is the error of every attempt that fails.
var Err = errors.New("connection refused")

// A Call is one call of package retry, or several. Times are exact in a bubble of
// [testing/synctest].
type Call struct {
	Name string

	// What is to be counted.
	Attempts []string        // the results of its attempts, in their order
	Result   string          // "" if there was no attempt
	Delays   []time.Duration // as long as they lasted

	// Run makes the call, once, with more options, such as the one under test.
	Run func(ctx context.Context, opts ...retry.Option)
}

// Elapsed returns how long the call takes.
func (c Call) Elapsed() time.Duration {
	elapsed := time.Duration(len(c.Attempts)) * Took
	for _, d := range c.Delays {
		elapsed += d
	}
	return elapsed
}

// Second is a delay that shows each nanosecond that is lost.
const Second = time.Second + time.Nanosecond

// Calls returns a call for each result, and more for results that come about in several
// ways.
func Calls() []Call {
	return []Call{
		{"success", []string{"success"}, "success", nil, run(script(nil), Second)},
		{
			"success after retries",
			[]string{"retry", "retry", "success"},
			"success",
			[]time.Duration{Second, 2 * Second},
			run(script(Err, Err, nil), Second, 2*Second),
		},
		{
			"a server's hint",
			[]string{"retry", "success"},
			"success",
			[]time.Duration{5 * Second},
			run(script(retry.After(Err, 5*Second), nil), Second),
		},
		{"no delay", []string{"retry", "success"}, "success", []time.Duration{0}, run(script(Err, nil), 0)},
		{"permanent", []string{"retry", "permanent"}, "permanent", []time.Duration{Second}, run(script(Err, retry.Permanent(Err)), Second)},
		{"refused", []string{"permanent"}, "permanent", nil, with(run(script(Err), Second), retry.If(func(error) bool { return false }))},
		{"schedule ended", []string{"retry", "exhausted"}, "exhausted", []time.Duration{Second}, run(script(Err, Err), Second)},
		{"attempts", []string{"exhausted"}, "exhausted", nil, with(run(script(Err), Second), retry.MaxAttempts(1))},
		{"deadline", []string{"deadline"}, "deadline", nil, limited(run(script(Err), time.Hour))},
		{"elapsed", []string{"elapsed"}, "elapsed", nil, with(run(script(Err), time.Hour), retry.MaxElapsed(time.Minute))},
		{"budget", []string{"budget"}, "budget", nil, with(run(script(Err), Second), retry.WithBudget(retry.NewBudget(1, 1)))},
		{"limiter", []string{"other"}, "other", nil, with(run(script(Err), Second), retry.WithLimiter(refusal{errors.New("too many retries")}))},
		{"throttle", []string{"throttled"}, "throttled", nil, with(run(script(Err), Second), retry.WithLimiter(refusal{retry.ErrThrottled}))},
		{"nested", []string{"nested"}, "nested", nil, nested(with(run(script(Err), Second), retry.NotNested()))},
		{"done during a delay", []string{"retry"}, "context", []time.Duration{Second}, cancelled(run(script(Err), time.Hour), Took+Second)},
		{"done during an attempt", []string{"context"}, "context", nil, cancelled(run(script(Err), time.Hour), Took/2)},
		{"done before", nil, "", nil, cancelled(run(script(Err), time.Hour), 0)},
		{"panic", []string{"panic"}, "panic", nil, run(script())},
		{"panic of a retry", []string{"retry", "panic"}, "panic", []time.Duration{Second}, run(script(Err), Second)},
		{"end of the goroutine", []string{"panic"}, "panic", nil, run(func(context.Context) error {
			time.Sleep(Took)
			runtime.Goexit()
			return nil
		})},
		{"loop", []string{"retry", "success"}, "success", []time.Duration{Second}, loop},
	}
}

type call = func(context.Context, ...retry.Option)

// run returns a call with a schedule of these delays. Its panic, and the end of its
// goroutine, end with it.
func run(op func(context.Context) error, delays ...time.Duration) call {
	return func(ctx context.Context, opts ...retry.Option) {
		ending.Of(func() { _ = retry.Do(ctx, schedule(delays), op, opts...) })
	}
}

func schedule(delays []time.Duration) iter.Seq[time.Duration] { return slices.Values(delays) }

// script returns an operation that returns these results, one a call, and then panics.
func script(results ...error) func(context.Context) error {
	return func(context.Context) error {
		time.Sleep(Took)
		if len(results) == 0 {
			panic("broken")
		}
		err := results[0]
		results = results[1:]
		return err
	}
}

// with adds options to a call.
func with(c call, more ...retry.Option) call {
	return func(ctx context.Context, opts ...retry.Option) { c(ctx, append(more, opts...)...) }
}

// limited sets a deadline.
func limited(c call) call {
	return func(ctx context.Context, opts ...retry.Option) {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		c(ctx, opts...)
	}
}

// cancelled cancels the call's context after a time.
func cancelled(c call, after time.Duration) call {
	return func(ctx context.Context, opts ...retry.Option) {
		ctx, cancel := context.WithCancel(ctx)
		if after == 0 {
			cancel()
		}
		defer time.AfterFunc(after, cancel).Stop()
		c(ctx, opts...)
	}
}

// nested makes a call inside of another one, which has no options.
func nested(c call) call {
	return func(ctx context.Context, opts ...retry.Option) {
		run(func(ctx context.Context) error {
			c(ctx, opts...)
			return nil
		})(ctx)
	}
}

// loop is a Loop whose body is left in the second attempt.
func loop(ctx context.Context, opts ...retry.Option) {
	loop := retry.NewLoop(ctx, schedule([]time.Duration{Second, Second}), opts...)
	for n := range loop.Attempts() {
		time.Sleep(Took)
		if n == 2 {
			return
		}
		loop.Fail(Err)
	}
}

// refusal is a Limiter that allows no retry.
type refusal struct{ err error }

func (l refusal) Allow(attempt int, _ error) error {
	if attempt == 1 {
		return nil
	}
	return l.err
}

func (refusal) Done(retry.Result) {}
