package retryhttp_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

// What a request that succeeds at once costs beyond the base transport.
func TestAllocations(t *testing.T) {
	every := []retry.Option{
		retry.If(func(error) bool { return true }), retry.MaxAttempts(10), retry.MaxElapsed(time.Hour), retry.MaxAfter(time.Hour),
		retry.ResetAfter(time.Hour), retry.OnRetry(func(retry.Event) {}), retry.KeepErrors(3), retry.WithBudget(retry.NewBudget(10, 1)),
		retry.WithLogger(slog.New(slog.DiscardHandler)), retryhttp.Statuses(409), retryhttp.ServerErrors(), retryhttp.AnyMethod(),
	}
	silent := costless(0)
	asking := roundTripper(func(req *http.Request) (*http.Response, error) {
		req.Context().Done()
		return silent(req)
	})
	get, post := newRequest(t, "GET", "http://a/", nil), newRequest(t, "POST", "http://a/", nil)
	put := newRequest(t, "PUT", "http://a/", strings.NewReader("text"))
	put.Body = io.NopCloser(put.Body)
	// What a call costs in a program that has used Depth or NotNested, as other tests do.
	marked := testing.AllocsPerRun(200, func() {
		retry.Do(t.Context(), backoff.Constant(0), func(context.Context) error { return nil })
	})
	for _, row := range []struct {
		name string
		base http.RoundTripper
		req  *http.Request
		opts []retry.Option
		want float64
	}{
		{"success", silent, get, nil, 1},
		{"success, every option made before", silent, get, every, 1},
		{"success, with a body", silent, put, nil, 2},
		{"sent once", silent, post, nil, 0},
		// The context of the attempt costs 3 if the base asks when it is done, and 5 if the
		// base derives one from it, as that of net/http does.
		{"success, the base asks when the context is done", asking, get, nil, 4},
		{"success, the base derives a context", deriving(silent), get, nil, 6},
	} {
		t.Run(row.name, func(t *testing.T) {
			allocations := func(rt http.RoundTripper) float64 {
				return testing.AllocsPerRun(200, func() { send(t, rt, row.req) })
			}
			got := allocations(retryhttp.NewTransport(row.base, backoff.Constant(0), row.opts...)) - allocations(row.base)
			t.Logf("%v allocations beyond the base's", got)
			want := row.want
			if row.req != post { // which the runner does not see
				want += marked
			}
			if got != want {
				t.Errorf("%v allocations, want %v", got, want)
			}
		})
	}
}
