package run

import (
	"path/filepath"
	"testing"

	"example.com/backoff/cmd/backoff/internal/clitest"
)

func TestBadInput(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "no", "such", "file")
	clitest.RefusesAll(t, New, []clitest.BadInput{
		{Args: []string{"run"}, Want: "run: no command, want one such as 'backoff run -- curl -f https://example.com/'"},
		{Args: []string{"run", "--"}, Want: "run: no command, want one such as 'backoff run -- curl -f https://example.com/'"},
		{Args: []string{"run", ""}, Want: "run: no command, want one such as 'backoff run -- curl -f https://example.com/'"},
		{Args: []string{"run", "--frobnicate", "true"}, Want: `unknown flag --frobnicate, see "backoff run --help"`},
		{Args: []string{"run", "--retry", "constant(1s) | capp(1s)", "true"}, Want: `run: --retry: column 16: unknown stage "capp", did you mean cap?`},
		{Args: []string{"run", "-n", "0", "true"}, Want: "run: --attempts is 0, want a whole number in [1, 2147483647]"},
		{Args: []string{"run", "-n", "-1", "true"}, Want: "run: --attempts is -1, want a whole number in [1, 2147483647]"},
		{Args: []string{"run", "-n", "2147483648", "true"}, Want: "run: --attempts is 2147483648, want a whole number in [1, 2147483647]"},
		{Args: []string{"run", "-n", "4294967297", "true"}, Want: "run: --attempts is 4294967297, want a whole number in [1, 2147483647]"},
		{Args: []string{"run", "-n", "3000000000", "true"}, Want: "run: --attempts is 3000000000, want a whole number in [1, 2147483647]"},
		{Args: []string{"run", "-n", "true"}, Want: `--attempts is "true", want a whole number`},
		{Args: []string{"run", "-n"}, Want: "--attempts has no value, want a whole number"},
		{Args: []string{"run", "--retry", "constant(1s)", "--delay", "1s", "true"}, Want: "run: --delay and --retry are given, want one of them"},
		{Args: []string{"run", "--delay", "soon", "true"}, Want: `run: --delay is "soon", want a duration such as 90s or 1m30s, or an expression such as 'equal-jitter(1s, 1m)'`},
		{Args: []string{"run", "--delay", "", "true"}, Want: `run: --delay is "", want a duration such as 90s or 1m30s, or an expression such as 'equal-jitter(1s, 1m)'`},
		{Args: []string{"run", "--delay", "-1", "true"}, Want: `run: --delay is "-1", want a duration >= 0`},
		{Args: []string{"run", "--delay", "constnt(1s)", "true"}, Want: `run: --delay: column 1: unknown stage "constnt", did you mean constant?`},
		{Args: []string{"run", "--retry", "5", "true"}, Want: "run: --retry is 5, want an expression such as 'equal-jitter(1s, 1m)'; 5 retries are --attempts 6"},
		{Args: []string{"run", "--retry", "5s", "true"}, Want: `run: --retry is "5s", want an expression such as 'constant(5s)', or --delay 5s`},
		{Args: []string{"run", "--retries", "5", "true"}, Want: "unknown flag --retries, did you mean --attempts (retries + 1)?"},
		{Args: []string{"run", "--max-delay", "5", "true"}, Want: "unknown flag --max-delay, want it in the schedule, such as --delay 'exponential(1s, 2) | cap(1m) | jitter(0.5)'"},
		{Args: []string{"run", "--multiplier", "5", "true"}, Want: "unknown flag --multiplier, want it in the schedule, such as --delay 'exponential(1s, 2) | cap(1m) | jitter(0.5)'"},
		{Args: []string{"run", "--factor", "5", "true"}, Want: "unknown flag --factor, want it in the schedule, such as --delay 'exponential(1s, 2) | cap(1m) | jitter(0.5)'"},
		{Args: []string{"run", "--jitter", "5", "true"}, Want: "unknown flag --jitter, want it in the schedule, such as --delay 'exponential(1s, 2) | cap(1m) | jitter(0.5)'"},
		{Args: []string{"run", "--timeout", "soon", "true"}, Want: `--timeout is "soon", want a duration such as 90s or 1m30s`},
		{Args: []string{"run", "--timeout", "0", "true"}, Want: "run: --timeout is 0s, want > 0s"},
		{Args: []string{"run", "--timeout", "NaN", "true"}, Want: `--timeout is "NaN", want a duration such as 90s or 1m30s`},
		{Args: []string{"run", "--timeout", "1e10", "true"}, Want: `--timeout is "1e10", want a duration such as 90s or 1m30s`},
		{Args: []string{"run", "--timeout", "-0.5", "true"}, Want: "run: --timeout is -500ms, want > 0s"},
		{Args: []string{"run", "--attempt-timeout", "-1s", "true"}, Want: "run: --attempt-timeout is -1s, want > 0s"},
		{Args: []string{"run", "--kill-after", "-1s", "true"}, Want: "run: --kill-after is -1s, want >= 0s"},
		{Args: []string{"run", "--successes", "0", "true"}, Want: "run: --successes is 0, want a whole number >= 1"},
		{Args: []string{"run", "-n", "2", "--successes", "3", "true"}, Want: "run: --successes is 3, want at most the number of attempts, 2"},
		{Args: []string{"run", "--successes", "10", "true"}, Want: "run: --successes is 10, want at most the number of attempts, 9"},
		{Args: []string{"run", "--dry-run", "--report", "-", "true"}, Want: "run: --dry-run and --report are given, want one of them"},
		{Args: []string{"run", "--output", "first", "true"}, Want: `run: --output is "first", want one of all, last`},
		{Args: []string{"run", "--on", "1,x", "true"}, Want: `--on is "1,x", want exit statuses in [0, 255] such as 1,75-77`},
		{Args: []string{"run", "--until", "256", "true"}, Want: `--until is "256", want exit statuses in [0, 255] such as 1,75-77`},
		{Args: []string{"run", "--stop-on", "", "true"}, Want: `--stop-on is "", want exit statuses in [0, 255] such as 1,75-77`},
		{Args: []string{"run", "--on", "0-3", "true"}, Want: "run: exit status 0 is in --on and, by default, in --until, want it in one of them"},
		{Args: []string{"run", "--on", "1-3", "--until", "2", "true"}, Want: "run: exit status 2 is in --on and in --until, want it in one of them"},
		{Args: []string{"run", "--stop-on", "0", "true"}, Want: "run: exit status 0 is in --stop-on and, by default, in --until, want it in one of them"},
		{Args: []string{"run", "--on", "1-255", "--stop-on", "7", "true"}, Want: "run: exit status 7 is in --on and in --stop-on, want it in one of them"},
		{Args: []string{"run", "--report", nowhere, "true"}, Want: "run: --report: open " + nowhere + ": no such file or directory"},
	})
}
