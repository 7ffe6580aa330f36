package retrysql_test

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lib/pq"

	"example.com/backoff"
	"example.com/backoff/retry/retrysql"
)

// TestMutedNetwork: from some step of the transaction on, the network swallows all bytes, and
// the context ends when it has swallowed the first. Tx returns all the same, and the pool
// gets its only connection back when the network closes it.
func TestMutedNetwork(t *testing.T) {
	errStock := errors.New("out of stock")
	for _, driver := range serverDrivers {
		for _, tt := range []struct {
			name  string
			begun bool // the network is muted at the end of fn, and before Tx otherwise
			fn    error
			opts  []retrysql.Option
			is    []error
			not   error
		}{
			{"begin", false, nil, nil, []error{context.Canceled}, retrysql.ErrOutcomeUnknown},
			{"rollback", true, errStock, nil, []error{errStock, context.Canceled}, retrysql.ErrOutcomeUnknown},
			{"commit", true, nil, nil, []error{retrysql.ErrOutcomeUnknown, context.Canceled}, errStock},
			{"commit, idempotent", true, nil, []retrysql.Option{retrysql.Idempotent()}, []error{retrysql.ErrOutcomeUnknown, context.Canceled}, errStock},
		} {
			t.Run(driver+"/"+tt.name, func(t *testing.T) {
				table := newTable(t, openServer(t, driver))
				dsn, proxy := through(t, driver)
				db := open(t, driver, dsn)
				db.SetMaxOpenConns(1)
				if err := db.Ping(); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				end := func() { cancel() }
				if !tt.begun {
					proxy.swallow.Store(&end)
				}
				returned := make(chan error, 1)
				go func() {
					returned <- retrysql.Tx(ctx, db, backoff.Constant(0), func(ctx context.Context, tx *sql.Tx) error {
						if _, err := tx.ExecContext(ctx, bump(table, "1")); err != nil {
							return err
						}
						proxy.swallow.Store(&end)
						return tt.fn
					}, tt.opts...)
				}()
				err := within(t, returned)
				t.Logf("the error is %v", err)
				for _, is := range tt.is {
					if !errors.Is(err, is) {
						t.Errorf("the error is %v, and not %v", err, is)
					}
				}
				if errors.Is(err, tt.not) {
					t.Errorf("the error is %v, and should not be %v", err, tt.not)
				}
				proxy.swallow.Store(nil)
				proxy.hangUp()
				checkGivenBack(t, db)
				if n := count(t, db, table); n != 0 {
					t.Errorf("the row counts %d after a commit that never arrived, want 0", n)
				}
			})
		}
	}
}

// checkGivenBack waits until a pool of one connection has it back.
func checkGivenBack(t *testing.T, db *sql.DB) {
	t.Helper()
	returned := make(chan error, 1)
	go func() { returned <- db.Ping() }()
	if err := within(t, returned); err != nil {
		t.Errorf("the pool does not get its connection back: %v", err)
	}
}

// TestStatementOnMutedNetwork: the network swallows all bytes from a statement on. The
// statement returns when the context ends, with lib/pq only if its connections limit how
// long a read may take. Nobody hangs up, so the limit also gives the connection back.
func TestStatementOnMutedNetwork(t *testing.T) {
	for _, driver := range serverDrivers {
		t.Run(driver, func(t *testing.T) {
			table := newTable(t, openServer(t, driver))
			dsn, proxy := through(t, driver)
			db := open(t, driver, dsn)
			var limit atomic.Int64
			if driver == pqDriver {
				db = openLimited(t, dsn, &limit)
			}
			db.SetMaxOpenConns(1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			end := func() { cancel() }
			returned := make(chan error, 1)
			go func() {
				returned <- retrysql.Tx(ctx, db, backoff.Constant(0), func(ctx context.Context, tx *sql.Tx) error {
					limit.Store(int64(100 * time.Millisecond))
					proxy.swallow.Store(&end)
					_, err := tx.ExecContext(ctx, bump(table, "1"))
					return err
				})
			}()
			err := within(t, returned)
			t.Logf("the error is %v", err)
			if err == nil || errors.Is(err, retrysql.ErrOutcomeUnknown) {
				t.Errorf("the error is %v, want one of a statement", err)
			}
			limit.Store(0)
			proxy.swallow.Store(nil)
			checkGivenBack(t, db)
		})
	}
}

// openLimited returns a pool of lib/pq whose connections read for limit at most, and without
// end if it is 0.
func openLimited(t *testing.T, dsn string, limit *atomic.Int64) *sql.DB {
	t.Helper()
	connector, err := pq.NewConnector(dsn)
	if err != nil {
		t.Fatal(err)
	}
	connector.Dialer(limitedDialer{new(net.Dialer), limit})
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

type limitedDialer struct {
	*net.Dialer
	limit *atomic.Int64 // a time.Duration
}

func (d limitedDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.Dialer.DialContext(ctx, network, address)
	return limitedConn{conn, d.limit}, err
}

func (d limitedDialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return d.DialContext(ctx, network, address)
}

type limitedConn struct {
	net.Conn
	limit *atomic.Int64
}

func (c limitedConn) Read(p []byte) (int, error) {
	if limit := time.Duration(c.limit.Load()); limit > 0 {
		if err := c.SetReadDeadline(time.Now().Add(limit)); err != nil {
			return 0, err
		}
	}
	return c.Conn.Read(p)
}
