package retryhttp_test

//lint:file-ignore SA1019 This is a test of the deprecated Cancel channel.

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

// The deprecated Cancel channel of a request ends attempts and delays, as a context does.
func TestCancelChannel(t *testing.T) {
	refuses := func(*http.Request) (*http.Response, error) { return nil, errRefused }
	hangs := func(req *http.Request) (*http.Response, error) {
		select {
		case <-req.Cancel:
			return nil, errors.New("net/http: request canceled")
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	answers := func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 503, Body: newBody("busy")}, nil
	}
	for _, row := range []struct {
		name     string
		base     roundTripper
		opts     []retry.Option
		after    time.Duration // < 0: before
		attempts int
	}{
		{"during a delay", refuses, nil, 1500 * ms, 2},
		{"during a delay after a response", answers, nil, 1500 * ms, 2},
		{"during an attempt", hangs, nil, 1500 * ms, 1},
		{"during an attempt with a timeout", hangs, []retry.Option{retry.AttemptTimeout(time.Hour)}, 1500 * ms, 1},
		{"during a delay between attempts with a timeout", refuses, []retry.Option{retry.AttemptTimeout(time.Hour)}, 1500 * ms, 2},
		{"before", refuses, nil, -1, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cancel := make(chan struct{})
				req := newRequest(t, "GET", "http://a/", nil).WithContext(context.Background())
				req.Cancel = cancel
				if row.after < 0 {
					close(cancel)
				} else {
					time.AfterFunc(row.after, func() { close(cancel) })
				}
				start := time.Now()
				resp, err := retryhttp.NewTransport(row.base, backoff.Take(backoff.Constant(s), 9), row.opts...).RoundTrip(req)
				stopped, ok := errors.AsType[*retry.Error](err)
				if resp != nil || !ok || stopped.Attempts != row.attempts || stopped.Cause != context.Canceled {
					t.Errorf("got %v, %v, want %d attempts that were cancelled", resp, err, row.attempts)
				}
				if got := time.Since(start); got != max(row.after, 0) {
					t.Errorf("it took %v, want %v", got, row.after)
				}
			})
		})
	}
}

// A response that was complete in time is the caller's: what ends the delays has gone, and
// the bubble ends with it.
func TestCancelChannelUnused(t *testing.T) {
	for name, opts := range limited {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := &scripted{answers: []answer{{status: 503}, {status: 200, text: "text"}}}
				req := newRequest(t, "GET", "http://a/", nil).WithContext(context.Background())
				req.Cancel = make(chan struct{})
				resp, err := retryhttp.NewTransport(base, backoff.Constant(s), opts...).RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				if text, err := io.ReadAll(resp.Body); string(text) != "text" || err != nil {
					t.Errorf("read %q, %v, want text", text, err)
				}
				resp.Body.Close()
			})
		})
	}
}

// A client with a timeout closes the channel at the deadline of the context: the error
// is that of the deadline, whichever comes first.
func TestCancelChannelAtDeadline(t *testing.T) {
	for i := range 40 {
		synctest.Test(t, func(t *testing.T) {
			opts := limited[[]string{"no timeout", "a timeout"}[i%2]]
			base := roundTripper(func(req *http.Request) (*http.Response, error) {
				<-req.Cancel
				return nil, errRefused
			})
			ctx, stop := context.WithTimeout(t.Context(), 2*s)
			defer stop()
			cancel := make(chan struct{})
			time.AfterFunc(2*s, func() { close(cancel) })
			req := newRequest(t, "GET", "http://a/", nil).WithContext(ctx)
			req.Cancel = cancel
			_, err := retryhttp.NewTransport(base, backoff.Constant(s), opts...).RoundTrip(req)
			if stopped, ok := errors.AsType[*retry.Error](err); !ok || stopped.Cause != context.DeadlineExceeded {
				t.Errorf("error is %v, want the deadline as its cause", err)
			}
		})
	}
}
