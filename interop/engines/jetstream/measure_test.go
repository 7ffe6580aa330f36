package jetstream

import (
	"context"
	"slices"
	"testing"
	"time"

	"example.com/backoff/interop/kept"
)

const ms = time.Millisecond

// TestKept: the first delay kept is delay 0 of the schedule, each is kept to 2 ms or 1 %,
// and the last one of a finite schedule is held. Delay 0 is long enough for the bound to
// be 1 %, because the server adds 1 ms to the first delay of a list.
func TestKept(t *testing.T) {
	seq := slices.Values([]time.Duration{300 * ms, 20 * ms, 80 * ms, 40 * ms})
	want := []time.Duration{300 * ms, 20 * ms, 80 * ms, 40 * ms, 40 * ms}
	t.Run("NakWithDelay", func(t *testing.T) {
		kept.Judge(t, want, kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
			return Measure(ctx, seq, len(want))
		})
	})
	t.Run("BackOff", func(t *testing.T) {
		kept.Judge(t, want, kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
			return MeasureList(ctx, seq, len(want))
		})
	})
}
