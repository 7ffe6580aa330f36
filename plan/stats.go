package plan

import (
	"math"
	"math/bits"
	"time"
)

// Stats are the min, mean, quantiles and max of a number of durations.
type Stats struct {
	Min  time.Duration
	Mean time.Duration // to the nearest nanosecond
	Max  time.Duration

	// Quantiles are in the order of [Plan.Quantiles]. The quantile q of k draws is the
	// value of rank ⌊q·(k−1) + ½⌋, where the min has rank 0, so it is a value that was
	// drawn. The quantile 0.5 is the median.
	Quantiles []time.Duration
}

// Exact reports whether all durations are the same, so that they are known and not
// estimated.
func (s Stats) Exact() bool { return s.Min == s.Max }

// newStats returns the Stats of a sorted column that is not empty.
func newStats(column []time.Duration, quantiles []float64) Stats {
	s := Stats{
		Min:       column[0],
		Mean:      mean(column),
		Max:       column[len(column)-1],
		Quantiles: make([]time.Duration, len(quantiles)),
	}
	for i, q := range quantiles {
		rank := int(math.Floor(float64(q*float64(len(column)-1)) + 0.5))
		s.Quantiles[i] = column[rank]
	}
	return s
}

// mean sums in 128 bits, so that the result depends neither on the order nor on the size.
func mean(column []time.Duration) time.Duration {
	var hi, lo, carry uint64
	for _, d := range column {
		lo, carry = bits.Add64(lo, uint64(d), 0)
		hi += carry
	}
	n := uint64(len(column))
	lo, carry = bits.Add64(lo, n/2, 0)
	q, _ := bits.Div64(hi+carry, lo, n)
	return time.Duration(q)
}
