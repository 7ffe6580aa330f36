package retry

import (
	"math"
	"sync/atomic"
)

// A token in millionths, and the most tokens of a bucket: twice their millionths must fit
// an int64.
const (
	token   = 1_000_000
	maxFull = 1e12
)

// bucket holds tokens and starts full. It needs no lock.
type bucket struct {
	// In millionths of a token: sums of whole numbers need no rounding, and a ratio
	// of 0.1 is exact.
	left atomic.Int64
	full int64
}

func (b *bucket) fill(full int64) {
	b.full = full
	b.left.Store(full)
}

// tokens returns the number of tokens.
func (b *bucket) tokens() float64 { return float64(b.left.Load()) / token }

// add adds n, which may be negative, and returns the sum, clamped to [0, full]. It only
// reads a bucket that it does not change, so that goroutines that succeed do not contend.
func (b *bucket) add(n int64) (sum int64) {
	for wait := shortest; ; wait = longer(wait) {
		left := b.left.Load()
		sum = min(max(left+n, 0), b.full)
		if sum == left || b.left.CompareAndSwap(left, sum) {
			return sum
		}
		spin(wait)
	}
}

// take takes n, or nothing if there is less.
func (b *bucket) take(n int64) (taken bool) {
	for wait := shortest; ; wait = longer(wait) {
		left := b.left.Load()
		if left < n {
			return false
		}
		if b.left.CompareAndSwap(left, left-n) {
			return true
		}
		spin(wait)
	}
}

// A processor that lost the race for a bucket leaves it to the winner for a while,
// because moving the bucket's cache line from one processor to another takes longer than
// ten changes on one of them. Without the wait, processors that contend are slower than
// with a mutex. The waits are 0.3 µs to 3 µs or so.
const (
	shortest = 1 << 10
	longest  = 1 << 13
)

func longer(wait int) int { return min(2*wait, longest) }

// spin keeps this processor busy. A compiler that left out the empty loop would make a
// bucket slower, not wrong.
func spin(n int) {
	for range n {
	}
}

// millionths returns f tokens.
func millionths(function, name string, f float64) int64 {
	if !(f >= 1.0/token && f <= maxFull) {
		reject(function, name, f, "a value in [0.000001, 1e12]")
	}
	return int64(math.Round(f * token))
}
