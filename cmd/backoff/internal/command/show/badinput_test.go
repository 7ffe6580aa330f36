package show

import (
	"path/filepath"
	"testing"

	"example.com/backoff/cmd/backoff/internal/clitest"
)

func TestBadInput(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "no", "such", "file")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"show"}, "show: no expression, want one such as 'full-jitter(100ms, 10s)'"},
		{[]string{"show", ""}, "column 1: unexpected end of text, want a schedule such as constant(1s)"},
		{[]string{"show", "constant(1s)| capp(3s)"}, `column 15: unknown stage "capp", did you mean cap?`},
		{[]string{"show", "constant(1s)", "constant(1s)\n| capp(3s)"}, `expression 2: column 16: unknown stage "capp", did you mean cap?`},
		{[]string{"show", "constant(1s)", "--frobnicate"}, "unknown flag: --frobnicate"},
		{[]string{"show", "constant(1s)", "-x"}, "unknown shorthand flag: 'x' in -x"},
		{[]string{"show", "constant(1s)", "-n"}, "flag needs an argument: 'n' in -n"},
		{[]string{"show", "constant(1s)", "-n", "many"}, `--retries is "many", want a whole number`},
		{[]string{"show", "constant(1s)", "-n", "0"}, "show: --retries is 0, want a whole number in [1, 100000]"},
		{[]string{"show", "constant(1s)", "-n", "100001"}, "show: --retries is 100001, want a whole number in [1, 100000]"},
		{[]string{"show", "constant(1s)", "--draws", "1"}, "show: --draws is 1, want a whole number in [2, 1666666] for 12 retries"},
		{[]string{"show", "constant(1s)", "-n", "1", "--draws", "20000001"}, "show: --draws is 20000001, want a whole number in [2, 20000000] for 1 retry"},
		{[]string{"show", "constant(1s)", "--seed", "-1"}, `--seed is "-1", want a whole number in [0, 2^64)`},
		{[]string{"show", "constant(1s)", "--log=maybe"}, `--log is "maybe", want true or false`},
		{[]string{"show", "constant(1s)", "--format", "xml"}, `show: --format is "xml", want one of table, csv, json`},
		{[]string{"show", "list()", "--png", nowhere}, "show: nothing to draw: no schedule has a delay"},
		{[]string{"show", "list(0s)", "--svg", nowhere, "--log"}, "show: nothing to draw on a logarithmic axis: all delays are 0"},
		{[]string{"show", "list(1s)", "--png", nowhere}, "show: open " + nowhere + ": no such file or directory"},
		{[]string{"show", "list(1s)", "--svg", nowhere}, "show: open " + nowhere + ": no such file or directory"},
		{[]string{"show", "list(1s)", "--png", ""}, `--png is "", want a file's name`},
		{[]string{"show", "list(1s)", "--png", "x", "--svg", "x"}, `show: --png and --svg are both "x", want two files`},
	} {
		clitest.Refuses(t, New, test.want, test.args...)
	}
}
