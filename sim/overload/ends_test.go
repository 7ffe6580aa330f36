package overload

import (
	"context"
	"iter"
	"runtime"
	"testing"
	"time"

	"example.com/backoff/internal/ending"
	"github.com/google/go-cmp/cmp"
)

// A schedule that panics or ends its goroutine, as testing.T.FailNow does, does that to
// the goroutine that called Run: no result is returned that lacks what was not run.
func TestScheduleEndsItsGoroutine(t *testing.T) {
	for _, test := range []struct {
		name     string
		schedule schedule
		want     string
	}{
		{"returns", fixed, "return"},
		{"panics", func(uint64) iter.Seq[time.Duration] { panic("boom") }, "panic: boom"},
		{"exits", func(uint64) iter.Seq[time.Duration] { runtime.Goexit(); return nil }, "exit"},
		{"exits in the range", func(uint64) iter.Seq[time.Duration] {
			return func(func(time.Duration) bool) { runtime.Goexit() }
		}, "exit"},
	} {
		config := Default()
		config.Schedule, config.Clients, config.Reps, config.Workers = test.schedule, 20, 3, 2
		got := ending.Of(func() { Run(context.Background(), config) })
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("a schedule that %s (-want +got):\n%s", test.name, diff)
		}
	}
}
