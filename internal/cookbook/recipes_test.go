package cookbook

import (
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"flag"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

func newClient() *http.Client {
	delays := backoff.Take(backoff.FullJitter(100*time.Millisecond, 10*time.Second), 5)
	return &http.Client{
		Transport: retryhttp.NewTransport(http.DefaultTransport, delays,
			retry.AttemptTimeout(10*time.Second), // for the header of each response
			retry.MaxAfter(30*time.Second),       // a server may ask for this, not for more
		),
		Timeout: time.Minute, // for all attempts and delays together
	}
}

func get(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if err := retryhttp.Stopped(resp); err != nil {
		return nil, fmt.Errorf("get %s: %w", url, err) // 3 attempts in 2.1s: ...: server answered 503
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("get %s: %s", url, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// report polls for a report, which the server answers with 202 while it is not ready.
// client must not retry by itself.
func report(ctx context.Context, client *http.Client, url string, delays iter.Seq[time.Duration]) ([]byte, error) {
	return retry.Value(ctx, delays, func(ctx context.Context) ([]byte, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return nil, retry.Permanent(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		switch {
		case resp.StatusCode == http.StatusOK:
			return io.ReadAll(resp.Body) // a broken connection is retried as well
		case resp.StatusCode == http.StatusAccepted, resp.StatusCode >= 500:
			return nil, errors.New(resp.Status)
		default:
			return nil, retry.Permanent(errors.New(resp.Status))
		}
	})
}

var errStopped = errors.New("stopped")

// sendOrStop retries send until stop is closed, ctx is done, or delays ends.
func sendOrStop(ctx context.Context, stop <-chan struct{}, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	err := send(ctx)
	for d := range delays {
		if err == nil {
			break
		}
		select {
		case <-time.After(d):
			err = send(ctx)
		case <-stop:
			return errors.Join(errStopped, err)
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
	return err
}

// serve handles messages, and meanwhile tries to register until it succeeds.
func serve(ctx context.Context, messages <-chan string, delays iter.Seq[time.Duration],
	register func(context.Context) error, handle func(string),
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // also ends Chan
	next := backoff.Chan(ctx, delays)
	timer := time.NewTimer(0) // the first attempt is now
	defer timer.Stop()
	var err error
	for {
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case message, ok := <-messages:
			if !ok {
				return nil
			}
			handle(message)
		case <-timer.C:
			if err = register(ctx); err == nil {
				continue
			}
			delay, ok := <-next // drawn when it is needed
			if !ok {
				return err
			}
			timer.Reset(delay) // the wait begins when the attempt is over
		}
	}
}

var errClosed = errors.New("connection closed")

// stayConnected dials, serves and dials again until ctx is done.
func stayConnected(ctx context.Context, dial func(context.Context) (net.Conn, error), serve func(context.Context, net.Conn) error) error {
	delays := backoff.SmoothJitter(time.Second, time.Minute)
	return retry.Do(ctx, delays, func(ctx context.Context) error {
		dialing, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		conn, err := dial(dialing)
		if err != nil {
			return err
		}
		defer conn.Close()
		if err := serve(ctx, conn); err != nil {
			return err
		}
		return errClosed // the server ended it: reconnect
	}, retry.ResetAfter(time.Minute))
}

var errPending = errors.New("not ready")

// waitReady polls until ready returns true. An error of ready ends it.
func waitReady(ctx context.Context, ready func(context.Context) (bool, error)) error {
	delays := backoff.Exponential(time.Second, 1.5)
	delays = backoff.Cap(delays, 25*time.Second)
	delays = backoff.Spread(delays, 0.2) // so at most 30 s
	return retry.Do(ctx, delays, func(ctx context.Context) error {
		ok, err := ready(ctx)
		if err != nil {
			return retry.Permanent(err)
		}
		if !ok {
			return errPending
		}
		return nil
	})
}

// message is what a queue delivers. Deliveries counts this one, from 1.
type message interface {
	Deliveries() int
	Ack() error
	Nack(delay time.Duration) error
	DeadLetter(reason error) error
}

// redelivery allows 6 redeliveries, so 7 deliveries.
var redelivery = backoff.Take(backoff.EqualJitter(10*time.Second, 10*time.Minute), 6)

func process(ctx context.Context, m message, work func(context.Context, message) error) error {
	err := work(ctx, m)
	if err == nil {
		return m.Ack()
	}
	if delay, ok := backoff.At(redelivery, m.Deliveries()-1); ok {
		return m.Nack(delay)
	}
	return m.DeadLetter(err)
}

// A shop calls one server, so that all its calls share one budget.
type shop struct {
	delays iter.Seq[time.Duration]
	budget *retry.Budget
	send   func(ctx context.Context, path string) error
}

func newShop(send func(ctx context.Context, path string) error) *shop {
	return &shop{
		delays: backoff.Take(backoff.FullJitter(100*time.Millisecond, 10*time.Second), 5),
		budget: retry.NewBudget(10, 0.1),
		send:   send,
	}
}

func (s *shop) call(ctx context.Context, path string) error {
	return retry.Do(ctx, s.delays, func(ctx context.Context) error {
		return s.send(ctx, path)
	}, retry.WithBudget(s.budget))
}

// order makes three calls in 30 s altogether.
func (s *shop) order(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for _, path := range []string{"/reserve", "/pay", "/ship"} {
		if err := s.call(ctx, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// limits gives up after 30 s. No attempt takes longer than 5 s, and none begins after
// 20 s.
func limits(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return retry.Do(ctx, delays, send,
		retry.AttemptTimeout(5*time.Second),
		retry.MaxElapsed(20*time.Second),
	)
}

// throttled is an error of your own API. Package retry finds its method.
type throttled struct{ wait time.Duration }

func (e *throttled) Error() string             { return fmt.Sprintf("throttled for %v", e.wait) }
func (e *throttled) RetryAfter() time.Duration { return e.wait }

var outcomes = expvar.NewMap("attempts")

// observed returns options that log the retries of one operation, and count how its
// attempts and its calls end.
func observed(operation string, logger *slog.Logger) []retry.Option {
	return []retry.Option{
		retry.WithLogger(logger.With("operation", operation)),
		retry.Observe(func(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
			return ctx, func(o retry.Outcome) {
				outcomes.Add(operation+": "+o.Result(), 1) // "retry", or how the call ended
			}
		}),
	}
}

// sendThrottled waits for the delays of quick, and after a throttled error for those of
// slow if they are longer.
func sendThrottled(ctx context.Context, quick, slow iter.Seq[time.Duration], send func(context.Context) error) error {
	throttles := 0 // of this call alone
	return retry.Do(ctx, quick, func(ctx context.Context) error {
		err := send(ctx)
		if _, ok := errors.AsType[*throttled](err); !ok {
			return err
		}
		delay, ok := backoff.At(slow, throttles)
		if !ok {
			return retry.Permanent(err)
		}
		throttles++
		return retry.After(err, delay)
	})
}

// In the bubble the clock jumps to the next timer, so this takes no time.
func TestSendRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		attempts := 0
		err := retry.Do(t.Context(), backoff.Take(backoff.Exponential(time.Hour, 2), 3), func(context.Context) error {
			attempts++
			return errors.New("refused")
		})
		if attempts != 4 || !errors.Is(err, retry.ErrExhausted) {
			t.Errorf("%d attempts and %v, want 4 and ErrExhausted", attempts, err)
		}
		if elapsed := time.Since(start); elapsed != 7*time.Hour {
			t.Errorf("it took %v, want 1 h + 2 h + 4 h", elapsed)
		}
	})
}

type config struct {
	URL   string    `json:"url"`
	Retry expr.Expr `json:"retry,omitzero"`
}

// load reads a configuration. Retry has a default.
func load(r io.Reader) (config, error) {
	var c config
	if err := json.NewDecoder(r).Decode(&c); err != nil {
		if _, ok := errors.AsType[*expr.Error](err); ok {
			err = fmt.Errorf("retry: %w", err) // retry: column 22: unknown stage "capp", did you mean cap?
		}
		return config{}, err
	}
	if c.Retry.IsZero() {
		if err := c.Retry.Set("full-jitter(100ms, 10s) | take(5)"); err != nil {
			return config{}, err
		}
	}
	return c, nil
}

// fromEnvironment sets e from a variable if the variable exists.
func fromEnvironment(e *expr.Expr, name string) error {
	text, ok := os.LookupEnv(name)
	if !ok {
		return nil
	}
	if err := e.Set(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// retryFlag defines a flag --retry. Its default is the value of e.
func retryFlag(flags *flag.FlagSet, e *expr.Expr) {
	flags.Var(e, "retry", "`schedule` of the retries")
}

// apiDelays serves any number of clients and goroutines at once.
var apiDelays = backoff.Take(backoff.FullJitter(100*time.Millisecond, 10*time.Second), 5)
