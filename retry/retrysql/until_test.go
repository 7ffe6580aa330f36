package retrysql_test

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retrysql"
)

// TestTxEndsOnMutedNetwork: Tx returns when its context ends, although a call of the driver
// takes 4 s, and the next attempt begins when the attempt before it has timed out. The call
// ends by itself, and gives its connection back.
func TestTxEndsOnMutedNetwork(t *testing.T) {
	fails := func(err error) func(context.Context, *sql.Tx) error {
		return func(context.Context, *sql.Tx) error { return err }
	}
	attemptTimeout := retrysql.Retry(retry.AttemptTimeout(300 * ms))
	for _, tt := range []struct {
		name     string
		outcomes []outcome
		fn       func(context.Context, *sql.Tx) error // update if nil
		opts     []retrysql.Option
		elapsed  time.Duration
		log      string // at the end of all calls
		is       []error
		not      error
	}{
		{
			name:     "begin",
			outcomes: []outcome{{inBegin: muted}},
			elapsed:  500 * ms,
			log:      "0s begin, 4s rollback",
			is:       []error{context.DeadlineExceeded},
			not:      retrysql.ErrOutcomeUnknown,
		},
		{
			name:     "begin that fails in the end",
			outcomes: []outcome{{inBegin: muted, begin: refused}},
			elapsed:  500 * ms,
			log:      "0s begin",
			is:       []error{context.DeadlineExceeded},
			not:      refused,
		},
		{
			name:     "begin of one attempt",
			outcomes: []outcome{{inBegin: muted}},
			opts:     []retrysql.Option{attemptTimeout},
			elapsed:  400 * ms,
			log:      "0s begin, 400ms begin, 400ms update, 400ms commit, 4s rollback",
		},
		{
			name:     "rollback",
			outcomes: []outcome{{inRollback: muted}},
			fn:       fails(errStock),
			elapsed:  500 * ms,
			log:      "0s begin, 0s rollback",
			is:       []error{errStock, context.DeadlineExceeded},
			not:      retrysql.ErrOutcomeUnknown,
		},
		{
			name:     "rollback of one attempt",
			outcomes: []outcome{{exec: mysql(1213), inRollback: muted}},
			opts:     []retrysql.Option{attemptTimeout, retrysql.KeepDelays()},
			elapsed:  400 * ms,
			log:      "0s begin, 0s update, 0s rollback, 400ms begin, 400ms update, 400ms commit",
		},
		{
			name:     "commit",
			outcomes: []outcome{{inCommit: muted}},
			elapsed:  500 * ms,
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{retrysql.ErrOutcomeUnknown, context.DeadlineExceeded},
		},
		{
			name:     "commit, idempotent",
			outcomes: []outcome{{inCommit: muted}},
			opts:     []retrysql.Option{retrysql.Idempotent()},
			elapsed:  500 * ms,
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{retrysql.ErrOutcomeUnknown, context.DeadlineExceeded},
		},
		{
			name:     "commit after a failed attempt, idempotent",
			outcomes: []outcome{{begin: refused}, {inCommit: muted}},
			opts:     []retrysql.Option{retrysql.Idempotent()},
			elapsed:  500 * ms,
			log:      "0s begin, 100ms begin, 100ms update, 100ms commit",
			is:       []error{retrysql.ErrOutcomeUnknown, context.DeadlineExceeded},
			not:      refused,
		},
		{
			name:     "commit of one attempt",
			outcomes: []outcome{{inCommit: muted}},
			opts:     []retrysql.Option{attemptTimeout},
			elapsed:  300 * ms,
			log:      "0s begin, 0s update, 0s commit",
			is:       []error{retrysql.ErrOutcomeUnknown, context.DeadlineExceeded},
		},
		{
			name:     "commit of one attempt, idempotent",
			outcomes: []outcome{{inCommit: muted}},
			opts:     []retrysql.Option{attemptTimeout, retrysql.Idempotent()},
			elapsed:  400 * ms,
			log:      "0s begin, 0s update, 0s commit, 400ms begin, 400ms update, 400ms commit",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db, fake := openFake(tt.outcomes...)
				defer db.Close()
				ctx, cancel := context.WithTimeout(t.Context(), 500*ms)
				defer cancel()
				fn := tt.fn
				if fn == nil {
					fn = update
				}
				err := retrysql.Tx(ctx, db, backoff.Constant(100*ms), fn, tt.opts...)
				if elapsed := time.Since(fake.start); elapsed != tt.elapsed {
					t.Errorf("Tx returned after %v, want %v", elapsed, tt.elapsed)
				}
				checkError(t, err, tt.is, tt.not)
				time.Sleep(10 * time.Second)
				if diff := cmp.Diff(strings.Split(tt.log, ", "), fake.log()); diff != "" {
					t.Errorf("what the database was asked (-want +got):\n%s", diff)
				}
				if n := db.Stats().InUse; n != 0 {
					t.Errorf("%d connections are in use after all calls have ended, want 0", n)
				}
			})
		})
	}
}

// TestUnknownOutcomeOutlivesTheContext: if the context of an attempt and the caller's end at
// the same time, the error still says that the commit may have taken place.
func TestUnknownOutcomeOutlivesTheContext(t *testing.T) {
	for range 100 { // the two timers of one time come in either order
		synctest.Test(t, func(t *testing.T) {
			db, _ := openFake(outcome{begin: refused}, outcome{inCommit: muted})
			defer db.Close()
			defer time.Sleep(10 * time.Second)
			ctx, cancel := context.WithTimeout(t.Context(), 500*ms)
			defer cancel()
			err := retrysql.Tx(ctx, db, backoff.Constant(100*ms), update,
				retrysql.Idempotent(), retrysql.Retry(retry.AttemptTimeout(400*ms)))
			checkError(t, err, []error{retrysql.ErrOutcomeUnknown}, refused)
		})
	}
}

// delayedDone is a context that has ended before its channel is closed, so that others
// have not noticed.
type delayedDone struct {
	context.Context
	done chan struct{}
}

func (d *delayedDone) Done() <-chan struct{} { return d.done }

// TestNoCommitAfterTheEnd: if the context ends in fn, there is no commit, although
// database/sql has not yet rolled back by itself.
func TestNoCommitAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, fake := openFake()
		defer db.Close()
		ctx, cancel := context.WithCancel(t.Context())
		delayed := &delayedDone{Context: ctx, done: make(chan struct{})}
		defer close(delayed.done)
		err := retrysql.Tx(delayed, db, atOnce, func(context.Context, *sql.Tx) error {
			cancel()
			return nil
		})
		checkError(t, err, []error{context.Canceled}, retrysql.ErrOutcomeUnknown)
		if diff := cmp.Diff([]string{"0s begin", "0s rollback"}, fake.log()); diff != "" {
			t.Errorf("what the database was asked (-want +got):\n%s", diff)
		}
	})
}

// TestRollbackOnMutedNetworkWhenFnDoesNotReturn: a panic and runtime.Goexit of fn go on when
// the context ends, and the rollback was asked for.
func TestRollbackOnMutedNetworkWhenFnDoesNotReturn(t *testing.T) {
	for _, tt := range unreturning {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db, fake := openFake(outcome{inRollback: muted})
				defer db.Close()
				ctx, cancel := context.WithTimeout(t.Context(), 500*ms)
				defer cancel()
				got := recovered(func() {
					retrysql.Tx(ctx, db, atOnce, func(context.Context, *sql.Tx) error {
						tt.call()
						return nil
					})
				})
				if got != tt.want {
					t.Errorf("recovered %v, want %v", got, tt.want)
				}
				if elapsed := time.Since(fake.start); elapsed != 500*ms {
					t.Errorf("Tx ended after %v, want 500ms", elapsed)
				}
				time.Sleep(10 * time.Second)
				if diff := cmp.Diff([]string{"0s begin", "0s rollback"}, fake.log()); diff != "" {
					t.Errorf("what the database was asked (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestDriverThatDoesNotReturn: a panic and runtime.Goexit of a driver reach the caller of Tx,
// whether or not the context can end.
func TestDriverThatDoesNotReturn(t *testing.T) {
	for _, tt := range unreturning {
		for name, ctx := range map[string]context.Context{"a context": t.Context(), "no end": context.Background()} {
			for call, o := range map[string]outcome{"begin": {inBegin: tt.call}, "commit": {inCommit: tt.call}, "rollback": {inRollback: tt.call, exec: errStock}} {
				t.Run(strings.Join([]string{tt.name, name, call}, "/"), func(t *testing.T) {
					db, _ := openFake(o)
					got := recovered(func() { retrysql.Tx(ctx, db, atOnce, update) })
					if got != tt.want {
						t.Errorf("recovered %v, want %v", got, tt.want)
					}
				})
			}
		}
	}
}

// unreturning are the ways in which a call ends without a result.
var unreturning = []struct {
	name string
	call func()
	want any // what is recovered
}{
	{"panic", func() { panic("boom") }, "boom"},
	{"runtime.Goexit", runtime.Goexit, nil},
}

// recovered returns what call panics with, and nil if it ends its goroutine. A call that
// returns gives an error that no test wants.
func recovered(call func()) (got any) {
	var wg sync.WaitGroup
	wg.Go(func() {
		returned := false
		defer func() {
			if got = recover(); returned {
				got = errors.New("it has returned")
			}
		}()
		call()
		returned = true
	})
	wg.Wait()
	return got
}
