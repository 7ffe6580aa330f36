//go:build unix && !aix && !solaris

package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/screen"
)

// onTerminal runs backoff with its standard output on a terminal of this width.
func onTerminal(t *testing.T, columns int, args ...string) string {
	t.Helper()
	outside, inside, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer outside.Close()
	if err := pty.Setsize(inside, &pty.Winsize{Rows: 24, Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	text := make(chan string, 1)
	go func() {
		all, _ := io.ReadAll(outside) // ends with an error when the inside is closed
		text <- string(all)
	}()
	var stderr strings.Builder
	status := cli.Execute(t.Context(), newRoot(), args, strings.NewReader(""), inside, &stderr)
	inside.Close()
	if status != 0 {
		t.Fatalf("%q: status %d, %s", args, status, stderr.String())
	}
	select {
	case all := <-text:
		return strings.ReplaceAll(all, "\r\n", "\n")
	case <-time.After(5 * time.Minute):
		t.Fatalf("%q has ended, and the terminal has not for 5 minutes", args)
		return ""
	}
}

// No line of the command's own is longer than its terminal is wide, unless it is a single
// word, or an expression to copy.
func TestNothingWraps(t *testing.T) {
	t.Setenv("COLUMNS", "")
	for _, args := range [][]string{
		{"--help"},
		{"list"},
		{"show", "--help"},
		{"show", "full-jitter(100ms, 10s) | within(20s)"},
		{"show", "normal-jitter(100ms, 10m, 2.7, 0.1)", "normal-jitter(1s, 5m, 1.5, 0.1)", "-n", "20", "--log"},
		{"plan", "--help"},
		{"plan", "full-jitter(100ms, 10s) | jitter(0.5) | cap(8s)", "--deadline", "30s", "--clients", "10000", "--fail", "0.5"},
		{"plan", "--compare", "full-jitter(1s, 1m)", "smooth-jitter(1s, 1m)", "constant(1s)", "--clients", "1000"},
		{"plan", "--base", "1s", "--factor", "2", "--retries", "10"},
		{"run", "--help"},
		{"sim", "overload", "--help"},
		{"sim", "overload", "full-jitter(100ms, 10s)"},
		{"sim", "contention", "--clients", "10,20", "--reps", "2"},
		{"sim", "contention", "--clients", "10", "--reps", "2"},
	} {
		for _, width := range []int{40, 80, 160} {
			got := onTerminal(t, width, args...)
			if len(got) < 100 {
				t.Errorf("%q writes %q", args, got)
			}
			for line := range strings.Lines(got) {
				line = strings.TrimSuffix(line, "\n")
				words := strings.Fields(line)
				if args[0] == "sim" && strings.HasPrefix(strings.TrimSpace(line), "'") {
					words = words[:1]
				}
				if n := screen.Columns(line); n > width && len(words) > 1 {
					t.Errorf("%q on %d columns: %d in\n%s", args, width, n, line)
				}
			}
		}
	}
}

// A terminal has colours unless NO_COLOR is set.
func TestColours(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for noColour, want := range map[string]bool{"": true, "1": false} {
		t.Setenv("NO_COLOR", noColour)
		if got := onTerminal(t, 80, "show", "constant(1s)"); strings.Contains(got, "\x1b[38;5;25m") != want {
			t.Errorf("with NO_COLOR=%s the colours of\n%s\nare not as wanted: %v", noColour, got, want)
		}
	}
}
