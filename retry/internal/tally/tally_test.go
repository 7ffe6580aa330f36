package tally_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/retry"
	"example.com/backoff/retry/internal/tally"
	"example.com/backoff/retry/internal/tally/tallytest"
)

// record is a [tally.Meter] that keeps what it is told.
type record struct {
	Attempts []string
	Calls    []string
	Delays   []time.Duration
}

func (r *record) Attempt(_ context.Context, result string) { r.Attempts = append(r.Attempts, result) }

func (r *record) Call(_ context.Context, result string, retries int) {
	r.Calls = append(r.Calls, fmt.Sprintf("%s after %d", result, retries))
}

func (r *record) Delay(_ context.Context, d time.Duration) { r.Delays = append(r.Delays, d) }

// Every attempt, every call and every delay counts once, and the delays of a call add up
// to its elapsed time without its attempts.
func TestAttempt(t *testing.T) {
	for _, call := range tallytest.Calls() {
		t.Run(call.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got record
				start := time.Now()
				call.Run(t.Context(), retry.Observe(func(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
					counted := tally.Begin(ctx, &got, a)
					return nil, counted.Outcome
				}))
				want := record{Attempts: call.Attempts, Delays: call.Delays}
				if call.Result != "" {
					want.Calls = []string{fmt.Sprintf("%s after %d", call.Result, len(call.Attempts)-1)}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if took := time.Since(start); took != call.Elapsed() {
					t.Errorf("it took %v, want %v", took, call.Elapsed())
				}
			})
		})
	}
}
