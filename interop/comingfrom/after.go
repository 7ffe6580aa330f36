package comingfrom

import (
	"context"
	"iter"
	"net/http"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

func cenkaltiAfter(ctx context.Context, send func(context.Context) error) (err error) {
	delays := backoff.Exponential(500*time.Millisecond, 1.5)
	delays = backoff.Cap(delays, time.Minute)
	delays = backoff.Spread(delays, 0.5)
	err = retry.Do(ctx, delays, send, retry.MaxElapsed(15*time.Minute))
	return err
}

func avastAfter(ctx context.Context, send func(context.Context) error) (err error) {
	delays := backoff.Exponential(100*time.Millisecond, 2)
	delays = backoff.Add(delays, backoff.Uniform(0, 100*time.Millisecond))
	err = retry.Do(ctx, delays, send, retry.MaxAttempts(10))
	return err
}

func sethvargoAfter(ctx context.Context, send func(context.Context) error) (err error) {
	delays := backoff.Drop(backoff.Fibonacci(time.Second), 1)
	err = retry.Do(ctx, backoff.Take(delays, 5), send)
	return err
}

// plusMinus is sethvargo's WithJitter and failsafe's, which move a delay by the same
// duration up or down.
func plusMinus() (delays iter.Seq[time.Duration]) {
	const jitter = 500 * time.Millisecond
	delays = backoff.Exponential(time.Second, 2)
	delays = backoff.Map(delays, func(d time.Duration) time.Duration { return d - jitter })
	delays = backoff.Add(delays, backoff.Uniform(0, 2*jitter))
	return delays
}

func failsafeAfter(ctx context.Context, send func(context.Context) error) (err error) {
	delays := backoff.Exponential(100*time.Millisecond, 2)
	delays = backoff.Cap(delays, 10*time.Second)
	delays = backoff.Spread(delays, 0.25)
	err = retry.Do(ctx, backoff.Take(delays, 5), send)
	return err
}

func retryablehttpAfter() (*http.Response, error) {
	delays := backoff.Exponential(time.Second, 2)
	delays = backoff.Cap(delays, 30*time.Second)
	client := &http.Client{Transport: retryhttp.NewTransport(http.DefaultTransport, backoff.Take(delays, 4))}
	resp, err := client.Get("https://example.com/")
	return resp, err
}

func kubernetesAfter(ctx context.Context, send func(context.Context) error) (err error) {
	delays := backoff.Exponential(time.Second, 2)
	delays = backoff.Add(delays, backoff.Jitter(backoff.Exponential(100*time.Millisecond, 2), 1))
	err = retry.Do(ctx, backoff.Take(delays, 4), send)
	return err
}

func tenacityAfter(ctx context.Context, send func(context.Context) error) (err error) {
	delays := backoff.FullJitter(time.Second, time.Minute)
	err = retry.Do(ctx, backoff.Take(delays, 4), send)
	return err
}

func pollyAfter(ctx context.Context, send func(context.Context) error) (err error) {
	delays := backoff.SmoothJitter(3*time.Second, backoff.NoLimit)
	err = retry.Do(ctx, backoff.Take(delays, 4), send)
	return err
}

func resilience4jAfter(ctx context.Context, send func(context.Context) error) (err error) {
	delays := backoff.Spread(backoff.Exponential(500*time.Millisecond, 1.5), 0.5)
	err = retry.Do(ctx, backoff.Take(delays, 2), send)
	return err
}

func loopAfter(ctx context.Context, send func(context.Context) error) (err error) {
	delays := backoff.Take(backoff.Exponential(time.Second, 2), 4)
	for range backoff.Attempts(ctx, delays) {
		if err = send(ctx); err == nil {
			break
		}
	}
	return err
}
