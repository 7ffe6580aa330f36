package natsreconnect

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"example.com/backoff"
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

// TestMeasuringEnds: Measure ends with its context.
func TestMeasuringEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	delays, err := Measure(ctx, backoff.Constant(time.Hour), 1)
	if !errors.Is(err, context.DeadlineExceeded) || delays != nil {
		t.Errorf("Measure returns %v and %v after its context has ended", delays, err)
	}
}
