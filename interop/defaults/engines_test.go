package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"example.com/backoff/interop/service"
)

// TestJetStream creates a consumer that does not configure redelivery, compares the
// configuration that the server gives it with the page, and measures redeliveries with
// a short AckWait.
func TestJetStream(t *testing.T) {
	address := service.Need(t, service.NATS)
	conn, err := nats.Connect("nats://"+address, nats.Timeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	name := fmt.Sprintf("BACKOFF_DEFAULTS_%016x", rand.Uint64())
	stream, err := js.CreateStream(ctx, jetstream.StreamConfig{
		Name: name, Subjects: []string{name}, Storage: jetstream.MemoryStorage,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
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

	// deliver returns the times of the next deliveries of a message, the numbers of which
	// begin at first.
	deliver := func(c jetstream.Consumer, first, n int) (at []time.Time) {
		t.Helper()
		for number := first; number < first+n; number++ {
			// Heartbeats would end a request that waits while this machine is busy.
			message, err := c.Next(jetstream.FetchContext(ctx), jetstream.FetchHeartbeat(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			at = append(at, time.Now())
			m, err := message.Metadata()
			if err != nil {
				t.Fatal(err)
			}
			if m.NumDelivered != uint64(number) {
				t.Errorf("delivery %d says that it is number %d", number, m.NumDelivered)
			}
		}
		return at
	}
	const ackWait = 200 * time.Millisecond
	c, err = stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "short", AckWait: ackWait})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(ctx, name, nil); err != nil {
		t.Fatal(err)
	}
	const n = 6
	start := time.Now() // the server sends nothing before it is asked
	at := deliver(c, 1, n)
	if d := at[n-1].Sub(start); d < (n-1)*ackWait {
		t.Errorf("%d deliveries took %v, want at least %v", n, d, (n-1)*ackWait)
	}
	// On a busy machine some come late. If the delays grew, all would be long by now: 1.3
	// times as long each time is 740 ms.
	least := at[n-1].Sub(at[n-2])
	for first := n + 1; least > 2*ackWait && first < 5*n; first += n {
		at := deliver(c, first, n)
		for i, later := range at[1:] {
			least = min(least, later.Sub(at[i]))
		}
	}
	if least > 2*ackWait {
		t.Errorf("between deliveries the least delay is %v, want %v", least, ackWait)
	}

	// After a Nak it comes back before the AckWait, which would not end within the test.
	c, err = stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "long", AckWait: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	message, err := c.Next(jetstream.FetchContext(ctx), jetstream.FetchHeartbeat(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if err := message.Nak(); err != nil {
		t.Fatal(err)
	}
	deliver(c, 2, 1)
}

// TestTemporal runs an activity that always fails in the test environment of the SDK,
// which has a clock of its own.
func TestTemporal(t *testing.T) {
	quiet := log.NewStructuredLogger(slog.New(slog.DiscardHandler))
	run := func(policy *temporal.RetryPolicy) []time.Duration {
		var suite testsuite.WorkflowTestSuite
		suite.SetLogger(quiet)
		env := suite.NewTestWorkflowEnvironment()
		// In real time, of a machine that may be busy.
		env.SetTestTimeout(10 * time.Minute)
		env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: 10 * time.Minute})
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
		if !env.IsWorkflowCompleted() || env.GetWorkflowError() == nil || len(at) == 0 {
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
