package chart

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/figure"
)

func labelsOf(s scale) string { return strings.Join(s.labels, " ") }

// Labels stand at the lines of their values, and are round.
func TestScales(t *testing.T) {
	linear := linearScale(figure.Durations, figure.Bounds{Max: 9.5})
	if got := labelsOf(linear); got != "0s 1s 2s 3s 4s 5s 6s 7s 8s 9s 10s" || linear.of(2.5) != 2.5 {
		t.Errorf("the linear scale is %s, of(2.5) = %v", got, linear.of(2.5))
	}
	for _, test := range []struct {
		floor, max float64
		zeros      bool
		want       string
	}{
		{0.1, 1000, false, "100ms 200ms 500ms 1s 2s 5s 10s 30s 1m 2m 5m 10m 30m"},
		{1, 1, true, "500ms            1s"},
		{1, 1, false, "1s            2s"},
		{0.001, 1e6, false, "1ms 10ms 100ms 1s 10s 1m 10m 1h 10h 100h 1000h"},
		{1e-9, backoff.NoLimit.Seconds(), false, "1ns 10ns 100ns 1µs 10µs 100µs 1ms 10ms 100ms 1s 10s 1m 10m 1h 10h 100h 1000h 10000h 100000h 1000000h ≥ 292 years"},
	} {
		s := logScale(figure.Durations, figure.Bounds{Floor: test.floor, Max: test.max}, test.zeros)
		if got := labelsOf(s); got != test.want {
			t.Errorf("from %v to %v the scale is\n%q, want\n%q", test.floor, test.max, got, test.want)
		}
	}
}

// Every value stands on a logarithmic axis, at its label if it has one.
func TestLogScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		floor := math.Exp(rapid.Float64Range(-20, 21).Draw(t, "floor"))
		b := figure.Bounds{Floor: floor, Max: min(floor*math.Exp(rapid.Float64Range(0, 40).Draw(t, "max")), backoff.NoLimit.Seconds())}
		q := rapid.SampledFrom([]figure.Quantity{figure.Durations, figure.Rates}).Draw(t, "quantity")
		zeros := rapid.Bool().Draw(t, "zeros")
		s := logScale(q, b, zeros)
		if n := s.top(); n < 6 || n > 22 {
			t.Fatalf("%d lines: %s", n, labelsOf(s))
		}
		if s.of(0) != 0 || zeros && floor > 2e-9 && s.of(floor) < 0.3 || s.of(b.Floor) < 0 || s.of(b.Floor) > s.of(b.Max) || s.of(b.Max) > float64(s.top())+1e-6 {
			t.Fatalf("%+v is from %v to %v of %d", b, s.of(b.Floor), s.of(b.Max), s.top())
		}
		for line, label := range s.labels {
			if d, err := time.ParseDuration(label); q == figure.Durations && err == nil && math.Abs(s.of(d.Seconds())-float64(line)) > 1e-6 {
				t.Fatalf("%s stands on line %v, its label on %d", label, s.of(d.Seconds()), line)
			}
		}
	})
}

// A bin stands in a time axis where its time does, however wide it is.
func TestTimeAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := figure.Axis{Bin: time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "bin"))}
		bins := rapid.IntRange(2, 500).Draw(t, "bins")
		columns := rapid.IntRange(26, 150).Draw(t, "columns")
		values := make([]float64, bins)
		full := rapid.IntRange(0, bins-1).Draw(t, "full")
		values[full] = 7
		axis := newTimeAxis(h, bins, columns)
		checkMarks(t, axis, 2)
		placed := axis.place(values)
		column := slices.Index(placed, 7)
		if len(placed) != columns || column < 0 {
			t.Fatalf("the full bin is not among %v", placed)
		}
		end := h.X(float64(bins))
		at := float64(column) / float64(columns-1) * end
		if start := h.X(float64(full)); math.Abs(at-start) > end/float64(columns-1)*(1+1e-6) {
			t.Fatalf("the bin of %v s stands at %v s", start, at)
		}
		if spike := axis.column(float64(full)); spike != column {
			t.Fatalf("a spike at the start of the bin stands in column %d, the bin in %d", spike, column)
		}
	})
}

// checkMarks checks that an axis has enough marks, all different, in their order, and none
// beyond its ends.
func checkMarks(t *rapid.T, a axis, atLeast int) {
	last, labels := -1, map[string]bool{}
	for _, m := range a.marks {
		if m.column <= last || m.column >= a.columns || labels[m.label] {
			t.Fatalf("the marks of %d columns are %v", a.columns, a.marks)
		}
		last, labels[m.label] = m.column, true
	}
	if len(a.marks) < atLeast {
		t.Fatalf("the marks of %d columns are %v, want %d at least", a.columns, a.marks, atLeast)
	}
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
		columns := rapid.IntRange(26, 150).Draw(t, "columns")
		axis := newCountAxis(figure.Axis{At: at}, columns)
		checkMarks(t, axis, 2)
		column := float64(last) / float64(columns-1)
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

// Every retry has a column between its neighbours, the first is named, and the others are
// multiples of a round number.
func TestRetryAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.IntRange(2, 1000).Draw(t, "points")
		columns := rapid.IntRange(26, 150).Draw(t, "columns")
		axis := newAxis(figure.Axis{}, points, columns)
		checkMarks(t, axis, 1)
		last := -1
		for i := range points {
			column := axis.column(float64(i))
			if column < last || column >= axis.columns || points <= columns && column == last {
				t.Fatalf("point %d of %d is in column %d, the one before it in %d", i, points, column, last)
			}
			last = column
		}
		if axis.columns > columns || axis.columns <= columns/2 || last < axis.columns*2/3 {
			t.Fatalf("%d points use %d columns of %d, the last is in %d", points, axis.columns, columns, last)
		}
	})
	var names []string
	for _, m := range newAxis(figure.Axis{}, 40, 60).marks {
		names = append(names, m.label)
	}
	if diff := cmp.Diff([]string{"1", "5", "10", "15", "20", "25", "30", "35", "40"}, names); diff != "" {
		t.Errorf("the marks of 40 retries (-want +got):\n%s", diff)
	}
}
