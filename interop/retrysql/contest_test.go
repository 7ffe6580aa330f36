package retrysql_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/interop/contest"
	"example.com/backoff/interop/service"
)

// TestEveryTransactionCommits: 16 goroutines update the same two rows in opposite
// orders with retrysql.Tx and its defaults. Every transaction commits in the end, the
// rows count all of them, and some transactions failed in the way of the mode.
func TestEveryTransactionCommits(t *testing.T) {
	const workers, transactions = 16, 4
	for _, tt := range []struct {
		database string
		mode     contest.Mode
		codes    []string // how transactions may fail
	}{
		{"sqlite", contest.Deadlock, []string{"5"}},
		{"sqlite", contest.Conflict, []string{"5", "517"}},
		{"sqlite", contest.NoWait, []string{"5"}},
		{"mysql", contest.Deadlock, []string{"1213"}},
		{"mysql", contest.Conflict, []string{"1020", "1213"}},
		{"mysql", contest.NoWait, []string{"1205", "3572", "1213"}},
		{"postgres", contest.Deadlock, []string{"40P01"}},
		{"postgres", contest.Conflict, []string{"40001"}},
		{"postgres", contest.NoWait, []string{"55P03", "40P01"}},
	} {
		t.Run(tt.database+"/"+string(tt.mode), func(t *testing.T) {
			var dsn string
			switch tt.database {
			case "mysql":
				dsn = service.Need(t, service.MySQL)
			case "postgres":
				dsn = quickDeadlocks(t, service.Need(t, service.Postgres))
			}
			if tt.database == "mysql" && tt.mode == contest.Conflict {
				if try(open(t, mysqlDriver, dsn), "SET SESSION innodb_snapshot_isolation = ON") != nil {
					t.Skip("needs a MariaDB that has innodb_snapshot_isolation")
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			c, err := contest.Open(ctx, contest.Settings{
				Database: tt.database, DSN: dsn, Mode: tt.mode,
				Workers: workers, Transactions: transactions, Hold: time.Millisecond,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}()
			// Endless: the round ends when everything is committed.
			r, err := c.Round(ctx, backoff.FullJitter(40*time.Millisecond, time.Second))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d transactions were tried in %v, failures by code: %v", r.Tried(), r.Elapsed, r.Failed)
			if r.Err != nil || r.Committed != workers*transactions {
				t.Errorf("%d of %d transactions were committed: %v", r.Committed, workers*transactions, r.Err)
			}
			if len(r.Failed) == 0 {
				t.Error("no transaction has failed, so the test proves nothing")
			}
			allowed := map[string]bool{}
			for _, code := range tt.codes {
				allowed[code] = true
			}
			for code, n := range r.Failed {
				if !allowed[code] {
					t.Errorf("%d transactions failed with code %s, want only %q", n, code, tt.codes)
				}
			}
		})
	}
}

// quickDeadlocks makes PostgreSQL detect deadlocks after 20 ms; its default is 1 s.
func quickDeadlocks(t *testing.T, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("deadlock_timeout", "20ms")
	u.RawQuery = q.Encode()
	return u.String()
}
