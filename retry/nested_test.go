package retry_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/retry"
)

// Every layer of three attempts multiplies them, unless it is NotNested.
func TestNotNested(t *testing.T) {
	for name, run := range runners {
		for _, row := range []struct {
			name    string
			options func() []retry.Option
			detach  func(context.Context) context.Context
			calls   int
		}{
			{"three layers", func() []retry.Option { return nil }, nil, 27},
			{"not nested", func() []retry.Option { return []retry.Option{retry.NotNested()} }, nil, 3},
			{
				"not nested, a context of its own", func() []retry.Option { return []retry.Option{retry.NotNested()} },
				func(context.Context) context.Context { return context.Background() }, 3,
			},
		} {
			retry.Unmark() // the first use in a program finds attempts that are not marked
			calls := 0
			var depths []int
			var layer func(int) func(context.Context) error
			layer = func(n int) func(context.Context) error {
				if n == 0 {
					return func(ctx context.Context) error {
						calls++
						depths = append(depths, retry.Depth(ctx))
						return errA
					}
				}
				return func(ctx context.Context) error {
					if row.detach != nil {
						ctx = row.detach(ctx)
					}
					return run(ctx, list(0, 0), layer(n-1), row.options()...)
				}
			}
			err := layer(3)(t.Context())
			if calls != row.calls {
				t.Errorf("%s, %s: %d calls, want %d", name, row.name, calls, row.calls)
			}
			if diff := cmp.Diff(slices.Repeat([]int{3}, row.calls), depths); diff != "" {
				t.Errorf("%s, %s: depth (-want +got):\n%s", name, row.name, diff)
			}
			if nested := errors.Is(err, retry.ErrNested); nested != (row.calls == 3) {
				t.Errorf("%s, %s: error is %v", name, row.name, err)
			}
			if got := retry.Depth(t.Context()); got != 0 {
				t.Errorf("%s, %s: depth outside is %d", name, row.name, got)
			}
		}
	}
}

// In another goroutine the mark of the context counts.
func TestNestedInGoroutine(t *testing.T) {
	opts := []retry.Option{retry.NotNested()}
	for name, run := range runners {
		calls := 0
		run(t.Context(), list(0, 0), func(ctx context.Context) error {
			failed := make(chan error)
			go func() {
				failed <- run(ctx, list(0, 0), func(ctx context.Context) error {
					calls++
					if got := retry.Depth(ctx); got != 2 {
						t.Errorf("%s: depth is %d, want 2", name, got)
					}
					return errA
				}, opts...)
			}()
			return <-failed
		})
		if calls != 3 {
			t.Errorf("%s: %d calls, want 3", name, calls)
		}
	}
}

// Depth marks the calls that follow it, so that it finds them from any goroutine.
func TestDepthInGoroutine(t *testing.T) {
	for name, run := range runners {
		retry.Unmark()
		retry.Depth(t.Context())
		run(t.Context(), list(), func(ctx context.Context) error {
			depth := make(chan int)
			go func() { depth <- retry.Depth(ctx) }()
			if got := <-depth; got != 1 {
				t.Errorf("%s: depth is %d, want 1", name, got)
			}
			return nil
		})
	}
}

// The call around a nested one waits for what the server has asked the nested one for,
// however the error says it.
func TestNotNestedWaits(t *testing.T) {
	for name, run := range runners {
		for _, err := range []error{retry.After(errA, time.Minute), fmt.Errorf("w: %w", retry.After(errA, time.Minute)), busy{time.Minute}} {
			synctest.Test(t, func(t *testing.T) {
				got := perform(func(ctx context.Context, delays iter.Seq[time.Duration], op func(context.Context) error, opts ...retry.Option) error {
					return run(ctx, delays, func(ctx context.Context) error {
						return run(ctx, list(s, s), op, retry.NotNested())
					}, opts...)
				}, t.Context(), list(s), script{{err: err}, {}})
				if diff := cmp.Diff([]time.Duration{0, time.Minute}, got.Calls); diff != "" {
					t.Errorf("%s, %#v (-want +got):\n%s", name, err, diff)
				}
			})
		}
	}
}

// A call waits for what the last error of a call inside asks for, and not for what an
// earlier one asked for.
func TestEarlierHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := script{{err: fmt.Errorf("w: %w", retry.After(errA, time.Hour))}, {err: errB}, {err: errB}, {}}
		got := perform(func(ctx context.Context, delays iter.Seq[time.Duration], op func(context.Context) error, opts ...retry.Option) error {
			return retry.Do(ctx, delays, func(ctx context.Context) error {
				return retry.Do(ctx, list(s), op, retry.KeepErrors(3), retry.MaxAfter(2*s))
			}, opts...)
		}, t.Context(), list(5*s), inner)
		if diff := cmp.Diff([]time.Duration{0, 2 * s, 7 * s, 8 * s}, got.Calls); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A call in a goroutine of its own finds the mark of an attempt that is observed, and so
// does the observer, whose context has no deadline of the attempt.
func TestDepthObserved(t *testing.T) {
	for name, run := range runners {
		retry.Unmark()
		retry.Depth(t.Context())
		depth := func(ctx context.Context) int {
			got := make(chan int)
			go func() { got <- retry.Depth(ctx) }()
			return <-got
		}
		observed := 0
		observe := retry.Observe(func(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
			observed++
			if got := depth(ctx); got != 1 {
				t.Errorf("%s: depth of the observer of attempt %d is %d, want 1", name, a.Number, got)
			}
			if _, ok := ctx.Deadline(); ok {
				t.Errorf("%s: the observer of attempt %d has a deadline", name, a.Number)
			}
			return nil, nil
		})
		for _, timeout := range []retry.Option{{}, retry.AttemptTimeout(time.Hour)} {
			run(t.Context(), list(0), func(ctx context.Context) error {
				if got := depth(ctx); got != 1 {
					t.Errorf("%s: depth is %d, want 1", name, got)
				}
				return errA
			}, observe, timeout)
		}
		if observed != 4 {
			t.Errorf("%s: %d attempts were observed, want 4", name, observed)
		}
	}
}

// recurse calls f with n frames of its own below it.
//
//go:noinline
func recurse(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	recurse(n-1, f)
}

// Calls are counted on the stack of the goroutine however many frames lie in between.
func TestDepthOfStack(t *testing.T) {
	detached := context.Background()
	frames := []int{1000}
	for n := range 200 { // no frame is left out where the stack is read in parts
		frames = append(frames, n)
	}
	for name, run := range runners {
		for _, n := range frames {
			run(t.Context(), list(), func(context.Context) error {
				recurse(n, func() {
					run(detached, list(), func(context.Context) error {
						recurse(n, func() {
							if got := retry.Depth(detached); got != 2 {
								t.Errorf("%s: depth below %d frames is %d, want 2", name, n, got)
							}
						})
						return nil
					})
				})
				return nil
			})
		}
	}
}

// A failure of a nested call is one for its Budget and its Limiter too, though no retry of
// the call follows.
func TestNotNestedIsCharged(t *testing.T) {
	for name, run := range runners {
		b, l := retry.NewBudget(10, 1), &ledger{most: 9}
		var got error
		retry.Do(t.Context(), list(), func(ctx context.Context) error {
			got = run(ctx, list(0), failTo(errA), retry.NotNested(), retry.WithBudget(b), retry.WithLimiter(l))
			return nil
		})
		if !errors.Is(got, retry.ErrNested) {
			t.Errorf("%s: nested call returned %v", name, got)
		}
		if tokens := b.Tokens(); tokens != 9 {
			t.Errorf("%s: %v tokens, want 9", name, tokens)
		}
		if diff := cmp.Diff([]string{"allow 1 after <nil>", "done 1 after <nil>: a true"}, l.said); diff != "" {
			t.Errorf("%s: limiter (-want +got):\n%s", name, diff)
		}
	}
}

// The end of the context and a refusal by If come before ErrNested, and all other causes
// come after it.
func TestNotNestedOrder(t *testing.T) {
	for _, row := range []struct {
		name   string
		opt    retry.Option
		cancel bool  // the context, in the attempt
		cause  error // nil: the error is errA
	}{
		{"the context ends", retry.Option{}, true, errStop},
		{"If refuses", retry.If(func(error) bool { return false }), false, nil},
		{"MaxAttempts", retry.MaxAttempts(1), false, retry.ErrNested},
		{"MaxElapsed", retry.MaxElapsed(1), false, retry.ErrNested},
		{"the budget", retry.WithBudget(retry.NewBudget(1, 1)), false, retry.ErrNested},
		{"a limiter", retry.WithLimiter(refusing{1, errB}), false, retry.ErrNested},
	} {
		for name, run := range runners {
			var got error
			retry.Do(t.Context(), list(), func(ctx context.Context) error {
				ctx, cancel := context.WithCancelCause(ctx)
				defer cancel(nil)
				got = run(ctx, list(time.Hour), func(context.Context) error {
					if row.cancel {
						cancel(errStop)
					}
					return errA
				}, retry.NotNested(), row.opt)
				return nil
			})
			if e, _ := errors.AsType[*retry.Error](got); row.cause == nil && got != errA ||
				row.cause != nil && (e == nil || e.Cause != row.cause || e.Last != errA) {
				t.Errorf("%s, %s: error is %v, want the cause %v", name, row.name, got, row.cause)
			}
		}
	}
}

// An error of a nested call that is no failure of the layers stays what it is.
func TestNotNestedKeepsErrors(t *testing.T) {
	opts := []retry.Option{retry.NotNested()}
	for _, want := range []error{nil, retry.Permanent(errB)} {
		var got error
		retry.Do(t.Context(), list(), func(ctx context.Context) error {
			got = retry.Do(ctx, list(0), failTo(want), opts...)
			return nil
		})
		if want != nil {
			want = errB
		}
		if got != want {
			t.Errorf("nested call returned %v, want %v", got, want)
		}
	}
	if err := retry.Do(t.Context(), backoff.Take(backoff.Constant(0), 4), failTimes(4), opts...); err != nil {
		t.Errorf("outside, 5 attempts: %v", err)
	}
}

func failTo(err error) func(context.Context) error { return func(context.Context) error { return err } }
