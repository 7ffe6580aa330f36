package seconds

import (
	"math"
	"testing"
	"time"
)

func TestSpread(t *testing.T) {
	for _, test := range []struct {
		in   []time.Duration
		want Spread[time.Duration]
	}{
		{[]time.Duration{3}, Spread[time.Duration]{3, 3, 3}},
		{[]time.Duration{5, 3}, Spread[time.Duration]{3, 4, 5}},
		{[]time.Duration{9, 1, 2}, Spread[time.Duration]{1, 2, 9}},
		{[]time.Duration{4, 1, 8, 2}, Spread[time.Duration]{1, 3, 8}},
		{[]time.Duration{math.MaxInt64, math.MaxInt64}, Spread[time.Duration]{math.MaxInt64, math.MaxInt64, math.MaxInt64}},
	} {
		if got := SpreadOf(test.in); got != test.want {
			t.Errorf("SpreadOf(%v) = %v, want %v", test.in, got, test.want)
		}
	}
}
