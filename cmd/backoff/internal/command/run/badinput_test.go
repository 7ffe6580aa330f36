package run

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
	} {
		clitest.Refuses(t, New, test.want, test.args...)
	}
}
