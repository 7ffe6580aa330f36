package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// runs runs the command in this process.
func runs(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = execute(t.Context(), newRoot(commands()...), args, strings.NewReader(""), &out, &errs)
	return status, out.String(), errs.String()
}

// succeeds is runs where nothing may go wrong.
func succeeds(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	status, stdout, stderr := runs(t, args...)
	if status != 0 || stderr != "" {
		t.Fatalf("%q: status %d, standard error %q", args, status, stderr)
	}
	return stdout
}

// golden compares with testdata/name.golden, which -update writes.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// Bad input is one line on standard error, nothing on standard output and status 2.
func TestBadInput(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "no", "such", "file")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"shwo"}, `unknown command "shwo", did you mean show?`},
		{[]string{"frobnicate", "constant(1s)"}, `unknown command "frobnicate", want one of completion, list, load, plan, run, serve, show, sim`},
		{[]string{"--frobnicate"}, "unknown flag: --frobnicate"},
		{[]string{"list", "x"}, `list: unexpected argument "x", want none`},
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
		{[]string{"show", "constant(1s)", "--draws", "0"}, "show: --draws is 0, want a whole number in [1, 1666666] for 12 retries"},
		{[]string{"show", "constant(1s)", "-n", "1", "--draws", "20000001"}, "show: --draws is 20000001, want a whole number in [1, 20000000] for 1 retry"},
		{[]string{"show", "constant(1s)", "--seed", "-1"}, `--seed is "-1", want a whole number in [0, 2^64)`},
		{[]string{"show", "constant(1s)", "--log=maybe"}, `--log is "maybe", want true or false`},
		{[]string{"show", "constant(1s)", "--format", "xml"}, `show: --format is "xml", want one of table, csv, json`},
		{[]string{"show", "list()", "--png", nowhere}, "show: nothing to draw: no schedule has a delay"},
		{[]string{"show", "list(0s)", "--svg", nowhere, "--log"}, "show: nothing to draw on a logarithmic axis: all delays are 0"},
		{[]string{"show", "list(1s)", "--png", nowhere}, "show: open " + nowhere + ": no such file or directory"},
		{[]string{"show", "list(1s)", "--svg", nowhere}, "show: open " + nowhere + ": no such file or directory"},
		{[]string{"show", "list(1s)", "--png", ""}, `--png is "", want a file's name`},
		{[]string{"show", "list(1s)", "--png", "x", "--svg", "x"}, `show: --png and --svg are both "x", want two files`},
		{[]string{"help", "shaw"}, `unknown command "shaw", did you mean show?`},
		{[]string{"help", "sim", "nothing"}, `unknown command "nothing", want one of contention, overload`},
		{[]string{"completion", "csh"}, `unknown command "csh", want one of bash, fish, powershell, zsh`},
		{[]string{"run"}, "run: no command, want one such as 'backoff run -- curl -f https://example.com/'"},
		{[]string{"run", "--"}, "run: no command, want one such as 'backoff run -- curl -f https://example.com/'"},
		{[]string{"run", ""}, "run: no command, want one such as 'backoff run -- curl -f https://example.com/'"},
		{[]string{"run", "--frobnicate", "true"}, "unknown flag: --frobnicate"},
		{[]string{"run", "--retry", "constant(1s) | capp(1s)", "true"}, `run: --retry: column 16: unknown stage "capp", did you mean cap?`},
		{[]string{"run", "--timeout", "soon", "true"}, `--timeout is "soon", want a duration such as 90s or 1m30s`},
		{[]string{"run", "--timeout", "0", "true"}, "run: --timeout is 0s, want > 0s"},
		{[]string{"run", "--timeout", "NaN", "true"}, `--timeout is "NaN", want a duration such as 90s or 1m30s`},
		{[]string{"run", "--timeout", "1e10", "true"}, `--timeout is "1e10", want a duration such as 90s or 1m30s`},
		{[]string{"run", "--timeout", "-0.5", "true"}, "run: --timeout is -500ms, want > 0s"},
		{[]string{"run", "--attempt-timeout", "-1s", "true"}, "run: --attempt-timeout is -1s, want > 0s"},
		{[]string{"run", "--kill-after", "-1s", "true"}, "run: --kill-after is -1s, want >= 0s"},
		{[]string{"run", "--successes", "0", "true"}, "run: --successes is 0, want a whole number >= 1"},
		{[]string{"run", "--output", "first", "true"}, `run: --output is "first", want one of all, last`},
		{[]string{"run", "--on", "1,x", "true"}, `--on is "1,x", want exit statuses in [0, 255] such as 1,75-77`},
		{[]string{"run", "--until", "256", "true"}, `--until is "256", want exit statuses in [0, 255] such as 1,75-77`},
		{[]string{"run", "--stop-on", "", "true"}, `--stop-on is "", want exit statuses in [0, 255] such as 1,75-77`},
		{[]string{"run", "--on", "0-3", "true"}, "run: exit status 0 is in --on and, by default, in --until, want it in one of them"},
		{[]string{"run", "--on", "1-3", "--until", "2", "true"}, "run: exit status 2 is in --on and in --until, want it in one of them"},
		{[]string{"run", "--stop-on", "0", "true"}, "run: exit status 0 is in --stop-on and, by default, in --until, want it in one of them"},
		{[]string{"run", "--on", "1-255", "--stop-on", "7", "true"}, "run: exit status 7 is in --on and in --stop-on, want it in one of them"},
		{[]string{"run", "--report", nowhere, "true"}, "run: --report: open " + nowhere + ": no such file or directory"},

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
		refuses(t, test.want, test.args...)
	}
}

// refuses runs the command on bad input, which is to say want.
func refuses(t *testing.T, want string, args ...string) {
	t.Helper()
	status, stdout, stderr := runs(t, args...)
	if status != 2 || stdout != "" {
		t.Errorf("%q: status %d, want 2; standard output %q, want nothing", args, status, stdout)
	}
	if diff := cmp.Diff("backoff: "+want+"\n", stderr); diff != "" {
		t.Errorf("%q: standard error (-want +got):\n%s", args, diff)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"--help"}} {
		if got := succeeds(t, args...); !strings.Contains(got, "  show ") || !strings.Contains(got, "  list ") {
			t.Errorf("%q does not name the commands:\n%s", args, got)
		}
	}
	golden(t, "show-help", succeeds(t, "show", "--help"))
	golden(t, "run-help", succeeds(t, "run", "--help"))
	golden(t, "plan-help", succeeds(t, "plan", "--help"))
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := succeeds(t, "completion", shell); !strings.Contains(got, "backoff") {
			t.Errorf("the completion for %s is %q", shell, got)
		}
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"show", "--format", ""}, "table\ncsv\njson\n:4\n"},
		{[]string{"show", "fib"}, "fibonacci(100ms)\tbase·(1, 1, 2, 3, 5, 8, ...)\nfibonacci(1s) | scale(0.5)\tfactor·d\n:4\n"},
		{[]string{"list", ""}, ":4\n"},
		{[]string{"run", "--output", ""}, "all\nlast\n:4\n"},
		{[]string{"run", "--retry", "fib"}, "fibonacci(100ms)\tbase·(1, 1, 2, 3, 5, 8, ...)\nfibonacci(1s) | scale(0.5)\tfactor·d\n:4\n"},
		{[]string{"run", "gi"}, ":0\n"}, // the shell's own: files
	} {
		_, got, _ := runs(t, append([]string{"__complete"}, test.args...)...)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("completion of %q (-want +got):\n%s", test.args, diff)
		}
	}
}
