// Package temporal runs a schedule in an activity of Temporal, in the test environment
// of its SDK: an activity that fails asks for its next delay by NextRetryDelay.
//
// The environment's clock is virtual, and keeps delays to the nanosecond. The SDK 1.50.0
// numbers the first attempt 1, so this is the number of the first retry. A delay of 0 is
// not sent, and then the RetryPolicy decides, which has no jitter. The MaximumInterval of
// the policy does not limit NextRetryDelay, and its MaximumAttempts ends the retries.
//
// What a server does is not measured here. By its source, its timers fire 1 s after the
// failure or later (history.timerProcessorMaxTimeShift), and it needs version 1.24.2 for
// NextRetryDelay.
package temporal

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// unavailable returns an error after which Temporal tries an activity again after delay,
// and at the earliest after 1 ms, because it takes a delay of 0 for none.
func unavailable(delay time.Duration) error {
	return temporal.NewApplicationErrorWithOptions("unavailable", "Unavailable", temporal.ApplicationErrorOptions{
		NextRetryDelay: max(delay, time.Millisecond),
	})
}

// Measure runs a workflow whose activity always fails, and returns the first n delays in
// the time of the environment.
func Measure(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	delayOf := adapt.FuncFrom(1, seq)
	var asked []time.Duration
	failures, err := run("job", temporal.RetryPolicy{MaximumAttempts: int32(n + 1)}, func(ctx context.Context) error {
		asked = append(asked, delayOf(int(activity.GetInfo(ctx).Attempt)))
		return unavailable(asked[len(asked)-1])
	})
	if len(failures) != n+1 {
		return nil, fmt.Errorf("%d attempts, want %d: %w", len(failures), n+1, err)
	}
	delays := make([]kept.Delay, n)
	for i := range delays {
		delays[i] = kept.Delay{Asked: asked[i], Kept: failures[i+1].Sub(failures[i])}
	}
	return delays, nil
}

// run runs a workflow with this ID, which executes an activity with this policy. It
// returns when the attempts began, and the workflow's error. An attempt takes no time.
func run(id string, policy temporal.RetryPolicy, attempt func(context.Context) error) (at []time.Time, err error) {
	env := newEnvironment(id)
	act := func(ctx context.Context) error {
		at = append(at, env.Now())
		return attempt(ctx)
	}
	env.RegisterActivity(act)
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Hour, RetryPolicy: &policy})
		return workflow.ExecuteActivity(ctx, act).Get(ctx, nil)
	})
	return at, env.GetWorkflowError()
}

func newEnvironment(id string) *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: id})
	env.SetTestTimeout(5 * time.Minute) // of the wall clock, which a busy machine needs
	return env
}
