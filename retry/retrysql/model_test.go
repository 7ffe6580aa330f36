package retrysql_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff/retry"
	"example.com/backoff/retry/retrysql"
)

// A failure is an error with its properties in the model.
type failure struct {
	err        error
	conflict   bool // full jitter after it
	retryable  bool
	rolledBack bool // as the answer to a commit it leaves nothing open
	closed     bool // retryable too, as the answer to a begin or a commit
}

var failures = []failure{
	{mysql(1213), true, true, true, false},
	{mysql(1020), true, true, true, false},
	{mysql(1205), true, true, true, false},
	{mysql(1062), false, false, false, false},
	{mysql(1053), false, true, false, false},
	{&pgError{"40001"}, true, true, true, false},
	{&pgError{"40P01"}, true, true, true, false},
	{&pgError{"23505"}, false, false, true, false},
	{&pgError{"08006"}, false, true, false, false},
	{&pgError{"57P01"}, false, true, false, false},
	{&moderncError{5}, true, true, true, false},
	{mattn(5, 517), true, true, true, false},
	{mattn(19, 2067), false, false, true, false},
	{io.ErrUnexpectedEOF, false, true, false, false},
	{refused, false, true, false, false},
	{errStock, false, false, false, false},
	{io.EOF, false, false, false, true},
}

// model returns the calls of the database and the end that Tx must have, computed without
// the package.
func model(outcomes []outcome, delays []time.Duration, idempotent, keep bool, seed uint64) (log []string, end string) {
	r := rand.New(rand.NewPCG(seed, 0))
	now := time.Duration(0)
	step := func(name string) { log = append(log, fmt.Sprintf("%v %s", now, name)) }
	of := func(err error) failure {
		i := slices.IndexFunc(failures, func(f failure) bool { return f.err == err })
		return failures[i]
	}
	for {
		var o outcome
		if len(outcomes) > 0 {
			o, outcomes = outcomes[0], outcomes[1:]
		}
		step("begin")
		var f failure
		if o.begin != nil {
			f = of(o.begin)
			f.retryable = f.retryable || f.closed
		} else if step("update"); o.exec != nil {
			f = of(o.exec)
			step("rollback")
		} else if step("commit"); o.commit != nil {
			f = of(o.commit)
			f.retryable = f.retryable || f.closed
			if !f.rolledBack && (!idempotent || !f.retryable) {
				return log, "unknown"
			}
		} else {
			return log, "committed"
		}
		switch {
		case !f.retryable:
			return log, "failed"
		case len(delays) == 0:
			return log, "exhausted"
		}
		d := delays[0]
		delays = delays[1:]
		if f.conflict && !keep {
			d = time.Duration(r.Uint64N(uint64(d) + 1))
		}
		now += d
	}
}

// end names how Tx has ended.
func end(err error) string {
	switch {
	case err == nil:
		return "committed"
	case errors.Is(err, retry.ErrExhausted):
		return "exhausted"
	case errors.Is(err, retrysql.ErrOutcomeUnknown):
		return "unknown"
	default:
		return "failed"
	}
}

// TestTxAgainstModel: for any failures the calls of the database and their times equal
// those of the model.
func TestTxAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, testTxAgainstModel) })
}

func testTxAgainstModel(t *rapid.T) {
	fails := rapid.Custom(func(t *rapid.T) error {
		if rapid.IntRange(0, 3).Draw(t, "fails") > 0 {
			return nil
		}
		return rapid.SampledFrom(failures).Draw(t, "failure").err
	})
	outcomes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) outcome {
		return outcome{begin: fails.Draw(t, "begin"), exec: fails.Draw(t, "exec"), commit: fails.Draw(t, "commit")}
	}), 0, 8).Draw(t, "outcomes")
	// No ErrBadConn: database/sql itself begins again after that.
	delays := rapid.SliceOfN(rapid.Map(rapid.Int64Range(0, int64(time.Hour)), func(n int64) time.Duration {
		return time.Duration(n)
	}), 0, 8).Draw(t, "delays")
	idempotent, keep := rapid.Bool().Draw(t, "idempotent"), rapid.Bool().Draw(t, "keep")
	seed := rapid.Uint64().Draw(t, "seed")

	opts := []retrysql.Option{retrysql.WithSeed(seed)}
	if idempotent {
		opts = append(opts, retrysql.Idempotent())
	}
	if keep {
		opts = append(opts, retrysql.KeepDelays())
	}
	db, fake := openFake(outcomes...)
	defer db.Close()
	err := retrysql.Tx(t.Context(), db, slices.Values(delays), update, opts...)

	wantLog, wantEnd := model(outcomes, delays, idempotent, keep, seed)
	if diff := cmp.Diff(wantLog, fake.log()); diff != "" {
		t.Fatalf("what the database was asked (-want +got):\n%s", diff)
	}
	if got := end(err); got != wantEnd {
		t.Fatalf("Tx ended as %s: %v; want %s", got, err, wantEnd)
	}
}
