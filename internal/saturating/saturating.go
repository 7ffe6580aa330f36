// Package saturating adds durations without wrapping.
package saturating

import (
	"math"
	"time"
)

// Add returns a + b for a, b >= 0, and the largest time.Duration if the sum is more
// than that.
func Add(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
