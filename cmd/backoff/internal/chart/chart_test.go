package chart

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/backoff/cmd/backoff/internal/figure"
)

// The chart's own arithmetic: how a delay is a line, and what a line is called.
func TestChartScales(t *testing.T) {
	linear := linearScale(figure.Durations, figure.Bounds{Max: 9.5})
	if linear.lines != 10 || linear.hi != 10 || linear.of(2.5) != 2.5 || linear.label(3.0000001) != "3s" {
		t.Errorf("the linear scale is %+v, label %s", linear, linear.label(3.0000001))
	}
	log := logScale(figure.Durations, figure.Bounds{Floor: 0.1, Max: 1000})
	if log.lines != 12 || log.lo != -1 || log.hi != 3 || log.of(0) != -1 || log.of(10) != 1 || log.label(0) != "1s" {
		t.Errorf("the logarithmic scale is %+v, of 0 %v, label %s", log, log.of(0), log.label(0))
	}
}

// A bin stands in a time axis where its time does, however wide it is.
func TestTimeAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bin := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "bin"))
		bins := rapid.IntRange(2, 500).Draw(t, "bins")
		values := make([]float64, bins)
		full := rapid.IntRange(0, bins-1).Draw(t, "full")
		values[full] = 7
		axis := newTimeAxis(bin, bins)
		if all := float64(bins) * bin.Seconds(); axis.end < all*(1-1e-9) || axis.end > 2*all || axis.marks < 3 || axis.marks > 9 {
			t.Fatalf("the axis ends at %v for %v, with %d marks", axis.end, all, axis.marks)
		}
		placed := axis.place(values)
		column := slices.Index(placed, 7)
		if len(placed) != width || column < 0 {
			t.Fatalf("the full bin is not among %v", placed)
		}
		at := float64(column) / (width - 1) * axis.end
		if start := float64(full) * bin.Seconds(); math.Abs(at-start) > axis.end/(width-1)*(1+1e-6) {
			t.Fatalf("the bin of %v s stands at %v s", start, at)
		}
	})
}

// A chart by clients goes through its points, straight from one to the next, and has
// nothing before the first and after the last.
func TestCountAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var at []int
		var values []float64
		last := 0
		for range rapid.IntRange(2, 8).Draw(t, "points") {
			last += rapid.IntRange(1, 1000).Draw(t, "more clients")
			at = append(at, last)
			values = append(values, 3*float64(last)+7)
		}
		axis := newCountAxis(at)
		if axis.end < float64(last) || axis.end > 2*float64(last) || axis.marks < 2 || axis.marks > 14 {
			t.Fatalf("the axis to %d ends at %v, with %d marks", last, axis.end, axis.marks)
		}
		column := axis.end / (width - 1)
		for i, y := range axis.place(values) {
			x := float64(i) * column
			nearest := min(max(x, float64(at[0])), float64(last))
			if math.Abs(math.Abs(x-nearest)-column/2) < 1e-9 {
				continue // Either will do.
			}
			if inside := math.Abs(x-nearest) < column/2; inside == math.IsNaN(y) || inside && math.Abs(y-3*nearest-7) > 1e-6 {
				t.Fatalf("at %v clients of %v there is %v", x, at, y)
			}
		}
	})
}
