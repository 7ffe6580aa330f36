package retry_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/retry"
)

// ledger is a Limiter that notes what it is told, and allows some attempts.
type ledger struct {
	most int
	err  error // then
	said []string
}

func (l *ledger) Allow(attempt int, last error) error {
	l.said = append(l.said, fmt.Sprintf("allow %d after %v", attempt, last))
	if l.most--; l.most < 0 {
		return l.err
	}
	return nil
}

func (l *ledger) Done(r retry.Result) {
	l.said = append(l.said, fmt.Sprintf("done %d after %v: %v %v", r.Attempt, r.Last, r.Err, r.Retryable))
}

func TestLimiter(t *testing.T) {
	for _, row := range []struct {
		name  string
		most  int
		sc    script
		opts  []retry.Option
		want  []string
		cause error
	}{
		{"success", 9, failing(nil), nil, []string{"allow 1 after <nil>", "done 1 after <nil>: <nil> false"}, nil},
		{"success of a retry", 9, failing(errA, retry.After(errB, s), nil), nil, []string{
			"allow 1 after <nil>", "done 1 after <nil>: a true", "allow 2 after a", "done 2 after a: b true",
			"allow 3 after b", "done 3 after b: <nil> false",
		}, nil},
		{"permanent", 9, failing(errA, retry.Permanent(errB)), nil, []string{
			"allow 1 after <nil>", "done 1 after <nil>: a true", "allow 2 after a", "done 2 after a: b false",
		}, nil},
		{"none", 0, failing(nil), nil, []string{"allow 1 after <nil>"}, errC},
		{"one", 1, failing(errA), nil, []string{"allow 1 after <nil>", "done 1 after <nil>: a true", "allow 2 after a"}, errC},
		{"exhausted", 9, failing(errA), []retry.Option{retry.MaxAttempts(1)}, []string{"allow 1 after <nil>", "done 1 after <nil>: a true"}, retry.ErrExhausted},
		{"asked last", 1, failing(errA), []retry.Option{retry.MaxElapsed(ms)}, []string{"allow 1 after <nil>", "done 1 after <nil>: a true"}, retry.ErrElapsed},
		{"the context ends in the attempt", 9, script{{takes: time.Hour, err: errA}}, nil, []string{"allow 1 after <nil>"}, context.DeadlineExceeded},
	} {
		for name, run := range runners {
			t.Run(row.name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					l := &ledger{most: row.most, err: errC}
					got := perform(run, ctx, list(s, s, s), row.sc, append(row.opts, retry.WithLimiter(l))...)
					if diff := cmp.Diff(row.want, l.said); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
					e, _ := got.Err.(*retry.Error)
					switch {
					case row.cause == nil && e != nil, row.cause != nil && (e == nil || e.Cause != row.cause):
						t.Errorf("error is %v, want the cause %v", got.Err, row.cause)
					case row.most == 0 && (e.Attempts != 0 || e.Elapsed != 0 || len(got.Calls) != 0):
						t.Errorf("error is %+v, want no attempt", e)
					}
				})
			})
		}
	}
}

// refusing is a Limiter that allows no attempt after some number.
type refusing struct {
	after int
	err   error
}

func (l refusing) Allow(attempt int, _ error) error {
	if attempt > l.after {
		return l.err
	}
	return nil
}

func (l refusing) Done(retry.Result) {}
