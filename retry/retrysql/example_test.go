package retrysql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retrysql"
)

// The second statement of the first transaction is the victim of a deadlock, so the
// whole transaction is run a second time.
func ExampleTx() {
	db, _ := openFake(outcome{exec: mysql(1213)})
	defer db.Close()

	delays := backoff.Take(backoff.Exponential(time.Millisecond, 2), 10)
	var log []string // each attempt sets it, and adds nothing to it
	err := retrysql.Tx(context.Background(), db, delays, func(ctx context.Context, tx *sql.Tx) error {
		log = nil
		for _, id := range []int{1, 2} {
			if _, err := tx.ExecContext(ctx, "UPDATE account SET cents = cents - 100 WHERE id = ?", id); err != nil {
				return err
			}
			log = append(log, fmt.Sprint("account ", id))
		}
		return nil
	})
	fmt.Println(log, err)
	// Output: [account 1 account 2] <nil>
}

func ExampleRetryable() {
	err := fmt.Errorf("save: %w", &pgError{"40001"}) // shaped like pgx's
	fmt.Println(retrysql.Retryable(err))
	fmt.Println(retrysql.Retryable(&pgError{"23505"}))
	// Output:
	// true
	// false
}

func ExampleConflict() {
	fmt.Println(retrysql.Conflict(mysql(1213)))                      // a deadlock
	fmt.Println(retrysql.Conflict(errors.New("invalid connection"))) // a lost connection
	// Output:
	// true
	// false
}

func ExampleRetry() {
	db, _ := openFake(outcome{exec: &pgError{"40001"}}, outcome{exec: &pgError{"40001"}})
	defer db.Close()

	delays := backoff.Constant(time.Millisecond)
	err := retrysql.Tx(context.Background(), db, delays, update, retrysql.Retry(
		retry.OnRetry(func(e retry.Event) { fmt.Println(e.Attempt, e.Err) }),
	))
	fmt.Println(err)
	// Output:
	// 1 ERROR: it failed (SQLSTATE 40001)
	// 2 ERROR: it failed (SQLSTATE 40001)
	// <nil>
}

func ExampleTxOptions() {
	db, fake := openFake()
	defer db.Close()

	err := retrysql.Tx(context.Background(), db, backoff.Constant(time.Millisecond), update,
		retrysql.TxOptions(sql.TxOptions{Isolation: sql.LevelSerializable}))
	fmt.Println(fake.steps(), err)
	// Output: [begin Serializable update commit] <nil>
}

func ExampleIdempotent() {
	db, fake := openFake(outcome{commit: errors.New("invalid connection")})
	defer db.Close()

	err := retrysql.Tx(context.Background(), db, backoff.Constant(time.Millisecond), update,
		retrysql.Idempotent())
	fmt.Println(fake.steps(), err)
	// Output: [begin update commit begin update commit] <nil>
}

// The commit's answer is lost: perhaps it took place.
func ExampleTx_outcomeUnknown() {
	db, _ := openFake(outcome{commit: errors.New("invalid connection")})
	defer db.Close()

	err := retrysql.Tx(context.Background(), db, backoff.Constant(time.Millisecond), update)
	fmt.Println(errors.Is(err, retrysql.ErrOutcomeUnknown))
	fmt.Println(err)
	// Output:
	// true
	// retrysql: the outcome of the commit is unknown: invalid connection
}

func ExampleKeepDelays() {
	db, _ := openFake(outcome{exec: mysql(1213)}, outcome{exec: mysql(1213)})
	defer db.Close()

	delays := backoff.TopJitter(time.Millisecond, time.Second, 0.25, backoff.WithSeed(1))
	err := retrysql.Tx(context.Background(), db, delays, update,
		retrysql.KeepDelays(),
		retrysql.Retry(retry.OnRetry(func(e retry.Event) { fmt.Println(e.Delay) })),
	)
	fmt.Println(err)
	// Output:
	// 899.565µs
	// 1.544555ms
	// <nil>
}

func ExampleWithSeed() {
	db, _ := openFake(outcome{exec: mysql(1213)}, outcome{exec: mysql(1213)})
	defer db.Close()

	delays := backoff.Exponential(time.Millisecond, 2)
	err := retrysql.Tx(context.Background(), db, delays, update,
		retrysql.WithSeed(1),
		retrysql.Retry(retry.OnRetry(func(e retry.Event) { fmt.Println(e.Delay) })),
	)
	fmt.Println(err)
	// Output:
	// 598.261µs
	// 178.223µs
	// <nil>
}
