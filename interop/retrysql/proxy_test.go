package retrysql_test

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"

	"example.com/backoff/interop/service"
)

// A proxy stands between a driver and its server, and breaks what it is told to.
type proxy struct {
	listener net.Listener
	server   string       // address
	lose     atomic.Int64 // answers to commits still to drop, with their connections
	lost     atomic.Int64 // answers dropped so far
	refuse   atomic.Int64 // connections still to close as soon as they are accepted
	// If it is not nil, the proxy swallows all bytes, and calls it for those of a client.
	swallow atomic.Pointer[func()]

	mu    sync.Mutex
	conns []net.Conn // of clients
}

func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, server: server}
	t.Cleanup(func() {
		l.Close()
		p.hangUp()
	})
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			p.mu.Lock()
			p.conns = append(p.conns, client)
			p.mu.Unlock()
			go p.serve(client)
		}
	}()
	return p
}

// hangUp closes all connections.
func (p *proxy) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// serve copies both ways. After a commit whose answer it drops, it waits for that answer,
// so that the commit has happened, and then closes the connection.
func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	if p.refuse.Add(-1) >= 0 {
		// To close a connection that holds unread bytes would reset it.
		client.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, client)
		return
	}
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	var losing atomic.Bool
	go func() {
		defer server.Close()
		forward(server, client, func(sent []byte) bool {
			if swallow := p.swallow.Load(); swallow != nil {
				(*swallow)()
				return false
			}
			if bytes.Contains(bytes.ToUpper(sent), []byte("COMMIT")) && p.lose.Add(-1) >= 0 {
				losing.Store(true)
			}
			return true
		})
	}()
	forward(client, server, func([]byte) bool {
		if losing.Load() {
			p.lost.Add(1)
			client.Close()
		}
		return p.swallow.Load() == nil
	})
}

// forward copies what pass allows from one connection to another.
func forward(to, from net.Conn, pass func([]byte) bool) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && pass(buf[:n]) {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// through starts a proxy of a server and returns the data source name that uses it.
func through(t *testing.T, driver string) (dsn string, p *proxy) {
	t.Helper()
	if driver == mysqlDriver {
		config, err := mysql.ParseDSN(service.Need(t, service.MySQL))
		if err != nil {
			t.Fatal(err)
		}
		if config.Net != "tcp" {
			t.Skipf("needs a server on TCP, and %s is on %s", config.Addr, config.Net)
		}
		p = newProxy(t, config.Addr)
		config.Addr = p.listener.Addr().String()
		return config.FormatDSN(), p
	}
	u, err := url.Parse(service.Need(t, service.Postgres))
	if err != nil {
		t.Fatal(err)
	}
	p = newProxy(t, u.Host)
	u.Host = p.listener.Addr().String()
	return u.String(), p
}
