package seconds

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/sim/overload"
)

// A curve has the median of each second over the repetitions, between min and max.
func TestCurve(t *testing.T) {
	var reps []overload.Rep
	for _, peaks := range [][]int64{{1, 9}, {5, 2}, {3, 4}} {
		var r overload.Rep
		for _, p := range peaks {
			r.Seconds = append(r.Seconds, overload.Second{PeakOpen: p})
		}
		reps = append(reps, r)
	}
	c := Curve("a", reps, func(s overload.Second) int64 { return s.PeakOpen })
	want := [][]float64{{1, 2}, {3, 4}, {5, 9}}
	if diff := cmp.Diff(want, [][]float64{c.Min, c.Median, c.Max}); diff != "" || c.Name != "a" || !c.Random {
		t.Errorf("%s, random: %v; min, median and max (-want +got):\n%s", c.Name, c.Random, diff)
	}
}

func TestRecoveries(t *testing.T) {
	var reps []overload.Rep
	for _, v := range []overload.Verdict{{Recovered: true, After: 3}, {}, {Recovered: true}} {
		reps = append(reps, overload.Rep{Verdict: v})
	}
	if diff := cmp.Diff([]time.Duration{3, 0}, Recoveries(reps)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAfter(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "right after the spike", 1500 * time.Millisecond: "1.5s after the spike"} {
		if got := After(d, "the spike"); got != want {
			t.Errorf("After(%v) is %q, want %q", d, got, want)
		}
	}
}
