package plan

import (
	"math"
	"time"

	"example.com/backoff"
)

// A wide is the number hi + lo, which has about 106 bits where a float64 has 53.
// It holds every time.Duration exactly, and a power or a sum to the nanosecond.
// Its operations are exact functions alone and convert each product, which
// forbids fusing, so that they give the same bits on every architecture.
//
// It is the double-double number of T. J. Dekker, "A Floating-Point Technique
// for Extending the Available Precision", Numerische Mathematik 18 (1971). All
// numbers here are >= 0, minus aside.
type wide struct{ hi, lo float64 }

// huge is the largest product, and stands for all above it: what is more than
// 2⁶³ ns is beyond every question. Neither a sum of a few hundred of them nor the
// product of two such sums overflows.
const huge = 0x1p500

var one = wide{hi: 1}

func wideOf(f float64) wide { return wide{hi: min(f, huge)} }

// wideOfInt returns n >= 0, exactly.
func wideOfInt[T ~int64](n T) wide {
	low := n & (1<<11 - 1)
	return quickSum(float64(n-low), float64(low))
}

// quickSum returns a + b, exactly, if |a| >= |b|.
func quickSum(a, b float64) wide {
	s := a + b
	return wide{s, b - (s - a)}
}

// exactSum returns a + b, exactly.
func exactSum(a, b float64) wide {
	s := a + b
	t := s - a
	return wide{s, (a - (s - t)) + (b - t)}
}

func (x wide) plus(y wide) wide {
	s := exactSum(x.hi, y.hi)
	return quickSum(s.hi, s.lo+(x.lo+y.lo))
}

func (x wide) minus(y wide) wide { return x.plus(wide{-y.hi, -y.lo}) }

func (x wide) times(y wide) wide {
	p := float64(x.hi * y.hi) // not to be fused with the sum that follows
	if p >= huge {
		return wide{hi: huge}
	}
	return quickSum(p, math.FMA(x.hi, y.hi, -p)+(float64(x.hi*y.lo)+float64(x.lo*y.hi)))
}

func (x wide) less(y wide) bool {
	return x.hi < y.hi || x.hi == y.hi && x.lo < y.lo
}

// roundsTo reports whether x, rounded as duration rounds it but not limited, is at
// most d >= 0.
func (x wide) roundsTo(d time.Duration) bool {
	return x.less(wideOfInt(d).plus(wide{hi: 0.5}))
}

// duration returns the whole number nearest to x >= 0, halves upwards, or
// NoLimit where that is more.
func (x wide) duration() time.Duration {
	if x.hi >= 1<<64 {
		return backoff.NoLimit
	}
	// 2⁶³ − 1024 is the largest float64 that converts.
	d := time.Duration(min(x.hi, 1<<63-1<<10))
	rest := time.Duration(min(math.Floor(x.hi-float64(d)+x.lo+0.5), 1<<62))
	if rest > backoff.NoLimit-d {
		return backoff.NoLimit
	}
	return d + rest
}
