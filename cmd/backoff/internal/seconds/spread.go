package seconds

import "slices"

// A Spread is the smallest, the median and the largest of many values.
type Spread[T ~int64 | ~float64] struct{ Min, Median, Max T }

// SpreadOf sorts values, of which there must be one at least. The median of an even
// number of them is the middle between the two in the middle.
func SpreadOf[T ~int64 | ~float64](values []T) Spread[T] {
	slices.Sort(values)
	last := len(values) - 1
	lower, upper := values[last/2], values[last-last/2]
	return Spread[T]{values[0], lower + (upper-lower)/2, values[last]}
}
