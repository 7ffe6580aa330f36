// Command temporal retries an activity of Temporal on a schedule, in the test environment
// of its SDK: no server is needed, and the time is virtual. With a server the activity is
// the same, but the timers fire 1 s after a failure or later, so a schedule should not
// begin below that.
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func main() {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()

	start := env.Now()
	delay := adapt.FuncFrom(1, backoff.Exponential(100*time.Millisecond, 2))
	charge := func(ctx context.Context) error {
		attempt := int(activity.GetInfo(ctx).Attempt)
		if attempt == 1 {
			start = env.Now()
		}
		fmt.Printf("attempt %d after %v\n", attempt, env.Now().Sub(start).Round(10*time.Millisecond))
		if attempt <= 3 {
			return temporal.NewApplicationErrorWithOptions("unavailable", "Unavailable", temporal.ApplicationErrorOptions{
				NextRetryDelay: max(delay(attempt), time.Millisecond), // 0 would be unset
			})
		}
		return nil
	}
	env.RegisterActivity(charge)
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
		return workflow.ExecuteActivity(ctx, charge).Get(ctx, nil)
	})
	if err := env.GetWorkflowError(); err != nil {
		log.Fatal(err)
	}
}
