package seconds

import (
	"slices"
	"time"
)

// A Spread tells of many durations. Where nothing is random all three are one.
type Spread struct{ Least, Median, Most time.Duration }

// NewSpread sorts durations, of which there is one at least.
func NewSpread(durations []time.Duration) Spread {
	slices.Sort(durations)
	last := len(durations) - 1
	lower, upper := durations[last/2], durations[last-last/2]
	return Spread{durations[0], lower + (upper-lower)/2, durations[last]}
}
