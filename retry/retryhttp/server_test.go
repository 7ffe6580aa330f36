package retryhttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

// hijack takes over the connection of a request and writes raw to it, then closes it.
func hijack(t *testing.T, w http.ResponseWriter, raw string) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	io.WriteString(conn, raw)
	conn.Close()
}

// counted returns handler with the number of each request, from 1.
func counted(handler func(n int, w http.ResponseWriter, r *http.Request)) http.HandlerFunc {
	var requests atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) { handler(int(requests.Add(1)), w, r) }
}

// onLoopback runs handler on a real server and counts its connections.
func onLoopback(t *testing.T, handler func(n int, w http.ResponseWriter, r *http.Request)) (url string, base *http.Transport, conns *atomic.Int32) {
	t.Helper()
	var opened atomic.Int32
	server := httptest.NewUnstartedServer(counted(handler))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	base = &http.Transport{}
	t.Cleanup(func() {
		base.CloseIdleConnections()
		server.Close()
	})
	return server.URL, base, &opened
}

// healing returns a handler that fails two requests and then answers "healed". fail gets
// the number of the request, from 1.
func healing(t *testing.T, fail func(t *testing.T, n int, w http.ResponseWriter, r *http.Request)) func(n int, w http.ResponseWriter, r *http.Request) {
	return func(n int, w http.ResponseWriter, r *http.Request) {
		if text, err := io.ReadAll(r.Body); n == 3 && (string(text) != "text" || err != nil) {
			t.Errorf("request %d has body %q, %v, want all of it", n, text, err)
		}
		if n <= 2 {
			fail(t, n, w, r)
			return
		}
		io.WriteString(w, "healed")
	}
}

// getHealed sends a request that is tried three times, with delays of 1 ms, and fails unless
// the client reads "healed" in the end.
func getHealed(t *testing.T, base http.RoundTripper, url string, opts ...retry.Option) {
	t.Helper()
	client := &http.Client{Transport: retryhttp.NewTransport(base, backoff.Take(backoff.Constant(ms), 2), opts...)}
	resp, err := client.Do(newRequest(t, "PUT", url, strings.NewReader("text")))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); string(text) != "healed" || err != nil {
		t.Errorf("got %q, %v, want healed", text, err)
	}
}

// Faults of a real server that heals, after which a connection cannot be used again.
func TestHeals(t *testing.T) {
	for _, row := range []struct {
		name string
		fail func(t *testing.T, n int, w http.ResponseWriter, r *http.Request) // for two requests
	}{
		{"503 with a body that is not worth reading", func(_ *testing.T, _ int, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			io.WriteString(w, strings.Repeat("busy ", 2_000_000)) // 10 MB
		}},
		{"closes without an answer", func(t *testing.T, _ int, w http.ResponseWriter, _ *http.Request) {
			hijack(t, w, "")
		}},
		{"closes in the header", func(t *testing.T, _ int, w http.ResponseWriter, _ *http.Request) {
			hijack(t, w, "HTTP/1.1 200 OK\r\nContent-Le")
		}},
		{"closes in the body of a 503", func(t *testing.T, _ int, w http.ResponseWriter, _ *http.Request) {
			hijack(t, w, "HTTP/1.1 503 Busy\r\nContent-Length: 100\r\n\r\nbusy")
		}},
		{"is no HTTP server", func(t *testing.T, _ int, w http.ResponseWriter, _ *http.Request) {
			hijack(t, w, "SSH-2.0-OpenSSH\r\n")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			url, base, conns := onLoopback(t, healing(t, row.fail))
			getHealed(t, base, url)
			if got := conns.Load(); got != 3 {
				t.Errorf("%d connections, want 3", got)
			}
		})
	}
}

// A server that heals, and whose earlier answers are read to their end, so one connection
// is enough. In real time a pause could close it: discard reads for no more than 100 ms,
// and net/http waits no more than 50 ms for the goroutine that has written the request.
func TestHealsOnOneConnection(t *testing.T) {
	for _, row := range []struct {
		name string
		fail func(t *testing.T, n int, w http.ResponseWriter, r *http.Request) // for two requests
		opts []retry.Option
	}{
		{name: "503 without a body", fail: func(_ *testing.T, _ int, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
		}},
		{name: "503 with a body", fail: func(_ *testing.T, _ int, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			io.WriteString(w, strings.Repeat("busy ", 10_000)) // 50 kB
		}},
		{name: "503 in chunks", fail: func(_ *testing.T, _ int, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			for range 20 {
				io.WriteString(w, "busy")
				w.(http.Flusher).Flush()
			}
		}},
		{name: "every form of Retry-After", fail: func(_ *testing.T, n int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", []string{"10000000000", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)}[n-1])
			w.WriteHeader(429)
		}, opts: []retry.Option{retry.MaxAfter(ms)}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := serve(t, counted(healing(t, row.fail)))
				start := time.Now()
				getHealed(t, base, "http://a/", row.opts...)
				if got := time.Since(start); got != 2*ms || base.dials.Load() != 1 {
					t.Errorf("it took %v and %d connections, want 2 ms and 1", got, base.dials.Load())
				}
			})
		})
	}
}

// A server that has not started yet refuses connections, and answers later. It has a Unix
// socket, because another process could take a TCP port in between.
func TestRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	closed, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	closed.SetUnlinkOnClose(false) // a socket that nobody listens on refuses
	closed.Close()

	var server http.Server
	defer server.Close()
	var refused []error
	base := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}}
	defer base.CloseIdleConnections()
	client := &http.Client{Transport: retryhttp.NewTransport(base, backoff.Take(backoff.Constant(ms), 5),
		retry.OnRetry(func(e retry.Event) {
			refused = append(refused, e.Err)
			if len(refused) < 3 {
				return
			}
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
			listener, err := net.Listen("unix", path)
			if err != nil {
				t.Error(err)
				return
			}
			server.Handler = http.NotFoundHandler()
			go server.Serve(listener)
		}))}
	resp, err := client.Get("http://a/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 404 || len(refused) != 3 {
		t.Errorf("status %d after %d failures, want 404 after 3", resp.StatusCode, len(refused))
	}
	for _, err := range refused {
		if op, ok := errors.AsType[*net.OpError](err); !ok || op.Op != "dial" {
			t.Errorf("failure is %v, want one to connect", err)
		}
	}
}

// An error after the header goes to the reader of the body.
func TestBodyBreaks(t *testing.T) {
	requests := 0
	url, base, _ := onLoopback(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		requests = n
		hijack(t, w, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
	})
	client := &http.Client{Transport: retryhttp.NewTransport(base, backoff.Take(backoff.Constant(ms), 2))}
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); string(text) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) || requests != 1 {
		t.Errorf("read %q, %v in %d requests, want half, an unexpected EOF, and 1", text, err, requests)
	}
}

// A certificate that is not valid, a server without TLS and port 99999 are the same a
// second later.
func TestHopelessServers(t *testing.T) {
	secure, plain := httptest.NewTLSServer(http.NotFoundHandler()), httptest.NewServer(http.NotFoundHandler())
	for _, server := range []*httptest.Server{secure, plain} {
		server.Config.ErrorLog = quiet
		defer server.Close()
	}
	for _, url := range []string{secure.URL, strings.Replace(plain.URL, "http:", "https:", 1), "http://127.0.0.1:99999/"} {
		retries := 0
		client := &http.Client{Transport: retryhttp.NewTransport(&http.Transport{}, backoff.Take(backoff.Constant(ms), 2),
			retry.OnRetry(func(retry.Event) { retries++ }))}
		if _, err := client.Get(url); err == nil || retries != 0 {
			t.Errorf("%s: error is %v after %d retries, want one after none", url, err, retries)
		}
	}
}

// Connections are used again after a long delay if the base keeps them that long, and
// net/http's own retry still works.
func TestReusedAfterDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			if requests < 4 {
				w.Header().Set("Retry-After", "60")
				http.Error(w, "busy", http.StatusServiceUnavailable)
			}
		})
		client := &http.Client{Transport: retryhttp.NewTransport(base, backoff.Take(backoff.Constant(s), 3), retry.AttemptTimeout(s))}
		start := time.Now()
		resp, err := client.Do(newRequest(t, "GET", "http://a/", nil))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 200 || base.dials.Load() != 1 || time.Since(start) != 3*time.Minute {
			t.Errorf("status %d over %d connections in %v, want 200 over 1 in 3 min", resp.StatusCode, base.dials.Load(), time.Since(start))
		}
	})
}

// One transport for any number of goroutines.
func TestConcurrent(t *testing.T) {
	url, base, _ := onLoopback(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n%3 != 0 {
			w.WriteHeader(503)
		}
	})
	// With this number of options the slice has room for one more, which the exchanges
	// must not share.
	client := &http.Client{Transport: retryhttp.NewTransport(base, backoff.Constant(ms),
		retry.WithBudget(retry.NewBudget(1e6, 1)), retry.KeepErrors(2), retry.MaxElapsed(time.Hour), retry.MaxAfter(s))}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				resp, err := client.Post(url, "text/plain", strings.NewReader("text"))
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
				req := newRequest(t, "PUT", url, strings.NewReader("text"))
				if resp, err = client.Do(req); err != nil || resp.StatusCode != 200 {
					t.Errorf("got %v, %v, want 200", resp, err)
					return
				}
				resp.Body.Close()
			}
		})
	}
	wg.Wait()
	client.CloseIdleConnections()
}

// http.Client finds the base's idle connections through the transport.
func TestCloseIdleConnections(t *testing.T) {
	closed := 0
	client := &http.Client{Transport: retryhttp.NewTransport(closer{roundTripper(nil), &closed}, backoff.Constant(0))}
	client.CloseIdleConnections()
	client = &http.Client{Transport: retryhttp.NewTransport(roundTripper(nil), backoff.Constant(0))}
	client.CloseIdleConnections() // nothing to call
	if closed != 1 {
		t.Errorf("called %d times, want 1", closed)
	}
}

type closer struct {
	http.RoundTripper
	closed *int
}

func (c closer) CloseIdleConnections() { *c.closed++ }
