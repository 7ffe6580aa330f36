// Package retrysql runs a database transaction again when the database says that
// it may be tried again.
//
//	delays := backoff.Take(backoff.FullJitter(20*time.Millisecond, time.Second), 10)
//	err := retrysql.Tx(ctx, db, delays, func(ctx context.Context, tx *sql.Tx) error {
//		_, err := tx.ExecContext(ctx, "UPDATE account SET cents = cents - 100 WHERE id = 1")
//		return err
//	})
//
// [Tx] begins, runs and commits a transaction. After a deadlock, a serialization
// failure, a lock that was not to be had or a lost connection it rolls back, waits
// for a delay and starts over. [Retryable] and [Conflict] recognise these errors
// of PostgreSQL, MySQL, MariaDB and SQLite without importing a driver.
//
// # The whole transaction
//
// Nothing less than the whole transaction can be tried again. After MySQL's
// deadlock error (1213) the transaction is gone, and a later commit returns nil;
// after its lock wait timeout (1205) the earlier statements are still in it; after
// an error of PostgreSQL no statement succeeds until the transaction has ended;
// and what has failed with SQLite's BUSY_SNAPSHOT (517) never succeeds in that
// transaction.
//
// So fn must return the errors of its statements. If it keeps a 1213 to itself,
// the statements after that run outside of the transaction, each committed by
// itself, and nothing can tell Tx.
//
// And fn must be able to start over: what it changes outside of the database it
// sets, and does not add to. A slice that it appends rows to has to be emptied at
// its beginning.
//
// # Waiting
//
// The rollback comes before the wait, so that nobody waits for this transaction's
// locks meanwhile.
//
// After a [Conflict] the wait is uniform over the closed interval [0, d], where d
// is the schedule's delay: transactions that failed together would meet again after
// equal delays. After a lost connection it is d. That is the rule of oslo.db, see
// Yikun Jiang, [retries after deadlocks in oslo.db]. A schedule that is jittered
// already is jittered twice by it, and its mean halved; with [KeepDelays] the
// schedule's delays stand. Where transactions fail together the rule is what ends it:
// without jitter it takes some 50 times as long. Where they fail one at a time, by
// InnoDB's deadlocks, it costs up to 1.6 times the time.
//
// The base of the schedule should not be below the time in which the engine
// notices: InnoDB and SQLite notice at once, PostgreSQL looks for a deadlock only
// when a transaction has waited for its deadlock_timeout, a second by default.
//
// # Commits
//
// A commit that fails with the database's word that nothing was committed, such as
// a serialization failure or SQLite's BUSY, is retried like a statement. If the
// connection fails meanwhile, nobody knows: the transaction is not tried again, and
// the error is an [ErrOutcomeUnknown]. [Idempotent] says that it may be.
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

// ErrOutcomeUnknown says that a commit failed so that nobody can tell whether the
// transaction took place: its answer was lost, or the server failed. The error of
// the commit is beside it.
var ErrOutcomeUnknown = errors.New("retrysql: the outcome of the commit is unknown")

// Tx begins a transaction, calls fn and commits. If one of the three fails with an
// error that is [Retryable], it rolls back, waits for one delay of delays and tries
// again, as [retry.Do] does: the error that it returns is described there. If fn
// returns any other error, Tx rolls back and returns that error.
//
// The context that fn is given ends with the attempt, and so does the transaction.
// fn must use the tx that it is given and neither commit nor roll it back. If fn
// panics, Tx rolls back and panics.
//
// An attempt that failed after its [retry.AttemptTimeout] is retried, unless its
// commit was being made, and [Idempotent] does not say that it may be.
//
// A delay after a [Conflict] is jittered; see the package comment, also about what
// fn must heed.
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
	// The caller's options come after, so that theirs counts.
	return retry.Do(ctx, delays, t.attempt, append([]retry.Option{retry.If(t.retryable)}, c.retry...)...)
}

// transaction is the state of one call of Tx.
type transaction struct {
	config
	db *sql.DB
	fn func(context.Context, *sql.Tx) error

	// What is known of the latest attempt beyond its error.
	conflict bool // the wait is to be jittered
	again    bool // its commit may be repeated, though nobody knows its outcome
}

// attempt makes one.
func (t *transaction) attempt(ctx context.Context) error {
	t.again = false
	err := t.run(ctx)
	t.conflict = Conflict(err)
	return err
}

// retryable is asked about the error of the latest attempt.
func (t *transaction) retryable(err error) bool {
	return t.again || Retryable(err)
}

// run begins, calls fn and commits, and leaves no transaction open.
func (t *transaction) run(ctx context.Context) error {
	tx, err := t.db.BeginTx(ctx, t.txOptions)
	if err != nil {
		return err
	}
	// After a commit, and where fn has ended the transaction, it does nothing. If
	// it fails then so has the connection, and the transaction ends with that.
	// Deferred, it happens in a panic and in runtime.Goexit as well.
	defer tx.Rollback()
	if err := t.fn(ctx, tx); err != nil {
		if errors.Is(err, ErrOutcomeUnknown) { // of another Tx that fn has run
			return retry.Permanent(err)
		}
		return err
	}
	return t.commit(ctx, tx)
}

func (t *transaction) commit(ctx context.Context, tx *sql.Tx) error {
	// With its context the transaction has ended, or is about to. A driver that is
	// asked to commit then may leave open what became of it; so it is not asked.
	err := sql.ErrTxDone
	if ctx.Err() == nil {
		err = tx.Commit()
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, sql.ErrTxDone):
		return retry.Permanent(fmt.Errorf("retrysql: fn has ended the transaction itself: %w", err))
	case rolledBack(err):
		return err
	}
	unknown := fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
	if !t.idempotent {
		return retry.Permanent(unknown)
	}
	t.again = Retryable(err)
	return unknown
}

// jittered returns the schedule whose delay is uniform over [0, d] where that of
// delays is d and the latest attempt failed by a conflict, and d elsewhere. A
// schedule is lazy: its delay is drawn after the failure that it follows.
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
