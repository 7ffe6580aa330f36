package retrysql_test

import (
	"context"
	"database/sql"
	"io"
	"net"
	"testing"

	"github.com/go-sql-driver/mysql"

	"example.com/backoff"
	"example.com/backoff/interop/service"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retrysql"
)

// TestConnectionThatIsClosedAtOnce: a proxy accepts a connection and closes it, as one does
// whose server is away. Tx tries again, and the transaction takes place once.
func TestConnectionThatIsClosedAtOnce(t *testing.T) {
	for _, driver := range serverDrivers {
		t.Run(driver, func(t *testing.T) {
			dsn, proxy := through(t, driver)
			proxy.refuse.Store(5)
			commitsAfterFailures(t, driver, open(t, driver, dsn))
		})
	}
}

// TestGreetingThatCannotBeAnswered: the connection is lost between the greeting of the
// server and the answer of go-sql-driver/mysql.
func TestGreetingThatCannotBeAnswered(t *testing.T) {
	config, err := mysql.ParseDSN(service.Need(t, service.MySQL))
	if err != nil {
		t.Fatal(err)
	}
	failures := 5
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if failures--; err == nil && failures >= 0 {
			conn = deaf{conn}
		}
		return conn, err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	commitsAfterFailures(t, mysqlDriver, db)
}

// deaf is a connection that can be read, and not written.
type deaf struct{ net.Conn }

func (deaf) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// commitsAfterFailures runs a transaction that must be tried more than once, and must take
// place once.
func commitsAfterFailures(t *testing.T, driver string, db *sql.DB) {
	t.Helper()
	server := openServer(t, driver)
	table := newTable(t, server)
	retries := 0
	err := retrysql.Tx(t.Context(), db, backoff.Take(backoff.Constant(0), 8), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, bump(table, "1"))
		return err
	}, retrysql.Retry(retry.OnRetry(func(e retry.Event) {
		retries++
		t.Logf("%T: %v", e.Err, e.Err)
	})))
	if err != nil {
		t.Errorf("after %d retries the error is %v", retries, err)
	}
	if retries == 0 {
		t.Error("there was no retry, so the test proves nothing")
	}
	if n := count(t, server, table); n != 1 {
		t.Errorf("the transaction took place %d times, want 1", n)
	}
}
