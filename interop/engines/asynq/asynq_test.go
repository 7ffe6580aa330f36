package asynq

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
	"example.com/backoff/interop/service"
)

// The first delay kept is delay 0 of a schedule whose delays differ, and the last one is
// held.
func TestMeasure(t *testing.T) {
	service.Need(t, service.Redis)
	t.Parallel()
	seq := backoff.Take(backoff.Exponential(time.Second, 2), 2)
	want := []time.Duration{time.Second, 2 * time.Second, 2 * time.Second}
	bound := kept.Bound{Early: time.Second, Late: CheckInterval + time.Second}
	kept.Judge(t, want, bound, func(ctx context.Context) ([]kept.Delay, error) {
		return Measure(ctx, seq, len(want))
	})
}

// With a second more in each delay, no retry is early.
func TestNeverEarly(t *testing.T) {
	service.Need(t, service.Redis)
	t.Parallel()
	seq := backoff.Linear(600*time.Millisecond, 700*time.Millisecond)
	want := []time.Duration{600 * time.Millisecond, 1300 * time.Millisecond}
	bound := kept.Bound{Early: time.Millisecond, Late: CheckInterval + 2*time.Second}
	kept.Judge(t, want, bound, func(ctx context.Context) ([]kept.Delay, error) {
		delays, err := Measure(ctx, backoff.Add(seq, backoff.Constant(time.Second)), len(want))
		for n := range delays {
			delays[n].Asked -= time.Second
		}
		return delays, err
	})
}

// An attempt that fails 0.6 s after the last whole second gets a retry after 0.4 s to
// 0.9 s, if the delay is 1 s. A busy machine can hide that, so a retry that is not early
// counts only if no timer was late by more than an eighth of 0.1 s, and two must count.
func TestEarly(t *testing.T) {
	service.Need(t, service.Redis)
	t.Parallel()
	rec := new(kept.Recorder)
	told := make(chan struct{})
	early, notEarly := false, 0
	var watch func() time.Duration
	fails := func(context.Context, *asynq.Task) error {
		rec.Attempt()
		if delays := rec.Delays(); len(delays) > 0 {
			busy := watch()
			early = delays[len(delays)-1].Late() < 0
			if !early && busy <= 100*time.Millisecond/8 {
				notEarly++
			}
			if early || notEarly == 2 || len(delays) == 10 {
				close(told)
				return nil
			}
		}
		watch = kept.Watch()
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(1600*time.Millisecond)) % time.Second)
		return errors.New("always")
	}
	delay := adapt.RetryDelay[*asynq.Task](backoff.Constant(time.Second))
	err := serve(t.Context(), fails, func(retry int, err error, task *asynq.Task) time.Duration {
		return rec.Ask(delay(retry, err, task))
	}, 10, func(string) error { kept.Receive(t, told, "a retry that is early, or two that are not"); return nil })
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case early:
	case notEarly == 2:
		t.Errorf("the delays are %v: asynq no longer cuts the time of a retry to whole seconds", rec.Delays())
	default:
		t.Skip("the machine is too busy to tell")
	}
}

// MaxRetry counts retries, so a task has one attempt more.
func TestArchived(t *testing.T) {
	service.Need(t, service.Redis)
	t.Parallel()
	inspector := asynq.NewInspector(address())
	defer inspector.Close()
	const maxRetry = 2
	var attempts atomic.Int32
	ctx := kept.Context(t, "a task to be archived")
	fails := func(context.Context, *asynq.Task) error { attempts.Add(1); return errors.New("always") }
	err := serve(t.Context(), fails, adapt.RetryDelay[*asynq.Task](backoff.Constant(0)), maxRetry, func(queue string) error {
		for {
			info, err := inspector.GetQueueInfo(queue)
			if err != nil || info.Archived == 1 {
				return err
			}
			if err := backoff.Sleep(ctx, CheckInterval); err != nil {
				return context.Cause(ctx)
			}
		}
	})
	if got := attempts.Load(); err != nil || got != maxRetry+1 {
		t.Errorf("%d attempts before the task was archived, and error %v, want %d", got, err, maxRetry+1)
	}
}

func TestMeasureEndsWithItsContext(t *testing.T) {
	service.Need(t, service.Redis)
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	time.AfterFunc(500*time.Millisecond, func() { cancel(cause) })
	if _, err := Measure(ctx, backoff.Constant(time.Hour), 1); err == nil || err.Error() != cause.Error() {
		t.Errorf("Measure returns %v, want %v and nothing about what it deletes", err, cause)
	}
}

// Nothing is left in Redis.
func TestRemove(t *testing.T) {
	service.Need(t, service.Redis)
	t.Parallel()
	attempted := make(chan string, 10)
	fails := func(context.Context, *asynq.Task) error { attempted <- ""; return errors.New("always") }
	var queue string
	err := serve(t.Context(), fails, adapt.RetryDelay[*asynq.Task](backoff.Constant(time.Hour)), 1, func(name string) error {
		queue = name
		kept.Receive(t, attempted, "an attempt")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(&redis.Options{Addr: service.Redis.Value()})
	defer client.Close()
	keys, err := client.Keys(t.Context(), "*"+queue+"*").Result()
	listed, listErr := client.SIsMember(t.Context(), "asynq:queues", queue).Result()
	if len(keys) > 0 || listed || err != nil || listErr != nil {
		t.Errorf("the keys %v are left, the queue is listed: %v, errors %v and %v, want none", keys, listed, err, listErr)
	}
}
