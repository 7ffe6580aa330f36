package temporal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

const s = time.Second

// The first retry waits for delay 0, exactly, and after the end of the schedule its last
// delay is held.
func TestDelaysAreKept(t *testing.T) {
	want := []time.Duration{40 * s, time.Millisecond + 1, 100 * time.Hour, s - 1, 7 * s, 7 * s, 7 * s}
	kept.Judge(t, want, kept.Bound{}, func(ctx context.Context) ([]kept.Delay, error) {
		return Measure(ctx, slices.Values(want[:5]), len(want))
	})
}

// delays returns the delays between the attempts of an activity that fails with what fail
// returns for attempt 1, 2, ...
func delays(t *testing.T, policy temporal.RetryPolicy, fail func(attempt int) error) []time.Duration {
	t.Helper()
	at, err := run("job", policy, func(ctx context.Context) error { return fail(int(activity.GetInfo(ctx).Attempt)) })
	if err == nil {
		t.Fatal("the workflow succeeded")
	}
	return between(at)
}

func between(at []time.Time) []time.Duration {
	between := make([]time.Duration, len(at)-1)
	for i := range between {
		between[i] = at[i+1].Sub(at[i])
	}
	return between
}

func after(delay time.Duration) error {
	return temporal.NewApplicationErrorWithOptions("unavailable", "Unavailable", temporal.ApplicationErrorOptions{NextRetryDelay: delay})
}

func TestIndex(t *testing.T) {
	var attempts []int
	delays(t, temporal.RetryPolicy{MaximumAttempts: 4}, func(attempt int) error {
		attempts = append(attempts, attempt)
		return after(s)
	})
	if diff := cmp.Diff([]int{1, 2, 3, 4}, attempts); diff != "" {
		t.Errorf("the SDK numbers attempts in another way than version 1.50.0 does, so FuncFrom(1, seq) is wrong for it (-want +got):\n%s", diff)
	}
}

// A delay of 0 is unset, so the policy's delay comes instead. One of 1 ns is kept, and
// unavailable makes 1 ms of 0. A negative one ends the retries.
func TestNoDelay(t *testing.T) {
	// The environment takes InitialInterval for a MaximumInterval that is not set; a
	// server takes 100 times that.
	policy := temporal.RetryPolicy{InitialInterval: 7 * s, BackoffCoefficient: 2, MaximumInterval: time.Hour, MaximumAttempts: 4}
	for _, row := range []struct {
		name string
		err  error
		want []time.Duration
	}{
		{"no delay", errors.New("unavailable"), []time.Duration{7 * s, 14 * s, 28 * s}},
		{"0", after(0), []time.Duration{7 * s, 14 * s, 28 * s}},
		{"1 ns", after(1), []time.Duration{1, 1, 1}},
		{"0 of a schedule", unavailable(0), []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond}},
		{"1 ms of a schedule", unavailable(time.Millisecond), []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond}},
		{"1 h of a schedule", unavailable(time.Hour), []time.Duration{time.Hour, time.Hour, time.Hour}},
		{"-1 ns", after(-1), []time.Duration{}},
	} {
		if diff := cmp.Diff(row.want, delays(t, policy, func(int) error { return row.err })); diff != "" {
			t.Errorf("%s: other delays than with version 1.50.0 (-want +got):\n%s", row.name, diff)
		}
	}
}

// An error around the one with the delay hides it: an activity must return the error of
// NewApplicationErrorWithOptions itself, with another one as its Cause.
func TestWrappedErrorLosesDelay(t *testing.T) {
	policy := temporal.RetryPolicy{InitialInterval: 7 * s, MaximumAttempts: 2}
	got := delays(t, policy, func(int) error { return fmt.Errorf("charge: %w", after(s)) })
	if diff := cmp.Diff([]time.Duration{7 * s}, got); diff != "" {
		t.Errorf("a wrapped error has no delay in version 1.50.0 (-want +got):\n%s", diff)
	}
	got = delays(t, policy, func(int) error {
		return temporal.NewApplicationErrorWithOptions("charge", "Unavailable", temporal.ApplicationErrorOptions{
			NextRetryDelay: s, Cause: errors.New("unavailable"),
		})
	})
	if diff := cmp.Diff([]time.Duration{s}, got); diff != "" {
		t.Errorf("with a Cause (-want +got):\n%s", diff)
	}
}

// MaximumInterval limits the policy's delays and not NextRetryDelay.
func TestMaximumInterval(t *testing.T) {
	policy := temporal.RetryPolicy{InitialInterval: s, BackoffCoefficient: 10, MaximumInterval: 5 * s, MaximumAttempts: 4}
	for _, row := range []struct {
		err  error
		want []time.Duration
	}{
		{errors.New("unavailable"), []time.Duration{1 * s, 5 * s, 5 * s}},
		{after(time.Hour), []time.Duration{time.Hour, time.Hour, time.Hour}},
	} {
		if diff := cmp.Diff(row.want, delays(t, policy, func(int) error { return row.err })); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", row.err, diff)
		}
	}
}

// Without MaximumAttempts a server retries forever, and the environment 10 times.
func TestMaximumAttempts(t *testing.T) {
	if got := len(delays(t, temporal.RetryPolicy{}, func(int) error { return after(s) })); got != 9 {
		t.Errorf("%d retries, want 9 as in version 1.50.0", got)
	}
}

// A workflow or an activity that is run again, as in a replay, gets the same jitter from
// its ID, and two workflows do not wait in step.
func TestKeyed(t *testing.T) {
	const n = 8
	delayOf := adapt.Keyed(func(seed uint64) iter.Seq[time.Duration] {
		return backoff.FullJitter(time.Minute, time.Hour, backoff.WithSeed(seed))
	})
	for _, row := range []struct {
		name string
		run  func(t *testing.T, id string) []time.Duration
	}{
		{"activity", func(t *testing.T, id string) []time.Duration {
			at, err := run(id, temporal.RetryPolicy{MaximumAttempts: n + 1}, func(ctx context.Context) error {
				info := activity.GetInfo(ctx)
				return unavailable(delayOf(info.WorkflowExecution.ID, int(info.Attempt)-1))
			})
			if err == nil {
				t.Fatal("the workflow succeeded")
			}
			return between(at)
		}},
		{"workflow", func(t *testing.T, id string) []time.Duration {
			var at []time.Time
			env := newEnvironment(id)
			env.ExecuteWorkflow(func(ctx workflow.Context) error {
				id := workflow.GetInfo(ctx).WorkflowExecution.ID
				for retry := range n + 1 {
					at = append(at, workflow.Now(ctx))
					if err := workflow.Sleep(ctx, delayOf(id, retry)); err != nil {
						return err
					}
				}
				return nil
			})
			if err := env.GetWorkflowError(); err != nil {
				t.Fatal(err)
			}
			return between(at)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			first := row.run(t, "order-1")
			if diff := cmp.Diff(first, row.run(t, "order-1")); diff != "" {
				t.Errorf("the same workflow again (-first +second):\n%s", diff)
			}
			want := make([]time.Duration, n)
			for i := range want {
				want[i] = delayOf("order-1", i)
			}
			if diff := cmp.Diff(want, first); diff != "" {
				t.Errorf("delays (-want +got):\n%s", diff)
			}
			// The IDs fix both, so this does not depend on chance.
			for i, d := range row.run(t, "order-2") {
				if d == first[i] {
					t.Errorf("delay %d of two workflows is %v", i, d)
				}
			}
		})
	}
}

// Local activities take the delay too.
func TestLocalActivity(t *testing.T) {
	want := []time.Duration{3 * s, 1 * s, 2 * s}
	delayOf := adapt.FuncFrom(1, slices.Values(want))
	env := newEnvironment("job")
	var at []time.Time
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
			StartToCloseTimeout: time.Hour, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 4},
		})
		return workflow.ExecuteLocalActivity(ctx, func(ctx context.Context) error {
			at = append(at, env.Now())
			return unavailable(delayOf(int(activity.GetInfo(ctx).Attempt)))
		}).Get(ctx, nil)
	})
	if diff := cmp.Diff(want, between(at)); diff != "" {
		t.Errorf("delays (-want +got):\n%s", diff)
	}
}
