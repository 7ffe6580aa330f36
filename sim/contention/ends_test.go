package contention

import (
	"context"
	"testing"

	"example.com/backoff/internal/ending"
	"github.com/google/go-cmp/cmp"
)

// If a faulty schedule panics or ends its goroutine, so does Run. It does not return an
// incomplete result.
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
