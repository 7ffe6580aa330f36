package retrysql_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"example.com/backoff"
	"example.com/backoff/retry/retrysql"
)

// TestSwallowedErrors: if fn ignores the error of a statement, PostgreSQL reports it at
// the commit and MySQL does not, as the documentation of retrysql.Tx says.
func TestSwallowedErrors(t *testing.T) {
	swallow := func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "SELECT 1 FROM backoff_no_such_table")
		if err == nil {
			return errors.New("the statement has not failed")
		}
		return nil
	}
	for _, driver := range postgresDrivers {
		t.Run(driver, func(t *testing.T) {
			err := retrysql.Tx(t.Context(), openServer(t, driver), backoff.Take(backoff.Constant(0), 3), swallow)
			if err == nil || errors.Is(err, retrysql.ErrOutcomeUnknown) || retrysql.Retryable(err) {
				t.Errorf("the error is %v, want one that says that the transaction was rolled back", err)
			}
		})
	}
	// MySQL has rolled the transaction back with its first statement. A later statement
	// is committed by itself, and neither Commit nor Rollback returns an error.
	for _, tt := range []struct {
		name string
		end  func(*sql.Tx) error
	}{{"commit", (*sql.Tx).Commit}, {"rollback", (*sql.Tx).Rollback}} {
		t.Run(mysqlDriver+", a deadlock and then a "+tt.name, func(t *testing.T) {
			db := openServer(t, mysqlDriver)
			table := newTable(t, db)
			a, b := begin(t, db, nil), begin(t, db, nil)
			exec(t, a, bump(table, "1"))
			exec(t, b, bump(table, "2"))
			errs := make(chan error, 1)
			go func() { errs <- try(a, bump(table, "2")) }()
			victim, other := b, a
			err := try(b, bump(table, "1"))
			if err == nil {
				victim, other = a, b
				err = within(t, errs)
			} else if err := within(t, errs); err != nil {
				t.Fatal(err)
			}
			check(t, err, conflict, "Error 1213 ")
			if err := other.Rollback(); err != nil {
				t.Fatal(err)
			}
			exec(t, victim, bump(table, "1"))
			if err := tt.end(victim); err != nil {
				t.Errorf("the %s returns %v", tt.name, err)
			}
			var n int
			if err := db.QueryRow("SELECT sum(n) FROM " + table).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n != 1 {
				t.Errorf("the rows count %d, want 1 from the statement after the deadlock", n)
			}
		})
	}
}
