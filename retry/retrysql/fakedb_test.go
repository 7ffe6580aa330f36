package retrysql_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync"
	"time"
)

// An outcome of one transaction of a fake database: the errors of its steps, and the
// duration of its commit. The zero value commits.
type outcome struct {
	begin, exec, commit error
	commitTakes         time.Duration
}

// fakeDB is a database/sql driver without a database. Its transactions have the outcomes
// in their order, and later ones commit. It logs each call with the time since it was
// made.
type fakeDB struct {
	outcomes []outcome
	start    time.Time
	current  outcome

	mu  sync.Mutex // database/sql rolls back on a goroutine of its own when a context ends
	log []string
}

// openFake returns a pool of connections to a fake database. The caller closes it.
func openFake(outcomes ...outcome) (*sql.DB, *fakeDB) {
	f := &fakeDB{outcomes: outcomes, start: time.Now()}
	return sql.OpenDB(f), f
}

func (f *fakeDB) logf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, fmt.Sprintf("%v ", time.Since(f.start))+fmt.Sprintf(format, args...))
}

func (f *fakeDB) Connect(context.Context) (driver.Conn, error) { return fakeConn{f}, nil }

func (f *fakeDB) Driver() driver.Driver { panic("Driver is not called") }

type fakeConn struct{ *fakeDB }

func (c fakeConn) Close() error { return nil }

func (c fakeConn) Prepare(string) (driver.Stmt, error) { panic("Prepare is not called") }

func (c fakeConn) Begin() (driver.Tx, error) { panic("Begin is not called") }

func (c fakeConn) BeginTx(_ context.Context, opts driver.TxOptions) (driver.Tx, error) {
	c.current = outcome{}
	if len(c.outcomes) > 0 {
		c.current, c.outcomes = c.outcomes[0], c.outcomes[1:]
	}
	c.logf("begin%s", describe(opts))
	if c.current.begin != nil {
		return nil, c.current.begin
	}
	return fakeTx(c), nil
}

// describe returns the options that are not the default.
func describe(opts driver.TxOptions) string {
	text := ""
	if opts.Isolation != 0 {
		text += " " + sql.IsolationLevel(opts.Isolation).String()
	}
	if opts.ReadOnly {
		text += " read-only"
	}
	return text
}

func (c fakeConn) ExecContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	c.logf("%s", query)
	return driver.RowsAffected(1), c.current.exec
}

type fakeTx struct{ *fakeDB }

func (tx fakeTx) Commit() error {
	tx.logf("commit")
	time.Sleep(tx.current.commitTakes)
	return tx.current.commit
}

func (tx fakeTx) Rollback() error {
	tx.logf("rollback")
	return nil
}

// steps returns the log without times.
func (f *fakeDB) steps() []string {
	var steps []string
	for _, line := range f.log {
		_, step, _ := strings.Cut(line, " ")
		steps = append(steps, step)
	}
	return steps
}
