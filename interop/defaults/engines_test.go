package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"example.com/backoff/interop/service"
)

// TestJetStream creates a consumer that does not configure redelivery, compares the
// configuration that the server gives it with the page, and measures redeliveries with
// a short AckWait.
func TestJetStream(t *testing.T) {
	address := service.Need(t, service.NATS)
	conn, err := nats.Connect("nats://" + address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	name := fmt.Sprintf("BACKOFF_DEFAULTS_%d", os.Getpid())
	stream, err := js.CreateStream(ctx, jetstream.StreamConfig{
		Name: name, Subjects: []string{name}, Storage: jetstream.MemoryStorage,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := js.DeleteStream(ctx, name); err != nil {
			t.Error(err)
		}
	}()

	type redelivery struct {
		AckWait    time.Duration
		MaxDeliver int
		BackOff    []time.Duration
	}
	c, err := stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "defaults"})
	if err != nil {
		t.Fatal(err)
	}
	info, err := c.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// The schedule of the page is constant(AckWait), endless.
	f := figureOf(clientNamed(t, "JetStream, a consumer"))
	if !f.certain() || !f.endless {
		t.Fatal("the page's schedule is not an endless constant")
	}
	want := redelivery{AckWait: f.longest, MaxDeliver: -1}
	if d := cmp.Diff(want, redelivery{info.Config.AckWait, info.Config.MaxDeliver, info.Config.BackOff}); d != "" {
		t.Errorf("the server's defaults (-want +got):\n%s", d)
	}

	const ackWait = 200 * time.Millisecond
	c, err = stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "short", AckWait: ackWait})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(ctx, name, nil); err != nil {
		t.Fatal(err)
	}
	deliveries, err := c.Messages(jetstream.PullMaxMessages(1))
	if err != nil {
		t.Fatal(err)
	}
	defer deliveries.Stop()
	var before time.Time
	for n := range 6 {
		message, err := deliveries.Next()
		if err != nil {
			t.Fatal(err)
		}
		// A delay begins when the server sends, and messages take different times
		// to arrive. Delays that doubled would reach 1.6 s at the end.
		if d := time.Since(before); n > 0 && (d < ackWait-50*time.Millisecond || d > ackWait+time.Second) {
			t.Errorf("redelivery %d came after %v, want %v", n, d, ackWait)
		}
		before = time.Now()
		m, err := message.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		if m.NumDelivered != uint64(n+1) {
			t.Errorf("delivery %d says that it is number %d", n+1, m.NumDelivered)
		}
	}

	// After a Nak it comes back at once.
	message, err := deliveries.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := message.Nak(); err != nil {
		t.Fatal(err)
	}
	refused := time.Now()
	if _, err := deliveries.Next(); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(refused); d > ackWait/2 {
		t.Errorf("a message came back %v after a Nak, want at once", d)
	}
}

// TestTemporal runs an activity that always fails in the test environment of the SDK,
// which has a clock of its own.
func TestTemporal(t *testing.T) {
	quiet := log.NewStructuredLogger(slog.New(slog.DiscardHandler))
	run := func(policy *temporal.RetryPolicy) []time.Duration {
		var suite testsuite.WorkflowTestSuite
		suite.SetLogger(quiet)
		env := suite.NewTestWorkflowEnvironment()
		var at []time.Time
		fail := func(context.Context) error {
			at = append(at, env.Now())
			return errFailed
		}
		env.RegisterActivity(fail)
		env.ExecuteWorkflow(func(ctx workflow.Context) error {
			ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute, RetryPolicy: policy})
			return workflow.ExecuteActivity(ctx, fail).Get(ctx, nil)
		})
		if !env.IsWorkflowCompleted() || env.GetWorkflowError() == nil {
			t.Fatalf("the workflow ended with %v, want the activity's error", env.GetWorkflowError())
		}
		delays := make([]time.Duration, len(at)-1)
		for i := range delays {
			delays[i] = at[i+1].Sub(at[i])
		}
		return delays
	}

	// The server completes a policy with 100 times the first interval as maximum, and
	// no maximum of attempts.
	got := run(&temporal.RetryPolicy{MaximumInterval: 100 * time.Second, MaximumAttempts: 13})
	if len(got) != 12 {
		t.Errorf("%d retries, want 12", len(got))
	}
	for _, d := range clientNamed(t, "Temporal, activities").observed().Differences([][]time.Duration{got}, false, 0) {
		t.Error(d)
	}

	// The test environment has other defaults.
	other := client{name: "Temporal's test environment", text: "constant(1s) | take(9)"}
	for _, d := range other.observed().Differences([][]time.Duration{run(nil)}, true, 0) {
		t.Error(d)
	}
}
