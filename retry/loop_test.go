package retry_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
)

func TestLoopLeft(t *testing.T) {
	loop := retry.NewLoop(t.Context(), backoff.Constant(0))
	for n := range loop.Attempts() {
		loop.Fail(errA)
		if n == 3 {
			break
		}
	}
	if err := loop.Err(); err != errA {
		t.Errorf("left by break after a failure: Err is %v, want a", err)
	}

	for n := range loop.Attempts() { // starts again
		if n == 2 {
			break
		}
		loop.Fail(errA)
	}
	if err := loop.Err(); err != nil {
		t.Errorf("left by break without a failure: Err is %v, want nil", err)
	}

	if err := func() error {
		for range loop.Attempts() {
			loop.Fail(errB)
			return loop.Err() // of a loop that has not ended
		}
		return nil
	}(); err != nil {
		t.Errorf("in the loop: Err is %v, want nil", err)
	}
	if err := loop.Err(); err != errB {
		t.Errorf("left by return: Err is %v, want b", err)
	}
}

func TestLoopFail(t *testing.T) {
	loop := retry.NewLoop(t.Context(), list(0))
	attempts := 0
	for range loop.Attempts() {
		attempts++
		loop.Fail(errA)
		loop.Fail(errB)
		if attempts == 2 {
			loop.Fail(nil)
		}
	}
	if err := loop.Err(); attempts != 2 || err != nil {
		t.Errorf("%d attempts, Err is %v, want 2 and nil: Fail(nil) takes a failure back", attempts, err)
	}

	for range loop.Attempts() {
		loop.Fail(errA)
		loop.Fail(errB)
	}
	if e, ok := errors.AsType[*retry.Error](loop.Err()); !ok || e.Last != errB {
		t.Errorf("Err is %v, want b last", loop.Err())
	}
}

type key struct{}

func TestLoopContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent := context.WithValue(t.Context(), key{}, 1)
		loop := retry.NewLoop(parent, list(0), retry.AttemptTimeout(s))
		if loop.Context() != parent {
			t.Errorf("Context is not the loop's before it began")
		}
		var seen []context.Context
		for range loop.Attempts() {
			ctx := loop.Context()
			seen = append(seen, ctx)
			if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) != s || ctx.Value(key{}) != 1 {
				t.Errorf("an attempt's context ends at %v, %v, want in 1 s, and the parent's value", deadline, ok)
			}
			loop.Fail(errA)
		}
		if loop.Context() != parent {
			t.Errorf("Context is not the loop's after it ended")
		}
		if len(seen) != 2 || seen[0] == seen[1] {
			t.Errorf("%d attempts, want 2 with contexts of their own", len(seen))
		}
	})
}

// A delay is drawn when a retry needs it: none is drawn for a success, and none after
// the last of MaxAttempts.
func TestLazy(t *testing.T) {
	for name, run := range runners {
		drawn, ended := 0, 0
		delays := func(yield func(time.Duration) bool) {
			defer func() { ended++ }()
			for {
				drawn++
				if !yield(0) {
					return
				}
			}
		}
		for n := range 5 {
			drawn, ended = 0, 0
			if err := run(t.Context(), delays, failTimes(n)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if drawn != n || ended != min(n, 1) {
				t.Errorf("%s: %d retries drew %d delays in %d ranges, want %d in %d", name, n, drawn, ended, n, min(n, 1))
			}

			drawn, ended = 0, 0
			err := run(t.Context(), delays, func(context.Context) error { return errA }, retry.MaxAttempts(n+1))
			if !errors.Is(err, retry.ErrExhausted) || drawn != n || ended != min(n, 1) {
				t.Errorf("%s: MaxAttempts(%d) drew %d delays in %d ranges, want %d in %d; error is %v", name, n+1, drawn, ended, n, min(n, 1), err)
			}
		}
	}
}

// A schedule that can be ranged over only once, against the contract, is empty when it
// starts again.
func TestSingleUse(t *testing.T) {
	for name, run := range runners {
		synctest.Test(t, func(t *testing.T) {
			left := 2
			delays := func(yield func(time.Duration) bool) {
				for left > 0 {
					left--
					if !yield(s) {
						return
					}
				}
			}
			got := perform(run, t.Context(), delays, script{{takes: time.Minute, err: errA}}, retry.ResetAfter(time.Minute))
			if e, ok := got.Err.(*retry.Error); !ok || e.Attempts != 3 || e.Cause != retry.ErrExhausted {
				t.Errorf("%s: error is %v, want an exhausted schedule after 3 attempts", name, got.Err)
			}
		})
	}
}

// However a run ends, the range over the schedule ends, the context of every attempt is
// done and no goroutine stays. synctest.Test panics if one stays in its bubble.
func TestNothingLeaks(t *testing.T) {
	boom := errors.New("boom")
	for name, run := range runners {
		for _, row := range []struct {
			name string
			sc   func(n int) error
			want any // what is recovered
		}{
			{"success", func(n int) error { return []error{errA, errA, nil}[n-1] }, nil},
			{"permanent", func(n int) error { return []error{errA, errA, retry.Permanent(errA)}[n-1] }, nil},
			{"exhausted", func(int) error { return errA }, nil},
			{"a panic at first", func(int) error { panic(boom) }, boom},
			{"a panic in a retry", func(n int) error {
				if n == 3 {
					panic(boom)
				}
				return errA
			}, boom},
		} {
			t.Run(row.name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					inside := runtime.NumGoroutine()
					ranges := 0
					delays := func(yield func(time.Duration) bool) {
						ranges++
						defer func() { ranges-- }()
						for d := range list(s, s, s) {
							if !yield(d) {
								return
							}
						}
					}
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					var seen []context.Context
					got := panicOf(func() {
						run(ctx, delays, func(ctx context.Context) error {
							if extra := runtime.NumGoroutine() - inside; extra > 0 {
								t.Errorf("%d goroutines run beside attempt %d", extra, len(seen)+1)
							}
							seen = append(seen, ctx)
							return row.sc(len(seen))
						}, retry.AttemptTimeout(time.Hour))
					})
					if got != row.want {
						t.Errorf("panic is %v, want %v", got, row.want)
					}
					if ranges != 0 {
						t.Errorf("a range over the schedule has not ended")
					}
					if slices.ContainsFunc(seen, func(ctx context.Context) bool { return ctx.Err() == nil }) {
						t.Errorf("an attempt's context has not ended")
					}
					if got := runtime.NumGoroutine(); got > inside {
						t.Errorf("%d goroutines, %d before", got, inside)
					}
				})
			})
		}
	}
}

// One value of a schedule serves any number of calls at once.
func TestConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		delays := backoff.Take(backoff.Exponential(s, 2), 3)
		budget := retry.NewBudget(1000, 0.5)
		results := make(chan error)
		const clients = 50
		for range clients {
			go func() { results <- retry.Do(t.Context(), delays, failTimes(3), retry.WithBudget(budget)) }()
		}
		for range clients {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		if got, want := budget.Tokens(), 1000-clients*(3-0.5); got != want {
			t.Errorf("%v tokens, want %v", got, want)
		}
	})
}
