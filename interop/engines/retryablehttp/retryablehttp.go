// Package retryablehttp runs a schedule as the Backoff of hashicorp/go-retryablehttp,
// against a server on loopback.
//
// Version 0.7.8 counts the first retry as 0, and waits exactly what Backoff returns. A
// Backoff of one's own must read Retry-After itself, as adapt.HTTPBackoff does. The
// library's DefaultBackoff reads it from the answers 429 and 503, and then does not limit
// it: 31536000 is a year, and 10000000000 overflows to no delay at all.
package retryablehttp

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// Measure sends one request that always fails, and returns the first n delays.
func Measure(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	server := failing(http.StatusServiceUnavailable, "")
	defer server.Close()
	return measure(ctx, server.URL, n, adapt.HTTPBackoff(seq, time.Minute, header))
}

// header is what a user gives to adapt.HTTPBackoff.
func header(r *http.Response) http.Header { return r.Header }

// failing starts a server that answers each request with this status and, if it is not
// empty, this Retry-After.
func failing(status int, after string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(status)
	}))
}

// measure sends a request that always fails, and returns the first n delays.
func measure(ctx context.Context, address string, n int, backoff retryablehttp.Backoff) ([]kept.Delay, error) {
	var recorder kept.Recorder
	client := retryablehttp.NewClient()
	client.Logger = nil
	client.RetryMax = n
	client.RequestLogHook = func(retryablehttp.Logger, *http.Request, int) { recorder.Attempt() }
	client.Backoff = func(min, max time.Duration, retry int, r *http.Response) time.Duration {
		return recorder.Ask(backoff(min, max, retry, r))
	}
	request, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(request)
	if err == nil {
		resp.Body.Close()
		return nil, fmt.Errorf("the request ended with %s", resp.Status)
	}
	if delays := recorder.Delays(); len(delays) == n {
		return delays, nil
	}
	return nil, err
}
