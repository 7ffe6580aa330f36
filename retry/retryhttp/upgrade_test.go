package retryhttp_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

// aMinute bounds what a test waits for where a real connection may go quiet.
const aMinute = time.Minute

// halfClosing runs a server that fails one request, then switches protocols. It reads all
// that a client sends until that closes its half of the connection, and answers with it.
func halfClosing(t *testing.T) (address string, base *http.Transport) {
	address, base, _ = onLoopback(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			w.WriteHeader(503)
			return
		}
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(aMinute))
		fmt.Fprint(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		rw.Flush()
		text, err := io.ReadAll(rw)
		if err != nil {
			t.Errorf("the server read %q, %v, want the end of what the client sends", text, err)
			return
		}
		fmt.Fprintf(conn, "got %s", text)
	})
	return address, base
}

func upgradeRequest(t *testing.T, address string) *http.Request {
	t.Helper()
	req := newRequest(t, "GET", address, nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	return req
}

// limited are the options under which the body of a response has to outlast its attempt.
var limited = map[string][]retry.Option{"no timeout": nil, "a timeout": {retry.AttemptTimeout(aMinute)}}

// After a switch of protocols a client can write, close its half, and read the answer.
func TestSwitchingProtocols(t *testing.T) {
	for name, opts := range limited {
		t.Run(name, func(t *testing.T) {
			address, base := halfClosing(t)
			resp, err := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(ms), 1), opts...).RoundTrip(upgradeRequest(t, address))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			conn, ok := resp.Body.(interface {
				io.ReadWriter
				CloseWrite() error
			})
			if !ok {
				t.Fatalf("body is a %T, want one to write to and to close for writing", resp.Body)
			}
			io.WriteString(conn, "hello")
			if err := conn.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(conn); string(text) != "got hello" || err != nil {
				t.Errorf("read %q, %v, want got hello", text, err)
			}
		})
	}
}

// A proxy passes on that a client has closed its half.
func TestSwitchingProtocolsByProxy(t *testing.T) {
	for name, opts := range limited {
		t.Run(name, func(t *testing.T) {
			address, base := halfClosing(t)
			backend, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			proxy := httputil.NewSingleHostReverseProxy(backend)
			proxy.Transport = retryhttp.NewTransport(base, backoff.Take(backoff.Constant(ms), 1), opts...)
			proxy.ErrorLog = quiet
			front := httptest.NewServer(proxy)
			defer front.Close()

			conn, err := net.Dial("tcp", front.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(aMinute))
			if err := upgradeRequest(t, front.URL).Write(conn); err != nil {
				t.Fatal(err)
			}
			from := bufio.NewReader(conn)
			resp, err := http.ReadResponse(from, nil)
			if err != nil || resp.StatusCode != 101 {
				t.Fatalf("got %v, %v, want 101", resp, err)
			}
			io.WriteString(conn, "hello")
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(from); string(text) != "got hello" || err != nil {
				t.Errorf("read %q, %v, want got hello", text, err)
			}
		})
	}
}

// writable is a body that can be written to, and halfClosable one that can also be closed
// for writing.
type (
	writable struct {
		*body
		io.Writer
	}
	halfClosable struct{ writable }
)

func (halfClosable) CloseWrite() error { return nil }

// A body has the methods of the base's, and no others. http.NoBody stays what it is, because
// callers compare with it.
func TestMethodsOfBody(t *testing.T) {
	for _, row := range []struct {
		name            string
		body            io.ReadCloser
		writes, closing bool
	}{
		{"none", http.NoBody, false, false},
		{"read only", newBody(""), false, false},
		{"writable", writable{newBody(""), io.Discard}, true, false},
		{"writable and half-closable", halfClosable{writable{newBody(""), io.Discard}}, true, true},
	} {
		for name, opts := range limited {
			base := roundTripper(func(req *http.Request) (*http.Response, error) {
				req.Context().Done() // as net/http asks
				return &http.Response{StatusCode: 200, Body: row.body}, nil
			})
			resp, err := retryhttp.NewTransport(base, backoff.Constant(0), opts...).RoundTrip(newRequest(t, "GET", "http://a/", nil))
			if err != nil {
				t.Fatal(err)
			}
			if row.body == http.NoBody && resp.Body != http.NoBody {
				t.Errorf("%s, %s: body is a %T", row.name, name, resp.Body)
			}
			_, writes := resp.Body.(io.Writer)
			_, closing := resp.Body.(interface{ CloseWrite() error })
			if writes != row.writes || closing != row.closing {
				t.Errorf("%s, %s: Write is there: %v, CloseWrite %v; want %v, %v", row.name, name, writes, closing, row.writes, row.closing)
			}
		}
	}
}
