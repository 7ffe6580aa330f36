package runners

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sethvargo/go-retry"

	avastv4 "github.com/avast/retry-go/v4"
	avastv5 "github.com/avast/retry-go/v5"
	cenkaltiv4 "github.com/cenkalti/backoff/v4"
	cenkaltiv5 "github.com/cenkalti/backoff/v5"
	cenkaltiv6 "github.com/cenkalti/backoff/v6"
	cenkaltiv7 "github.com/cenkalti/backoff/v7"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// different is an endless schedule whose delays are all different.
var different = backoff.Exponential(7*time.Millisecond, 1.7)

func first(seq iter.Seq[time.Duration], n int) []time.Duration {
	return slices.Collect(backoff.Take(seq, n))
}

// asKept are delays that an engine keeps exactly.
func asKept(delays ...time.Duration) []kept.Delay {
	var all []kept.Delay
	for _, d := range delays {
		all = append(all, kept.Delay{Asked: d, Kept: d})
	}
	return all
}

// TestKept: every library keeps each delay to 2 ms or 1 %, in real time.
func TestKept(t *testing.T) {
	for _, r := range Runners() {
		t.Run(r.Name, func(t *testing.T) {
			kept.Judge(t, first(different, 6), kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
				return r.Measure(ctx, different, 6)
			})
		})
	}
}

// TestExact: in a bubble every library keeps each delay to the nanosecond, even one of
// days.
func TestExact(t *testing.T) {
	for _, r := range Runners() {
		t.Run(r.Name, func(t *testing.T) {
			const n = 30 // the last delay is 9 hours
			synctest.Test(t, func(t *testing.T) {
				got, err := r.Measure(t.Context(), different, n)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(asKept(first(different, n)...), got); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			})
		})
	}
}

// TestEnd: a schedule of 3 delays ends the retries of a library that can be told so, and
// holds its last delay in the others. The empty schedule is one attempt, or retries at
// once.
func TestEnd(t *testing.T) {
	three := backoff.Take(backoff.Exponential(time.Second, 2), 3)
	for _, r := range Runners() {
		t.Run(r.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				want := asKept(time.Second, 2*time.Second, 4*time.Second, 4*time.Second, 4*time.Second)
				none := asKept(0, 0)
				if r.Engine.Stops {
					want, none = want[:3], nil
				}
				got, err := r.Measure(t.Context(), three, 5)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				got, err = r.Measure(t.Context(), backoff.Take(three, 0), 2)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(none, got); d != "" {
					t.Errorf("the empty schedule (-want +got):\n%s", d)
				}
			})
		})
	}
}

// TestContext: a context that ends within a delay ends it, and its error comes out.
func TestContext(t *testing.T) {
	for _, r := range Runners() {
		t.Run(r.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				start := time.Now()
				_, err := r.Measure(ctx, backoff.Constant(time.Hour), 1)
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Minute {
					t.Errorf("%v after %v, want %v after 1m", err, time.Since(start), context.DeadlineExceeded)
				}
			})
		})
	}
}

// attempts counts the attempts of an operation that always fails.
type attempts int

func (a *attempts) fail() error { *a++; return errFailed }

// TestTraps: what these libraries do besides keeping delays. If a row fails, a new
// version of the library behaves differently: correct the package comment and the table
// of hooks.
func TestTraps(t *testing.T) {
	slow := backoff.Constant(5 * time.Minute)
	policy := func() *adapt.BackOff { return adapt.NewBackOff(slow) }
	for _, test := range []struct {
		name string
		run  func(ctx context.Context, a *attempts) error
		want attempts
	}{
		{"cenkalti v5 gives up after 15 minutes", func(ctx context.Context, a *attempts) error {
			_, err := cenkaltiv5.Retry(ctx, func() (int, error) { return 0, a.fail() }, cenkaltiv5.WithBackOff(policy()))
			return err
		}, 4},
		{"cenkalti v6 gives up after 15 minutes", func(ctx context.Context, a *attempts) error {
			_, err := cenkaltiv6.Retry(ctx, func() (int, error) { return 0, a.fail() }, cenkaltiv6.WithBackOff(policy()))
			return err
		}, 4},
		{"cenkalti v7 gives up after 15 minutes", func(ctx context.Context, a *attempts) error {
			_, err := cenkaltiv7.Retry(ctx, func() (int, error) { return 0, a.fail() }, cenkaltiv7.WithBackOff(policy()))
			return err
		}, 4},
		{"cenkalti v4 does not", func(ctx context.Context, a *attempts) error {
			return cenkaltiv4.Retry(a.fail, adapt.NewBackOff(backoff.Take(slow, 20)))
		}, 21},
		{"sethvargo does not retry an error that is not marked", func(ctx context.Context, a *attempts) error {
			return retry.Do(ctx, policy(), func(context.Context) error { return a.fail() })
		}, 1},
		{"avast v4 makes 10 attempts", func(ctx context.Context, a *attempts) error { return avastv4.Do(a.fail) }, 10},
		{"avast v5 makes 10 attempts", func(ctx context.Context, a *attempts) error { return avastv5.New().Do(a.fail) }, 10},
		{"failsafe-go makes 3 attempts", func(ctx context.Context, a *attempts) error {
			return failsafe.With(retrypolicy.NewWithDefaults[any]()).Run(a.fail)
		}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got attempts
				if err := test.run(t.Context(), &got); !errors.Is(err, errFailed) {
					t.Fatalf("the error is %v, want %v", err, errFailed)
				}
				if got != test.want {
					t.Errorf("%d attempts, want %d", got, test.want)
				}
			})
		})
	}
}

// TestFailsafeNoOpinion: failsafe-go takes −1 from a delay function for its own delay.
// No function of package adapt returns it.
func TestFailsafeNoOpinion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a attempts
		policy := retrypolicy.NewBuilder[any]().WithDelay(time.Hour).WithMaxRetries(1).
			WithDelayFunc(func(failsafe.ExecutionAttempt[any]) time.Duration { return -1 }).Build()
		start := time.Now()
		if err := failsafe.With(policy).Run(a.fail); !errors.Is(err, errFailed) {
			t.Fatal(err)
		}
		if got := time.Since(start); got != time.Hour {
			t.Errorf("2 attempts took %v, want 1h", got)
		}
	})
}

// TestResetOfRetry: Retry of cenkalti/backoff resets a policy, so one that was used goes
// back to delay 0. go-retry goes on where it is.
func TestResetOfRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		three := backoff.Take(backoff.Constant(time.Second), 3)
		used := func() *adapt.BackOff {
			b := adapt.NewBackOff(three)
			b.NextBackOff()
			return b
		}
		var c, s attempts
		if _, err := cenkaltiv7.Retry(t.Context(), func() (int, error) { return 0, c.fail() }, cenkaltiv7.WithBackOff(used())); !errors.Is(err, errFailed) {
			t.Fatal(err)
		}
		if err := retry.Do(t.Context(), used(), func(context.Context) error { return retry.RetryableError(s.fail()) }); !errors.Is(err, errFailed) {
			t.Fatal(err)
		}
		if c != 4 || s != 3 {
			t.Errorf("%d attempts by cenkalti and %d by sethvargo, want 4 and 3", c, s)
		}
	})
}
