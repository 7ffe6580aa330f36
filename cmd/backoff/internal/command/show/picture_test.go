package show

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/picture"
	"example.com/backoff/cmd/backoff/internal/picturetest"
)

// Both curves are in the picture, from the first retry to the last, with a margin.
func TestPNG(t *testing.T) {
	for _, log := range []bool{false, true} {
		args := []string{fast, slow, "-n", "20"}
		if log {
			args = append(args, "--log")
		}
		drawing := drawn(t, "png", args...)
		for _, ink := range picture.Inks[:2] {
			pixels, left, right, top, bottom := picturetest.InkSpan(t, drawing, ink)
			if pixels < 2000 || left < 20 || left > 60 || right < 1130 || right > 1180 || top < 20 || bottom < 480 {
				t.Errorf("log %v, ink %v: %d pixels, x from %d to %d, y from %d to %d",
					log, ink, pixels, left, right, top, bottom)
			}
		}
		if pixels, _, _, _, _ := picturetest.InkSpan(t, drawing, picture.Inks[2]); pixels > 0 {
			t.Errorf("log %v: %d pixels of a third curve", log, pixels)
		}
		// The band is wider than its line on the right, where the delay is at its limit.
		for _, ink := range picture.Inks[:2] {
			pixels, _, right, top, bottom := picturetest.InkSpan(t, drawing, picturetest.OnWhite(ink, picture.BandAlpha))
			if pixels < 10_000 || right < 1130 || bottom-top < 100 {
				t.Errorf("log %v, band of %v: %d pixels, x to %d, y from %d to %d", log, ink, pixels, right, top, bottom)
			}
		}
	}
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
		at := picturetest.SvgTexts(t, drawn(t, "svg", test.args...))
		lower, upper := at[test.marks[0]]-at[test.marks[1]], at[test.marks[2]]-at[test.marks[3]]
		if lower < 10 || math.Abs(lower-upper) > 0.1 {
			t.Errorf("%q: %v and %v points from mark to mark of %q", test.args, lower, upper, test.marks)
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
			[]string{fast, slow, "0s", "2m", "10m", "14m", "1", "20", "delay", "retry     (points: p50; bars: min to max of 10,000 draws)"},
			[]string{"0", "21"},
		},
		{[]string{fast, slow, "-n", "20", "--log"}, []string{"delay, on a logarithmic axis", "100ms", "1s", "10s", "1m", "10m"}, []string{"0s", "1h"}},
		{[]string{"constant(1s)", "--log"}, []string{"500ms", "1s", "2s", "retry"}, nil},
		{[]string{"constant(0)"}, []string{"0s", "1s"}, nil},
		{[]string{"exponential(1s, 1e300)", "--log"}, []string{"1s", "1m", "1h", "1000000h"}, []string{"10s"}},
		{[]string{"linear(1s, 1s)", "-n", "500"}, []string{"1", "50", "450", "500", "0s", "5m"}, []string{"0", "2", "49"}},
		{[]string{"list(1s)", "list()"}, []string{"list(1s)", "list()", "1", "2", "1s"}, []string{"0"}},
		{[]string{long}, []string{"1s", "2s"}, []string{long}},
	} {
		picturetest.CheckTexts(t, test.args, picturetest.SvgTexts(t, drawn(t, "svg", test.args...)), test.want, test.none)
	}
}

// The name of a picture tells its format, in capitals too, and each file is that of --png
// or --svg.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"a.png": "png", "b.SVG": "svg", "c.svg": "svg"}
	args := []string{"show", "linear(1s, 1s)"}
	for name := range files {
		args = append(args, "--picture", filepath.Join(dir, name))
	}
	clitest.Succeeds(t, New, args...)
	for name, format := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, drawn(t, format, "linear(1s, 1s)")) {
			t.Errorf("%s is not the picture that --%s makes", name, format)
		}
	}
}

// A file of --png or --svg may have the extension of the format, in capitals too, none, or one that
// is not that of a format, as a temporary file has.
func TestPictureNames(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct{ flag, name string }{{"--png", "a.PNG"}, {"--png", "a.b/png"}, {"--svg", "x.png.svg"}, {"--svg", "svg"}, {"--png", "tmp.aBcD"}} {
		file := filepath.Join(dir, test.name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		clitest.Succeeds(t, New, "show", "list(1s)", test.flag, file)
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

const (
	fast = "normal-jitter(100ms, 10m, 2.7, 0.1)"
	slow = "normal-jitter(1s, 5m, 1.5, 0.1)"
)

// drawn returns the picture that show makes, as png or svg.
func drawn(t *testing.T, format string, args ...string) []byte {
	t.Helper()
	return clitest.Drawn(t, New, format, append([]string{"show"}, args...)...)
}
