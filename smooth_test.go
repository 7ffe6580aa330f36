package backoff

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// within fails unless got is want up to a relative tolerance.
func within(t *rapid.T, name string, want, got, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Fatalf("%s = %v, want %v", name, got, want)
	}
}

func TestBentCurve(t *testing.T) {
	t.Run("smoothSlope", rapid.MakeCheck(func(t *rapid.T) {
		x := rapid.Float64Range(0.1, 60).Draw(t, "t")
		h := 1e-5
		want := (smooth(x+h) - smooth(x-h)) / (2 * h)
		within(t, "smoothSlope", want, smoothSlope(x), 1e-6)
	}))
	t.Run("smoothSlope is least at leastSlope", func(t *testing.T) {
		// The minimum is at 0.5741403345. leastSlope is rounded, so the slope there is
		// 1.3e-10 above the minimum.
		check := func(t rapid.TB, x float64) {
			if got, least := smoothSlope(x), smoothSlope(leastSlope); got < least-2e-10 {
				t.Fatalf("smoothSlope(%v) = %v, below smoothSlope(leastSlope) = %v", x, got, least)
			}
		}
		check(t, 0.5741367340087891)
		check(t, 0.5741403345)
		rapid.Check(t, func(t *rapid.T) { check(t, rapid.Float64Range(0.01, 5).Draw(t, "t")) })
	})
	t.Run("the curve bends where its slope is the line's", rapid.MakeCheck(func(t *rapid.T) {
		base := rapid.Float64Range(1, 1<<60).Draw(t, "base")
		slope := rapid.Float64Range(base, 1<<62).Draw(t, "slope")
		c := newBentCurve(base, slope)
		within(t, "bend", slope, base*smoothSlope(c.bend), 1e-12)
		if c.bend < leastSlope {
			t.Fatalf("bends at %v, on the falling part of the slope", c.bend)
		}
	}))
	t.Run("a slope below g′ everywhere bends it where g′ is least", rapid.MakeCheck(func(t *rapid.T) {
		base := rapid.Float64Range(1, 1<<60).Draw(t, "base")
		slope := rapid.Float64Range(base/1000, base*0.9).Draw(t, "slope")
		if c := newBentCurve(base, slope); c.bend != leastSlope {
			t.Fatalf("bends at %v, want %v", c.bend, leastSlope)
		}
	}))
}
