package natsreconnect

import (
	"context"
	"slices"
	"testing"
	"time"

	"example.com/backoff/interop/kept"
)

// TestKept: the first delay kept is delay 0 of the schedule, each is kept to 2 ms or 1 %,
// and the last one of a finite schedule is held.
func TestKept(t *testing.T) {
	const ms = time.Millisecond
	seq := slices.Values([]time.Duration{40 * ms, 0, 10 * ms, 250 * ms, 20 * ms})
	want := []time.Duration{40 * ms, 0, 10 * ms, 250 * ms, 20 * ms, 20 * ms}
	kept.Judge(t, want, kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
		return Measure(ctx, seq, len(want))
	})
}
