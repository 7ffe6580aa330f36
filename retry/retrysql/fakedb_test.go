package retrysql_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// An outcome of one transaction of a fake database: the errors of its steps, and what the
// driver does in a call before it answers. The zero value commits.
type outcome struct {
	begin, exec, commit           error
	inBegin, inCommit, inRollback func() // nil: nothing
}

// muted is a call whose answer comes after 4 s, whatever its context says, as of a driver
// on a network that swallows packets.
func muted() { time.Sleep(4 * time.Second) }

// fakeDB is a database/sql driver without a database. Its transactions have the outcomes
// in their order, and later ones commit. It logs each call with the time since it was
// made.
type fakeDB struct {
	start time.Time

	mu       sync.Mutex // calls whose context has ended go on in goroutines of their own
	outcomes []outcome
	lines    []string
}

// openFake returns a pool of connections to a fake database. The caller closes it.
func openFake(outcomes ...outcome) (*sql.DB, *fakeDB) {
	f := &fakeDB{outcomes: outcomes, start: time.Now()}
	return sql.OpenDB(f), f
}

func (f *fakeDB) logf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines = append(f.lines, fmt.Sprintf("%v ", time.Since(f.start))+fmt.Sprintf(format, args...))
}

// next returns the outcome of a transaction that begins.
func (f *fakeDB) next() outcome {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.outcomes) == 0 {
		return outcome{}
	}
	o := f.outcomes[0]
	f.outcomes = f.outcomes[1:]
	return o
}

func (f *fakeDB) Connect(context.Context) (driver.Conn, error) { return &fakeConn{fakeDB: f}, nil }

func (f *fakeDB) Driver() driver.Driver { panic("Driver is not called") }

type fakeConn struct {
	*fakeDB
	current outcome
}

func (c *fakeConn) Close() error { return nil }

func (c *fakeConn) Prepare(string) (driver.Stmt, error) { panic("Prepare is not called") }

func (c *fakeConn) Begin() (driver.Tx, error) { panic("Begin is not called") }

func (c *fakeConn) BeginTx(_ context.Context, opts driver.TxOptions) (driver.Tx, error) {
	c.current = c.next()
	c.logf("begin%s", describe(opts))
	if c.current.inBegin != nil {
		c.current.inBegin()
	}
	if c.current.begin != nil {
		return nil, c.current.begin
	}
	return fakeTx{c}, nil
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

func (c *fakeConn) ExecContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	c.logf("%s", query)
	return driver.RowsAffected(1), c.current.exec
}

type fakeTx struct{ *fakeConn }

func (tx fakeTx) Commit() error {
	tx.logf("commit")
	if tx.current.inCommit != nil {
		tx.current.inCommit()
	}
	return tx.current.commit
}

func (tx fakeTx) Rollback() error {
	tx.logf("rollback")
	if tx.current.inRollback != nil {
		tx.current.inRollback()
	}
	return nil
}

// log returns the calls so far, each with its time.
func (f *fakeDB) log() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.lines)
}

// steps returns the log without times.
func (f *fakeDB) steps() []string {
	var steps []string
	for _, line := range f.log() {
		_, step, _ := strings.Cut(line, " ")
		steps = append(steps, step)
	}
	return steps
}
