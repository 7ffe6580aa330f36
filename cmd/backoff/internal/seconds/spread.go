package seconds

import "slices"

// A Spread is the min, median and max of many values.
type Spread[T ~int64 | ~float64] struct{ Min, Median, Max T }

// SpreadOf returns the spread of values, at least one, and sorts them. The median of an even
// number of values is halfway between the two in the middle.
func SpreadOf[T ~int64 | ~float64](values []T) Spread[T] {
	slices.Sort(values)
	last := len(values) - 1
	lower, upper := values[last/2], values[last-last/2]
	return Spread[T]{values[0], lower + (upper-lower)/2, values[last]}
}
