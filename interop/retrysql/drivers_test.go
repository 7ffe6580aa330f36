package retrysql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	"modernc.org/sqlite"

	"example.com/backoff/interop/service"
)

// The registered names of the drivers.
const (
	mysqlDriver   = "mysql"
	pgxDriver     = "pgx"
	pqDriver      = "postgres"
	moderncDriver = "sqlite"
	mattnDriver   = "sqlite3" // with cgo only
)

var (
	postgresDrivers = []string{pgxDriver, pqDriver}
	serverDrivers   = append([]string{mysqlDriver}, postgresDrivers...)
	sqliteDrivers   = []string{moderncDriver} // mattn_test.go adds its own
)

// open returns a pool that is closed when the test ends.
func open(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// openServer returns a pool of the server of a driver.
func openServer(t *testing.T, driver string) *sql.DB {
	t.Helper()
	if driver == mysqlDriver {
		return open(t, driver, service.Need(t, service.MySQL))
	}
	return open(t, driver, service.Need(t, service.Postgres))
}

// openFile returns a pool of a new SQLite file. The parameters are those of the
// driver's data source name.
func openFile(t *testing.T, driver, params string) *sql.DB {
	t.Helper()
	return open(t, driver, "file:"+filepath.ToSlash(filepath.Join(t.TempDir(), "test.db"))+"?"+params)
}

// newTable creates a table (id, n) with the rows (1, 0) and (2, 0) and a unique name,
// and drops it when the test ends.
func newTable(t *testing.T, db *sql.DB) string {
	t.Helper()
	table := fmt.Sprintf("backoff_test_%016x", rand.Uint64())
	exec(t, db, "CREATE TABLE "+table+" (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)")
	t.Cleanup(func() {
		if _, err := db.Exec("DROP TABLE " + table); err != nil {
			t.Error(err)
		}
	})
	exec(t, db, "INSERT INTO "+table+" VALUES (1, 0), (2, 0)")
	return table
}

// count returns the number in row 1.
func count(t *testing.T, db *sql.DB, table string) (n int) {
	t.Helper()
	if err := db.QueryRow("SELECT n FROM " + table + " WHERE id = 1").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// An execer is a pool, a connection or a transaction.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// exec runs a statement that must not fail.
func exec(t *testing.T, db execer, query string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// begin runs the setup statements on a new connection and starts a transaction there.
// Both end when the test ends, if not before.
func begin(t *testing.T, db *sql.DB, opts *sql.TxOptions, setup ...string) *sql.Tx {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range setup {
		exec(t, conn, query)
	}
	tx, err := conn.BeginTx(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tx.Rollback() // fails if the test has ended it
		conn.Close()
	})
	return tx
}

// within returns the next result. It fails the test if there is none after minutes: every
// engine detects a deadlock in seconds, and a busy machine is given time.
func within[T any](t *testing.T, results <-chan T) T {
	t.Helper()
	select {
	case v := <-results:
		return v
	case <-time.After(5 * time.Minute):
		t.Fatal("no answer within 5 min")
		panic("unreachable")
	}
}

// mattnCode returns the extended code of an error of mattn's driver. mattn_test.go sets
// it.
var mattnCode = func(error) (int, bool) { return 0, false }

// sqliteCode returns the extended code of a SQLite error.
func sqliteCode(t *testing.T, err error) int {
	t.Helper()
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	code, ok := mattnCode(err)
	if !ok {
		t.Fatalf("%T is not an error of a SQLite driver", err)
	}
	return code
}
