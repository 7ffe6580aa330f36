package retryhttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

type spanKey struct{}

// numbered is an observer whose context has the number of the attempt.
func numbered(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
	return context.WithValue(ctx, spanKey{}, a.Number), nil
}

// ending is an observer whose context has the number of the attempt too, and ends with it.
func ending(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
	ctx, _ = numbered(ctx, a)
	ctx, cancel := context.WithCancel(ctx)
	return ctx, func(retry.Outcome) { cancel() }
}

// The request of each attempt has the values of the observer's context, the values and the
// deadline of the caller's, and lasts as long as the body.
func TestObservedContext(t *testing.T) {
	type callerKey struct{}
	for name, opts := range map[string][]retry.Option{
		"values":                  {retry.Observe(numbered)},
		"values, under a timeout": {retry.Observe(numbered), retry.AttemptTimeout(aMinute)},
		"an end":                  {retry.Observe(ending)},
		"an end, under a timeout": {retry.Observe(ending), retry.AttemptTimeout(aMinute)},
		"both":                    {retry.Observe(numbered), retry.Observe(ending)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), callerKey{}, "caller"), aMinute)
				defer cancel()
				deadline, _ := ctx.Deadline()
				var spans []any
				var last context.Context
				base := roundTripper(func(req *http.Request) (*http.Response, error) {
					last = req.Context()
					for range 2 { // before and after net/http would ask
						spans = append(spans, last.Value(spanKey{}))
						if got := last.Value(callerKey{}); got != "caller" {
							t.Errorf("the caller's value is %v", got)
						}
						if got, _ := last.Deadline(); !got.Equal(deadline) {
							t.Errorf("the deadline is %v, want %v", got, deadline)
						}
						last.Done()
					}
					if len(spans) < 6 {
						return nil, errRefused
					}
					return &http.Response{StatusCode: 200, Body: newBody("text")}, nil
				})
				tr := retryhttp.NewTransport(base, backoff.Constant(s), opts...)
				resp, err := tr.RoundTrip(newRequest(t, "GET", "http://a/", nil).WithContext(ctx))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]any{1, 1, 2, 2, 3, 3}, spans); diff != "" {
					t.Errorf("spans (-want +got):\n%s", diff)
				}
				if last.Err() != nil {
					t.Errorf("the context has ended before the body is read: %v", last.Err())
				}
				if text, err := io.ReadAll(resp.Body); string(text) != "text" || err != nil {
					t.Errorf("read %q, %v, want text", text, err)
				}
				resp.Body.Close()
				if last.Err() == nil {
					t.Error("the context has not ended with the body")
				}
			})
		})
	}
}

// An observer may end its context, and the attempt ends with it.
func TestObserverCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := roundTripper(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, context.Cause(req.Context())
		})
		errSlow := errors.New("too slow")
		limit := retry.Observe(func(ctx context.Context, _ retry.Attempt) (context.Context, func(retry.Outcome)) {
			ctx, cancel := context.WithTimeoutCause(ctx, 2*s, errSlow)
			return ctx, func(retry.Outcome) { cancel() }
		})
		start := time.Now()
		_, err := retryhttp.NewTransport(slow, backoff.Take(backoff.Constant(s), 1), limit).RoundTrip(newRequest(t, "GET", "http://a/", nil))
		if stopped, ok := errors.AsType[*retry.Error](err); !ok || stopped.Last != errSlow || time.Since(start) != 5*s {
			t.Errorf("error is %v after %v, want that of the observer after 5 s", err, time.Since(start))
		}
	})
}

// A transport that retries inside of another one knows it.
func TestNested(t *testing.T) {
	depth := -1
	base := roundTripper(func(req *http.Request) (*http.Response, error) {
		depth = retry.Depth(req.Context())
		return nil, errRefused
	})
	inner := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 2), retry.NotNested())
	calls := 0
	counting := roundTripper(func(req *http.Request) (*http.Response, error) {
		calls++
		return inner.RoundTrip(req)
	})
	for name, opts := range limited {
		calls = 0
		outer := retryhttp.NewTransport(counting, backoff.Take(backoff.Constant(0), 2), opts...)
		_, err := outer.RoundTrip(newRequest(t, "GET", "http://a/", nil))
		if depth != 2 || calls != 3 || !errors.Is(err, retry.ErrNested) {
			t.Errorf("%s: depth %d after %d calls, %v; want 2 after 3", name, depth, calls, err)
		}
	}
}
