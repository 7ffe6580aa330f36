package retry_test

import (
	"context"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
)

func succeed(context.Context) error { return nil }

func succeedWith(context.Context) (int, error) { return 1, nil }

// failTimes returns an operation that fails n times and then succeeds, again and
// again.
func failTimes(n int) func(context.Context) error {
	failures := 0
	return func(context.Context) error {
		if failures == n {
			failures = 0
			return nil
		}
		failures++
		return errA
	}
}

func TestAllocations(t *testing.T) {
	retry.Unmark()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	delays := backoff.Constant(time.Nanosecond)
	// The delay is over when this returns, even where the clock shows the same time twice,
	// so that none needs a timer.
	outlastDelay := func(retry.Event) {
		for start := time.Now(); time.Since(start) < time.Nanosecond; {
		}
	}
	opts := []retry.Option{
		retry.If(func(error) bool { return true }), retry.MaxAttempts(1000), retry.MaxElapsed(time.Hour), retry.MaxAfter(time.Hour),
		retry.ResetAfter(time.Hour), retry.OnRetry(outlastDelay), retry.KeepErrors(3),
		retry.WithBudget(retry.NewBudget(1e9, 1)),
	}
	once, often := failTimes(1), failTimes(100)
	onceWith := func(ctx context.Context) (int, error) { return 1, once(ctx) }
	limited := []retry.Option{retry.AttemptTimeout(time.Hour)}
	// A call that retries allocates twice for its state and 3 times for its timer. It
	// needs no timer for a delay that nothing can interrupt, or that is over when OnRetry
	// returns. The context of an attempt costs 4. Value costs 2 more in a call that retries,
	// and so does a Loop. A Loop that succeeds at once costs 3, because its body lives on the
	// heap.
	for _, row := range []struct {
		name string
		want float64
		f    func()
	}{
		{"Do, success", 0, func() { retry.Do(ctx, delays, succeed) }},
		{"Do, success, every option made before", 0, func() { retry.Do(ctx, delays, succeed, opts...) }},
		{"Do, success, options made in the call", 0, func() {
			retry.Do(ctx, delays, succeed, retry.MaxAttempts(5), retry.MaxElapsed(time.Hour), retry.MaxAfter(time.Hour))
		}},
		{"Value, success", 0, func() { retry.Value(ctx, delays, succeedWith) }},
		{"Do, 1 retry, context without an end", 2, func() { retry.Do(context.Background(), delays, once) }},
		{"Do, 1 retry", 5, func() { retry.Do(ctx, delays, once) }},
		{"Do, 100 retries", 5, func() { retry.Do(ctx, delays, often) }},
		{"Do, 100 retries, every option but AttemptTimeout", 4, func() { retry.Do(ctx, delays, often, opts...) }},
		{"Do, success, AttemptTimeout", 4, func() { retry.Do(ctx, delays, succeed, limited...) }},
		{"Do, 100 retries, AttemptTimeout", 5 + 4*101, func() { retry.Do(ctx, delays, often, limited...) }},
		{"Value, 1 retry", 7, func() { retry.Value(ctx, delays, onceWith) }},
		{"Loop, success", 3, func() {
			loop := retry.NewLoop(ctx, delays)
			for range loop.Attempts() {
			}
		}},
		{"Loop, 1 retry", 7, func() {
			loop := retry.NewLoop(ctx, delays)
			for range loop.Attempts() {
				loop.Fail(once(ctx))
			}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := testing.AllocsPerRun(200, row.f)
			t.Logf("%v allocations", got)
			if got != row.want {
				t.Errorf("%v allocations, want %v", got, row.want)
			}
		})
	}
}
