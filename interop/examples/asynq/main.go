// Command asynq retries a task of asynq, on Redis, with a schedule. The first two attempts
// fail.
//
//	GOWORK=off go -C interop run ./examples/asynq
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/service"
)

func main() {
	log.SetFlags(0)
	logging.Disable() // of the client of Redis
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client := redis.NewClient(&redis.Options{Addr: service.Redis.Value()})
	defer client.Close()
	if err := client.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("no answer from Redis: %w", err)
	}

	var start time.Time
	done := make(chan struct{})
	send := func(ctx context.Context, _ *asynq.Task) error {
		retry, _ := asynq.GetRetryCount(ctx)
		if retry == 0 {
			start = time.Now()
		}
		fmt.Printf("attempt %d after %v\n", retry+1, time.Since(start).Round(10*time.Millisecond))
		if retry < 2 {
			return errors.New("no answer")
		}
		close(done)
		return nil
	}

	// asynq cuts the time of a retry to a whole second. With a second more none is early.
	seq := backoff.Add(backoff.Exponential(time.Second, 2), backoff.Constant(time.Second))
	queue := fmt.Sprintf("backoff_example_%016x", rand.Uint64())
	server := asynq.NewServerFromRedisClient(client, asynq.Config{
		RetryDelayFunc:           adapt.RetryDelay[*asynq.Task](seq),
		DelayedTaskCheckInterval: time.Second, // or a retry can be 5 s late
		Queues:                   map[string]int{queue: 1},
		LogLevel:                 asynq.FatalLevel,
	})
	if err := server.Start(asynq.HandlerFunc(send)); err != nil {
		return err
	}
	if _, err := asynq.NewClientFromRedisClient(client).Enqueue(asynq.NewTask("letter", nil), asynq.Queue(queue)); err != nil {
		return err
	}
	<-done
	server.Shutdown()

	// The queue and its counts, which asynq keeps.
	if err := asynq.NewInspectorFromRedisClient(client).DeleteQueue(queue, true); err != nil {
		return err
	}
	counts, err := client.Keys(ctx, "asynq:{"+queue+"}*").Result()
	if err != nil {
		return err
	}
	return client.Del(ctx, counts...).Err()
}
