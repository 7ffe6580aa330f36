package runners

import (
	"context"
	"iter"
	"time"

	v4 "github.com/avast/retry-go/v4"
	v5 "github.com/avast/retry-go/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// avast/retry-go counts its first retry as 1.
func avastV4(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	j := &job{n: n}
	delay := adapt.FuncFrom(1, seq)
	return j.done(ctx, v4.Do(j.attempt, v4.Context(ctx), v4.Attempts(0),
		v4.DelayType(func(n uint, _ error, _ *v4.Config) time.Duration { return j.Ask(delay(int(n))) })))
}

func avastV5(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	j := &job{n: n}
	delay := adapt.FuncFrom(1, seq)
	return j.done(ctx, v5.New(v5.Context(ctx), v5.Attempts(0),
		v5.DelayType(func(n uint, _ error, _ v5.DelayContext) time.Duration { return j.Ask(delay(int(n))) })).
		Do(j.attempt))
}

// failsafe-go has both: Retries counts the first retry as 0, and Attempts counts the
// attempt that has failed. Attempts counts hedges too.
func failsafeGo(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	j := &job{n: n}
	delay := adapt.Func(seq)
	policy := retrypolicy.NewBuilder[any]().WithMaxRetries(-1).
		WithDelayFunc(func(e failsafe.ExecutionAttempt[any]) time.Duration { return j.Ask(delay(e.Retries())) }).
		Build()
	return j.done(ctx, failsafe.With(policy).WithContext(ctx).Run(j.attempt))
}
