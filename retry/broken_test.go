package retry_test

import (
	"context"
	"testing"
	"time"

	"example.com/backoff/retry"
)

// A schedule that does not keep to the rules of an iterator is noticed, as a for
// statement would.
func TestBrokenSchedule(t *testing.T) {
	for name, run := range runners {
		for _, row := range []struct {
			want   string
			panics bool // the second attempt
			delays func(yield func(time.Duration) bool)
		}{
			{"retry: the schedule has called yield after it returned false, or while another call of it runs", false, func(yield func(time.Duration) bool) {
				for yield(0) {
				}
				yield(0)
			}},
			{"retry: the schedule has recovered a panic of the attempt, want it to go on", true, func(yield func(time.Duration) bool) {
				defer func() { _ = recover() }()
				yield(0)
			}},
		} {
			n := 0
			got := panicOf(func() {
				run(t.Context(), row.delays, func(context.Context) error {
					if n++; n == 2 && row.panics {
						panic(errA)
					}
					return errA
				}, retry.MaxAttempts(3))
			})
			if got != row.want {
				t.Errorf("%s: panic is %v, want %v", name, got, row.want)
			}
		}
		var kept func(time.Duration) bool
		run(t.Context(), func(yield func(time.Duration) bool) { kept = yield }, func(context.Context) error { return errA })
		if got := panicOf(func() { kept(0) }); got == nil {
			t.Errorf("%s: yield can be called after the call", name)
		}
	}
}
