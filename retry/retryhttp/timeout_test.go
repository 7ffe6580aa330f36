package retryhttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

// The timeout of an attempt limits the header, not the body.
func TestSlowBody(t *testing.T) {
	for _, status := range []int{200, 503} {
		synctest.Test(t, func(t *testing.T) {
			base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(1 * s)
				w.WriteHeader(status)
				for range 10 {
					io.WriteString(w, "slow ")
					w.(http.Flusher).Flush()
					time.Sleep(1 * s)
				}
			})
			client := &http.Client{Transport: retryhttp.NewTransport(base, backoff.Take(backoff.Constant(s), 0), retry.AttemptTimeout(2*s))}
			resp, err := client.Do(newRequest(t, "GET", "http://a/", nil))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if text, err := io.ReadAll(resp.Body); string(text) != strings.Repeat("slow ", 10) || err != nil {
				t.Errorf("status %d: read %q, %v, want all of it", status, text, err)
			}
		})
	}
}

// An attempt that hangs is retried after its own timeout, and its error says so.
func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		client := &http.Client{Transport: retryhttp.NewTransport(base, backoff.Take(backoff.Constant(s), 2), retry.AttemptTimeout(3*s))}
		start := time.Now()
		_, err := client.Do(newRequest(t, "GET", "http://a/", nil))
		stopped, ok := errors.AsType[*retry.Error](err)
		if !ok || stopped.Attempts != 3 || !errors.Is(stopped.Last, context.DeadlineExceeded) || stopped.Cause != retry.ErrExhausted {
			t.Errorf("error is %v, want 3 attempts, the last of which timed out", err)
		}
		if got := time.Since(start); got != 11*s {
			t.Errorf("it took %v, want 3·3 s + 2·1 s", got)
		}
	})
}

// After attempts that hang, one that does not succeeds, over a connection of its own.
func TestHangsAndHeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := serve(t, counted(healing(t, func(_ *testing.T, _ int, _ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		})))
		start := time.Now()
		getHealed(t, base, "http://a/", retry.AttemptTimeout(3*s))
		if got := time.Since(start); got != 6*s+2*ms || base.dials.Load() != 3 {
			t.Errorf("it took %v and %d connections, want 2·3 s + 2·1 ms and 3", got, base.dials.Load())
		}
	})
}

// A base whose error for a cancelled context differs from that of net/http.
func TestTimeoutOfOtherBases(t *testing.T) {
	late := newBody("late")
	for _, base := range []roundTripper{
		func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err() // knows no causes: context.Canceled
		},
		func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return &http.Response{StatusCode: 200, Body: late}, nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			tr := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(s), 1), retry.AttemptTimeout(s))
			resp, err := tr.RoundTrip(newRequest(t, "GET", "http://a/", nil))
			stopped, ok := errors.AsType[*retry.Error](err)
			if resp != nil || !ok || stopped.Attempts != 2 || stopped.Last != context.DeadlineExceeded {
				t.Errorf("got %v, %v, want 2 attempts that timed out", resp, err)
			}
		})
	}
	if !late.closed {
		t.Error("a response that came with the timeout is not closed")
	}
}

// A base that fails by itself keeps its own error, also at the moment of the timeout.
func TestErrorBesideTimeout(t *testing.T) {
	for name, row := range map[string]struct {
		waits bool // until the timeout
		err   error
		want  error
	}{
		"another error with the timeout": {true, errRefused, errRefused},
		"another error before":           {false, errRefused, errRefused},
		"Canceled with the timeout":      {true, context.Canceled, context.DeadlineExceeded},
		"Canceled before":                {false, context.Canceled, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := roundTripper(func(req *http.Request) (*http.Response, error) {
					if row.waits {
						<-req.Context().Done()
					}
					return nil, row.err
				})
				tr := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(s), 1), retry.AttemptTimeout(s))
				resp, err := tr.RoundTrip(newRequest(t, "GET", "http://a/", nil))
				stopped, ok := errors.AsType[*retry.Error](err)
				if resp != nil || !ok || stopped.Attempts != 2 || stopped.Last != row.want {
					t.Errorf("got %v, %v, want 2 attempts with %v", resp, err, row.want)
				}
			})
		})
	}
}
