package retry_test

import (
	"cmp"
	"context"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff/retry"
)

// A Loop that is ranged over again does what a new one does, whatever ended the first
// range: the rules, a break, or a panic of the body.
func TestLoopAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, testLoopAgain) })
}

func testLoopAgain(t *rapid.T) {
	first, second := settings.Draw(t, "first"), settings.Draw(t, "second")
	leave := rapid.IntRange(0, 4).Draw(t, "leave in attempt") // 0: never
	panics := rapid.Bool().Draw(t, "by a panic")
	pause := millis(20).Draw(t, "pause") + 70 // so that the first range does not end with the context

	// Both ranges have the options and the context of second, which lives for both of them.
	// It ends in any case, because a delay of first may last forever.
	var now setting
	w := new(watch)
	loops := func() (loop *retry.Loop, end func()) {
		ctx, cancel := context.WithCancelCause(context.Background())
		canceled := time.AfterFunc(cmp.Or(2*second.canceled, time.Hour), func() { cancel(errStop) })
		timeout := context.CancelFunc(func() {})
		if second.deadline > 0 {
			ctx, timeout = context.WithTimeout(ctx, 2*second.deadline)
		}
		observe := retry.Observe(func(ctx context.Context, _ retry.Attempt) (context.Context, func(retry.Outcome)) {
			return ctx, func(o retry.Outcome) { w.outcomes = append(w.outcomes, o) }
		})
		delays := func(yield func(time.Duration) bool) { now.schedule()(yield) }
		return retry.NewLoop(ctx, delays, append(second.options(), observe)...), func() { canceled.Stop(); timeout(); cancel(nil) }
	}
	// run ranges over loop, and leaves it in an attempt.
	run := func(loop *retry.Loop, c setting, leave int) (result, []retry.Outcome) {
		now, w = c, watching()
		var r result
		sc := c.marked()
		value := panicOf(func() {
			for n := range loop.Attempts() {
				if n != len(r.Calls)+1 {
					t.Fatalf("attempt %d has the number %d", len(r.Calls)+1, n)
				}
				if err := loop.Err(); err != nil {
					t.Fatalf("Err in attempt %d is %v, want nil", n, err)
				}
				r.Calls = append(r.Calls, time.Since(w.start))
				var o try
				o, sc = sc.next()
				loop.Fail(o.run(loop.Context()))
				switch {
				case n != leave:
				case panics:
					panic(errStop)
				default:
					return
				}
			}
		})
		if value != nil && value != errStop {
			panic(value)
		}
		r.Err, r.End = loop.Err(), time.Since(w.start)
		return r, w.outcomes
	}

	used, end := loops()
	defer end()
	begun := time.Now()
	run(used, first, leave)
	time.Sleep(pause)
	before := time.Since(begun)
	got, gotOutcomes := run(used, second, 0)

	fresh, end := loops()
	defer end()
	time.Sleep(before)
	want, wantOutcomes := run(fresh, second, 0)
	if diff := gocmp.Diff(want, got, sameError); diff != "" {
		t.Fatalf("second range (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(wantOutcomes, gotOutcomes, sameError, gocmp.AllowUnexported(retry.Outcome{})); diff != "" {
		t.Fatalf("outcomes of the second range (-want +got):\n%s", diff)
	}
}

// After a panic of the body that is recovered, no attempt is open, and the error of the
// range before is gone.
func TestLoopAfterPanic(t *testing.T) {
	loop := retry.NewLoop(t.Context(), list(0), retry.AttemptTimeout(time.Hour))
	for range loop.Attempts() {
		loop.Fail(errA)
	}
	for _, attempt := range []int{1, 2} {
		got := panicOf(func() {
			for n := range loop.Attempts() {
				loop.Fail(errA)
				if n == attempt {
					panic(errB)
				}
			}
		})
		if got != errB {
			t.Errorf("attempt %d: recovered %v, want %v", attempt, got, errB)
		}
		if loop.Context() != t.Context() {
			t.Errorf("attempt %d: Context is not the loop's after a panic", attempt)
		}
		if err := loop.Err(); err != nil {
			t.Errorf("attempt %d: Err is %v after a panic, want nil", attempt, err)
		}
	}
}

// The second range has less time until the deadline, no error of the first one, and its own
// end.
func TestLoopAgainInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*s)
		defer cancel()
		delays := []time.Duration{6 * s}
		loop := retry.NewLoop(ctx, func(yield func(time.Duration) bool) { list(delays...)(yield) }, retry.KeepErrors(9))
		for _, want := range []*retry.Error{
			{Attempts: 2, Elapsed: 6 * s, Last: errA, Cause: retry.ErrExhausted, Earlier: []error{errA}},
			{Attempts: 1, Last: errA, Cause: retry.ErrDeadline},
			{Attempts: 1, Last: errA, Cause: retry.ErrExhausted},
		} {
			for range loop.Attempts() {
				loop.Fail(errA)
			}
			if diff := gocmp.Diff(error(want), loop.Err(), sameError); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if want.Cause == retry.ErrDeadline {
				delays = nil
			}
		}
	})
}

// The functions of the first range are not called in the second one, even if an observer
// panics before it returns its next one.
func TestLoopAgainObserved(t *testing.T) {
	begun := 0
	w := watching()
	panics := retry.Observe(func(ctx context.Context, _ retry.Attempt) (context.Context, func(retry.Outcome)) {
		if begun++; begun == 2 {
			panic(errB)
		}
		return ctx, func(o retry.Outcome) { w.outcomes = append(w.outcomes, o) }
	})
	loop := retry.NewLoop(t.Context(), list(), watching().option(), panics)
	for _, want := range []any{nil, errB} {
		got := panicOf(func() {
			for range loop.Attempts() {
				loop.Fail(errA)
			}
		})
		if got != want || len(w.outcomes) != 1 {
			t.Errorf("recovered %v, want %v; outcomes are %+v, want that of the first range", got, want, w.outcomes)
		}
	}
}
