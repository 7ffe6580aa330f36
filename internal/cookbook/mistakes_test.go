package cookbook

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"net/http"
	"strings"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
)

func sleepsAfterTheLast(delays iter.Seq[time.Duration], send func() error) (err error) {
	for d := range delays { // n delays, but only n attempts
		if err = send(); err == nil {
			break
		}
		time.Sleep(d) // also after the last attempt
	}
	return err
}

func sleepsBetween(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) (err error) {
	for range backoff.Attempts(ctx, delays) {
		if err = send(ctx); err == nil {
			break
		}
	}
	return err
}

func ignoresTheContext(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	err := send(ctx)
	for d := range delays {
		if err == nil || ctx.Err() != nil {
			break
		}
		time.Sleep(d) // a shutdown waits for it
		err = send(ctx)
	}
	return err
}

func heedsTheContext(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	err := send(ctx)
	for d := range delays {
		if err == nil || backoff.Sleep(ctx, d) != nil {
			break
		}
		err = send(ctx)
	}
	return err
}

func jitterThenCap() iter.Seq[time.Duration] {
	delays := backoff.Exponential(100*time.Millisecond, 2)
	delays = backoff.Jitter(delays, 1)
	return backoff.Cap(delays, 10*time.Second) // cuts most of the jitter off
}

func capThenJitter() iter.Seq[time.Duration] {
	delays := backoff.Exponential(100*time.Millisecond, 2)
	delays = backoff.Cap(delays, 10*time.Second)
	return backoff.Jitter(delays, 1) // the same as FullJitter(100ms, 10s)
}

func retriesInRetries(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	query := func(ctx context.Context) error { return retry.Do(ctx, delays, send) }
	load := func(ctx context.Context) error { return retry.Do(ctx, delays, query) }
	return retry.Do(ctx, delays, load) // 3 attempts each: 3·3·3 = 27 requests
}

func retriesOnce(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	query := func(ctx context.Context) error { return send(ctx) }
	load := func(ctx context.Context) error { return query(ctx) }
	return retry.Do(ctx, delays, load) // 3 requests
}

func retriesOutermost(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	query := func(ctx context.Context) error { return retry.Do(ctx, delays, send, retry.NotNested()) }
	load := func(ctx context.Context) error { return retry.Do(ctx, delays, query, retry.NotNested()) }
	return retry.Do(ctx, delays, load) // 3 requests
}

func retriesForever(send func(context.Context) error) error {
	return retry.Do(context.Background(), backoff.FullJitter(time.Second, time.Minute), send)
}

func retriesForTenMinutes(ctx context.Context, send func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	return retry.Do(ctx, backoff.FullJitter(time.Second, time.Minute), send)
}

func paysTwice(ctx context.Context, client *http.Client, url string, delays iter.Seq[time.Duration]) error {
	return retry.Do(ctx, delays, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("amount=100"))
		if err != nil {
			return retry.Permanent(err)
		}
		req.Header.Set("Idempotency-Key", rand.Text()) // another payment with each attempt
		return post(client, req)
	})
}

func paysOnce(ctx context.Context, client *http.Client, url string, delays iter.Seq[time.Duration]) error {
	key := rand.Text() // one payment, however many attempts
	return retry.Do(ctx, delays, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("amount=100"))
		if err != nil {
			return retry.Permanent(err)
		}
		req.Header.Set("Idempotency-Key", key)
		return post(client, req)
	})
}

// post sends a request for which any answer of 2xx is a success.
func post(client *http.Client, req *http.Request) error {
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return errors.New(resp.Status)
	}
	return nil
}

func forgetsToFail(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	loop := retry.NewLoop(ctx, delays)
	for range loop.Attempts() {
		if err := send(loop.Context()); err != nil {
			continue // without Fail the attempt is a success: the loop ends
		}
	}
	return loop.Err() // nil
}

func failsFirst(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	loop := retry.NewLoop(ctx, delays)
	for range loop.Attempts() {
		loop.Fail(send(loop.Context())) // Fail(nil) is a success
	}
	return loop.Err()
}

// A policy remembers the number of retries, for all calls that share it.
type policy struct{ n int }

func (p *policy) Next() time.Duration {
	p.n++
	return time.Second << p.n // overflows after 33
}

func sharesState(ctx context.Context, p *policy, send func(context.Context) error) error {
	err := send(ctx)
	for err != nil && backoff.Sleep(ctx, p.Next()) == nil {
		err = send(ctx)
	}
	return err
}

// shared has no state: each range over it starts from the first delay.
var shared = backoff.Exponential(2*time.Second, 2)

func sharesAValue(ctx context.Context, send func(context.Context) error) error {
	return retry.Do(ctx, shared, send)
}

func losesTheError(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	err := send(ctx)
	for d := range delays {
		if err == nil {
			break
		}
		if cause := backoff.Sleep(ctx, d); cause != nil {
			return cause // context deadline exceeded
		}
		err = send(ctx)
	}
	return err
}

func keepsTheError(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	err := send(ctx)
	for d := range delays {
		if err == nil {
			break
		}
		if cause := backoff.Sleep(ctx, d); cause != nil {
			return errors.Join(cause, err) // and connection refused
		}
		err = send(ctx)
	}
	return err
}

func trustsTheServer(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	return retry.Do(ctx, delays, send) // "Retry-After: 31536000" is a year
}

func limitsTheServer(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	return retry.Do(ctx, delays, send, retry.MaxAfter(time.Minute))
}
