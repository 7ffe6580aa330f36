package contention

import (
	"context"
	"testing"

	"example.com/backoff/internal/ending"
	"github.com/google/go-cmp/cmp"
)

// A faulty schedule does to the goroutine that called Run what it did to its own: no
// result is returned that lacks what was not run.
func TestScheduleEndsItsGoroutine(t *testing.T) {
	for _, test := range ending.Schedules() {
		config := Default()
		config.Schedule, config.Clients, config.Reps, config.Workers = test.New, []int{20}, 3, 2
		got := ending.Of(func() { Run(context.Background(), config) })
		if diff := cmp.Diff(test.Want, got); diff != "" {
			t.Errorf("a schedule that %s (-want +got):\n%s", test.Name, diff)
		}
	}
}
