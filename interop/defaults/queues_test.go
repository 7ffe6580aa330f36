package main

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hibiken/asynq"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"k8s.io/client-go/util/workqueue"

	"example.com/backoff/interop/observed"
	"example.com/backoff/interop/service"
)

// TestWorkqueue takes delays from the limiter, and works on an item that always fails.
func TestWorkqueue(t *testing.T) {
	c := clientNamed(t, "Kubernetes workqueue")
	synctest.Test(t, func(t *testing.T) {
		limiter := workqueue.DefaultTypedControllerRateLimiter[string]()
		asked := make([]time.Duration, 50)
		for i := range asked {
			asked[i] = limiter.When("item")
		}
		for _, d := range c.observed().Differences([][]time.Duration{asked}, false, 0) {
			t.Errorf("the limiter: %s", d)
		}

		worked := observed.Gaps(func(attempt func()) {
			q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
			defer q.ShutDown()
			q.Add("item")
			for range 25 {
				item, _ := q.Get()
				attempt()
				q.AddRateLimited(item)
				q.Done(item)
			}
		})
		for _, d := range c.observed().Differences([][]time.Duration{worked}, false, 0) {
			t.Errorf("the queue: %s", d)
		}
	})
}

// TestWorkqueueBucket: all items share a bucket of 100 tokens, so the 101st failure
// waits longer.
func TestWorkqueueBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := workqueue.DefaultTypedControllerRateLimiter[int]()
		for item := range 110 {
			want := 5 * time.Millisecond
			if item >= 100 {
				want = time.Duration(item-99) * 100 * time.Millisecond
			}
			if got := limiter.When(item); got != want {
				t.Errorf("item %d waits %v, want %v", item, got, want)
			}
		}
	})
}

// TestRiver takes the policy's delays of a job that fails at every attempt.
func TestRiver(t *testing.T) {
	rows := make([][]time.Duration, 5000)
	synctest.Test(t, func(t *testing.T) {
		var policy river.DefaultClientRetryPolicy
		for i := range rows {
			job := &rivertype.JobRow{MaxAttempts: river.MaxAttemptsDefault}
			for job.Attempt = 1; job.Attempt < job.MaxAttempts; job.Attempt++ {
				rows[i] = append(rows[i], time.Until(policy.NextRetry(job)))
				job.Errors = append(job.Errors, rivertype.AttemptError{Attempt: job.Attempt})
			}
		}
	})
	for _, d := range clientNamed(t, "River").observed().Differences(rows, true, 1) {
		t.Error(d)
	}
}

// TestAsynq takes the delays of as many retries as the server gives a task that does not
// configure it.
func TestAsynq(t *testing.T) {
	// A request that was sent again because its answer is late would be for an ID that exists.
	redis := asynq.RedisClientOpt{Addr: service.Need(t, service.Redis), ReadTimeout: time.Minute}
	c := asynq.NewClient(redis)
	defer c.Close()
	inspector := asynq.NewInspector(redis)
	defer inspector.Close()
	queue := fmt.Sprintf("backoff-defaults-%016x", rand.Uint64())
	info, err := c.Enqueue(asynq.NewTask("none", nil), asynq.Queue(queue))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := inspector.DeleteQueue(queue, true); err != nil {
			t.Error(err)
		}
	}()
	kept, err := inspector.GetTaskInfo(queue, info.ID)
	if err != nil {
		t.Fatal(err)
	}

	rows := make([][]time.Duration, 5000)
	for i := range rows {
		rows[i] = make([]time.Duration, kept.MaxRetry)
		for n := range rows[i] {
			rows[i][n] = asynq.DefaultRetryDelayFunc(n, errFailed, nil)
		}
	}
	for _, d := range clientNamed(t, "asynq").observed().Differences(rows, true, 0) {
		t.Error(d)
	}
}
