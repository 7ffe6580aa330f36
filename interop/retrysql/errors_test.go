package retrysql_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"example.com/backoff/retry/retrysql"
)

// verdict is how package retrysql classifies an error.
type verdict int

const (
	final    verdict = iota // not retryable
	lost                    // retryable, the connection failed
	conflict                // retryable, transactions conflicted
)

// check compares retrysql's verdict on a real error with the wanted one. The text of
// the error must contain one of texts, so that it is the error that the test provokes.
func check(t *testing.T, err error, want verdict, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error was provoked")
	}
	t.Logf("%T: %v", err, err)
	found := false
	for _, text := range texts {
		found = found || strings.Contains(err.Error(), text)
	}
	if !found {
		t.Errorf("the test provoked another error than one of %q: %v", texts, err)
	}
	if got := retrysql.Conflict(err); got != (want == conflict) {
		t.Errorf("Conflict(%v) = %t, want %t", err, got, want == conflict)
	}
	if got := retrysql.Retryable(err); got != (want != final) {
		t.Errorf("Retryable(%v) = %t, want %t", err, got, want != final)
	}
}

func bump(table, id string) string {
	return "UPDATE " + table + " SET n = n + 1 WHERE id = " + id
}

// try runs a statement and returns its error.
func try(db execer, query string) error {
	_, err := db.ExecContext(context.Background(), query)
	return err
}

// deadlock makes two transactions wait for each other and returns the error of the
// victim.
func deadlock(t *testing.T, db *sql.DB, setup ...string) error {
	t.Helper()
	table := newTable(t, db)
	a, b := begin(t, db, nil, setup...), begin(t, db, nil, setup...)
	exec(t, a, bump(table, "1"))
	exec(t, b, bump(table, "2"))
	errs := make(chan error, 2)
	go func() {
		err := try(a, bump(table, "2"))
		a.Rollback()
		errs <- err
	}()
	go func() {
		err := try(b, bump(table, "1"))
		b.Rollback()
		errs <- err
	}()
	first, second := within(t, errs), within(t, errs)
	if first != nil && second != nil {
		t.Errorf("both transactions failed: %v and %v", first, second)
	}
	if first == nil {
		return second
	}
	return first
}

// stale makes a transaction update a row that another one has changed since the first
// one read it.
func stale(t *testing.T, db *sql.DB, opts *sql.TxOptions, setup ...string) error {
	t.Helper()
	table := newTable(t, db)
	a := begin(t, db, opts, setup...)
	var n int
	if err := a.QueryRow("SELECT n FROM " + table + " WHERE id = 1").Scan(&n); err != nil {
		t.Fatal(err)
	}
	b := begin(t, db, nil)
	exec(t, b, bump(table, "1"))
	if err := b.Commit(); err != nil {
		t.Fatal(err)
	}
	defer a.Rollback()
	return try(a, bump(table, "1"))
}

// held makes a transaction run a query while another one holds row 1. Its limits are set in
// the transaction, so that they concern nothing before the query.
func held(t *testing.T, db *sql.DB, query func(table string) string, limits ...string) error {
	t.Helper()
	table := newTable(t, db)
	a := begin(t, db, nil)
	exec(t, a, bump(table, "1"))
	b := begin(t, db, nil)
	defer a.Rollback()
	defer b.Rollback()
	for _, limit := range limits {
		exec(t, b, limit)
	}
	return try(b, query(table))
}

// duplicate inserts a key that exists.
func duplicate(t *testing.T, db *sql.DB) error {
	t.Helper()
	return try(db, "INSERT INTO "+newTable(t, db)+" VALUES (1, 0)")
}

// killed runs a statement in a transaction after another connection has killed its
// connection.
func killed(t *testing.T, db *sql.DB, idQuery, kill string) error {
	t.Helper()
	tx := begin(t, db, nil)
	var id string
	if err := tx.QueryRow(idQuery).Scan(&id); err != nil {
		t.Fatal(err)
	}
	exec(t, db, strings.ReplaceAll(kill, "ID", id))
	return try(tx, "SELECT 1")
}

func lockRow1(suffix string) func(string) string {
	return func(table string) string {
		return "SELECT n FROM " + table + " WHERE id = 1 FOR UPDATE " + suffix
	}
}

func TestMySQLErrors(t *testing.T) {
	db := openServer(t, mysqlDriver)
	t.Run("deadlock", func(t *testing.T) {
		check(t, deadlock(t, db), conflict, "Error 1213 (40001): ")
	})
	t.Run("lock wait timeout", func(t *testing.T) {
		err := held(t, db, func(table string) string { return bump(table, "1") },
			"SET SESSION innodb_lock_wait_timeout = 1")
		check(t, err, conflict, "Error 1205 (HY000): ")
	})
	t.Run("nowait", func(t *testing.T) {
		// MariaDB, and MySQL from version 8 on.
		check(t, held(t, db, lockRow1("NOWAIT")), conflict, "Error 1205 (HY000): ", "Error 3572 (HY000): ")
	})
	t.Run("record has changed", func(t *testing.T) {
		if try(db, "SET SESSION innodb_snapshot_isolation = ON") != nil {
			t.Skip("needs a MariaDB that has innodb_snapshot_isolation")
		}
		err := stale(t, db, &sql.TxOptions{Isolation: sql.LevelRepeatableRead},
			"SET SESSION innodb_snapshot_isolation = ON")
		check(t, err, conflict, "Error 1020 (HY000): ")
	})
	t.Run("lock wait timeout by the commit", func(t *testing.T) {
		check(t, commitAgainstGlobalLock(t, db), conflict, "Error 1205 (HY000): ")
	})
	t.Run("duplicate key", func(t *testing.T) {
		check(t, duplicate(t, db), final, "Error 1062 (23000): ")
	})
	t.Run("killed connection", func(t *testing.T) {
		err := killed(t, db, "SELECT CONNECTION_ID()", "KILL ID")
		check(t, err, lost, "invalid connection", "Error 1927 ", "bad connection")
	})
	t.Run("refused connection", func(t *testing.T) {
		check(t, open(t, mysqlDriver, "root@tcp(127.0.0.1:1)/test").Ping(), lost, "refused")
	})
	t.Run("wrong database", func(t *testing.T) {
		check(t, try(db, "SELECT 1 FROM backoff_no_such_table"), final, "Error 1146 (42S02): ")
	})
}

// commitAgainstGlobalLock commits a transaction while another connection prevents all
// commits for a second, and returns the commit's error. It fails the test if that does
// not roll the transaction back: it would still be open, and the next BEGIN on its
// connection would commit it.
func commitAgainstGlobalLock(t *testing.T, db *sql.DB) error {
	t.Helper()
	table := newTable(t, db)
	ctx := context.Background()
	writer, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	locker, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer locker.Close()
	tx, err := writer.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, tx, bump(table, "1"))
	exec(t, tx, "SET SESSION lock_wait_timeout = 1")
	defer exec(t, writer, "SET SESSION lock_wait_timeout = DEFAULT")
	exec(t, locker, "FLUSH TABLES WITH READ LOCK")
	failure := tx.Commit()
	exec(t, locker, "UNLOCK TABLES")

	next, err := writer.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Commit(); err != nil {
		t.Fatal(err)
	}
	if n := count(t, db, table); n != 0 {
		t.Errorf("the row counts %d after a commit that failed, want 0", n)
	}
	return failure
}

func TestPostgresErrors(t *testing.T) {
	for _, driver := range postgresDrivers {
		t.Run(driver, func(t *testing.T) {
			db := openServer(t, driver)
			t.Run("deadlock", func(t *testing.T) {
				check(t, deadlock(t, db), conflict, "40P01")
			})
			t.Run("repeatable read", func(t *testing.T) {
				err := stale(t, db, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
				check(t, err, conflict, "40001")
			})
			t.Run("serializable, by the commit", func(t *testing.T) {
				check(t, writeSkew(t, db), conflict, "40001")
			})
			t.Run("nowait", func(t *testing.T) {
				check(t, held(t, db, lockRow1("NOWAIT")), conflict, "55P03")
			})
			t.Run("lock timeout", func(t *testing.T) {
				err := held(t, db, func(table string) string { return bump(table, "1") },
					"SET LOCAL lock_timeout = '50ms'")
				check(t, err, conflict, "55P03")
			})
			t.Run("statement timeout", func(t *testing.T) {
				err := held(t, db, func(table string) string { return bump(table, "1") },
					"SET LOCAL statement_timeout = '50ms'")
				check(t, err, final, "57014")
			})
			t.Run("duplicate key", func(t *testing.T) {
				check(t, duplicate(t, db), final, "23505")
			})
			t.Run("failed transaction", func(t *testing.T) {
				tx := begin(t, db, nil)
				try(tx, "SELECT 1 / 0")
				check(t, try(tx, "SELECT 1"), final, "25P02")
			})
			t.Run("killed connection", func(t *testing.T) {
				err := killed(t, db, "SELECT pg_backend_pid()", "SELECT pg_terminate_backend(ID)")
				check(t, err, lost, "57P01", "bad connection", "connection reset by peer")
			})
			t.Run("idle in its transaction", func(t *testing.T) {
				check(t, idle(t, db), lost, "25P03", "bad connection", "connection reset by peer")
			})
			t.Run("refused connection", func(t *testing.T) {
				db := open(t, driver, "postgres://postgres@127.0.0.1:1/test?sslmode=disable")
				check(t, db.Ping(), lost, "refused")
			})
		})
	}
}

// idle runs a statement in a transaction whose session was idle for so long that the
// server has closed it.
func idle(t *testing.T, db *sql.DB) error {
	t.Helper()
	tx := begin(t, db, nil)
	var session string
	if err := tx.QueryRow("SELECT pg_backend_pid()").Scan(&session); err != nil {
		t.Fatal(err)
	}
	// The last statement, so that the session is not closed before.
	exec(t, tx, "SET idle_in_transaction_session_timeout = '20ms'")
	ended := make(chan error, 1)
	go func() {
		for sessions := 1; sessions > 0; {
			if err := db.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE pid = " + session).Scan(&sessions); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	if err := within(t, ended); err != nil {
		t.Fatal(err)
	}
	return try(tx, "SELECT 1")
}

// writeSkew runs two serializable transactions that each read the row that the other
// writes, and returns the error of the second commit.
func writeSkew(t *testing.T, db *sql.DB) error {
	t.Helper()
	table := newTable(t, db)
	serializable := &sql.TxOptions{Isolation: sql.LevelSerializable}
	a, b := begin(t, db, serializable), begin(t, db, serializable)
	var n int
	for _, tx := range []*sql.Tx{a, b} {
		if err := tx.QueryRow("SELECT sum(n) FROM " + table).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	exec(t, a, bump(table, "1"))
	exec(t, b, bump(table, "2"))
	if err := a.Commit(); err != nil {
		t.Fatal(err)
	}
	return b.Commit()
}

func TestSQLiteErrors(t *testing.T) {
	for _, driver := range sqliteDrivers {
		t.Run(driver, func(t *testing.T) {
			noWait := "_pragma=busy_timeout(0)"
			wal := noWait + "&_pragma=journal_mode(wal)"
			if driver == mattnDriver {
				noWait = "_busy_timeout=0"
				wal = noWait + "&_journal_mode=wal"
			}
			t.Run("busy at begin", func(t *testing.T) {
				db := openFile(t, driver, noWait+"&_txlock=immediate")
				newTable(t, db)
				begin(t, db, nil)
				_, err := db.Begin()
				check(t, err, conflict, "database is locked")
			})
			t.Run("busy at an update", func(t *testing.T) {
				db := openFile(t, driver, noWait)
				err := held(t, db, func(table string) string { return bump(table, "1") })
				check(t, err, conflict, "database is locked")
			})
			t.Run("busy at commit", func(t *testing.T) {
				db := openFile(t, driver, noWait)
				check(t, commitAgainstReader(t, db), conflict, "database is locked")
			})
			t.Run("busy snapshot", func(t *testing.T) {
				db := openFile(t, driver, wal)
				err := stale(t, db, nil)
				check(t, err, conflict, "database is locked")
				if code := sqliteCode(t, err); code != 517 {
					t.Errorf("the code is %d, want 517", code)
				}
			})
			t.Run("locked shared cache", func(t *testing.T) {
				if driver == moderncDriver {
					t.Skip("this driver waits for the other connection instead")
				}
				db := open(t, driver, "file:"+t.Name()+"?mode=memory&cache=shared&"+noWait)
				err := held(t, db, func(table string) string { return bump(table, "1") })
				check(t, err, conflict, "locked")
				if code := sqliteCode(t, err); code != 262 && code != 6 {
					t.Errorf("the code is %d, want 262 or 6", code)
				}
			})
			t.Run("duplicate key", func(t *testing.T) {
				check(t, duplicate(t, openFile(t, driver, noWait)), final, "UNIQUE constraint failed")
			})
		})
	}
}

// commitAgainstReader commits a transaction that has written while another one is still
// reading.
func commitAgainstReader(t *testing.T, db *sql.DB) error {
	t.Helper()
	table := newTable(t, db)
	reader := begin(t, db, nil)
	defer reader.Rollback()
	var n int
	if err := reader.QueryRow("SELECT n FROM " + table + " WHERE id = 1").Scan(&n); err != nil {
		t.Fatal(err)
	}
	writer := begin(t, db, nil)
	exec(t, writer, bump(table, "1"))
	return writer.Commit()
}
