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
