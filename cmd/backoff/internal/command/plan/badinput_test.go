package plan

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
		{[]string{"plan"}, "plan: no expression, want one such as 'full-jitter(100ms, 10s)', or what is known, such as --base 1s --factor 2 --retries 10"},
		{[]string{"plan", "constant(1s)", "constant(2s)"}, "plan: 2 expressions, want one, or --compare to set them side by side"},
		{[]string{"plan", "--compare", "constant(1s)"}, "plan: --compare and one expression, want two or more"},
		{[]string{"plan", "--compare"}, "plan: --compare and no expression, want two or more"},
		{[]string{"plan", "--compare", "constant(1s)", "constan(2s)"}, `expression 2: column 1: unknown stage "constan", did you mean constant?`},
		{[]string{"plan", "constant(1s)", "--base", "1s"}, `plan: --base and an expression, want one or the other: the parameters of "constant(1s)" are in it`},
		{[]string{"plan", "constant(1s)", "-n", "0"}, "plan: --retries is 0, want a whole number in [1, 100000]"},
		{[]string{"plan", "constant(1s)", "--draws", "1"}, "plan: --draws is 1, want a whole number in [2, 1666666] for 12 retries"},
		{[]string{"plan", "constant(1s)", "--quantiles", "0.5,1.5"}, "plan: --quantiles has 1.5, want numbers in [0, 1]"},
		{[]string{"plan", "constant(1s)", "--quantiles", "NaN"}, "plan: --quantiles has NaN, want numbers in [0, 1]"},
		{[]string{"plan", "constant(1s)", "--quantiles", "half"}, `--quantiles is "half", want numbers such as 0.5,0.99`},
		{[]string{"plan", "constant(1s)", "--deadline", "0"}, "plan: --deadline is 0s, want more than 0"},
		{[]string{"plan", "constant(1s)", "--deadline", "soon"}, `--deadline is "soon", want a duration such as 90s or 1m30s`},
		{[]string{"plan", "exponential(1s, 2)", "--deadline", "999ms"}, "plan: --deadline is 999ms, want at least 1s, when retry 1 comes at the earliest"},
		{[]string{"plan", "constant(1s)", "--deadline", "1s", "--attempt-time", "2s"}, "plan: --deadline is 1s, want at least the 2s of one attempt"},
		{[]string{"plan", "constant(1s)", "--deadline", "4s", "--attempt-time", "2s"}, "plan: --deadline is 4s, want at least 5s, when retry 1 ends at the earliest"},
		{[]string{"plan", "constant(1s)", "--attempt-time", "-1s"}, "plan: --attempt-time is -1s, want at least 0"},
		{[]string{"plan", "constant(1s)", "--clients", "0"}, "plan: --clients is 0, want a whole number in [1, 1000000000]"},
		{[]string{"plan", "constant(1s)", "--fail", "1.1"}, "plan: --fail is 1.1, want a probability in [0, 1]"},
		{[]string{"plan", "constant(1s)", "--fail", "NaN"}, "plan: --fail is NaN, want a probability in [0, 1]"},
		{[]string{"plan", "constant(1s)", "--fail", "often"}, `--fail is "often", want a number`},
		{[]string{"plan", "constant(1s)", "--bin", "1s"}, "plan: --bin and no --clients, want how many: it is their retries that are counted"},
		{[]string{"plan", "constant(1s)", "--clients", "1", "--bin", "0s"}, "plan: --bin is 0s, want more than 0"},
		{[]string{"plan", "constant(1s)", "--clients", "1", "--bin", "1ns"}, "plan: --bin is 1ns, want at least 200µs for the 12.5s that are looked at"},
		{[]string{"plan", "constant(1s)", "--format", "xml"}, `plan: --format is "xml", want one of table, csv, json`},
		{[]string{"plan", "list()", "--png", nowhere}, "plan: nothing to draw: no schedule has a delay"},
		{[]string{"plan", "list(0s)", "--svg", nowhere, "--log"}, "plan: nothing to draw on a logarithmic axis: all delays are 0"},
		{[]string{"plan", "list(1s)", "--png", nowhere}, "plan: open " + nowhere + ": no such file or directory"},
		{[]string{"plan", "--deadline", "1s"}, "plan: no expression, want one such as 'full-jitter(100ms, 10s)', or what is known, such as --base 1s --factor 2 --retries 10"},
		{[]string{"plan", "--base", "1s", "--deadline", "1s"}, "plan: --deadline and no expression, want one such as 'full-jitter(100ms, 10s)'"},
		{[]string{"plan", "--base", "1s"}, "plan: --base alone, want 2 more of --factor, --retries, --elapsed, --delay"},
		{[]string{"plan", "--limit", "none"}, "plan: nothing to start from, want 3 more of --base, --factor, --retries, --elapsed, --delay"},
		{[]string{"plan", "--base", "1s", "--ratio", "0.1", "--limit", "1m"}, "plan: --base and --ratio alone, want 1 more of --retries, --elapsed, --delay"},
		{[]string{"plan", "-n", "10", "--compare-factor", "2"}, "plan: --retries alone, want 2 more of --base, --factor, --elapsed, --delay"},
		{[]string{"plan", "--base", "1s", "--factor", "2", "--retries", "10", "--delay", "3s"}, "plan: --base, --factor, --retries, --delay are 4, want 3: the others follow from them"},
		{[]string{"plan", "--base", "1s", "--factor", "2", "--retries", "10", "--elapsed", "3s", "--limit", "none"}, "plan: --base, --factor, --retries, --elapsed are 4, want 3: the others follow from them"},
		{[]string{"plan", "--factor", "2", "--ratio", "1"}, "plan: --factor and --ratio, want one or the other: factor = 1 + ratio"},
		{[]string{"plan", "--ratio", "0"}, "plan: --ratio is 0, want a finite value > 0"},
		{[]string{"plan", "--ratio", "-0.1", "--base", "1s", "--elapsed", "1m"}, "plan: --ratio is -0.1, want a finite value > 0"},
		{[]string{"plan", "--base", "0s", "--factor", "2", "--retries", "1"}, "plan: --base is 0s, want more than 0"},
		{[]string{"plan", "--base", "1s", "--factor", "0.5", "--retries", "1"}, "plan: --factor is 0.5, want a finite number >= 1"},
		{[]string{"plan", "--base", "1s", "--factor", "NaN", "--retries", "1"}, "plan: --factor is NaN, want a finite number >= 1"},
		{[]string{"plan", "--base", "1s", "--factor", "2", "--retries", "0"}, "plan: --retries is 0, want a whole number in [1, 2147483647]"},
		{[]string{"plan", "--base", "1s", "--factor", "2", "--limit", "some"}, `--limit is "some", want a duration such as 90s or 1m30s, or none`},
		{[]string{"plan", "--base", "1s", "--factor", "2", "--elapsed", "1m", "--limit", "0"}, "plan: --limit is 0s, want more than 0"},
		{[]string{"plan", "--base", "1s", "--factor", "2", "--elapsed", "999ms"}, "plan: --elapsed is 999ms, want at least the first delay, 1s: no retry comes before it"},
		{[]string{"plan", "--base", "1s", "--factor", "2", "--delay", "1s"}, "plan: --delay is 1s, want more than --base, 1s"},
		{[]string{"plan", "--base", "1s", "--factor", "1", "--delay", "2s"}, "plan: --factor is 1, want more: else all delays are --base, and --delay does not tell when it is"},
		{[]string{"plan", "--base", "1s", "--factor", "2", "--delay", "10s", "--limit", "10s"}, "plan: --delay is 10s, want less than --limit, 10s: from there on all delays are the limit"},
		{[]string{"plan", "--base", "1s", "--retries", "10", "--elapsed", "5s"}, "plan: --elapsed is 5s, want >= 10s: 10 retries with a Base of 1s take that much with a factor of 1"},
		{[]string{"plan", "--base", "1s", "--retries", "1", "--elapsed", "5s"}, "plan: --retries is 1, want >= 2: the first delay is Base with any factor"},
		{[]string{"plan", "--base", "2s", "--retries", "3", "--delay", "1s"}, "plan: --delay is 1s, want more than --base, 2s"},
		{[]string{"plan", "--base", "2s", "--elapsed", "3s", "--delay", "1s"}, "plan: --delay is 1s, want more than --base, 2s"},
		{[]string{"plan", "--factor", "2", "--retries", "64", "--elapsed", "1s"}, "plan: --elapsed is 1s, want more than a time.Duration holds: 64 retries with a Factor of 2 take that much with a base of 1ns"},
		{[]string{"plan", "--factor", "2", "--retries", "64", "--delay", "1s"}, "plan: --delay is 1s, want a longer one, or less --retries: the base would be under 1ns"},
		{[]string{"plan", "--factor", "2", "--elapsed", "1m", "--delay", "1m"}, "plan: --delay is 1m, want more than (factor − 1)·elapsed, 1m: no base is left"},
		{[]string{"plan", "--retries", "3", "--elapsed", "10s", "--delay", "2s"}, "plan: --elapsed is 10s, want at most retries·delay, 6s: the delay is the largest of them"},
		{[]string{"plan", "--retries", "100", "--elapsed", "1s", "--delay", "10m"}, "plan: --elapsed is 1s, want a longer one, or less --retries: the base would be under 1ns"},
		{[]string{"plan", "--base", "1s", "--factor", "2", "--retries", "3", "--elapsed", "8s"}, "plan: --elapsed is 8s, want at most 7s: without a limit 3 retries take no more"},
		{[]string{"plan", "--base", "1s", "--factor", "2", "--retries", "3", "--elapsed", "2s"}, "plan: --elapsed is 2s, want at least 3s: 3 retries with a limit of --base take that much"},
		{[]string{"plan", "--factor", "1", "--compare-factor", "2"}, "plan: --factor is 1, want a finite value > 1"},
		{[]string{"plan", "--factor", "2", "--compare-factor", "1"}, "plan: --compare-factor is 1, want a finite value > 1"},
		{[]string{"plan", "--base", "1s", "--factor", "2", "--retries", "3", "--format", "xml"}, `plan: --format is "xml", want one of table, csv, json`},
	} {
		clitest.Refuses(t, New, test.want, test.args...)
	}
}
