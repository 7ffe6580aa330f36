package retryhttp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry/retryhttp"
)

// A body that never ends is read no longer than the delay.
func TestDiscardHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			requests++
			if requests == 1 {
				w.WriteHeader(503)
				io.WriteString(w, "wait for it")
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}
		})
		client := &http.Client{Transport: retryhttp.NewTransport(base, backoff.Take(backoff.Constant(5*s), 1))}
		start := time.Now()
		resp, err := client.Do(newRequest(t, "GET", "http://a/", nil))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := time.Since(start); got != 5*s || base.dials.Load() != 2 {
			t.Errorf("it took %v and %d connections, want 5 s and 2", got, base.dials.Load())
		}
	})
}

// A compressed body that stalls is given up like any other. net/http holds a lock while it
// waits for the first of it, so that Close would wait too.
func TestDiscardStalledGzip(t *testing.T) {
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		for _, sent := range []int{0, 5, 100} { // nothing, half of gzip's header, and a part of the text
			t.Run(fmt.Sprint(version, " after ", sent), func(t *testing.T) {
				t.Parallel()
				server := httptest.NewUnstartedServer(counted(func(n int, w http.ResponseWriter, r *http.Request) {
					if r.Proto != version {
						t.Errorf("the request is %s, want %s", r.Proto, version)
					}
					if n > 1 {
						return
					}
					w.Header().Set("Content-Encoding", "gzip")
					w.WriteHeader(503)
					w.Write(compressed(t)[:sent])
					w.(http.Flusher).Flush()
					<-r.Context().Done()
				}))
				server.EnableHTTP2 = version == "HTTP/2.0"
				server.StartTLS()
				defer server.Close()
				client := server.Client()
				client.Transport = retryhttp.NewTransport(client.Transport, backoff.Take(backoff.Constant(ms), 1))
				// The bound of a test that fails.
				ctx, cancel := context.WithTimeout(t.Context(), aMinute)
				defer cancel()
				resp, err := client.Do(newRequest(t, "GET", server.URL, nil).WithContext(ctx))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if resp.StatusCode != 200 {
					t.Errorf("status %d, want 200", resp.StatusCode)
				}
			})
		}
	}
}

// compressed returns a text that gzip cannot make short.
func compressed(t *testing.T) []byte {
	t.Helper()
	var text bytes.Buffer
	w := gzip.NewWriter(&text)
	for i := range 10_000 {
		fmt.Fprint(w, i*i, " ")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// Reading ends after the delay, but not before 100 ms and not after a second: by the context
// of the attempt, or by Close where the base ignores contexts.
func TestDiscardTime(t *testing.T) {
	for delay, want := range map[time.Duration]time.Duration{
		0: 100 * ms, 99 * ms: 100 * ms, 101 * ms: 101 * ms, 999 * ms: 999 * ms, 1001 * ms: s, time.Hour: s,
	} {
		for _, ignores := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var read time.Duration
				attempts := 0
				base := roundTripper(func(req *http.Request) (*http.Response, error) {
					if attempts++; attempts > 1 {
						return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
					}
					ctx := req.Context()
					if ignores {
						ctx = context.Background()
					}
					return &http.Response{StatusCode: 503, Body: newStalled(ctx, &read)}, nil
				})
				start := time.Now()
				resp, err := retryhttp.NewTransport(base, backoff.Constant(delay)).RoundTrip(newRequest(t, "GET", "http://a/", nil))
				if err != nil || resp.StatusCode != 200 {
					t.Fatalf("got %v, %v, want 200", resp, err)
				}
				if read != want || time.Since(start) != max(delay, want) {
					t.Errorf("delay %v, contexts ignored %v: read for %v, want %v; the delay was %v", delay, ignores, read, want, time.Since(start))
				}
			})
		}
	}
}

// stalled is a body of which nothing comes until it is closed or its context is done.
type stalled struct {
	ctx    context.Context
	start  time.Time
	read   *time.Duration
	close  func()
	closed <-chan struct{}
}

// newStalled returns a stalled body that sets read to how long it was read.
func newStalled(ctx context.Context, read *time.Duration) stalled {
	closed := make(chan struct{})
	return stalled{ctx, time.Now(), read, sync.OnceFunc(func() { close(closed) }), closed}
}

func (b stalled) Read([]byte) (int, error) {
	select {
	case <-b.ctx.Done():
	case <-b.closed:
	}
	*b.read = time.Since(b.start)
	return 0, http.ErrBodyReadAfterClose
}

func (b stalled) Close() error {
	b.close()
	return nil
}

// A body that hangs is cancelled before it is closed, because its Close may wait for the
// read, and is not closed twice at once.
func TestDiscardCancelsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closedFirst, closedTwice atomic.Bool
		var closing atomic.Int32
		attempts := 0
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			if attempts++; attempts > 1 {
				return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
			}
			var read time.Duration
			b := newStalled(req.Context(), &read)
			inner := b.close
			b.close = func() {
				if req.Context().Err() == nil {
					closedFirst.Store(true)
				}
				if closing.Add(1) > 1 {
					closedTwice.Store(true)
				}
				time.Sleep(ms)
				closing.Add(-1)
				inner()
			}
			return &http.Response{StatusCode: 503, Body: b}, nil
		})
		if _, err := retryhttp.NewTransport(base, backoff.Constant(s)).RoundTrip(newRequest(t, "GET", "http://a/", nil)); err != nil || closedFirst.Load() || closedTwice.Load() {
			t.Errorf("got %v, closed before it was cancelled: %v, twice at once: %v", err, closedFirst.Load(), closedTwice.Load())
		}
	})
}

// A body of up to 64 KiB is read to its end, and not beyond, also if its length is not
// known.
func TestDiscard(t *testing.T) {
	for size, dials := range map[int]int64{0: 1, 1: 1, 64<<10 - 1: 1, 64 << 10: 1, 64<<10 + 2: 2} {
		for _, chunked := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					if requests++; requests > 1 {
						return
					}
					if !chunked {
						w.Header().Set("Content-Length", strconv.Itoa(size))
					}
					w.WriteHeader(503)
					io.WriteString(w, strings.Repeat("x", size))
					w.(http.Flusher).Flush() // so that the end comes by itself
				})
				client := &http.Client{Transport: retryhttp.NewTransport(base, backoff.Take(backoff.Constant(s), 1))}
				resp, err := client.Do(newRequest(t, "GET", "http://a/", nil))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if got := int64(base.dials.Load()); got != dials {
					t.Errorf("%d bytes, chunked %v: %d connections, want %d", size, chunked, got, dials)
				}
			})
		}
	}
}
