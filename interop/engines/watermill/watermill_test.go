package watermill

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/components/delay"
	"github.com/ThreeDotsLabs/watermill/components/requeuer"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"
	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

var errUnavailable = errors.New("unavailable")

// The first retry waits for delay 0, and after the end of the schedule its last delay is
// held.
func TestDelaysAreKept(t *testing.T) {
	want := []time.Duration{40 * ms, 20 * ms, 80 * ms, 80 * ms}
	kept.Judge(t, want, kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
		return Measure(ctx, slices.Values(want[:3]), len(want))
	})
}

func TestMeasureEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), s)
		defer cancel()
		start := time.Now()
		if _, err := Measure(ctx, backoff.Constant(time.Hour), 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it ended with %v, want %v", err, context.DeadlineExceeded)
		}
		if elapsed := time.Since(start); elapsed > time.Minute {
			t.Errorf("it ended after %v", elapsed)
		}
	})
}

// run returns when the handler is called, below this middleware and in a bubble, if it
// fails each time but the last, which is call number calls.
func run(t *testing.T, calls int, middlewares ...message.HandlerMiddleware) (at []time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		pubSub := gochannel.NewGoChannel(gochannel.Config{}, watermill.NopLogger{})
		stop := start(t, pubSub, func(router *message.Router) {
			router.AddMiddleware(middlewares...)
			begin := time.Now()
			router.AddConsumerHandler("job", "jobs", pubSub, func(*message.Message) error {
				if at = append(at, time.Since(begin)); len(at) < calls {
					return errUnavailable
				}
				return nil
			})
		})
		defer stop()
		publish(t, pubSub)
		time.Sleep(time.Hour)
	})
	return at
}

// start runs a router until stop is called.
func start(t *testing.T, pubSub *gochannel.GoChannel, add func(*message.Router)) (stop func()) {
	t.Helper()
	router, err := message.NewRouter(message.RouterConfig{}, watermill.NopLogger{})
	if err != nil {
		t.Fatal(err)
	}
	add(router)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- router.Run(ctx) }()
	<-router.Running()
	return func() {
		cancel()
		if err := errors.Join(<-ended, pubSub.Close()); err != nil {
			t.Error(err)
		}
	}
}

func publish(t *testing.T, pubSub *gochannel.GoChannel) {
	t.Helper()
	if err := pubSub.Publish("jobs", message.NewMessage(watermill.NewUUID(), nil)); err != nil {
		t.Fatal(err)
	}
}

// A hook of watermill's Retry that only looks at the delay moves it: watermill draws one
// for the hook and another one for the wait. Looking at adapt.Func moves nothing.
func TestLookingMoves(t *testing.T) {
	const calls = 6
	plain := []time.Duration{0, 10 * ms, 30 * ms, 70 * ms, 150 * ms, 310 * ms}
	exponential := backoff.Cap(backoff.Exponential(10*ms, 2), s)
	theirs := middleware.Retry{MaxRetries: calls, InitialInterval: 10 * ms, MaxInterval: s, Multiplier: 2}
	ours := func(looks func(retry int, delay time.Duration)) message.HandlerMiddleware {
		delayOf := adapt.Func(exponential)
		return retry(func(retry int) time.Duration {
			for range 3 {
				looks(retry, delayOf(retry))
			}
			return delayOf(retry)
		}, calls)
	}
	hooked, asked, both := theirs, theirs, theirs
	hooked.OnRetryHook = func(int, time.Duration) {}
	asked.ShouldRetry = func(middleware.RetryParams) bool { return true }
	both.OnRetryHook, both.ShouldRetry = hooked.OnRetryHook, asked.ShouldRetry

	for _, row := range []struct {
		name       string
		middleware message.HandlerMiddleware
		want       []time.Duration
	}{
		{"watermill's Retry", theirs.Middleware, plain},
		{"watermill's Retry with OnRetryHook", hooked.Middleware, []time.Duration{0, 10 * ms, 50 * ms, 210 * ms, 850 * ms, 1850 * ms}},
		{"watermill's Retry with ShouldRetry", asked.Middleware, []time.Duration{0, 20 * ms, 100 * ms, 420 * ms, 1420 * ms, 2420 * ms}},
		{"watermill's Retry with both", both.Middleware, []time.Duration{0, 20 * ms, 180 * ms, 1180 * ms, 2180 * ms, 3180 * ms}},
		{"adapt.Func", ours(func(int, time.Duration) {}), plain},
	} {
		got := run(t, calls, row.middleware)
		t.Logf("with %s the attempts are at %v", row.name, got)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("with %s the attempts are not where they are with version 1.5.1 (-want +got):\n%s", row.name, diff)
		}
	}
}

// The hook is not told the delay that follows, and not of the first retry.
func TestHookIsToldAnotherDelay(t *testing.T) {
	type told struct {
		Retry int
		Delay time.Duration
	}
	var got []told
	theirs := middleware.Retry{MaxRetries: 4, InitialInterval: 10 * ms, MaxInterval: s, Multiplier: 2}
	theirs.OnRetryHook = func(retry int, d time.Duration) { got = append(got, told{retry, d}) }
	attempts := run(t, 4, theirs.Middleware)

	if diff := cmp.Diff([]told{{1, 20 * ms}, {2, 80 * ms}}, got); diff != "" {
		t.Errorf("version 1.5.1 tells the hook other retries and delays (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]time.Duration{0, 10 * ms, 50 * ms, 210 * ms}, attempts); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}

// The middleware gives up after its last retry, and gochannel then sends the message
// again at once.
func TestMiddlewareGivesUp(t *testing.T) {
	want := []time.Duration{0, s, 3 * s, 3 * s, 4 * s, 6 * s}
	got := run(t, 6, retry(adapt.Func(backoff.Exponential(s, 2)), 2))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}

// A message that waits does not hold up another one, because the router starts a
// goroutine for each.
func TestOthersDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pubSub := gochannel.NewGoChannel(gochannel.Config{}, watermill.NopLogger{})
		var calls atomic.Int32
		stop := start(t, pubSub, func(router *message.Router) {
			router.AddMiddleware(retry(adapt.Func(backoff.Constant(time.Hour)), 1))
			router.AddConsumerHandler("job", "jobs", pubSub, func(*message.Message) error {
				calls.Add(1)
				return errUnavailable
			})
		})
		for range 100 {
			publish(t, pubSub)
		}
		time.Sleep(time.Minute)
		if got := calls.Load(); got != 100 {
			t.Errorf("%d of 100 messages were tried within a minute", got)
		}
		stop()
	})
}

// gochannel keeps no delays: a message that asks for an hour comes at once.
func TestGoChannelIgnoresDelays(t *testing.T) {
	got := run(t, 4, delayOnError(adapt.Func(backoff.Constant(time.Hour))))
	if diff := cmp.Diff([]time.Duration{0, 0, 0, 0}, got); diff != "" {
		t.Errorf("gochannel of version 1.5.1 keeps no delays, and this one does (-want +got):\n%s", diff)
	}
}

// delaying publishes each message when its metadata say, as a Pub/Sub that keeps delays
// does.
type delaying struct{ message.Publisher }

func (p delaying) Publish(topic string, messages ...*message.Message) error {
	for _, msg := range messages {
		d, err := time.ParseDuration(msg.Metadata.Get(delay.DelayedForKey))
		if err != nil {
			return err
		}
		time.AfterFunc(d, func() { p.Publisher.Publish(topic, msg) })
	}
	return nil
}

// A message that failed goes to a queue for delayed ones and back by watermill's
// requeuer, which counts: delay 0 comes before the first retry.
func TestDelayOnError(t *testing.T) {
	want := []time.Duration{0, 3 * s, 4 * s, 6 * s, 8 * s} // and so after 3, 1, 2 and 2 s
	var got []time.Duration
	synctest.Test(t, func(t *testing.T) {
		pubSub := gochannel.NewGoChannel(gochannel.Config{}, watermill.NopLogger{})
		stop := start(t, pubSub, func(router *message.Router) {
			delayed, err := delay.NewPublisher(delaying{pubSub}, delay.PublisherConfig{})
			if err != nil {
				t.Fatal(err)
			}
			toDelayed, err := middleware.PoisonQueue(delayed, "delayed")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := requeuer.NewRequeuer(requeuer.Config{
				Subscriber:           pubSub,
				SubscribeTopic:       "delayed",
				Publisher:            pubSub,
				GeneratePublishTopic: func(requeuer.GeneratePublishTopicParams) (string, error) { return "jobs", nil },
				Router:               router,
			}, watermill.NopLogger{}); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			router.AddConsumerHandler("job", "jobs", pubSub, func(*message.Message) error {
				if got = append(got, time.Since(begin)); len(got) < len(want) {
					return errUnavailable
				}
				return nil
			}).AddMiddleware(toDelayed, delayOnError(adapt.Func(slices.Values([]time.Duration{3 * s, 1 * s, 2 * s}))))
		})
		publish(t, pubSub)
		time.Sleep(time.Hour)
		stop()
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}

// The delays that a message's metadata ask for after each of four errors.
func metadataAfter(t *testing.T, m message.HandlerMiddleware) (delays []string) {
	t.Helper()
	handle := m(func(*message.Message) ([]*message.Message, error) { return nil, errUnavailable })
	msg := message.NewMessage(watermill.NewUUID(), nil)
	for range 4 {
		if _, err := handle(msg); err != errUnavailable {
			t.Fatal(err)
		}
		delays = append(delays, msg.Metadata.Get(delay.DelayedForKey))
	}
	return delays
}

// watermill's DelayOnError converts its Multiplier to a Duration, which is an integer: 1.5
// becomes 1, and the delays never grow.
func TestMultiplierIsCut(t *testing.T) {
	for multiplier, want := range map[float64][]string{
		2:    {"1s", "2s", "4s", "8s"},
		1.5:  {"1s", "1s", "1s", "1s"},
		1.99: {"1s", "1s", "1s", "1s"},
		2.9:  {"1s", "2s", "4s", "8s"},
	} {
		theirs := middleware.DelayOnError{InitialInterval: s, MaxInterval: time.Hour, Multiplier: multiplier}
		if diff := cmp.Diff(want, metadataAfter(t, theirs.Middleware)); diff != "" {
			t.Errorf("a Multiplier of %v gives other delays than with version 1.5.1 (-want +got):\n%s", multiplier, diff)
		}
	}
}

// The metadata have the delay exactly, and its end in whole seconds, rounded down: a
// Pub/Sub that reads the end may send the message up to 1 s early.
func TestDelayedUntilIsRoundedDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which it is 2000-01-01 00:00:00 UTC
		msg := message.NewMessage(watermill.NewUUID(), nil)
		delay.Message(msg, delay.For(1999*ms))
		got := []string{msg.Metadata.Get(delay.DelayedForKey), msg.Metadata.Get(delay.DelayedUntilKey)}
		if diff := cmp.Diff([]string{"1.999s", "2000-01-01T00:00:01Z"}, got); diff != "" {
			t.Errorf("version 1.5.1 writes other metadata (-want +got):\n%s", diff)
		}
	})
}
