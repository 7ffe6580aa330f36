package show

import (
	"path/filepath"
	"testing"

	"example.com/backoff/cmd/backoff/internal/clitest"
)

func TestBadInput(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "no", "such", "file")
	clitest.RefusesAll(t, New, []clitest.BadInput{
		{Args: []string{"show"}, Want: "show: no expression, want one such as 'full-jitter(100ms, 10s)'"},
		{Args: []string{"show", ""}, Want: "column 1: unexpected end of text, want a schedule such as constant(1s)"},
		{Args: []string{"show", "constant(1s)| capp(3s)"}, Want: `column 15: unknown stage "capp", did you mean cap?`},
		{Args: []string{"show", "constant(1s)", "constant(1s)\n| capp(3s)"}, Want: `expression 2: column 16: unknown stage "capp", did you mean cap?`},
		{Args: []string{"show", "constant(1s)", "--frobnicate"}, Want: `unknown flag --frobnicate, see "backoff show --help"`},
		{Args: []string{"show", "constant(1s)", "-x"}, Want: `unknown flag -x, see "backoff show --help"`},
		{Args: []string{"show", "constant(1s)", "-n"}, Want: "--retries has no value, want a whole number"},
		{Args: []string{"show", "constant(1s)", "-n", "many"}, Want: `--retries is "many", want a whole number`},
		{Args: []string{"show", "constant(1s)", "-n", "0"}, Want: "show: --retries is 0, want a whole number in [1, 100000]"},
		{Args: []string{"show", "constant(1s)", "-n", "100001"}, Want: "show: --retries is 100001, want a whole number in [1, 100000]"},
		{Args: []string{"show", "constant(1s)", "--draws", "1"}, Want: "show: --draws is 1, want a whole number in [2, 1666666] for 12 retries"},
		{Args: []string{"show", "constant(1s)", "-n", "1", "--draws", "20000001"}, Want: "show: --draws is 20000001, want a whole number in [2, 20000000] for 1 retry"},
		{Args: []string{"show", "constant(1s)", "-n", "100000", "--draws", "201"}, Want: "show: --draws is 201, want a whole number in [2, 200] for 100,000 retries"},
		{Args: []string{"show", "constant(1s)", "--seed", "-1"}, Want: `--seed is "-1", want a whole number in [0, 2^64)`},
		{Args: []string{"show", "constant(1s)", "--log=maybe"}, Want: `--log is "maybe", want true or false`},
		{Args: []string{"show", "constant(1s)", "--format", "xml"}, Want: `show: --format is "xml", want one of table, csv, json, go`},
		{Args: []string{"show", "list()", "--png", nowhere}, Want: "show: nothing to draw: no schedule has a delay"},
		{Args: []string{"show", "list(1s)", "--png", nowhere}, Want: "show: open " + nowhere + ": no such file or directory"},
		{Args: []string{"show", "list(1s)", "--svg", nowhere}, Want: "show: open " + nowhere + ": no such file or directory"},
		{Args: []string{"show", "list(1s)", "--png", ""}, Want: `--png is "", want a file's name`},
		{Args: []string{"show", "list(1s)", "--png", "x.SVG"}, Want: `--png is "x.SVG", want a file's name for PNG: use --svg or --picture for .svg`},
		{Args: []string{"show", "list(1s)", "--svg", "x.png"}, Want: `--svg is "x.png", want a file's name for SVG: use --png or --picture for .png`},
		{Args: []string{"show", "list(1s)", "--png", "x.jpg"}, Want: `--png is "x.jpg", want a file's name for PNG, such as one that ends in .png`},
		{Args: []string{"show", "list(1s)", "--svg", "a.png/x.PDF"}, Want: `--svg is "a.png/x.PDF", want a file's name for SVG, such as one that ends in .svg`},
		{Args: []string{"show", "list(1s)", "--png", "-"}, Want: `--png is "-", want a file's name: a picture is not written to standard output`},
		{Args: []string{"show", "list(1s)", "--svg", "-"}, Want: `--svg is "-", want a file's name: a picture is not written to standard output`},
		{Args: []string{"show", "list(1s)", "--picture", "-"}, Want: `--picture is "-", want a file's name that ends in .png or .svg`},
		{Args: []string{"show", "list(1s)", "--picture", "x.gif"}, Want: `--picture is "x.gif", want a file's name that ends in .png or .svg`},
		{Args: []string{"show", "list(1s)", "--picture", "png"}, Want: `--picture is "png", want a file's name that ends in .png or .svg`},
		{Args: []string{"show", "list(1s)", "--picture", nowhere + ".png"}, Want: "show: open " + nowhere + ".png: no such file or directory"},
		{Args: []string{"show", "list(1s)", "--png", "x", "--svg", "x"}, Want: `show: --png "x" and --svg "x" are one file, want two`},
		{Args: []string{"show", "list(1s)", "--png", "./x", "--svg", "x"}, Want: `show: --png "./x" and --svg "x" are one file, want two`},
		{Args: []string{"show", "list(1s)", "--picture", "a/../x.svg", "--svg", "x.svg"}, Want: `show: --picture "a/../x.svg" and --svg "x.svg" are one file, want two`},
		{Args: []string{"show", "list(1s)", "--picture", "x.png", "--picture", ".//x.png"}, Want: `show: --picture "x.png" and --picture ".//x.png" are one file, want two`},
	})
}
