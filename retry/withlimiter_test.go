package retry_test

import (
	"context"
	"errors"
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
		{"the context ends in the second", 9, script{{err: errA}, {takes: time.Hour, err: errB}}, nil, []string{
			"allow 1 after <nil>", "done 1 after <nil>: a true", "allow 2 after a",
		}, context.DeadlineExceeded},
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

// A Budget and a Limiter both get every result, and the Budget decides first.
func TestLimiterAndBudget(t *testing.T) {
	for _, row := range []struct {
		name   string
		tokens float64
		sc     script
		want   []string
		cause  error
		left   float64
	}{
		{"both allow", 10, failing(errA, errB, nil), []string{
			"allow 1 after <nil>", "done 1 after <nil>: a true", "allow 2 after a", "done 2 after a: b true",
			"allow 3 after b", "done 3 after b: <nil> false",
		}, nil, 8.5},
		{"the budget refuses before the limiter is asked", 4, failing(errA), []string{
			"allow 1 after <nil>", "done 1 after <nil>: a true", "allow 2 after a", "done 2 after a: a true",
		}, retry.ErrBudget, 2},
		{"the limiter refuses", 10, failing(errA), []string{
			"allow 1 after <nil>", "done 1 after <nil>: a true", "allow 2 after a", "done 2 after a: a true",
			"allow 3 after a", "done 3 after a: a true", "allow 4 after a",
		}, errC, 7},
	} {
		for name, run := range runners {
			t.Run(row.name+"/"+name, func(t *testing.T) {
				l := &ledger{most: 3, err: errC}
				b := retry.NewBudget(row.tokens, 0.5)
				got := perform(run, t.Context(), list(0, 0, 0), row.sc, retry.WithLimiter(l), retry.WithBudget(b))
				if diff := cmp.Diff(row.want, l.said); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if tokens := b.Tokens(); tokens != row.left {
					t.Errorf("%v tokens, want %v", tokens, row.left)
				}
				if row.cause == nil && got.Err != nil || !errors.Is(got.Err, row.cause) {
					t.Errorf("error is %v, want the cause %v", got.Err, row.cause)
				}
			})
		}
	}
}

// slowly is a Limiter that takes its time to allow the first attempt.
type slowly struct{ takes time.Duration }

func (l slowly) Allow(attempt int, _ error) error {
	if attempt == 1 {
		time.Sleep(l.takes)
	}
	return nil
}

func (slowly) Done(retry.Result) {}

// The clock begins with the first attempt, when the Limiter has allowed it.
func TestClockStartsAfterLimiter(t *testing.T) {
	for name, run := range runners {
		synctest.Test(t, func(t *testing.T) {
			got := perform(run, t.Context(), list(s, s), failing(errA), retry.WithLimiter(slowly{time.Hour}), retry.MaxElapsed(s))
			want := result{
				Calls:  []time.Duration{time.Hour, time.Hour + s},
				Events: []retry.Event{{Attempt: 1, Err: errA, Delay: s}},
				Err:    &retry.Error{Attempts: 2, Elapsed: s, Last: errA, Cause: retry.ErrElapsed},
				End:    time.Hour + s,
			}
			if diff := cmp.Diff(want, got, sameError); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		})
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
