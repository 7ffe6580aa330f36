package backoff_test

import (
	"context"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/backoff"
	"github.com/google/go-cmp/cmp"
)

// A made is an attempt that was made: its number, and when after the beginning.
type made struct {
	N  int
	At time.Duration
}

func TestAttempts(t *testing.T) {
	const never = 0
	ended := func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx, cancel
	}
	deadline := func(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
		return func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, d)
		}
	}
	cancelled := func(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
		return func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			timer := time.AfterFunc(d, cancel)
			return ctx, func() { timer.Stop() }
		}
	}
	tests := []struct {
		name    string
		seq     iter.Seq[time.Duration]
		with    func(context.Context) (context.Context, context.CancelFunc) // nil: nothing ends the context
		takes   time.Duration                                               // an attempt
		success int                                                         // the attempt that succeeds
		want    []made
		drawn   int
		end     time.Duration
	}{
		{"no delay, one attempt", list(), nil, s, never, []made{{1, 0}}, 0, s},
		{"n delays, n+1 attempts", list(s, 2*s, 4*s), nil, 0, never, []made{{1, 0}, {2, s}, {3, 3 * s}, {4, 7 * s}}, 3, 7 * s},
		{"the delay begins when the attempt is over", list(s, 2*s), nil, 10 * s, never, []made{{1, 0}, {2, 11 * s}, {3, 23 * s}}, 2, 33 * s},
		{"success at once", backoff.Constant(s), nil, s, 1, []made{{1, 0}}, 0, s},
		{"success later", backoff.Exponential(s, 2), nil, 0, 3, []made{{1, 0}, {2, s}, {3, 3 * s}}, 2, 3 * s},
		{"success at the last", list(s, 2*s), nil, 0, 3, []made{{1, 0}, {2, s}, {3, 3 * s}}, 2, 3 * s},
		{"delays of 0", list(0, 0), nil, 0, never, []made{{1, 0}, {2, 0}, {3, 0}}, 2, 0},
		{"a negative delay", list(-s), nil, 0, never, []made{{1, 0}, {2, 0}}, 1, 0},

		{"context done before", backoff.Constant(s), ended, s, never, []made{{1, 0}}, 0, s},
		{"context done before, delays of 0", backoff.Constant(0), ended, 0, never, []made{{1, 0}}, 0, 0},
		{"cancelled during a delay", backoff.Exponential(s, 2), cancelled(2 * s), 0, never, []made{{1, 0}, {2, s}}, 2, 2 * s},
		{"cancelled during attempt 1", backoff.Constant(s), cancelled(s), 2 * s, never, []made{{1, 0}}, 0, 2 * s},
		{"cancelled during attempt 2", backoff.Constant(s), cancelled(4 * s), 2 * s, never, []made{{1, 0}, {2, 3 * s}}, 1, 5 * s},

		{"deadline before the end of a delay", backoff.Exponential(s, 2), deadline(2 * s), 0, never, []made{{1, 0}, {2, s}}, 2, s},
		{"deadline at the end of a delay", backoff.Exponential(s, 2), deadline(3 * s), 0, never, []made{{1, 0}, {2, s}}, 2, s},
		{"deadline 1 ns after the end of a delay", backoff.Exponential(s, 2), deadline(3*s + 1), 0, never, []made{{1, 0}, {2, s}, {3, 3 * s}}, 3, 3 * s},
		{"deadline after the last attempt", list(s, 2*s), deadline(m), 0, never, []made{{1, 0}, {2, s}, {3, 3 * s}}, 2, 3 * s},
		{"deadline during an attempt", backoff.Constant(0), deadline(s), 2 * s, never, []made{{1, 0}}, 0, 2 * s},
		{"delay too large for a sum", list(backoff.NoLimit), deadline(m), s, never, []made{{1, 0}}, 1, s},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.with != nil {
					var cancel context.CancelFunc
					ctx, cancel = test.with(ctx)
					defer cancel()
				}
				start, drawn := time.Now(), 0
				var got []made
				for n := range backoff.Attempts(ctx, watched(test.seq, &drawn)) {
					got = append(got, made{n, time.Since(start)})
					time.Sleep(test.takes)
					if n == test.success {
						break
					}
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("attempts (-want +got):\n%s", diff)
				}
				if drawn != test.drawn {
					t.Errorf("%d delays drawn, want %d", drawn, test.drawn)
				}
				if end := time.Since(start); end != test.end {
					t.Errorf("over after %v, want %v", end, test.end)
				}
			})
		})
	}
}

// watched returns seq and counts in drawn the delays that it gave, as they are.
func watched(seq iter.Seq[time.Duration], drawn *int) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for d := range seq {
			*drawn++
			if !yield(d) {
				return
			}
		}
	}
}

// A deadline that has passed ends the attempts, also where the context has not noticed:
// its timer may be late.
func TestAttemptsLateTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := late{t.Context(), time.Now().Add(-1)}
		for _, d := range []time.Duration{0, -s, s} {
			n := 0
			for n = range backoff.Attempts(ctx, backoff.Take(backoff.Concat(list(d), backoff.Constant(0)), 5)) {
			}
			if n != 1 {
				t.Errorf("%d attempts with a first delay of %v, want 1", n, d)
			}
		}
	})
}

// A late context does not end at its deadline.
type late struct {
	context.Context
	deadline time.Time
}

func (c late) Deadline() (time.Time, bool) { return c.deadline, true }

func TestAttemptsReused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := backoff.Attempts(t.Context(), backoff.Take(backoff.Exponential(s, 2), 3))
		for range attempts {
			break
		}
		run := func() (got []made) {
			start := time.Now()
			for n := range attempts {
				got = append(got, made{n, time.Since(start)})
			}
			return got
		}
		want := []made{{1, 0}, {2, s}, {3, 3 * s}, {4, 7 * s}}
		if diff := cmp.Diff(want, run()); diff != "" {
			t.Errorf("after a range that broke off (-want +got):\n%s", diff)
		}
		var wg sync.WaitGroup
		var got [8][]made
		for i := range got {
			wg.Go(func() { got[i] = run() })
		}
		wg.Wait()
		for i := range got {
			if diff := cmp.Diff(want, got[i]); diff != "" {
				t.Errorf("goroutine %d (-want +got):\n%s", i, diff)
			}
		}
	})
}

// Attempts draws a delay after the attempt before it, and not earlier.
func TestAttemptsLazy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		drawn := 0
		for n := range backoff.Attempts(t.Context(), watched(backoff.Constant(s), &drawn)) {
			if drawn != n-1 {
				t.Errorf("%d delays drawn before attempt %d is over, want %d", drawn, n, n-1)
			}
			if n == 4 {
				break
			}
		}
	})
}

func TestAttemptsPanic(t *testing.T) {
	defer func() {
		if got := recover(); got != "loop" {
			t.Errorf("panic %v, want the loop's own", got)
		}
	}()
	for range backoff.Attempts(t.Context(), undrawn(t)) {
		panic("loop")
	}
}
