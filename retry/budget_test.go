package retry_test

import (
	"context"
	"errors"
	"testing"

	"example.com/backoff"
	"example.com/backoff/retry"
)

// spend fails once on b, and reports whether b allowed a retry. The second failure is
// permanent, which costs a budget nothing.
func spend(b *retry.Budget) bool {
	calls := 0
	retry.Do(context.Background(), list(0), func(context.Context) error {
		calls++
		if calls == 1 {
			return errA
		}
		return retry.Permanent(errA)
	}, retry.WithBudget(b))
	return calls == 2
}

// earn succeeds once on b.
func earn(b *retry.Budget) { retry.Do(context.Background(), list(), succeed, retry.WithBudget(b)) }

// The rule of gRPC's retryThrottling, step by step: + is a success, - a failure that
// may be retried, x one that may not.
func TestBudgetSteps(t *testing.T) {
	for _, row := range []struct {
		full, ratio float64
		steps       string
		want        float64
	}{
		{10, 0.1, "----x", 5},
		{10, 0.1, "----xxxxxx", 0},
		{10, 0.1, "----xxxxxxxxx", 0},         // never below 0
		{10, 0.1, "++++", 10},                 // never above full
		{10, 0.1, "----x+x", 4.1},             // 5.1 - 1 is below half
		{10, 0.1, "----x++++++++++x", 5},      // ten successes pay for one failure, to exactly half
		{10, 0.1, "----x+++++++++++-", 5.1},   // and the eleventh allows a retry
		{10, 1, "----x+x+x+x", 5},             // at half
		{10, 2, "----x+-+-", 7},               // above half
		{3, 0.5, "-x", 1},                     // 2 is above 1.5
		{1, 0.3, "x+++++", 1},                 // 0 + 5·0.3 is more than full
		{1e12, 1e12, "--+", 1e12},             // the largest
		{0.000001, 0.000001, "x+", 0.000001},  // the smallest
		{1.5, 0.000001, "x++", 0.500002},      // exact
		{4, 1.0 / 3, "-x+", 4 - 2 + 0.333333}, // to millionths
		{4, 2.0 / 3, "-x+", 4 - 2 + 0.666667}, // rounded to the nearest
		{2.0000001, 1, "x", 1},                // so half is 1
		{2.000002, 0.000001, "-", 1.000002},   // half is 1.000001
	} {
		b := retry.NewBudget(row.full, row.ratio)
		for i, step := range row.steps {
			switch step {
			case '+':
				earn(b)
			default:
				if got, want := spend(b), step == '-'; got != want {
					t.Errorf("budget %v, %v, steps %s: failure at %d: retry is %v, want %v", row.full, row.ratio, row.steps, i, got, want)
				}
			}
		}
		if got := b.Tokens(); got != row.want {
			t.Errorf("budget %v, %v, steps %s: %v tokens, want %v", row.full, row.ratio, row.steps, got, row.want)
		}
	}
}

// An error that is not retryable costs nothing.
func TestBudgetUncharged(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := retry.NewBudget(10, 1)
	retry.Do(ctx, list(0), func(context.Context) error { return retry.Permanent(errA) }, retry.WithBudget(b))
	retry.Do(ctx, list(0), func(context.Context) error { return errA }, retry.WithBudget(b), retry.If(func(error) bool { return false }))
	retry.Do(ctx, list(0), func(context.Context) error { cancel(); return errA }, retry.WithBudget(b))
	if got := b.Tokens(); got != 10 {
		t.Errorf("%v tokens, want 10", got)
	}
	err := retry.Do(t.Context(), list(), func(context.Context) error { return errA }, retry.WithBudget(b))
	if got := b.Tokens(); got != 9 || !errors.Is(err, retry.ErrExhausted) {
		t.Errorf("%v tokens and %v, want 9 and the schedule exhausted: a last failure counts too", got, err)
	}
}

// A server that fails permanently gets no more retries than half of the budget allows.
func TestBudgetEndsAStorm(t *testing.T) {
	b := retry.NewBudget(100, 0.1)
	calls := 0
	const requests = 10_000
	for range requests {
		err := retry.Do(t.Context(), backoff.Constant(0), func(context.Context) error {
			calls++
			return errA
		}, retry.WithBudget(b))
		if err == nil {
			t.Fatal("no error")
		}
	}
	if retries := calls - requests; retries != 49 {
		t.Errorf("%d retries of %d requests, want 49", retries, requests)
	}
}
