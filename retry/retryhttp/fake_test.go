package retryhttp_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

var errRefused = errors.New("connection refused")

// quiet discards the complaints of a server.
var quiet = log.New(io.Discard, "", 0)

// roundTripper is a base transport made of a function.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// body is a body that records whether it was closed.
type body struct {
	io.Reader
	closed bool
}

func newBody(text string) *body { return &body{Reader: strings.NewReader(text)} }

func (b *body) Close() error {
	b.closed = true
	return nil
}

func (b *body) Read(p []byte) (int, error) {
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	return b.Reader.Read(p)
}

// answer is a scripted base's answer to a request: an error or a response.
type answer struct {
	status int
	header http.Header
	text   string
	err    error
}

// scripted is a base transport that gives these answers, repeats the last one, and obeys
// the contract.
type scripted struct {
	answers []answer
	asks    bool // when the context is done, as net/http does
	start   time.Time
	times   []time.Duration // of the calls
	sent    []string        // the bodies
	bodies  []*body         // of the responses
	ctxs    []context.Context
}

func (b *scripted) RoundTrip(req *http.Request) (*http.Response, error) {
	if b.times == nil {
		b.start = time.Now()
	}
	b.times = append(b.times, time.Since(b.start))
	b.ctxs = append(b.ctxs, req.Context())
	if b.asks {
		req.Context().Done()
	}
	a := b.answers[min(len(b.times), len(b.answers))-1]
	if req.Body != nil {
		text, err := io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
		b.sent = append(b.sent, string(text))
	}
	if err := context.Cause(req.Context()); err != nil {
		return nil, err
	}
	if a.err != nil {
		return nil, a.err
	}
	resp := newBody(a.text)
	b.bodies = append(b.bodies, resp)
	return &http.Response{StatusCode: a.status, Header: a.header, Body: resp, Request: req}, nil
}

// tester is what a *testing.T and a *rapid.T have in common.
type tester interface {
	Helper()
	Fatal(...any)
	Context() context.Context
}

func newRequest(t tester, method, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// serve runs a server on connections in memory, where the time of a bubble can pass,
// until the test ends.
func serve(t *testing.T, handler http.HandlerFunc) *pipes {
	t.Helper()
	p := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: handler}
	go server.Serve(p)
	p.Transport = &http.Transport{DialContext: p.dial}
	t.Cleanup(func() {
		p.Transport.CloseIdleConnections()
		server.Close()
	})
	return p
}

// pipes is a listener, and a transport that connects to it.
type pipes struct {
	*http.Transport
	conns chan net.Conn
	done  chan struct{}
	dials atomic.Int32
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	p.dials.Add(1)
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.done:
		return nil, errRefused
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.done)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
