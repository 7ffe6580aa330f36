// Command watermill retries the handler of a message on a schedule, by middleware in the
// goroutine of the handler. It needs no server: the Pub/Sub is watermill's gochannel.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// retry calls a handler again until it succeeds or its message's context is done.
func retry(delay func(retry int) time.Duration) message.HandlerMiddleware {
	return func(handle message.HandlerFunc) message.HandlerFunc {
		return func(msg *message.Message) ([]*message.Message, error) {
			for retry := 0; ; retry++ {
				produced, err := handle(msg)
				if err == nil || backoff.Sleep(msg.Context(), delay(retry)) != nil {
					return produced, err
				}
			}
		}
	}
}

func main() {
	pubSub := gochannel.NewGoChannel(gochannel.Config{}, watermill.NopLogger{})
	router, err := message.NewRouter(message.RouterConfig{}, watermill.NopLogger{})
	if err != nil {
		log.Fatal(err)
	}
	router.AddMiddleware(retry(adapt.Func(backoff.Exponential(100*time.Millisecond, 2))))

	ctx, cancel := context.WithCancel(context.Background())
	attempts := 0
	var start time.Time
	router.AddConsumerHandler("job", "jobs", pubSub, func(*message.Message) error {
		if attempts++; attempts == 1 {
			start = time.Now()
		}
		fmt.Printf("attempt %d after %v\n", attempts, time.Since(start).Round(10*time.Millisecond))
		if attempts <= 3 {
			return errors.New("unavailable")
		}
		cancel()
		return nil
	})
	go func() {
		<-router.Running()
		if err := pubSub.Publish("jobs", message.NewMessage(watermill.NewUUID(), nil)); err != nil {
			log.Fatal(err)
		}
	}()
	if err := router.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
