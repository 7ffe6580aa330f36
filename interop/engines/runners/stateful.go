package runners

import (
	"context"
	"iter"
	"time"

	"github.com/sethvargo/go-retry"

	v4 "github.com/cenkalti/backoff/v4"
	v5 "github.com/cenkalti/backoff/v5"
	v6 "github.com/cenkalti/backoff/v6"
	v7 "github.com/cenkalti/backoff/v7"

	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// One type is a policy of all these libraries.
var (
	_ v4.BackOff    = (*adapt.BackOff)(nil)
	_ v5.BackOff    = (*adapt.BackOff)(nil)
	_ v6.BackOff    = (*adapt.BackOff)(nil)
	_ v7.BackOff    = (*adapt.BackOff)(nil)
	_ retry.Backoff = (*adapt.BackOff)(nil)
)

// An observed is a BackOff whose delays a job records.
type observed struct {
	*adapt.BackOff
	job *job
}

func (o observed) NextBackOff() time.Duration {
	d := o.BackOff.NextBackOff()
	if d >= 0 {
		o.job.Ask(d)
	}
	return d
}

func (o observed) Next() (time.Duration, bool) {
	d, stop := o.BackOff.Next()
	if !stop {
		o.job.Ask(d)
	}
	return d, stop
}

func cenkaltiV4(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	j := &job{n: n}
	policy := v4.WithContext(observed{adapt.NewBackOff(seq), j}, ctx)
	return j.done(ctx, v4.Retry(j.attempt, policy))
}

func cenkaltiV5(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	j := &job{n: n}
	_, err := v5.Retry(ctx, func() (int, error) { return 0, j.attempt() },
		v5.WithBackOff(observed{adapt.NewBackOff(seq), j}), v5.WithMaxElapsedTime(0))
	return j.done(ctx, err)
}

func cenkaltiV6(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	j := &job{n: n}
	_, err := v6.Retry(ctx, func() (int, error) { return 0, j.attempt() },
		v6.WithBackOff(observed{adapt.NewBackOff(seq), j}), v6.WithMaxElapsedTime(0))
	return j.done(ctx, err)
}

func cenkaltiV7(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	j := &job{n: n}
	_, err := v7.Retry(ctx, func() (int, error) { return 0, j.attempt() },
		v7.WithBackOff(observed{adapt.NewBackOff(seq), j}), v7.WithMaxElapsedTime(0))
	return j.done(ctx, err)
}

func sethvargo(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	j := &job{n: n}
	err := retry.Do(ctx, observed{adapt.NewBackOff(seq), j}, func(context.Context) error {
		return retry.RetryableError(j.attempt())
	})
	return j.done(ctx, err)
}
