package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/interop/contest"
)

func TestBadUsage(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"--nope", "deadlock: flag provided but not defined: -nope"},
		{"--db oracle", `deadlock: the database is "oracle", want one of ["mysql" "postgres" "sqlite"]`},
		{"--mode race", `deadlock: the mode is "race", want one of ["deadlock" "conflict" "nowait"]`},
		{"--workers 0", "deadlock: there are 0 workers, want >= 1"},
		{"--transactions 0", "deadlock: there are 0 transactions, want >= 1"},
		{"--hold -1s", "deadlock: the hold is -1s, want >= 0"},
		{"--rounds 0", "deadlock: --rounds is 0, want >= 1"},
		{"--timeout 0s", "deadlock: --timeout is 0s, want > 0"},
		{"--base -1s", "deadlock: --base is -1s, want > 0"},
		{"--base 1s constant(1s)", "deadlock: --base is for the five default schedules; write the base in each EXPR"},
		{"constant(1s) constant(-1s)", `deadlock: "constant(-1s)": `},
	} {
		var stdout, stderr strings.Builder
		status := run(t.Context(), strings.Fields(tt.args), &stdout, &stderr)
		if status != badUsage {
			t.Errorf("%s: status %d, want %d", tt.args, status, badUsage)
		}
		if !strings.HasPrefix(stderr.String(), tt.want) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: standard error is %q, want one line that begins with %q", tt.args, stderr.String(), tt.want)
		}
		if stdout.Len() > 0 {
			t.Errorf("%s: standard output is %q", tt.args, stdout.String())
		}
	}
}

func TestHelp(t *testing.T) {
	var stdout, stderr strings.Builder
	if status := run(t.Context(), []string{"--help"}, &stdout, &stderr); status != ok {
		t.Errorf("status %d, want %d", status, ok)
	}
	for _, want := range []string{"usage: deadlock ", "-rounds int", "-oslo"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the help lacks %q:\n%s", want, stdout.String())
		}
	}
	if stderr.Len() > 0 {
		t.Errorf("standard error is %q", stderr.String())
	}
}

func TestNoServer(t *testing.T) {
	var stdout, stderr strings.Builder
	status := run(t.Context(), strings.Fields("--db mysql --dsn root@tcp(127.0.0.1:1)/test"), &stdout, &stderr)
	if status != failed || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("status %d, standard error %q; want status %d and one line", status, stderr.String(), failed)
	}
}

func TestEndOfItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	if status := run(ctx, nil, &stdout, &stderr); status != failed {
		t.Errorf("status %d, want %d", status, failed)
	}
}

// TestTable runs the default comparison on SQLite, which needs no server.
func TestTable(t *testing.T) {
	var stdout, stderr strings.Builder
	args := strings.Fields("--workers 4 --rounds 2 --base 2ms --transactions 2 --timeout 10m")
	if status := run(t.Context(), args, &stdout, &stderr); status != ok {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	want := []string{
		"sqlite, mode deadlock, the schedule's own jitter: 4 workers, 2 transactions each, hold 1ms, 2 rounds",
		"",
		"schedule tried failed by code time min max per second",
		"no jitter: exponential(2ms, 2) | cap(64ms)",
		"full: full-jitter(2ms, 64ms)",
		"equal: equal-jitter(2ms, 64ms)",
		"top 25 %: top-jitter(2ms, 64ms, 0.25)",
		"decorrelated: decorrelated-jitter(2ms, 64ms)",
	}
	figures := regexp.MustCompile(` (\d+) (\d+) 5 (\S+) (\S+) (\S+) [0-9.]+$`)
	var got []string
	for _, line := range lines {
		line = strings.Join(strings.Fields(line), " ")
		got = append(got, figures.ReplaceAllString(line, ""))
		m := figures.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		var tried, failed int
		fmt.Sscan(m[1], &tried)
		fmt.Sscan(m[2], &failed)
		if failed < 1 || tried != failed+8 {
			t.Errorf("%s: %d transactions were tried and %d failed, want 8 more and some that failed", line, tried, failed)
		}
		time, low, high := duration(t, m[3]), duration(t, m[4]), duration(t, m[5])
		if !(0 < low && low <= time && time <= high) {
			t.Errorf("%s: the median %v is not between %v and %v", line, time, low, high)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// TestUnfinishedRounds: if a schedule ends before all transactions are committed, the
// table reports it.
func TestUnfinishedRounds(t *testing.T) {
	var stdout, stderr strings.Builder
	args := []string{"--rounds", "1", "--timeout", "10m", "--oslo", "constant(1ms) | take(1)"}
	if status := run(t.Context(), args, &stdout, &stderr); status != ok {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	for _, want := range []string{"full jitter of every delay", "1 of 1 rounds not finished: retry: 2 attempts in ", "attempts exhausted"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, stdout.String())
		}
	}
}

func TestBaseOfTheFive(t *testing.T) {
	for _, tt := range []struct {
		database string
		mode     contest.Mode
		base     time.Duration
		want     time.Duration
	}{
		{"sqlite", contest.Deadlock, 0, 10 * time.Millisecond},
		{"postgres", contest.NoWait, 0, 10 * time.Millisecond},
		{"postgres", contest.Deadlock, 0, time.Second},
		{"postgres", contest.Deadlock, time.Minute, time.Minute},
	} {
		if got := baseFor(tt.base, contest.Settings{Database: tt.database, Mode: tt.mode}); got != tt.want {
			t.Errorf("baseFor(%v, %s %s) = %v, want %v", tt.base, tt.database, tt.mode, got, tt.want)
		}
	}
}

func duration(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
