package jetstream

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"time"

	"example.com/backoff"
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
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			return Measure(ctx, seq, len(want))
		})
	})
	t.Run("BackOff", func(t *testing.T) {
		kept.Judge(t, want, kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			return MeasureList(ctx, seq, len(want))
		})
	})
}

// TestMeasuringEnds: both functions end with their context, and MeasureList refuses a
// schedule without a delay.
func TestMeasuringEnds(t *testing.T) {
	for name, measure := range map[string]func(context.Context, iter.Seq[time.Duration], int) ([]kept.Delay, error){
		"Measure": Measure, "MeasureList": MeasureList,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*ms)
		delays, err := measure(ctx, backoff.Constant(never), 1)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || delays != nil {
			t.Errorf("%s returns %v and %v after its context has ended", name, delays, err)
		}
	}
	if delays, err := MeasureList(t.Context(), backoff.Take(backoff.Constant(ms), 0), 1); err == nil {
		t.Errorf("MeasureList of a schedule without a delay returns %v and no error", delays)
	}
}
