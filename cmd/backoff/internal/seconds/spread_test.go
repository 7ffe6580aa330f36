package seconds

import (
	"math"
	"testing"
	"time"
)

func TestSpread(t *testing.T) {
	for _, test := range []struct {
		in   []time.Duration
		want Spread
	}{
		{[]time.Duration{3}, Spread{3, 3, 3}},
		{[]time.Duration{5, 3}, Spread{3, 4, 5}},
		{[]time.Duration{9, 1, 2}, Spread{1, 2, 9}},
		{[]time.Duration{4, 1, 8, 2}, Spread{1, 3, 8}},
		{[]time.Duration{math.MaxInt64, math.MaxInt64}, Spread{math.MaxInt64, math.MaxInt64, math.MaxInt64}},
	} {
		if got := NewSpread(test.in); got != test.want {
			t.Errorf("newSpread(%v) = %v, want %v", test.in, got, test.want)
		}
	}
}
