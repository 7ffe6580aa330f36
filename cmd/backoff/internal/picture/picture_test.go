package picture

import (
	"bytes"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/picturetest"
)

// anyDelay draws delays of every size.
var anyDelay = rapid.OneOf(
	rapid.Float64Range(1e-9, 10),
	rapid.Float64Range(1, 1e5),
	rapid.Float64Range(1, backoff.NoLimit.Seconds()),
)

// An axis has from two to some twenty labels, all different, rising and exact.
func TestTicks(t *testing.T) {
	check := func(t *rapid.T, ticks []plot.Tick, lo, hi float64, most int) {
		labels := map[string]bool{}
		before := math.Inf(-1)
		for _, tick := range ticks {
			if tick.Value <= before || tick.Value > hi*(1+1e-9) || tick.Value < lo {
				t.Fatalf("the mark %v after %v, in %v to %v", tick.Value, before, lo, hi)
			}
			before = tick.Value
			if tick.Label == "" {
				continue
			}
			if labels[tick.Label] {
				t.Fatalf("%s is there twice", tick.Label)
			}
			labels[tick.Label] = true
			if d, err := time.ParseDuration(tick.Label); err != nil || math.Abs(d.Seconds()/tick.Value-1) > 1e-9 && tick.Value > 0 {
				t.Fatalf("the label %s stands at %v s", tick.Label, tick.Value)
			}
		}
		if len(labels) < 2 || len(labels) > most {
			t.Fatalf("%d labels from %v to %v", len(labels), lo, hi)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		most := anyDelay.Draw(t, "most")
		least := min(most, anyDelay.Draw(t, "least"))
		top := linearTop(figure.Durations, figure.Bounds{Max: most})
		if top < most*(1-1e-9) {
			t.Fatalf("the axis ends at %v, before %v", top, most)
		}
		if top < backoff.NoLimit.Seconds() {
			check(t, linearTicks(figure.Durations)(0, top), 0, top, 12)
		}
		lo, hi := logRange(figure.Bounds{Max: most, Floor: least})
		if least > 3e-9 && hi < backoff.NoLimit.Seconds() { // where there are marks on both sides
			check(t, logTicks(figure.Durations)(lo, hi), lo, hi, 10)
		}
	})
}

// A name that is too long is set smaller, and then cut off.
func TestFit(t *testing.T) {
	legend := plot.NewLegend()
	legend.TextStyle.Font = sans(11)
	if got := fit("constant(1s)", &legend, 300); got != "constant(1s)" || legend.TextStyle.Font.Size != 11 {
		t.Errorf("what fits became %q at %v", got, legend.TextStyle.Font.Size)
	}
	name := strings.Repeat("constant(1s) ", 20)
	got := fit(name, &legend, 300)
	if !strings.HasSuffix(got, "…") || legend.TextStyle.Font.Size != 7 || legend.TextStyle.Width(got) > 300 || legend.TextStyle.Width(got) < 280 {
		t.Errorf("fit = %q at %v, %v wide", got, legend.TextStyle.Font.Size, legend.TextStyle.Width(got))
	}
}

// A spike stands upright in the ink of its curve, up to its value or to the top, and has a
// line of the legend; the axis makes no room for it.
func TestSpikes(t *testing.T) {
	f := figure.Figure{Vertical: figure.Rates, Axis: figure.Axis{Bin: time.Second}, Atom: "at once"}
	f.Curves = []figure.Curve{figure.Line("a", make([]float64, 10)), figure.Line("b", slices.Repeat([]float64{100}, 10))}
	draw := func() []byte {
		var b bytes.Buffer
		if err := WritePNG(&b, f); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	size := image.Rect(200, 110, 1180, 640) // the inside of the axes
	before, _, _, _, _ := picturetest.InkWithin(picturetest.DecodePNG(t, draw(), 1200, 750), size, Inks[0])
	f.Curves[0].Spikes = []figure.Spike{{At: 5, Value: 1e9}}
	high, left, right, top, _ := picturetest.InkWithin(picturetest.DecodePNG(t, draw(), 1200, 750), size, Inks[0])
	f.Curves[0].Spikes[0].Value = 50
	half, _, _, halfTop, _ := picturetest.InkWithin(picturetest.DecodePNG(t, draw(), 1200, 750), size, Inks[0])
	if high-before < 2000 || top > 120 {
		t.Errorf("a spike beyond the axis adds %d pixels, from row %d", high-before, top)
	}
	if half-before < 800 || half >= high || halfTop < 250 || halfTop > 480 {
		t.Errorf("a spike of half the height adds %d pixels, from row %d", half-before, halfTop)
	}
	if left < 600 || right > 640 || right-left < 10 { // the triangle is wider than the line
		t.Errorf("the spike is in columns %d to %d", left, right)
	}
	var b bytes.Buffer
	if err := WriteSVG(&b, f); err != nil {
		t.Fatal(err)
	}
	picturetest.CheckTexts(t, nil, picturetest.SvgTexts(t, b.Bytes()), []string{"a", "b", "a: at once", "100"}, []string{"b: at once", "1,000"})
}

// Without their colours 21 curves differ by their dashes and shapes, neighbours by both, and
// with their colours 36 do.
func TestCurvesDifferInGrey(t *testing.T) {
	looks := map[string]int{}
	differs := func(i int, look string) {
		if before, ok := looks[look]; ok {
			t.Errorf("curves %d and %d both are %s", before, i, look)
		}
		looks[look] = i
	}
	for i := range 36 {
		grey := fmt.Sprintf("%v %T", dashesOf(i), shapes[i%len(shapes)])
		if i < 21 {
			differs(i, grey)
		}
		differs(i, fmt.Sprint(grey, ink(i, 0xff)))
		if i%6 > 0 && slices.Equal(dashesOf(i), dashesOf(i-1)) {
			t.Errorf("curves %d and %d have the same dashes", i-1, i)
		}
	}
}

// What cannot be drawn is an error, and no empty picture.
func TestNotDrawn(t *testing.T) {
	f := figure.Figure{Vertical: figure.Rates, Curves: []figure.Curve{figure.Line("a", []float64{1, math.NaN(), 3})}}
	for name, write := range map[string]func(io.Writer, ...figure.Figure) error{"PNG": WritePNG, "SVG": WriteSVG} {
		var b bytes.Buffer
		if err := write(&b, f); err == nil || b.Len() > 0 {
			t.Errorf("%s: a value that is NaN: error %v and %d bytes, want an error and none", name, err, b.Len())
		}
	}
}

// Points that have nothing between them stand side by side while there are few.
func TestBesides(t *testing.T) {
	f := figure.DelayByRetry(figure.Automatic)
	f.Curves = []figure.Curve{figure.Line("a", make([]float64, 60)), figure.Line("b", nil)}
	a, width := besides(f, 0)
	b, _ := besides(f, 1)
	if a != -0.2 || b != 0.2 || width != 0.4 {
		t.Errorf("60 points of two curves stand at %v and %v, %v wide", a, b, width)
	}
	f.Curves[0] = figure.Line("a", make([]float64, 61))
	if a, width := besides(f, 0); a != 0 || width != 1 {
		t.Errorf("61 points stand at %v, %v wide", a, width)
	}
}

// Spikes that stand too close together become one, as high as the highest.
func TestApart(t *testing.T) {
	f := figure.Figure{Axis: figure.Axis{Bin: time.Second}}
	got := apart(f, []figure.Spike{{At: 1, Value: 5}, {At: 1.5, Value: 9}, {At: 2.9, Value: 1}, {At: 3, Value: 2}, {At: 10, Value: 1}}, 2)
	if want := []figure.Spike{{At: 1, Value: 9}, {At: 3, Value: 2}, {At: 10, Value: 1}}; !slices.Equal(got, want) {
		t.Errorf("two seconds apart are %v, want %v", got, want)
	}
}

// A few spikes are all drawn, however close together; many are thinned.
func TestThinned(t *testing.T) {
	f := figure.Figure{Axis: figure.Axis{Bin: time.Second}}
	few := []figure.Spike{{At: 0.1, Value: 1}, {At: 0.3, Value: 1}, {At: 30, Value: 1}}
	if got := thinned(f, few, 30); !slices.Equal(got, few) {
		t.Errorf("of %v there are %v", few, got)
	}
	many := slices.Repeat(few[:1], mostSpikes+1)
	if got := thinned(f, many, 30); !slices.Equal(got, few[:1]) {
		t.Errorf("of %d at one time there are %d, want 1", len(many), len(got))
	}
}
