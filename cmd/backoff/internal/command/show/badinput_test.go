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
		{Args: []string{"show", "constant(1s)", "--frobnicate"}, Want: "unknown flag: --frobnicate"},
		{Args: []string{"show", "constant(1s)", "-x"}, Want: "unknown shorthand flag: 'x' in -x"},
		{Args: []string{"show", "constant(1s)", "-n"}, Want: "flag needs an argument: 'n' in -n"},
		{Args: []string{"show", "constant(1s)", "-n", "many"}, Want: `--retries is "many", want a whole number`},
		{Args: []string{"show", "constant(1s)", "-n", "0"}, Want: "show: --retries is 0, want a whole number in [1, 100000]"},
		{Args: []string{"show", "constant(1s)", "-n", "100001"}, Want: "show: --retries is 100001, want a whole number in [1, 100000]"},
		{Args: []string{"show", "constant(1s)", "--draws", "1"}, Want: "show: --draws is 1, want a whole number in [2, 1666666] for 12 retries"},
		{Args: []string{"show", "constant(1s)", "-n", "1", "--draws", "20000001"}, Want: "show: --draws is 20000001, want a whole number in [2, 20000000] for 1 retry"},
		{Args: []string{"show", "constant(1s)", "--seed", "-1"}, Want: `--seed is "-1", want a whole number in [0, 2^64)`},
		{Args: []string{"show", "constant(1s)", "--log=maybe"}, Want: `--log is "maybe", want true or false`},
		{Args: []string{"show", "constant(1s)", "--format", "xml"}, Want: `show: --format is "xml", want one of table, csv, json`},
		{Args: []string{"show", "list()", "--png", nowhere}, Want: "show: nothing to draw: no schedule has a delay"},
		{Args: []string{"show", "list(0s)", "--svg", nowhere, "--log"}, Want: "show: nothing to draw on a logarithmic axis: all delays are 0"},
		{Args: []string{"show", "list(1s)", "--png", nowhere}, Want: "show: open " + nowhere + ": no such file or directory"},
		{Args: []string{"show", "list(1s)", "--svg", nowhere}, Want: "show: open " + nowhere + ": no such file or directory"},
		{Args: []string{"show", "list(1s)", "--png", ""}, Want: `--png is "", want a file's name`},
		{Args: []string{"show", "list(1s)", "--png", "x", "--svg", "x"}, Want: `show: --png and --svg are both "x", want two files`},
	})
}
