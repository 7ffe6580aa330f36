package retrysql_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"example.com/backoff"
	"example.com/backoff/retry/retrysql"
)

// TestCommitWhoseAnswerIsLost: the commit happens, but its answer does not arrive. A
// retry would run the transaction twice, so Tx does not retry unless Idempotent allows
// it.
func TestCommitWhoseAnswerIsLost(t *testing.T) {
	for _, driver := range serverDrivers {
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
				dsn, proxy := through(t, driver)
				proxy.lose.Store(1)
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
				if n := count(t, openServer(t, driver), table); n != tt.n {
					t.Errorf("the transaction ran %d times, want %d", n, tt.n)
				}
			})
		}
	}
}
