package retryhttp_test

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"testing"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

// A base derives a context of its own from that of each request. Neither this nor an
// observer takes a goroutine for each.
func TestContextsWithoutGoroutines(t *testing.T) {
	const requests = 200
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var ends []context.CancelFunc
	base := roundTripper(func(req *http.Request) (*http.Response, error) {
		_, end := context.WithCancel(req.Context())
		ends = append(ends, end)
		return &http.Response{StatusCode: 200, Body: newBody("")}, nil
	})
	tr := retryhttp.NewTransport(base, backoff.Constant(0), retry.Observe(ending))
	before := runtime.NumGoroutine()
	for range requests {
		if _, err := tr.RoundTrip(newRequest(t, "GET", "http://a/", nil).WithContext(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	// Others may have started in the meantime.
	if got := runtime.NumGoroutine() - before; got > requests/2 {
		t.Errorf("%d requests have started %d goroutines, want none", requests, got)
	}
	for _, end := range ends {
		end()
	}
}

// The caller's context ends the reading of a body, and that of an attempt does not.
func TestContextOfBody(t *testing.T) {
	for name, opts := range limited {
		ctx, cancel := context.WithCancelCause(t.Context())
		var sent context.Context
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			sent = req.Context()
			sent.Done() // as net/http asks
			return &http.Response{StatusCode: 200, Body: newBody("")}, nil
		})
		if _, err := retryhttp.NewTransport(base, backoff.Constant(0), opts...).RoundTrip(newRequest(t, "GET", "http://a/", nil).WithContext(ctx)); err != nil {
			t.Fatal(err)
		}
		if sent.Err() != nil {
			t.Errorf("%s: the context has ended before the body was closed: %v", name, context.Cause(sent))
		}
		cancel(errRefused)
		<-sent.Done()
		if got := context.Cause(sent); got != errRefused || sent.Err() != context.Canceled {
			t.Errorf("%s: the context ended with %v, %v, want the caller's cause", name, sent.Err(), got)
		}
	}
}

// A base may look at the context without asking when it is done.
func TestContextWithoutDone(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	base := roundTripper(func(req *http.Request) (*http.Response, error) {
		if err := req.Context().Err(); err != nil {
			t.Errorf("the context has ended before its time: %v", err)
		}
		cancel(errRefused)
		if got := context.Cause(req.Context()); got != errRefused || req.Context().Err() != context.Canceled {
			t.Errorf("the context ended with %v, %v, want the caller's cause", req.Context().Err(), got)
		}
		return &http.Response{StatusCode: 200, Body: newBody("")}, nil
	})
	if _, err := retryhttp.NewTransport(base, backoff.Constant(0)).RoundTrip(newRequest(t, "GET", "http://a/", nil).WithContext(ctx)); err != nil {
		t.Fatal(err)
	}
}

// A base that asks only when the caller has the response gets the caller's channel: nobody
// would release another one.
func TestContextAskedLate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var sent context.Context
	base := roundTripper(func(req *http.Request) (*http.Response, error) {
		sent = req.Context()
		return &http.Response{StatusCode: 200, Body: newBody("")}, nil
	})
	if _, err := retryhttp.NewTransport(base, backoff.Constant(0)).RoundTrip(newRequest(t, "GET", "http://a/", nil).WithContext(ctx)); err != nil {
		t.Fatal(err)
	}
	if sent.Done() != ctx.Done() {
		t.Error("the context has a channel of its own")
	}
}

// A response without a body has nothing that a caller must close: its context ends at once.
func TestContextWithoutBody(t *testing.T) {
	for _, body := range []io.ReadCloser{nil, http.NoBody} {
		var sent context.Context
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			sent = req.Context()
			sent.Done() // as net/http asks
			return &http.Response{StatusCode: 204, Body: body}, nil
		})
		if _, err := retryhttp.NewTransport(base, backoff.Constant(0)).RoundTrip(newRequest(t, "GET", "http://a/", nil)); err != nil {
			t.Fatal(err)
		}
		if sent.Err() == nil {
			t.Errorf("body %v: the context has not ended", body)
		}
	}
}
