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
