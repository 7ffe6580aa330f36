// Package watermill runs a schedule in a router of watermill, in middleware of its own:
// watermill's Retry and DelayOnError take no schedule.
//
// A Pub/Sub that keeps no delays, such as gochannel, sends a message that was not
// acknowledged again at once. So the middleware waits in the goroutine of the handler,
// which the router starts for each message. With a Pub/Sub that keeps delays, middleware
// writes the delay into the metadata of the message, and counts the retries there.
//
// In version 1.5.1 the delays of Retry grow each time that OnRetryHook or ShouldRetry is
// called, because watermill draws a delay for it; and DelayOnError cuts its Multiplier to
// a whole number. The time in the metadata has a grain of 1 s and is rounded down.
package watermill

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/components/delay"
	"github.com/ThreeDotsLabs/watermill/components/requeuer"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// retry returns middleware that calls a handler again after an error, up to retries
// times, and waits before each retry, counting from 0.
func retry(delay func(retry int) time.Duration, retries int) message.HandlerMiddleware {
	return func(handle message.HandlerFunc) message.HandlerFunc {
		return func(msg *message.Message) ([]*message.Message, error) {
			for retry := 0; ; retry++ {
				produced, err := handle(msg)
				if err == nil || retry == retries || backoff.Sleep(msg.Context(), delay(retry)) != nil {
					return produced, err
				}
			}
		}
	}
}

// delayOnError returns middleware that asks a Pub/Sub for a delay before a message comes
// again. It knows how often that was from watermill's requeuer, which counts in the
// metadata.
func delayOnError(delayOf func(retry int) time.Duration) message.HandlerMiddleware {
	return func(handle message.HandlerFunc) message.HandlerFunc {
		return func(msg *message.Message) ([]*message.Message, error) {
			produced, err := handle(msg)
			if err != nil {
				retries, _ := strconv.Atoi(msg.Metadata.Get(requeuer.RetriesKey)) // 0 in a new message
				delay.Message(msg, delay.For(delayOf(retries)))
			}
			return produced, err
		}
	}
}

// Measure publishes one message whose handler always fails, and returns the first n
// delays.
func Measure(ctx context.Context, seq iter.Seq[time.Duration], n int) (delays []kept.Delay, err error) {
	var recorder kept.Recorder
	delayOf := adapt.Func(seq)
	handled := make(chan struct{})
	last := func(handle message.HandlerFunc) message.HandlerFunc {
		return func(msg *message.Message) ([]*message.Message, error) {
			handle(msg)
			close(handled)
			return nil, nil // or the message comes again
		}
	}
	pubSub := gochannel.NewGoChannel(gochannel.Config{}, watermill.NopLogger{})
	router, err := message.NewRouter(message.RouterConfig{}, watermill.NopLogger{})
	if err != nil {
		return nil, err
	}
	router.AddMiddleware(last, retry(func(retry int) time.Duration { return recorder.Ask(delayOf(retry)) }, n))
	router.AddConsumerHandler("job", "jobs", pubSub, func(*message.Message) error {
		recorder.Attempt()
		return errors.New("unavailable")
	})

	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- router.Run(ctx) }()
	defer func() {
		cancel()
		err = errors.Join(err, <-ended, pubSub.Close())
	}()
	select {
	case <-router.Running():
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := pubSub.Publish("jobs", message.NewMessage(watermill.NewUUID(), nil)); err != nil {
		return nil, err
	}
	select {
	case <-handled:
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return recorder.Delays(), nil
}
