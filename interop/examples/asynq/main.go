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
	"github.com/redis/go-redis/v9/logging"

	"example.com/backoff"
	"example.com/backoff/adapt"
	engine "example.com/backoff/interop/engines/asynq"
	"example.com/backoff/interop/service"
)

var queue = fmt.Sprint("backoff-example-", rand.Uint64()) // which this program deletes in the end

var (
	start time.Time
	done  = make(chan struct{})
)

func send(ctx context.Context, _ *asynq.Task) error {
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

func main() {
	log.SetFlags(0)
	logging.Disable() // of the client of Redis
	redis := asynq.RedisClientOpt{Addr: service.Redis.Value()}
	server := asynq.NewServer(redis, asynq.Config{
		// asynq cuts the time of a retry to a whole second. With a second more none is early.
		RetryDelayFunc:           adapt.RetryDelay[*asynq.Task](backoff.Add(backoff.Exponential(time.Second, 2), backoff.Constant(time.Second))),
		DelayedTaskCheckInterval: time.Second, // or a retry can be 5 s late
		Queues:                   map[string]int{queue: 1},
		LogLevel:                 asynq.FatalLevel,
	})
	check(server.Start(asynq.HandlerFunc(send)))
	_, err := asynq.NewClient(redis).Enqueue(asynq.NewTask("letter", nil), asynq.Queue(queue))
	check(err)
	<-done
	server.Shutdown()
	check(engine.Remove(context.Background(), queue))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
