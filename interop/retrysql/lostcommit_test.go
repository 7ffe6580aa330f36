package retrysql_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"

	"example.com/backoff"
	"example.com/backoff/interop/service"
	"example.com/backoff/retry/retrysql"
)

// A lossyProxy stands between a driver and its server. It drops the answers to the
// first commits, and closes their connections.
type lossyProxy struct {
	listener net.Listener
	server   string       // address
	lose     atomic.Int64 // answers still to drop
	lost     atomic.Int64 // answers dropped so far
}

func newLossyProxy(t *testing.T, server string, lose int64) *lossyProxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &lossyProxy{listener: l, server: server}
	p.lose.Store(lose)
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

// serve copies both ways. After a commit whose answer it drops, it waits for that answer,
// so that the commit has happened, and then closes the connection.
func (p *lossyProxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	var losing atomic.Bool
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := client.Read(buf)
			if bytes.Contains(bytes.ToUpper(buf[:n]), []byte("COMMIT")) && p.lose.Add(-1) >= 0 {
				losing.Store(true)
			}
			if _, werr := server.Write(buf[:n]); err != nil || werr != nil {
				server.Close()
				return
			}
		}
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := server.Read(buf)
		if losing.Load() {
			p.lost.Add(1)
			return
		}
		if _, werr := client.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}

// through starts a proxy of a server and returns the data source name that uses it.
func through(t *testing.T, driver string, lose int64) (dsn string, p *lossyProxy) {
	t.Helper()
	if driver == mysqlDriver {
		config, err := mysql.ParseDSN(service.Need(t, service.MySQL))
		if err != nil {
			t.Fatal(err)
		}
		if config.Net != "tcp" {
			t.Skipf("needs a server on TCP, and %s is on %s", config.Addr, config.Net)
		}
		p = newLossyProxy(t, config.Addr, lose)
		config.Addr = p.listener.Addr().String()
		return config.FormatDSN(), p
	}
	u, err := url.Parse(service.Need(t, service.Postgres))
	if err != nil {
		t.Fatal(err)
	}
	p = newLossyProxy(t, u.Host, lose)
	u.Host = p.listener.Addr().String()
	return u.String(), p
}

// TestCommitWhoseAnswerIsLost: the commit happens, but its answer does not arrive. A
// retry would run the transaction twice, so Tx does not retry unless Idempotent allows
// it.
func TestCommitWhoseAnswerIsLost(t *testing.T) {
	for _, driver := range append([]string{mysqlDriver}, postgresDrivers...) {
		for _, tt := range []struct {
			name string
			opts []retrysql.Option
			n    int   // the count in the row at the end
			err  error // nil: none
		}{
			{"not tried again", nil, 1, retrysql.ErrOutcomeUnknown},
			{"idempotent", []retrysql.Option{retrysql.Idempotent()}, 2, nil},
		} {
			t.Run(driver+"/"+tt.name, func(t *testing.T) {
				table := newTable(t, openServer(t, driver))
				dsn, proxy := through(t, driver, 1)
				db := open(t, driver, dsn)
				err := retrysql.Tx(t.Context(), db, backoff.Take(backoff.Constant(0), 5), func(ctx context.Context, tx *sql.Tx) error {
					_, err := tx.ExecContext(ctx, bump(table, "1"))
					return err
				}, tt.opts...)
				t.Logf("the error is %v", err)
				if !errors.Is(err, tt.err) {
					t.Errorf("the error is %v, want %v", err, tt.err)
				}
				if lost := proxy.lost.Load(); lost != 1 {
					t.Errorf("%d answers were lost, want 1", lost)
				}
				var n int
				if err := openServer(t, driver).QueryRow("SELECT n FROM " + table + " WHERE id = 1").Scan(&n); err != nil {
					t.Fatal(err)
				}
				if n != tt.n {
					t.Errorf("the transaction ran %d times, want %d", n, tt.n)
				}
			})
		}
	}
}
