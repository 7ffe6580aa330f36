package otelretry_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
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

// resendCounts returns the attribute of the spans that have a name, in the order in which
// they started; nil where it is absent.
func (r *recorder) resendCounts(name string) []any {
	var all []any
	for _, s := range r.spans.Started() {
		if s.Name() == name {
			all = append(all, attributesOf(s)["http.request.resend_count"])
		}
	}
	return all
}

var absent any

// instrumented makes a span of each request.
func instrumented(base http.RoundTripper, r *recorder) http.RoundTripper {
	return otelhttp.NewTransport(base, otelhttp.WithTracerProvider(r.tracer), otelhttp.WithMeterProvider(r.meter))
}

// The span of a request says how often it was sent before.
func TestNewTransport(t *testing.T) {
	none := backoff.Constant(0)
	retrying := func(base http.RoundTripper, r *recorder, opts ...retry.Option) http.RoundTripper {
		return retryhttp.NewTransport(base, none, append(opts, otelretry.Observe(r.options()...))...)
	}
	const get, attempt = "HTTP GET", "attempt"
	for _, row := range []struct {
		name     string
		statuses []int
		span     string
		want     []any
		client   func(base http.RoundTripper, r *recorder) http.RoundTripper
	}{
		{
			"otelhttp",
			[]int{503, 503, 503},
			get,
			[]any{absent, int64(1), int64(2), int64(3)},
			func(base http.RoundTripper, r *recorder) http.RoundTripper { return retrying(instrumented(base, r), r) },
		},
		{
			"otelhttp, timeouts",
			[]int{503, 503},
			get,
			[]any{absent, int64(1), int64(2)},
			func(base http.RoundTripper, r *recorder) http.RoundTripper {
				return retrying(instrumented(base, r), r, retry.AttemptTimeout(time.Hour))
			},
		},
		{
			"no other instrumentation",
			[]int{503, 503},
			attempt,
			[]any{absent, int64(1), int64(2)},
			func(base http.RoundTripper, r *recorder) http.RoundTripper { return retrying(base, r) },
		},
		{
			"redirects",
			[]int{503, 307, 503, 307, 503, 503},
			get,
			[]any{absent, int64(1), int64(2), int64(3), int64(4), int64(5), int64(6)},
			func(base http.RoundTripper, r *recorder) http.RoundTripper { return retrying(instrumented(base, r), r) },
		},
		{
			"outside of an attempt",
			[]int{307},
			get,
			[]any{absent, absent},
			instrumented,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRecorder()
			client := &http.Client{Transport: row.client(otelretry.NewTransport(nil), r)}
			ctx, _ := r.caller(t.Context())
			if err := fetch(ctx, client, serve(t, row.statuses...)); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(row.want, r.resendCounts(row.span)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// fetch fails if the status is not 200.
func fetch(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
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

// A loop around a client, in which redirects belong to the same attempt. Those of earlier
// attempts are not counted.
func TestNewTransportInDo(t *testing.T) {
	r := newRecorder()
	client := &http.Client{Transport: instrumented(otelretry.NewTransport(nil), r)}
	url := serve(t, 307, 500, 307, 500, 307, 307)
	err := retry.Do(t.Context(), backoff.Constant(0), func(ctx context.Context) error { return fetch(ctx, client, url) },
		otelretry.Observe(r.options()...))
	if err != nil {
		t.Error(err)
	}
	want := []any{absent, int64(1), int64(1), int64(2), int64(2), int64(3), int64(4)}
	if diff := cmp.Diff(want, r.resendCounts("HTTP GET")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
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
