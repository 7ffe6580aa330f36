package retrysql_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retrysql"
)

const ms = time.Millisecond

var (
	errStock = errors.New("out of stock")
	refused  = &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
)

// atOnce is a schedule that ends, so that a defect that retries too often hangs no test.
var atOnce = backoff.Take(backoff.Constant(0), 3)

// update is the function of a transaction unless a test needs another one.
func update(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "update")
	return err
}

// full returns delays after full jitter with one seed.
func full(seed uint64, delays ...time.Duration) []time.Duration {
	r := rand.New(rand.NewPCG(seed, 0))
	var drawn []time.Duration
	for _, d := range delays {
		drawn = append(drawn, time.Duration(r.Uint64N(uint64(d)+1)))
	}
	return drawn
}

func TestTx(t *testing.T) {
	deadlock, serialization, busy := mysql(1213), &pgError{"40001"}, &moderncError{5}
	duplicate, foreignKey := mysql(1062), &pgError{"23503"}
	fullDisk, corrupt := &moderncError{13}, &moderncError{11}
	veto := mysql(3101)
	keptToItself := errors.New("commit unexpectedly resulted in rollback")
	inFailed := errors.New("pq: could not complete operation in a failed transaction")
	badText := errors.New("bad connection") // go-sql-driver's, which is not driver.ErrBadConn
	jittered := full(7, 100*ms, 200*ms)
	at := func(d time.Duration, step string) string { return fmt.Sprintf("%v %s", d, step) }

	for _, tt := range []struct {
		name     string
		outcomes []outcome
		delays   []time.Duration // 100 ms, 200 ms if nil
		fn       func(context.Context, *sql.Tx) error
		opts     []retrysql.Option
		log      string   // separated by ", "
		logged   []string // instead, where times are computed
		is       []error  // what the error is, none if empty
		not      error    // what it is not
	}{
		{
			name: "success at once",
			log:  "0s begin, 0s update, 0s commit",
		},
		{
			name:     "after a deadlock full jitter, and the rollback before the wait",
			outcomes: []outcome{{exec: deadlock}, {exec: deadlock}},
			opts:     []retrysql.Option{retrysql.WithSeed(7)},
			logged: []string{
				"0s begin", "0s update", "0s rollback",
				at(jittered[0], "begin"), at(jittered[0], "update"), at(jittered[0], "rollback"),
				at(jittered[0]+jittered[1], "begin"), at(jittered[0]+jittered[1], "update"), at(jittered[0]+jittered[1], "commit"),
			},
		},
		{
			name:     "after a deadlock the schedule's delay, if that is wanted",
			outcomes: []outcome{{exec: deadlock}, {exec: deadlock}},
			opts:     []retrysql.Option{retrysql.KeepDelays()},
			log: "0s begin, 0s update, 0s rollback, " +
				"100ms begin, 100ms update, 100ms rollback, " +
				"300ms begin, 300ms update, 300ms commit",
		},
		{
			name:     "after a lost connection the schedule's delay",
			outcomes: []outcome{{exec: io.ErrUnexpectedEOF}, {begin: refused}},
			opts:     []retrysql.Option{retrysql.WithSeed(7)},
			log: "0s begin, 0s update, 0s rollback, 100ms begin, " +
				"300ms begin, 300ms update, 300ms commit",
		},
		{
			name:     "jitter depends on the latest error",
			outcomes: []outcome{{begin: refused}, {exec: deadlock}},
			opts:     []retrysql.Option{retrysql.WithSeed(7)},
			logged: []string{
				"0s begin", "100ms begin", "100ms update", "100ms rollback",
				at(100*ms+full(7, 200*ms)[0], "begin"), at(100*ms+full(7, 200*ms)[0], "update"), at(100*ms+full(7, 200*ms)[0], "commit"),
			},
		},
		{
			name:     "a jittered delay of 0, and one below it",
			outcomes: []outcome{{exec: deadlock}, {exec: deadlock}},
			delays:   []time.Duration{0, -1},
			log: "0s begin, 0s update, 0s rollback, 0s begin, 0s update, 0s rollback, " +
				"0s begin, 0s update, 0s commit",
		},
		{
			name:     "an error of fn",
			outcomes: []outcome{{}},
			fn:       func(context.Context, *sql.Tx) error { return errStock },
			log:      "0s begin, 0s rollback",
			is:       []error{errStock},
		},
		{
			name:     "an error of the database that no retry cures",
			outcomes: []outcome{{exec: duplicate}},
			log:      "0s begin, 0s update, 0s rollback",
			is:       []error{duplicate},
		},
		{
			name:     "busy at begin",
			outcomes: []outcome{{begin: busy}},
			opts:     []retrysql.Option{retrysql.KeepDelays()},
			log:      "0s begin, 100ms begin, 100ms update, 100ms commit",
		},
		{
			name:     "another error at begin",
			outcomes: []outcome{{begin: errStock}},
			log:      "0s begin",
			is:       []error{errStock},
		},
		{
			name:     "bad connections at begin, which database/sql tries three times itself",
			outcomes: []outcome{{begin: driver.ErrBadConn}, {begin: driver.ErrBadConn}, {begin: driver.ErrBadConn}},
			log:      "0s begin, 0s begin, 0s begin, 100ms begin, 100ms update, 100ms commit",
		},
		{
			name:     "connections that are closed before they begin",
			outcomes: []outcome{{begin: io.EOF}, {begin: badText}},
			log:      "0s begin, 100ms begin, 300ms begin, 300ms update, 300ms commit",
		},
		{
			name:     "connections that are closed before they begin, wrapped",
			outcomes: []outcome{{begin: fmt.Errorf("connect: %w", io.EOF)}, {begin: fmt.Errorf("connect: %w", badText)}},
			log:      "0s begin, 100ms begin, 300ms begin, 300ms update, 300ms commit",
		},
		{
			name:     "a connection that is closed before it begins, and the caller decides",
			outcomes: []outcome{{begin: io.EOF}},
			opts:     []retrysql.Option{retrysql.Retry(retry.If(retrysql.Retryable))},
			log:      "0s begin, 100ms begin, 100ms update, 100ms commit",
		},
		{
			name:     "connections that are closed before they begin, to the end of the schedule",
			outcomes: []outcome{{begin: io.EOF}, {begin: io.EOF}},
			delays:   []time.Duration{ms},
			log:      "0s begin, 1ms begin",
			is:       []error{io.EOF, retry.ErrExhausted},
		},
		{
			name: "fn reads something to its end",
			fn:   func(context.Context, *sql.Tx) error { return io.EOF },
			log:  "0s begin, 0s rollback",
			is:   []error{io.EOF},
		},
		{
			name: "fn has a bad connection to something else",
			fn:   func(context.Context, *sql.Tx) error { return badText },
			log:  "0s begin, 0s rollback",
			is:   []error{badText},
		},
		{
			name:     "end of the connection at commit",
			outcomes: []outcome{{commit: io.EOF}},
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{retrysql.ErrOutcomeUnknown, io.EOF},
		},
		{
			name:     "end of the connection at commit, idempotent",
			outcomes: []outcome{{commit: io.EOF}, {commit: badText}},
			opts:     []retrysql.Option{retrysql.Idempotent()},
			log: "0s begin, 0s update, 0s commit, 100ms begin, 100ms update, 100ms commit, " +
				"300ms begin, 300ms update, 300ms commit",
		},
		{
			name:     "serialization failure by the commit",
			outcomes: []outcome{{commit: serialization}},
			opts:     []retrysql.Option{retrysql.KeepDelays()},
			log:      "0s begin, 0s update, 0s commit, 100ms begin, 100ms update, 100ms commit",
		},
		{
			name:     "busy at commit",
			outcomes: []outcome{{commit: mattn(5, 5)}},
			opts:     []retrysql.Option{retrysql.KeepDelays()},
			log:      "0s begin, 0s update, 0s commit, 100ms begin, 100ms update, 100ms commit",
		},
		{
			name:     "deadlock by the commit of a cluster",
			outcomes: []outcome{{commit: deadlock}},
			opts:     []retrysql.Option{retrysql.KeepDelays()},
			log:      "0s begin, 0s update, 0s commit, 100ms begin, 100ms update, 100ms commit",
		},
		{
			name:     "a constraint that the commit checks",
			outcomes: []outcome{{commit: foreignKey}},
			log:      "0s begin, 0s update, 0s commit",
			not:      retrysql.ErrOutcomeUnknown,
			is:       []error{foreignKey},
		},
		{
			name:     "a commit after an error that fn did not return, pgx",
			outcomes: []outcome{{commit: keptToItself}},
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{keptToItself},
			not:      retrysql.ErrOutcomeUnknown,
		},
		{
			name:     "a commit after an error that fn did not return, lib/pq",
			outcomes: []outcome{{commit: inFailed}},
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{inFailed},
			not:      retrysql.ErrOutcomeUnknown,
		},
		{
			name:     "no state at commit",
			outcomes: []outcome{{commit: &pgError{""}}},
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{retrysql.ErrOutcomeUnknown},
		},
		{
			name:     "half a state at commit",
			outcomes: []outcome{{commit: &pgError{"40"}}},
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{retrysql.ErrOutcomeUnknown},
		},
		{
			name:     "lost connection at commit",
			outcomes: []outcome{{commit: driver.ErrBadConn}},
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{retrysql.ErrOutcomeUnknown, driver.ErrBadConn},
		},
		{
			name:     "lost connection at commit, idempotent",
			outcomes: []outcome{{commit: driver.ErrBadConn}},
			opts:     []retrysql.Option{retrysql.Idempotent()},
			log:      "0s begin, 0s update, 0s commit, 100ms begin, 100ms update, 100ms commit",
		},
		{
			name:     "lost connection at every commit, idempotent",
			outcomes: []outcome{{commit: io.ErrUnexpectedEOF}, {commit: io.ErrUnexpectedEOF}},
			delays:   []time.Duration{ms},
			opts:     []retrysql.Option{retrysql.Idempotent()},
			log:      "0s begin, 0s update, 0s commit, 1ms begin, 1ms update, 1ms commit",
			is:       []error{retrysql.ErrOutcomeUnknown, retry.ErrExhausted},
		},
		{
			name:     "lost connection at commit and then a duplicate key, idempotent",
			outcomes: []outcome{{commit: driver.ErrBadConn}, {exec: duplicate}},
			opts:     []retrysql.Option{retrysql.Idempotent()},
			log:      "0s begin, 0s update, 0s commit, 100ms begin, 100ms update, 100ms rollback",
			is:       []error{duplicate},
			not:      retrysql.ErrOutcomeUnknown,
		},
		{
			name:     "lost connection at commit and then a deadlock, idempotent",
			outcomes: []outcome{{commit: driver.ErrBadConn}, {exec: deadlock}},
			delays:   []time.Duration{ms},
			opts:     []retrysql.Option{retrysql.Idempotent()},
			log:      "0s begin, 0s update, 0s commit, 1ms begin, 1ms update, 1ms rollback",
			is:       []error{deadlock, retry.ErrExhausted},
			not:      retrysql.ErrOutcomeUnknown,
		},
		{
			name:     "unknown error at commit, idempotent",
			outcomes: []outcome{{commit: io.ErrNoProgress}},
			opts:     []retrysql.Option{retrysql.Idempotent()},
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{retrysql.ErrOutcomeUnknown, io.ErrNoProgress},
		},
		{
			name:     "unknown outcome against the caller's If",
			outcomes: []outcome{{commit: driver.ErrBadConn}},
			opts:     []retrysql.Option{retrysql.Retry(retry.If(func(error) bool { return true }))},
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{retrysql.ErrOutcomeUnknown},
		},
		{
			name:     "lock wait timeout at commit",
			outcomes: []outcome{{commit: mysql(1205)}},
			opts:     []retrysql.Option{retrysql.KeepDelays()},
			log:      "0s begin, 0s update, 0s commit, 100ms begin, 100ms update, 100ms commit",
		},
		{
			name:     "a veto of group replication",
			outcomes: []outcome{{commit: veto}},
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{veto},
			not:      retrysql.ErrOutcomeUnknown,
		},
		{
			name:     "interrupted commit",
			outcomes: []outcome{{commit: mysql(1317)}},
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{retrysql.ErrOutcomeUnknown},
		},
		{
			name:     "shutdown at commit",
			outcomes: []outcome{{commit: &pgError{"57P01"}}},
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{retrysql.ErrOutcomeUnknown},
		},
		{
			name:     "statement completion unknown at commit",
			outcomes: []outcome{{commit: &pgError{"40003"}}},
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{retrysql.ErrOutcomeUnknown},
		},
		{
			name:     "disk failure at commit",
			outcomes: []outcome{{commit: &moderncError{10 | 4<<8}}},
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{retrysql.ErrOutcomeUnknown},
		},
		{
			name:     "corrupt file at commit",
			outcomes: []outcome{{commit: corrupt}},
			log:      "0s begin, 0s update, 0s commit",
			not:      retrysql.ErrOutcomeUnknown,
			is:       []error{corrupt},
		},
		{
			name:     "full disk at commit",
			outcomes: []outcome{{commit: fullDisk}},
			log:      "0s begin, 0s update, 0s commit",
			not:      retrysql.ErrOutcomeUnknown,
			is:       []error{fullDisk},
		},
		{
			name:     "end of the schedule",
			outcomes: []outcome{{exec: deadlock}, {exec: deadlock}, {exec: serialization}},
			opts:     []retrysql.Option{retrysql.KeepDelays()},
			log: "0s begin, 0s update, 0s rollback, 100ms begin, 100ms update, 100ms rollback, " +
				"300ms begin, 300ms update, 300ms rollback",
			is: []error{serialization, retry.ErrExhausted},
		},
		{
			name:     "the runner's options: the attempts",
			outcomes: []outcome{{exec: deadlock}, {exec: serialization}},
			opts:     []retrysql.Option{retrysql.KeepDelays(), retrysql.Retry(retry.MaxAttempts(2))},
			log:      "0s begin, 0s update, 0s rollback, 100ms begin, 100ms update, 100ms rollback",
			is:       []error{serialization, retry.ErrExhausted},
		},
		{
			name:     "the runner's options: the caller decides what is retried",
			outcomes: []outcome{{exec: errStock}},
			opts:     []retrysql.Option{retrysql.Retry(retry.If(func(err error) bool { return errors.Is(err, errStock) }))},
			log:      "0s begin, 0s update, 0s rollback, 100ms begin, 100ms update, 100ms commit",
		},
		{
			name:     "the runner's options, twice",
			outcomes: []outcome{{exec: deadlock}, {exec: deadlock}},
			opts: []retrysql.Option{
				retrysql.KeepDelays(),
				retrysql.Retry(retry.MaxElapsed(150 * ms)),
				retrysql.Retry(retry.KeepErrors(2)),
			},
			log: "0s begin, 0s update, 0s rollback, 100ms begin, 100ms update, 100ms rollback",
			is:  []error{deadlock, retry.ErrElapsed},
		},
		{
			name:     "fn says that it is permanent",
			outcomes: []outcome{{}},
			fn:       func(context.Context, *sql.Tx) error { return retry.Permanent(serialization) },
			log:      "0s begin, 0s rollback",
			is:       []error{serialization},
		},
		{
			name:     "fn asks for a longer wait, which jitter does not shorten",
			outcomes: []outcome{{exec: deadlock}},
			fn: func(ctx context.Context, tx *sql.Tx) error {
				return retry.After(update(ctx, tx), 5*time.Second)
			},
			log: "0s begin, 0s update, 0s rollback, 5s begin, 5s update, 5s commit",
		},
		{
			name: "transaction options",
			opts: []retrysql.Option{retrysql.TxOptions(sql.TxOptions{Isolation: sql.LevelSerializable, ReadOnly: true})},
			log:  "0s begin Serializable read-only, 0s update, 0s commit",
		},
		{
			name: "fn commits",
			fn:   func(_ context.Context, tx *sql.Tx) error { return tx.Commit() },
			log:  "0s begin, 0s commit",
			not:  retrysql.ErrOutcomeUnknown,
			is:   []error{sql.ErrTxDone},
		},
		{
			name: "fn rolls back",
			fn:   func(_ context.Context, tx *sql.Tx) error { return tx.Rollback() },
			log:  "0s begin, 0s rollback",
			is:   []error{sql.ErrTxDone},
		},
		{
			name: "a transaction inside whose outcome is unknown",
			fn: func(context.Context, *sql.Tx) error {
				return fmt.Errorf("%w: %w", retrysql.ErrOutcomeUnknown, driver.ErrBadConn)
			},
			log: "0s begin, 0s rollback",
			is:  []error{retrysql.ErrOutcomeUnknown},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db, fake := openFake(tt.outcomes...)
				defer db.Close()
				delays := tt.delays
				if delays == nil {
					delays = []time.Duration{100 * ms, 200 * ms}
				}
				fn := tt.fn
				if fn == nil {
					fn = update
				}
				err := retrysql.Tx(t.Context(), db, slices.Values(delays), fn, tt.opts...)
				want := tt.logged
				if want == nil {
					want = strings.Split(tt.log, ", ")
				}
				if diff := cmp.Diff(want, fake.log()); diff != "" {
					t.Errorf("what the database was asked (-want +got):\n%s", diff)
				}
				checkError(t, err, tt.is, tt.not)
			})
		})
	}
}

// checkError reports an error that is not all of is, or is not. If is is empty, there must
// be none.
func checkError(t *testing.T, err error, is []error, not error) {
	t.Helper()
	if err == nil != (len(is) == 0) {
		t.Errorf("the error is %v", err)
	}
	for _, is := range is {
		if !errors.Is(err, is) {
			t.Errorf("the error is %v, and not %v", err, is)
		}
	}
	if not != nil && errors.Is(err, not) {
		t.Errorf("the error is %v, and should not be %v", err, not)
	}
}

// TestErrorsComeBackAsTheyAre: an error that is not retried is not wrapped.
func TestErrorsComeBackAsTheyAre(t *testing.T) {
	for _, err := range []error{errStock, mysql(1062), retry.Permanent(mysql(1213))} {
		db, _ := openFake()
		defer db.Close()
		got := retrysql.Tx(t.Context(), db, atOnce, func(context.Context, *sql.Tx) error { return err })
		if got != err && !errors.Is(err, got) {
			t.Errorf("fn returned %v, Tx %v", err, got)
		}
	}
}

func TestTxOutlivesAttemptTimeout(t *testing.T) {
	for _, tt := range []struct {
		name string
		fn   func(ctx context.Context, tx *sql.Tx) error
		next string // when the second transaction begins
	}{
		{"that fn heeds", func(ctx context.Context, _ *sql.Tx) error { return backoff.Sleep(ctx, time.Hour) }, "6s"},
		{"that fn finds in a driver's error", func(ctx context.Context, _ *sql.Tx) error {
			<-ctx.Done()
			return errors.New("interrupted (9)")
		}, "6s"},
		{"that fn does not heed", func(context.Context, *sql.Tx) error {
			time.Sleep(2 * time.Second)
			return nil
		}, "7s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db, fake := openFake()
				defer db.Close()
				calls := 0
				err := retrysql.Tx(t.Context(), db, backoff.Constant(5*time.Second), func(ctx context.Context, tx *sql.Tx) error {
					calls++
					if calls == 1 {
						return tt.fn(ctx, tx)
					}
					return update(ctx, tx)
				}, retrysql.Retry(retry.AttemptTimeout(time.Second)))
				if err != nil {
					t.Error(err)
				}
				want := []string{"0s begin", "1s rollback", tt.next + " begin", tt.next + " update", tt.next + " commit"}
				if diff := cmp.Diff(want, fake.log()); diff != "" {
					t.Errorf("what the database was asked (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestTimeoutExcusesOneAttempt: the timeout of one attempt does not make the error of
// the next one retryable.
func TestTimeoutExcusesOneAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, fake := openFake()
		defer db.Close()
		calls := 0
		err := retrysql.Tx(t.Context(), db, atOnce, func(ctx context.Context, _ *sql.Tx) error {
			calls++
			if calls == 1 {
				<-ctx.Done()
				synctest.Wait() // for database/sql, which rolls back by itself
			}
			return errStock
		}, retrysql.Retry(retry.AttemptTimeout(time.Second)))
		if err != errStock {
			t.Errorf("the error is %v, want %v", err, errStock)
		}
		want := []string{"0s begin", "1s rollback", "1s begin", "1s rollback"}
		if diff := cmp.Diff(want, fake.log()); diff != "" {
			t.Errorf("what the database was asked (-want +got):\n%s", diff)
		}
	})
}

// TestTimeoutDoesNotExcuseAnUnknownOutcome: if fn runs a transaction of its own whose
// commit may have taken place, a timeout does not repeat it.
func TestTimeoutDoesNotExcuseAnUnknownOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, fake := openFake()
		defer db.Close()
		err := retrysql.Tx(t.Context(), db, atOnce, func(ctx context.Context, _ *sql.Tx) error {
			<-ctx.Done()
			return fmt.Errorf("%w: %w", retrysql.ErrOutcomeUnknown, driver.ErrBadConn)
		}, retrysql.Retry(retry.AttemptTimeout(time.Second)))
		synctest.Wait() // for database/sql, which rolls back by itself
		if !errors.Is(err, retrysql.ErrOutcomeUnknown) {
			t.Errorf("the error is %v, want %v", err, retrysql.ErrOutcomeUnknown)
		}
		if diff := cmp.Diff([]string{"0s begin", "1s rollback"}, fake.log()); diff != "" {
			t.Errorf("what the database was asked (-want +got):\n%s", diff)
		}
	})
}

// TestTxEndsWithItsContext: after the end Tx neither commits nor tries again.
func TestTxEndsWithItsContext(t *testing.T) {
	stop := errors.New("stop")
	for _, tt := range []struct {
		name string
		err  error // what fn returns
	}{
		{"fn succeeds", nil},
		{"fn returns a deadlock", mysql(1213)},
		{"fn returns the end", context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db, fake := openFake()
				defer db.Close()
				ctx, cancel := context.WithCancelCause(t.Context())
				err := retrysql.Tx(ctx, db, atOnce, func(context.Context, *sql.Tx) error {
					time.Sleep(time.Second)
					cancel(stop)
					synctest.Wait() // for database/sql, which rolls back by itself
					return tt.err
				})
				want := &retry.Error{Attempts: 1, Elapsed: time.Second, Last: tt.err, Cause: stop}
				if tt.err == nil {
					want.Last = stop
				}
				if diff := cmp.Diff(want.Error(), fmt.Sprint(err)); diff != "" {
					t.Errorf("the error (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff([]string{"0s begin", "1s rollback"}, fake.log()); diff != "" {
					t.Errorf("what the database was asked (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestTxRollsBackWhenFnDoesNotReturn(t *testing.T) {
	for _, tt := range unreturning {
		t.Run(tt.name, func(t *testing.T) {
			db, fake := openFake()
			defer db.Close()
			got := recovered(func() {
				retrysql.Tx(t.Context(), db, atOnce, func(context.Context, *sql.Tx) error {
					tt.call()
					return nil
				})
			})
			if got != tt.want {
				t.Errorf("recovered %v, want %v", got, tt.want)
			}
			if diff := cmp.Diff([]string{"begin", "rollback"}, fake.steps()); diff != "" {
				t.Errorf("what the database was asked (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOnRetrySeesTheJitteredDelay also checks that a delay is drawn only after a
// transaction has failed.
func TestOnRetrySeesTheJitteredDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, _ := openFake(outcome{exec: mysql(1213)}, outcome{exec: driver.ErrBadConn})
		defer db.Close()
		drawn := 0
		delays := backoff.Func(func(int) time.Duration { drawn++; return time.Second })
		var got []time.Duration
		err := retrysql.Tx(t.Context(), db, delays, update, retrysql.WithSeed(3),
			retrysql.Retry(retry.OnRetry(func(e retry.Event) {
				got = append(got, e.Delay)
				if drawn != e.Attempt {
					t.Errorf("%d delays were drawn before retry %d", drawn, e.Attempt)
				}
			})))
		if err != nil {
			t.Error(err)
		}
		want := []time.Duration{full(3, time.Second)[0], time.Second}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("delays (-want +got):\n%s", diff)
		}
	})
}

// TestJitterIsUniform draws the wait after a conflict 4,000 times, without a seed:
// the share in each quarter of [0, d] is 25 % with a standard deviation of 0.7 %,
// so that a share 6 deviations off has a probability of 2e-9.
func TestJitterIsUniform(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 4000
		outcomes := make([]outcome, n)
		for i := range outcomes {
			outcomes[i].exec = &pgError{"40P01"}
		}
		db, _ := openFake(outcomes...)
		defer db.Close()
		var quarter [4]int
		err := retrysql.Tx(t.Context(), db, backoff.Constant(4*time.Second-1), update,
			retrysql.Retry(retry.OnRetry(func(e retry.Event) { quarter[e.Delay/time.Second]++ })))
		if err != nil {
			t.Error(err)
		}
		for i, count := range quarter {
			if count < n/4-165 || count > n/4+165 {
				t.Errorf("%d of %d waits are in quarter %d", count, n, i)
			}
		}
	})
}

func TestBadArguments(t *testing.T) {
	db, _ := openFake()
	defer db.Close()
	ctx, delays := t.Context(), atOnce
	for _, tt := range []struct {
		want string
		call func()
	}{
		{"retrysql: Tx: ctx is nil, want a context", func() { retrysql.Tx(nil, db, delays, update) }}, //lint:ignore SA1012 it is what is tested
		{"retrysql: Tx: db is nil, want a pool of connections", func() { retrysql.Tx(ctx, nil, delays, update) }},
		{"retrysql: Tx: delays is nil, want a schedule", func() { retrysql.Tx(ctx, db, nil, update) }},
		{"retrysql: Tx: fn is nil, want a function", func() { retrysql.Tx(ctx, db, delays, nil) }},
	} {
		func() {
			defer func() {
				if got := recover(); got != tt.want {
					t.Errorf("recovered %v, want %q", got, tt.want)
				}
			}()
			tt.call()
		}()
	}
}

// TestOneValueOfOptionsServesManyCalls: an option holds no state of a call.
func TestOneValueOfOptionsServesManyCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := retrysql.Retry(retry.KeepErrors(1))
		opts := []retrysql.Option{base, retrysql.WithSeed(1)}
		var delays iter.Seq[time.Duration] = backoff.Constant(time.Second)
		for range 3 {
			db, fake := openFake(outcome{exec: mysql(1213)})
			if err := retrysql.Tx(t.Context(), db, delays, update, opts...); err != nil {
				t.Error(err)
			}
			db.Close()
			want := fmt.Sprintf("%v begin", full(1, time.Second)[0])
			if fake.log()[3] != want {
				t.Errorf("the second transaction is %q, want %q", fake.log()[3], want)
			}
		}
	})
}

// The zero Option sets nothing at any place, here and in package retry.
func TestZeroOption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, fake := openFake(outcome{exec: mysql(1213)})
		defer db.Close()
		err := retrysql.Tx(t.Context(), db, backoff.Constant(time.Second), update,
			retrysql.Option{}, retrysql.Retry(retry.Option{}), retrysql.WithSeed(1), retrysql.Option{})
		if err != nil {
			t.Error(err)
		}
		want := fmt.Sprintf("%v begin", full(1, time.Second)[0])
		if diff := cmp.Diff(want, fake.log()[3]); diff != "" {
			t.Errorf("the second transaction (-want +got):\n%s", diff)
		}
	})
}
