package figure

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The scale of a figure is logarithmic if a curve would lie on a linear axis.
func TestLogarithmic(t *testing.T) {
	line := func(values ...float64) Curve { return Line("", values) }
	band := Curve{Random: true, Min: []float64{1, 1}, Median: []float64{4, 4}, Max: []float64{5, 81}}
	spiked := line(1, 2, 3)
	spiked.Spikes = []Spike{{0, 1e6}}
	for _, test := range []struct {
		name   string
		curves []Curve
		want   [3]bool // on a scale that is automatic, linear, logarithmic
	}{
		{"even", []Curve{line(1, 2, 3, 4)}, [3]bool{false, false, true}},
		{"nothing", nil, [3]bool{}},
		{"all zero", []Curve{line(0, 0)}, [3]bool{}},
		{"half of it squashed", []Curve{line(1, 1.9, 40)}, [3]bool{true, false, true}},
		{"at the limit", []Curve{line(1, 2, 40)}, [3]bool{false, false, true}},
		{"less than half squashed", []Curve{line(1, 20, 40)}, [3]bool{false, false, true}},
		{"zeros do not count", []Curve{line(0, 0, 0, 40)}, [3]bool{false, false, true}},
		{"one squashes the other", []Curve{line(1, 2), line(30, 50)}, [3]bool{true, false, true}},
		{"one does not", []Curve{line(2, 3), line(30, 50)}, [3]bool{false, false, true}},
		{"a band squashes its median", []Curve{band}, [3]bool{true, false, true}},
		{"a spike squashes nothing", []Curve{spiked}, [3]bool{false, false, true}},
	} {
		for scale, want := range test.want {
			f := Figure{Scale: Scale(scale), Curves: test.curves}
			if got := f.Logarithmic(); got != want {
				t.Errorf("%s on scale %d: logarithmic is %v, want %v", test.name, scale, got, want)
			}
		}
	}
}

// A curve that stays below a twentieth of another makes the axis logarithmic.
func TestNothingIsSquashed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f Figure
		most, least := 0.0, math.Inf(1)
		for range rapid.IntRange(1, 4).Draw(t, "curves") {
			c := Line("", rapid.SliceOfN(rapid.Float64Range(1e-3, 1e3), 1, 10).Draw(t, "values"))
			f.Curves = append(f.Curves, c)
			highest := 0.0
			for _, value := range c.Median {
				highest = max(highest, value)
			}
			most, least = max(most, highest), min(least, highest)
		}
		if least < most/20 && !f.Logarithmic() {
			t.Fatalf("a curve to %v lies on a linear axis to %v", least, most)
		}
	})
}

func TestX(t *testing.T) {
	for _, test := range []struct {
		axis     Axis
		position float64
		want     float64
	}{
		{Axis{}, 0, 1},
		{Axis{}, 2.5, 3.5},
		{Axis{Bin: 2e9}, 1.5, 3},
		{Axis{At: []int{10, 20, 50}}, 0, 10},
		{Axis{At: []int{10, 20, 50}}, 1.5, 35},
		{Axis{At: []int{10, 20, 50}}, 2, 50},
		{Axis{At: []int{10}}, 0, 10},
	} {
		if got := test.axis.X(test.position); got != test.want {
			t.Errorf("%+v: position %v is at %v, want %v", test.axis, test.position, got, test.want)
		}
	}
}

func TestRetryMarks(t *testing.T) {
	for _, test := range []struct {
		last, count int
		want        []int
	}{
		{4, 16, []int{1, 2, 3, 4}},
		{20, 16, []int{1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20}},
		{22, 10, []int{1, 5, 10, 15, 20}},
		{40, 6, []int{1, 10, 20, 30, 40}},
		{1, 2, []int{1}},
	} {
		if diff := cmp.Diff(test.want, RetryMarks(test.last, test.count)); diff != "" {
			t.Errorf("RetryMarks(%d, %d) (-want +got):\n%s", test.last, test.count, diff)
		}
	}
}

// Without spikes the axes cover the curves; spikes count where there is nothing else.
func TestBoundsOfSpikes(t *testing.T) {
	spikes := []Spike{{0, 700}, {1, 300}}
	for _, test := range []struct {
		values []float64
		want   Bounds
	}{
		{[]float64{0, 5}, Bounds{Points: 2, Max: 5, Floor: 5}},
		{[]float64{0, 0}, Bounds{Points: 2, Max: 700, Floor: 70}},
	} {
		c := Line("", test.values)
		c.Spikes = spikes
		if got := NewBounds([]Curve{c}); got != test.want {
			t.Errorf("the bounds of %v with spikes are %+v, want %+v", test.values, got, test.want)
		}
	}
}

// --log is true, --log=false is linear, and without it the scale is automatic.
func TestScaleIsAFlag(t *testing.T) {
	for text, want := range map[string]Scale{"true": Logarithmic, "1": Logarithmic, "false": Linear, "0": Linear} {
		var s Scale
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("--log=%s is scale %d, %v, want %d", text, s, err, want)
		}
		again := Automatic
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("scale %d is written as %q, which is scale %d, %v", s, s.String(), again, err)
		}
	}
	var s Scale
	if err := s.Set("maybe"); err == nil || s != Automatic || s.String() != "" {
		t.Errorf("--log=maybe is scale %d, %v, want an error", s, err)
	}
}

func TestScaleNote(t *testing.T) {
	for _, test := range []struct {
		scale  Scale
		values []float64
		want   string
	}{
		{Linear, []float64{1, 2}, ""},
		{Logarithmic, []float64{0, 0}, ""},
		{Logarithmic, []float64{1, 2}, ", on a logarithmic axis"},
		{Logarithmic, []float64{0, 2}, ", on a logarithmic axis with 0 at its foot"},
	} {
		f := Figure{Scale: test.scale, Curves: []Curve{Line("", test.values)}}
		if got := f.ScaleNote(); got != test.want {
			t.Errorf("of %v the note is %q, want %q", test.values, got, test.want)
		}
	}
}
