package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"pgregory.net/rapid"

	"example.com/backoff"
)

const (
	fast = "normal-jitter(100ms, 10m, 2.7, 0.1)"
	slow = "normal-jitter(1s, 5m, 1.5, 0.1)"
)

// drawn returns the picture that show makes, as png or svg.
func drawn(t *testing.T, format string, args ...string) []byte {
	t.Helper()
	return drawnBy(t, "show", format, args...)
}

// drawnBy returns the picture that a command makes, as png or svg.
func drawnBy(t *testing.T, command, format string, args ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "drawn."+format)
	succeeds(t, slices.Concat([]string{command}, args, []string{"--" + format, file})...)
	picture, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// inkSpan returns how many pixels of a picture have that colour, and where they
// begin and end.
func inkSpan(t *testing.T, picture []byte, ink color.NRGBA) (pixels, left, right, top, bottom int) {
	t.Helper()
	decoded := decodePNG(t, picture, 1200, 750)
	return inkWithin(decoded, decoded.Bounds(), ink)
}

// decodePNG fails if the picture is no PNG image of that size.
func decodePNG(t *testing.T, picture []byte, width, height int) image.Image {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	if size := decoded.Bounds(); size.Dx() != width || size.Dy() != height {
		t.Errorf("the picture is %v, want %d × %d", size, width, height)
	}
	return decoded
}

// inkWithin is inkSpan of a part of an image.
func inkWithin(decoded image.Image, size image.Rectangle, ink color.NRGBA) (pixels, left, right, top, bottom int) {
	left, top = size.Max.X, size.Max.Y
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			if near(color.NRGBAModel.Convert(decoded.At(x, y)).(color.NRGBA), ink) {
				pixels++
				left, right = min(left, x), max(right, x)
				top, bottom = min(top, y), max(bottom, y)
			}
		}
	}
	return
}

// Both curves are in the picture, from the first retry to the last, with a margin.
func TestPNG(t *testing.T) {
	for _, log := range []bool{false, true} {
		args := []string{fast, slow, "-n", "20"}
		if log {
			args = append(args, "--log")
		}
		drawing := drawn(t, "png", args...)
		for _, ink := range inks[:2] {
			pixels, left, right, top, bottom := inkSpan(t, drawing, ink)
			if pixels < 2000 || left < 20 || left > 60 || right < 1150 || right > 1180 || top < 20 || bottom < 480 {
				t.Errorf("log %v, ink %v: %d pixels, x from %d to %d, y from %d to %d",
					log, ink, pixels, left, right, top, bottom)
			}
		}
		if pixels, _, _, _, _ := inkSpan(t, drawing, inks[2]); pixels > 0 {
			t.Errorf("log %v: %d pixels of a third curve", log, pixels)
		}
		// The band is wider than its line on the right, where the delay is at its limit.
		for _, ink := range inks[:2] {
			pixels, _, right, top, bottom := inkSpan(t, drawing, onWhite(ink, bandAlpha))
			if pixels < 10_000 || right < 1150 || bottom-top < 100 {
				t.Errorf("log %v, band of %v: %d pixels, x to %d, y from %d to %d", log, ink, pixels, right, top, bottom)
			}
		}
	}
}

// near reports whether two colours differ by rounding alone.
func near(a, b color.NRGBA) bool {
	const rounding = 2
	same := func(a, b uint8) bool { return max(a, b)-min(a, b) <= rounding }
	return same(a.R, b.R) && same(a.G, b.G) && same(a.B, b.B) && same(a.A, b.A)
}

// onWhite returns an ink as it looks when it is thinned.
func onWhite(ink color.NRGBA, alpha uint8) color.NRGBA {
	thin := func(c uint8) uint8 {
		return uint8((int(c)*int(alpha) + 255*(255-int(alpha))) / 255)
	}
	return color.NRGBA{thin(ink.R), thin(ink.G), thin(ink.B), 0xff}
}

// The marks on a logarithmic axis are as far apart as their ratios, those on a
// linear one as their differences.
func TestScales(t *testing.T) {
	for _, test := range []struct {
		args  []string
		marks [4]string // the first two as far apart as the last two
	}{
		{[]string{"exponential(10ms, 10)", "-n", "4", "--log"}, [4]string{"10ms", "100ms", "1s", "10s"}},
		{[]string{"linear(0s, 1s)", "-n", "11"}, [4]string{"1s", "2s", "8s", "9s"}},
	} {
		at := svgTexts(t, drawn(t, "svg", test.args...))
		lower, upper := at[test.marks[0]]-at[test.marks[1]], at[test.marks[2]]-at[test.marks[3]]
		if lower < 10 || math.Abs(lower-upper) > 0.1 {
			t.Errorf("%q: %v and %v points from mark to mark of %q", test.args, lower, upper, test.marks)
		}
	}
}

// svgTexts returns the texts of a picture, each with its y, which grows downwards.
// It fails if the picture is no XML.
func svgTexts(t *testing.T, picture []byte) map[string]float64 {
	t.Helper()
	texts := map[string]float64{}
	y := 0.0
	decoder := xml.NewDecoder(bytes.NewReader(picture))
	inText := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "text"
			for _, a := range token.Attr {
				if inText && a.Name.Local == "y" {
					y, err = strconv.ParseFloat(a.Value, 64)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				texts[string(token)] = y
			}
		}
	}
}

func TestSVG(t *testing.T) {
	long := strings.Repeat("constant(1s) | take(1) | then(", 8) + "constant(2s)" + strings.Repeat(")", 8)
	for _, test := range []struct {
		args []string
		want []string
		none []string
	}{
		{
			[]string{fast, slow, "-n", "20"},
			[]string{fast, slow, "0s", "2m", "10m", "14m", "0", "19", "delay", "retry     (lines: medians; bands: least to most of 10,000 draws)"},
			[]string{"20"},
		},
		{[]string{fast, slow, "-n", "20", "--log"}, []string{"100ms", "1s", "10s", "1m", "10m"}, []string{"0s", "1h"}},
		{[]string{"constant(1s)", "--log"}, []string{"500ms", "1s", "2s", "retry"}, nil},
		{[]string{"constant(0)"}, []string{"0s", "1s"}, nil},
		{[]string{"exponential(1s, 1e300)", "--log"}, []string{"1s", "1m", "1h", "1000000h"}, []string{"10s"}},
		{[]string{"linear(1s, 1s)", "-n", "500"}, []string{"0", "50", "450", "0s", "5m"}, []string{"1", "49"}},
		{[]string{"list(1s)", "list()"}, []string{"list(1s)", "list()", "0", "1", "1s"}, nil},
		{[]string{long}, []string{"1s", "2s"}, []string{long}},
	} {
		checkTexts(t, test.args, svgTexts(t, drawn(t, "svg", test.args...)), test.want, test.none)
	}
}

// checkTexts checks which texts are in a picture, and which are not.
func checkTexts(t *testing.T, args []string, texts map[string]float64, wanted, unwanted []string) {
	t.Helper()
	for _, want := range wanted {
		if _, ok := texts[want]; !ok {
			t.Errorf("%q: %q is not among %v", args, want, texts)
		}
	}
	for _, none := range unwanted {
		if _, ok := texts[none]; ok {
			t.Errorf("%q: %q is among %v", args, none, texts)
		}
	}
}

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
		top := linearTop(durations, bounds{most: most})
		if top < most*(1-1e-9) {
			t.Fatalf("the axis ends at %v, before %v", top, most)
		}
		if top < backoff.NoLimit.Seconds() {
			check(t, linearTicks(durations)(0, top), 0, top, 12)
		}
		lo, hi := logRange(bounds{most: most, floor: least})
		if least > 3e-9 && hi < backoff.NoLimit.Seconds() { // where there are marks on both sides
			check(t, logTicks(durations)(lo, hi), lo, hi, 10)
		}
	})
}

func TestRoundStep(t *testing.T) {
	if !slices.IsSorted(roundSteps) || !slices.IsSorted(logMarks) {
		t.Errorf("out of order: %v, %v", roundSteps, logMarks)
	}
	for most, want := range map[time.Duration]time.Duration{
		0: 1, 11: 1, 12: 2, time.Second: 100 * time.Millisecond, 10 * time.Second: time.Second, 12 * time.Second: 2 * time.Second,
		time.Minute: 10 * time.Second, 10 * time.Minute: time.Minute, time.Hour: 10 * time.Minute, 24 * time.Hour: 5 * time.Hour,
	} {
		if got := roundStep(most, 12); got != want {
			t.Errorf("roundStep(%v, 12) = %v, want %v", most, got, want)
		}
	}
	for most, want := range map[int]int{0: 1, 15: 1, 16: 2, 31: 2, 32: 5, 100: 10, 99_999: 10_000} {
		if got := countStep(most, 16); got != want {
			t.Errorf("countStep(%v, 16) = %v, want %v", most, got, want)
		}
	}
}

func TestApproximate(t *testing.T) {
	for seconds, want := range map[float64]string{
		1e-9: "1ns", 2.154e-9: "2.2ns", 4.64e-6: "4.6µs", 1e-3: "1ms", 0.0464: "46ms", 0.999999999999: "1s",
		9.96: "10s", 21.5: "22s", 59: "59s", 60: "1m", 100: "1.7m", 1000: "17m", 1e4: "2.8h", 1e6: "280h", 1e9: "32y", 9.3e9: "290y",
	} {
		if got := approximate(seconds); got != want {
			t.Errorf("approximate(%v) = %s, want %s", seconds, got, want)
		}
	}
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
