package indexes

import (
	"context"
	"iter"
	"log/slog"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"example.com/backoff/adapt"
)

func temporalAttempt(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	delay := r.of(adapt.FuncFrom(1, seq))
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	// In real time, of a machine that may be busy.
	env.SetTestTimeout(10 * time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: 10 * time.Minute})
	failing := func(ctx context.Context) error {
		return temporal.NewApplicationErrorWithOptions("failed", "", temporal.ApplicationErrorOptions{
			NextRetryDelay: delay(int(activity.GetInfo(ctx).Attempt)),
		})
	}
	env.RegisterActivity(failing)
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: time.Minute,
			RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: enough},
		})
		return workflow.ExecuteActivity(ctx, failing).Get(ctx, nil)
	})
	wantError(t, env.GetWorkflowError(), nil)
}
