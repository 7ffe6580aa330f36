package figure

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestRoundStep(t *testing.T) {
	if !slices.IsSorted(roundSteps) || !slices.IsSorted(logMarks) {
		t.Errorf("out of order: %v, %v", roundSteps, logMarks)
	}
	for most, want := range map[time.Duration]time.Duration{
		0: 1, 11: 1, 12: 2, time.Second: 100 * time.Millisecond, 10 * time.Second: time.Second, 12 * time.Second: 2 * time.Second,
		time.Minute: 10 * time.Second, 10 * time.Minute: time.Minute, time.Hour: 10 * time.Minute, 24 * time.Hour: 5 * time.Hour,
	} {
		if got := RoundStep(most, 12); got != want {
			t.Errorf("roundStep(%v, 12) = %v, want %v", most, got, want)
		}
	}
	for most, want := range map[int]int{0: 1, 15: 1, 16: 2, 31: 2, 32: 5, 100: 10, 99_999: 10_000} {
		if got := CountStep(most, 16); got != want {
			t.Errorf("countStep(%v, 16) = %v, want %v", most, got, want)
		}
	}
}

func TestRateSteps(t *testing.T) {
	for most, want := range map[float64]float64{9.5: 1, 12: 2, 40_000: 5_000, 100: 10, 0.25: 0.05, 141_220: 20_000} {
		if got := Rates.Step(most, 12); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("step(%v, 12) = %v, want %v", most, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		most := math.Exp(rapid.Float64Range(-20, 30).Draw(t, "log"))
		if n := most / Rates.Step(most, 12); n >= 12 || n < 12/2.6 {
			t.Fatalf("%v steps in %v", n, most)
		}
		coarse, fine := Rates.Marks(most, most*1000)
		if len(coarse) < 2 || len(coarse) > 4 || len(fine) < 8 || len(fine) > 11 || !slices.IsSorted(fine) {
			t.Fatalf("from %v on the marks are %v and %v", most, coarse, fine)
		}
	})
}

// The marks of whole numbers are whole numbers.
func TestCountSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := float64(rapid.IntRange(1, 1_000_000_000).Draw(t, "most"))
		n := rapid.IntRange(2, 20).Draw(t, "count")
		step := Counts.Step(most, n)
		if step < 1 || step != math.Trunc(step) || most/step > float64(n) || step > 1 && most/step < float64(n)/6 {
			t.Fatalf("steps of %v to %v, %d at most", step, most, n)
		}
	})
}
