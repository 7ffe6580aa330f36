// Package retrysql runs a database transaction again after a failure that a repetition
// can cure: a deadlock, a serialization failure, a lock that is not available or a lost
// connection.
//
//	delays := backoff.Take(backoff.DecorrelatedJitter(10*time.Millisecond, time.Second), 10)
//	err := retrysql.Tx(ctx, db, delays, func(ctx context.Context, tx *sql.Tx) error {
//		if _, err := tx.ExecContext(ctx, "UPDATE account SET cents = cents - 100 WHERE id = 1"); err != nil {
//			return err
//		}
//		_, err := tx.ExecContext(ctx, "UPDATE account SET cents = cents + 100 WHERE id = 2")
//		return err
//	}, retrysql.KeepDelays())
//
// [Tx] begins a transaction, calls the function and commits. After a failure that is
// [Retryable] it rolls back, waits for a delay and starts over. It recognizes the errors
// of PostgreSQL, MySQL, MariaDB and SQLite without importing a driver.
//
// # Rules for the function
//
// Tx repeats the whole transaction, because a part of it cannot be repeated. After
// MySQL's deadlock error (1213) the transaction is gone, and a later commit returns nil.
// After its lock wait timeout (1205) the earlier statements are still in the
// transaction. After any error of PostgreSQL all statements fail until the transaction
// ends. A statement that failed with SQLite's BUSY_SNAPSHOT (517) never succeeds in that
// transaction. Therefore:
//
//   - Return the error of every statement. If the function ignores a 1213, its later
//     statements run outside of the transaction, each committed by itself, and Tx cannot
//     notice.
//   - Be ready to run again. Set variables outside of the function, and do not add to
//     them: a function that appends rows to a slice must empty the slice first.
//   - Use the ctx and the tx that the function gets, and neither commit nor roll back.
//   - Do nothing in the function that a rollback does not undo, such as sending a
//     message.
//
// # Delays
//
// Tx rolls back before it waits, so it holds no locks during the delay.
//
// Transactions that failed together would meet again after equal delays. So after a
// [Conflict] Tx waits for a random part of the schedule's delay d, uniform over the
// closed interval [0, d] (full jitter), and any schedule is safe. After a lost connection
// it waits for d itself.
//
// A schedule with jitter of its own would be jittered twice, which halves its mean delay:
// [KeepDelays], as in the example, waits for d itself after a Conflict too.
//
// Full jitter after a conflict is the rule of oslo.db, see Yikun Jiang,
// [retries after deadlocks in oslo.db]. docs/databases.md measures it. Where transactions
// fail together, having no jitter takes 14 to 49 times as long with a base of 10 ms. Where
// they fail one at a time, as in InnoDB's deadlocks, the rule costs up to 1.6 times the
// time.
//
// The base of the schedule (its initial delay) should not be shorter than the time in
// which the engine notices a conflict. InnoDB and SQLite notice at once. PostgreSQL
// looks for a deadlock only after a transaction has waited for deadlock_timeout, 1 s by
// default.
//
// # Commits
//
// If a commit fails and the database reports that nothing was committed, such as by a
// serialization failure or SQLite's BUSY, Tx retries it like a statement. If the
// connection is lost during the commit, nobody knows whether the transaction took place:
// Tx does not retry it and returns [ErrOutcomeUnknown]. Use [Idempotent] if the
// transaction may take place twice.
//
// # The end of a context
//
// Tx returns when ctx ends, and an attempt when its [retry.AttemptTimeout] is over, even if
// the driver does not return. lib/pq begins, commits and rolls back without a context, and
// go-sql-driver/mysql commits and rolls back without one: on a network that swallows packets
// such a call lasts as long as the connection. So Tx leaves it to a goroutine, which ends
// when the driver returns. Until then the connection is in use, its transaction may hold
// locks, and sql.DB.SetMaxOpenConns limits how many there are. Limit how long a call may
// last by readTimeout and writeTimeout of go-sql-driver/mysql, and with lib/pq by a Dialer
// whose connections set a deadline for each read. pgx needs no limit, because it obeys the
// context in all calls. docs/databases.md has the details.
//
// A begin or a rollback that was left behind commits nothing. A commit that was left behind
// is an [ErrOutcomeUnknown]. Tx always waits for fn, which may still use the variables of
// the caller: a statement of lib/pq does not return either on such a network.
//
// If ctx can end, each begin, commit and rollback starts a goroutine, and allocates 3 times.
// That takes 1 to 2 µs, which is little beside a message to a server.
//
// [retries after deadlocks in oslo.db]: https://github.com/Yikun/yikun.github.com/issues/71
package retrysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"example.com/backoff/retry"
)

// ErrOutcomeUnknown reports that a commit failed and the transaction may have taken place
// all the same: its answer was lost or did not come before the context ended, or the server
// failed. The error that wraps it wraps the error of the commit too, or the end of the
// context.
var ErrOutcomeUnknown = errors.New("retrysql: the outcome of the commit is unknown")

// Tx begins a transaction, calls fn and commits. If one of the three fails with an error
// that is [Retryable], Tx rolls back, waits for one delay of delays and tries again; its
// errors are those of [retry.Do]. If fn returns any other error, Tx rolls back and
// returns that error unchanged. If fn panics, Tx rolls back and panics. If ctx ends, Tx
// returns as soon as fn has returned, and does not wait for the driver. The connection that
// is left behind counts against db.SetMaxOpenConns, which is unlimited by default: set it.
//
// If delays is endless, set a deadline of ctx, Retry(retry.MaxAttempts(n)) or
// Retry(retry.MaxElapsed(d)). Otherwise a transaction that always fails is tried forever.
//
// fn may run several times; the package comment has its rules. The context that fn gets
// is done when the attempt returns, and so is the transaction.
//
// An io.EOF and the text "bad connection" of go-sql-driver/mysql are retried if the driver
// returns them instead of a transaction: a server or proxy has closed the connection, and
// nothing can have taken place. Of fn they are like any other error.
//
// After a [Conflict] the delay is jittered; see the package comment and [KeepDelays].
//
// An attempt that failed after its [retry.AttemptTimeout] is retried, except during its
// commit without [Idempotent].
//
// It panics if ctx, db, delays or fn is nil.
func Tx(ctx context.Context, db *sql.DB, delays iter.Seq[time.Duration], fn func(ctx context.Context, tx *sql.Tx) error, opts ...Option) error {
	switch {
	case ctx == nil:
		reject("Tx", "ctx", "nil", "a context")
	case db == nil:
		reject("Tx", "db", "nil", "a pool of connections")
	case delays == nil:
		reject("Tx", "delays", "nil", "a schedule")
	case fn == nil:
		reject("Tx", "fn", "nil", "a function")
	}
	c := newConfig(opts)
	t := &transaction{config: c, db: db, fn: fn}
	if !c.keepDelays {
		delays = t.jittered(delays)
	}
	// The caller's options come last, so that they win.
	err := retry.Do(ctx, delays, t.attempt, append([]retry.Option{retry.If(t.retryable)}, c.retry...)...)
	// If the error of the latest attempt only repeats the end of ctx, Do keeps the error
	// before it. The outcome of a commit must not be lost in this way.
	if e, ok := err.(*retry.Error); ok && t.unknown != nil {
		e.Last = t.unknown
	}
	return err
}

// transaction is the state of one call of Tx.
type transaction struct {
	config
	db *sql.DB
	fn func(context.Context, *sql.Tx) error

	// About the latest attempt, beyond its error.
	conflict bool  // jitter the delay
	unknown  error // of a commit that may have taken place
	again    bool  // repeat it all the same
}

// attempt runs the transaction once.
func (t *transaction) attempt(ctx context.Context) error {
	t.unknown, t.again = nil, false
	err := t.run(ctx)
	t.conflict = Conflict(err)
	return err
}

// retryable reports whether err, of the latest attempt, is retried.
func (t *transaction) retryable(err error) bool {
	return t.again || Retryable(err)
}

// run begins, calls fn and commits, and leaves no transaction open.
func (t *transaction) run(ctx context.Context) (err error) {
	tx, err := t.begin(ctx)
	if err != nil {
		return err
	}
	committing := false
	// A deferred call also runs after a panic and runtime.Goexit. If fn has ended the
	// transaction, Rollback does nothing. If it fails, the connection is lost, which ends
	// the transaction too.
	defer func() {
		if !committing {
			until(ctx, tx.Rollback)
		}
	}()
	if err := t.fn(ctx, tx); err != nil {
		if errors.Is(err, ErrOutcomeUnknown) { // of another Tx inside of fn
			return retry.Permanent(err)
		}
		return err
	}
	// If the context is done, the transaction has ended or is about to. A commit at that
	// moment could have an unknown outcome, so there is none.
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	committing = true
	return t.commit(ctx, tx)
}

// begin begins a transaction. If ctx is done before the driver returns, database/sql rolls
// back what the driver may still begin.
func (t *transaction) begin(ctx context.Context) (*sql.Tx, error) {
	var tx *sql.Tx
	err, ok := until(ctx, func() (err error) {
		tx, err = t.db.BeginTx(ctx, t.txOptions)
		return err
	})
	switch {
	case !ok:
		return nil, context.Cause(ctx)
	case err != nil && closedByPeer(err):
		return nil, notBegun{err}
	}
	return tx, err
}

func (t *transaction) commit(ctx context.Context, tx *sql.Tx) error {
	err, ok := until(ctx, tx.Commit)
	switch {
	case !ok:
		err = context.Cause(ctx)
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, sql.ErrTxDone):
		return retry.Permanent(fmt.Errorf("retrysql: fn has ended the transaction itself: %w", err))
	case rolledBack(err):
		return err
	}
	t.unknown = fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
	if !t.idempotent {
		return retry.Permanent(t.unknown)
	}
	t.again = Retryable(err) || closedByPeer(err)
	return t.unknown
}

// jittered returns delays with full jitter after a conflict: where delays has d, it has
// a uniform value in [0, d] if the latest attempt failed by a conflict, and d otherwise.
// A schedule is lazy, so each delay is drawn after the failure that it follows.
func (t *transaction) jittered(delays iter.Seq[time.Duration]) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		draw := t.draw()
		for d := range delays {
			if t.conflict {
				d = time.Duration(draw(uint64(max(d, 0)) + 1))
			}
			if !yield(d) {
				return
			}
		}
	}
}
