// Package expvarretry counts attempts, calls and delays of package retry in an
// [expvar.Map], with the standard library alone.
//
//	counts := expvar.NewMap("payments.retry")
//	counted := expvarretry.Observe(counts)
//	counts.Set("tokens", expvarretry.Tokens(budget))
//
//	err := retry.Do(ctx, delays, pay, counted, retry.WithBudget(budget))
//
// A program that serves HTTP by [net/http.DefaultServeMux] then shows them at
// /debug/vars:
//
//	"payments.retry": {
//		"attempts": {"exhausted": 1, "retry": 14, "success": 1201},
//		"calls": {"exhausted": 1, "success": 1201},
//		"delay_ns": 9120000000,
//		"delays": 14,
//		"tokens": 9.7
//	}
//
// Use package [example.com/backoff/retry/otelretry] for spans, for histograms, and for
// metrics that OpenTelemetry exports.
//
// # Variables
//
//	attempts  attempts that ended, by result
//	calls     calls of Do, Value and Loop that ended, by result
//	delays    delays that passed
//	delay_ns  their sum in nanoseconds
//	tokens    of a budget, if [Tokens] is set
//
// A result is one that [retry.Outcome.Result] lists, so the number of variables does not
// depend on the errors. Only an attempt can have the result "retry", which means that a
// retry was to follow. A delay counts as it was planned, and one that the context cuts short
// as long as it lasted. A call without an attempt is not counted: its context was already
// done, or a [retry.Limiter] rejected the first attempt.
package expvarretry

import (
	"context"
	"expvar"
	"time"

	"example.com/backoff/internal/argument"
	"example.com/backoff/retry"
	"example.com/backoff/retry/internal/tally"
)

// Observe returns an option that counts in m, under the names in the package comment. If
// m has them already, it goes on counting.
//
// Use one map for each kind of call that you want to tell apart, and call Observe once
// for each map, when the program starts. The option serves any number of calls at once.
//
// It panics if m is nil.
func Observe(m *expvar.Map) retry.Option {
	if m == nil {
		argument.Reject("expvarretry", "Observe", "m", "nil", "a map")
	}
	c := &counters{
		attempts: child[expvar.Map](m, "attempts"),
		calls:    child[expvar.Map](m, "calls"),
		delays:   child[expvar.Int](m, "delays"),
		delayNS:  child[expvar.Int](m, "delay_ns"),
	}
	return retry.Observe(func(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
		counted := tally.Begin(ctx, c, a)
		return nil, counted.Outcome
	})
}

// Tokens returns a variable that shows the tokens of b when it is read, such as a
// [*retry.Budget]'s.
//
// It panics if b is nil.
func Tokens(b interface{ Tokens() float64 }) expvar.Var {
	if b == nil {
		argument.Reject("expvarretry", "Tokens", "b", "nil", "a budget")
	}
	return expvar.Func(func() any { return b.Tokens() })
}

// counters is the [tally.Meter] of one map.
type counters struct {
	attempts, calls *expvar.Map
	delays, delayNS *expvar.Int
}

func (c *counters) Attempt(_ context.Context, result string) { c.attempts.Add(result, 1) }

func (c *counters) Call(_ context.Context, result string, _ int) { c.calls.Add(result, 1) }

func (c *counters) Delay(_ context.Context, d time.Duration) {
	c.delays.Add(1)
	c.delayNS.Add(int64(d))
}

// child returns the variable of m that has a name, and makes it if there is none.
func child[T any, V interface {
	*T
	expvar.Var
}](m *expvar.Map, name string) V {
	if v, ok := m.Get(name).(V); ok {
		return v
	}
	v := V(new(T))
	m.Set(name, v)
	return v
}
