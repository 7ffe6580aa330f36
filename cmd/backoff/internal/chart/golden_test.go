package chart

import (
	"bytes"
	"image/color"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/screen"
)

// drawn returns a figure as a screen shows it.
func drawn(t interface{ Fatal(...any) }, f figure.Figure, width int, colours bool) string {
	var b bytes.Buffer
	w := screen.NewWriter(&b)
	w.Width, w.Colours = width, colours
	if err := Write(w, f); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// figures are one of each kind.
func figures() map[string]figure.Figure {
	delays := figure.DelayByRetry(figure.Automatic)
	delays.Curves = []figure.Curve{figure.Line("linear", []float64{0, 1e-3, 1.5, 3, 4, 5, 6, 7})}
	random := figure.DelayByRetry(figure.Automatic)
	random.Median, random.Band = "p50", "min and max"
	random.Curves = []figure.Curve{{Name: "jitter", Random: true, Min: []float64{0, 1, 2}, Median: []float64{1, 2, 4}, Max: []float64{2, 4, 8}}}
	several := figure.DelayByRetry(figure.Logarithmic)
	several.Curves = []figure.Curve{
		figure.Line("a", []float64{0, 1, 2, 4, 8, 16}),
		figure.Line("b", []float64{1, 1, 2, 3, 5, 8, 13, 21}),
		{Name: "c", Random: true, Min: []float64{10, 10}, Median: []float64{20, 20}, Max: []float64{30, 30}},
	}
	load := figure.Figure{
		Title: "Retries per second", Vertical: figure.Rates, Axis: figure.Axis{Bin: 1e9},
		Curves: []figure.Curve{
			{Name: "full-jitter(1s, 1m)", Spikes: []figure.Spike{{At: 2.5, Value: 400}}},
			{Name: "constant(5s)", Spikes: []figure.Spike{{At: 5, Value: 10_000}, {At: 10, Value: 10_000}}},
		},
	}
	for i := range 12 {
		load.Curves[0].Median = append(load.Curves[0].Median, float64(600-50*i))
		load.Curves[1].Median = append(load.Curves[1].Median, 100)
	}
	for i := range load.Curves {
		load.Curves[i] = load.Curves[i].OnlyMedian()
	}
	clients := figure.Figure{
		Title: "Calls by clients", Vertical: figure.Counts, Axis: figure.Axis{At: []int{10, 50, 200}},
		Curves: []figure.Curve{figure.Line("quadratic", []float64{10, 250, 4000})},
	}
	joined := figure.Figure{
		Title: "Length by retry", Vertical: figure.Counts, Curves: []figure.Curve{figure.Line("joined", []float64{1, 5, 3})},
	}
	return map[string]figure.Figure{"joined": joined, "bars": delays, "ranges": random, "points": several, "spikes": load, "lines": clients}
}

func TestCharts(t *testing.T) {
	for name, f := range figures() {
		clitest.Golden(t, name, drawn(t, f, 80, false))
	}
	clitest.Golden(t, "spikes-40", drawn(t, figures()["spikes"], 40, false))
	clitest.Golden(t, "points-colours", drawn(t, figures()["points"], 60, true))
}

// Of the spikes in one column the highest is there, whatever their order.
func TestSpikesOfOneColumn(t *testing.T) {
	f := figures()["spikes"]
	f.Curves = f.Curves[:1]
	for _, values := range [][]float64{{100, 500}, {500, 100}} {
		f.Curves[0].Spikes = []figure.Spike{{At: 3, Value: values[0]}, {At: 3.01, Value: values[1]}}
		if n := strings.Count(drawn(t, f, 80, false), "┃"); n != 6+1 { // and one in the legend
			t.Errorf("spikes of %v are %d characters, want 7", values, n)
		}
	}
}

// The labels of an axis have a space between them, even if they stand close together.
func TestLabelsDoNotTouch(t *testing.T) {
	f := figure.DelayByRetry(figure.Automatic)
	f.Curves = []figure.Curve{figure.Line("long", slices.Repeat([]float64{1}, 99_999))}
	for width := 40; width <= 160; width += 9 {
		lines := strings.Split(strings.TrimSpace(drawn(t, f, width, false)), "\n")
		for _, label := range strings.Fields(lines[len(lines)-1]) {
			if n, err := strconv.Atoi(label); err != nil || n != 1 && n%5_000 != 0 {
				t.Fatalf("%d columns wide the labels are\n%s", width, lines[len(lines)-1])
			}
		}
	}
	close := newFrame(linearScale(figure.Durations, figure.Bounds{Max: 1}), false, 40)
	var b bytes.Buffer
	out := screen.NewWriter(&b)
	close.write(out, newCanvas(20, 2), axis{columns: 20, marks: []mark{{0, "100"}, {3, "200"}, {8, "300"}}})
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if got := strings.Fields(lines[len(lines)-1]); !slices.Equal(got, []string{"100", "300"}) {
		t.Errorf("of labels that touch there are %q, want 100 and 300", got)
	}
}

// Spikes that stand close together have tops alone, so that they do not hide the curves.
func TestManySpikes(t *testing.T) {
	f := figures()["spikes"]
	f.Curves = f.Curves[:1]
	for _, test := range []struct {
		spikes, stems int
	}{{18, 18 * 6}, {19, 19}} {
		f.Curves[0].Spikes = nil
		for i := range test.spikes {
			f.Curves[0].Spikes = append(f.Curves[0].Spikes, figure.Spike{At: 0.6 * float64(i), Value: 1000})
		}
		got := drawn(t, f, 80, false)
		const ofLegend = 1
		if n := strings.Count(got, "┃") - ofLegend; n != test.stems {
			t.Errorf("%d spikes have %d characters of stems, want %d, in\n%s", test.spikes, n, test.stems, got)
		}
		if n := strings.Count(got, "▲") - ofLegend; n != test.spikes {
			t.Errorf("%d spikes have %d tops in\n%s", test.spikes, n, got)
		}
	}
}

// A chart fits its screen, is the wider the wider the screen is, and colours change nothing
// but colours.
func TestChartFitsTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := figures()
		f := all[rapid.SampledFrom([]string{"joined", "bars", "ranges", "points", "spikes", "lines"}).Draw(t, "figure")]
		width := rapid.IntRange(40, 160).Draw(t, "width")
		plain, coloured := drawn(t, f, width, false), drawn(t, f, width, true)
		widest := 0
		for line := range strings.Lines(plain) {
			widest = max(widest, screen.Columns(strings.TrimSuffix(line, "\n")))
		}
		if widest > width || widest < width-9 {
			t.Fatalf("%d columns of %d in\n%s", widest, width, plain)
		}
		var rest strings.Builder
		for i, part := range strings.Split(coloured, "\x1b[") {
			if i > 0 {
				_, part, _ = strings.Cut(part, "m")
			}
			rest.WriteString(part)
		}
		if rest.String() != plain {
			t.Fatalf("without its colours\n%s\nis not\n%s", rest.String(), plain)
		}
	})
}

// The colours are those of Okabe and Ito as near as 256 colours come, and all different.
func TestInks(t *testing.T) {
	for i, want := range []int{25, 35, 166, 175, 178, 74} {
		if got := nearest(figure.Inks[i]); got != want {
			t.Errorf("ink %d is colour %d, want %d", i, got, want)
		}
	}
	if got := nearest(color.NRGBA{255, 255, 255, 255}); got != 231 {
		t.Errorf("white is colour %d, want 231", got)
	}
}

// Twelve curves have twelve pens.
func TestPensDiffer(t *testing.T) {
	for _, of := range []func(int) rune{penOf, dotOf} {
		seen := map[rune]bool{bandPen: true, rangePen: true}
		for i := range 12 {
			if seen[of(i)] {
				t.Errorf("pen %d is %c again", i, of(i))
			}
			seen[of(i)] = true
		}
	}
}
