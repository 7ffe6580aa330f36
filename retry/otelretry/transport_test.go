package otelretry_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/otelretry"
	"example.com/backoff/retry/retryhttp"
)

// serve starts a server that answers with these statuses, one a request, and then with
// 200. It redirects to the path /next.
func serve(t *testing.T, statuses ...int) (url string) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n := int(requests.Add(1)); n <= len(statuses) {
			w.Header().Set("Location", "/next")
			w.WriteHeader(statuses[n-1])
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// resendCounts returns the attribute of the spans whose names begin with prefix, in the
// order in which they started; 0 where it is absent.
func (r *recorder) resendCounts(prefix string) []int64 {
	var all []int64
	for _, s := range r.spans.Started() {
		if strings.HasPrefix(s.Name(), prefix) {
			n, _ := attributesOf(s)["http.request.resend_count"].(int64)
			all = append(all, n)
		}
	}
	return all
}

// The span of a request says how often it was sent before.
func TestNewTransport(t *testing.T) {
	type transport = func(base http.RoundTripper, r *recorder) http.RoundTripper
	direct := func(base http.RoundTripper, _ *recorder) http.RoundTripper { return base }
	instrumented := func(base http.RoundTripper, r *recorder) http.RoundTripper {
		return otelhttp.NewTransport(base, otelhttp.WithTracerProvider(r.tracer), otelhttp.WithMeterProvider(r.meter))
	}
	retrying := func(inner transport, opts ...retry.Option) transport {
		return func(base http.RoundTripper, r *recorder) http.RoundTripper {
			opts := append(opts, otelretry.Observe(r.options()...))
			return retryhttp.NewTransport(inner(base, r), backoff.Constant(0), opts...)
		}
	}
	const request, attempt = "HTTP ", "attempt"
	for _, row := range []struct {
		name     string
		client   transport
		loop     bool // retry.Do around the client
		method   string
		statuses []int
		span     string
		want     []int64
	}{
		{"otelhttp", retrying(instrumented), false, "GET", []int{503, 503, 503}, request, []int64{0, 1, 2, 3}},
		{"timeouts", retrying(instrumented, retry.AttemptTimeout(time.Hour)), false, "GET", []int{503, 503}, request, []int64{0, 1, 2}},
		{"no otelhttp", retrying(direct), false, "GET", []int{503, 503}, attempt, []int64{0, 1, 2}},
		{"redirects", retrying(instrumented), false, "GET", []int{503, 307, 503, 307, 503, 503}, request, []int64{0, 1, 2, 3, 4, 5, 6}},
		// A POST is sent once, outside of an attempt, and turned into a GET.
		{"attempts from a redirect on", retrying(instrumented), false, "POST", []int{307, 303, 503}, request, []int64{0, 0, 2, 3}},
		{"no attempt", instrumented, false, "GET", []int{307}, request, []int64{0, 0}},

		// Here redirects belong to the same attempt. Those of earlier attempts are not
		// counted.
		{"loop", instrumented, true, "GET", []int{307, 500, 307, 500, 307, 307}, request, []int64{0, 1, 1, 2, 2, 3, 4}},
		{"loop and attempts", retrying(instrumented), true, "POST", []int{500, 307, 303, 503}, request, []int64{0, 1, 2, 3, 4}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRecorder()
			client := &http.Client{Transport: row.client(otelretry.NewTransport(nil), r)}
			ctx, _ := r.caller(t.Context())
			url := serve(t, row.statuses...)
			fetch := func(ctx context.Context) error { return fetch(ctx, client, row.method, url) }
			var err error
			if row.loop {
				err = retry.Do(ctx, backoff.Constant(0), fetch, otelretry.Observe(r.options()...), retry.MaxAttempts(3))
			} else {
				err = fetch(ctx)
			}
			if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(row.want, r.resendCounts(row.span)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// fetch fails if the status is not 200.
func fetch(ctx context.Context, client *http.Client, method, url string) error {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return retry.Permanent(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// idle is a transport that is told to close its connections.
type idle struct {
	http.RoundTripper
	closed bool
}

func (i *idle) CloseIdleConnections() { i.closed = true }

func TestCloseIdleConnections(t *testing.T) {
	base := new(idle)
	(&http.Client{Transport: otelretry.NewTransport(base)}).CloseIdleConnections()
	if !base.closed {
		t.Error("the base was not told")
	}
	(&http.Client{Transport: otelretry.NewTransport(struct{ http.RoundTripper }{})}).CloseIdleConnections()
}
