// Package asynq measures how well asynq keeps the delays of a schedule, on Redis.
//
// These facts are of version 0.26.0. RetryDelayFunc gets 0 at the first failure. The time
// of the retry is cut to a whole second, so that a retry can come
// up to 1 s early. A forwarder looks for
// tasks that are due every DelayedTaskCheckInterval, 5 s unless set and without a lower
// bound, and an idle worker looks for a task after half to one and a half of
// TaskCheckInterval, 1 s unless set.
//
// A task is archived after MaxRetry retries, 25 unless set. A task whose worker was killed
// during an attempt comes back when its lease of 30 s has been over for 30 s; asynq looks
// for such tasks when a server starts, and then every minute.
package asynq

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
	"example.com/backoff/interop/service"
)

// CheckInterval is the DelayedTaskCheckInterval of the server that Measure starts, and
// its TaskCheckInterval.
const CheckInterval = 200 * time.Millisecond

// Measure runs a task that always fails with seq as the RetryDelayFunc, and returns its
// first n delays.
func Measure(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	rec := new(kept.Recorder)
	enough := make(chan struct{})
	var once sync.Once
	fails := func(context.Context, *asynq.Task) error {
		rec.Attempt()
		if len(rec.Delays()) >= n {
			once.Do(func() { close(enough) })
			return nil
		}
		return errors.New("always")
	}
	delay := adapt.RetryDelay[*asynq.Task](seq)
	err := serve(ctx, fails, func(retry int, err error, task *asynq.Task) time.Duration {
		return rec.Ask(delay(retry, err, task))
	}, n, func(string) error {
		select {
		case <-enough:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	if err != nil {
		return nil, err
	}
	return rec.Delays()[:n], nil
}

// serve runs one task with a handler, in a queue of its own, until during returns.
func serve(ctx context.Context, handler asynq.HandlerFunc, delay asynq.RetryDelayFunc, maxRetry int, during func(queue string) error) (err error) {
	queue := fmt.Sprintf("backoff_%016x", rand.Uint64())
	server := asynq.NewServer(address(), asynq.Config{
		Concurrency:              1,
		Queues:                   map[string]int{queue: 1},
		RetryDelayFunc:           delay,
		DelayedTaskCheckInterval: CheckInterval,
		TaskCheckInterval:        CheckInterval,
		LogLevel:                 asynq.FatalLevel,
		BaseContext:              func() context.Context { return ctx },
	})
	if err := server.Start(handler); err != nil {
		return err
	}
	defer func() {
		server.Shutdown()
		err = errors.Join(err, Remove(context.WithoutCancel(ctx), queue))
	}()
	client := asynq.NewClient(address())
	defer client.Close()
	if _, err := client.Enqueue(asynq.NewTask("failing", nil), asynq.Queue(queue), asynq.MaxRetry(maxRetry)); err != nil {
		return err
	}
	return during(queue)
}

func address() asynq.RedisClientOpt { return asynq.RedisClientOpt{Addr: service.Redis.Value()} }

// Remove deletes a queue, and its counts, which asynq keeps for ever.
func Remove(ctx context.Context, queue string) error {
	inspector := asynq.NewInspector(address())
	defer inspector.Close()
	if err := inspector.DeleteQueue(queue, true); err != nil {
		return err
	}
	client := redis.NewClient(&redis.Options{Addr: service.Redis.Value()})
	defer client.Close()
	for keys := client.Scan(ctx, 0, "asynq:{"+queue+"}*", 1000).Iterator(); ; {
		if !keys.Next(ctx) {
			return keys.Err()
		}
		if err := client.Del(ctx, keys.Val()).Err(); err != nil {
			return err
		}
	}
}
