package retrysql_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"testing"

	"example.com/backoff"
	"example.com/backoff/retry/retrysql"
)

// BenchmarkTx compares a transaction that commits at once with one by hand, in a context
// that cannot end and in one that can. The driver does nothing, so it is the cost of Tx
// itself.
func BenchmarkTx(b *testing.B) {
	db := sql.OpenDB(idle{})
	defer db.Close()
	nothing := func(context.Context, *sql.Tx) error { return nil }
	delays := backoff.Constant(0)
	for name, ctx := range map[string]context.Context{"endless": context.Background(), "ends": b.Context()} {
		b.Run("by hand/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tx, err := db.BeginTx(ctx, nil)
				if err != nil {
					b.Fatal(err)
				}
				if err := tx.Commit(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("Tx/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := retrysql.Tx(ctx, db, delays, nothing); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// idle is a driver, its connection and its transaction. It does nothing.
type idle struct{}

func (idle) Connect(context.Context) (driver.Conn, error)                 { return idle{}, nil }
func (idle) Driver() driver.Driver                                        { return nil }
func (idle) Prepare(string) (driver.Stmt, error)                          { return nil, driver.ErrSkip }
func (idle) Close() error                                                 { return nil }
func (idle) Begin() (driver.Tx, error)                                    { return idle{}, nil }
func (idle) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) { return idle{}, nil }
func (idle) Commit() error                                                { return nil }
func (idle) Rollback() error                                              { return nil }
