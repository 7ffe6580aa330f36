// Package examples holds one program for each engine. Its test runs them.
package examples

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/backoff/interop/kept"
	"example.com/backoff/interop/service"
)

// needs are the servers of the examples that have none embedded.
var needs = map[string]service.Service{"asynq": service.Redis, "river": service.Postgres}

// seconds are the examples whose engine cannot wait for less than a second.
var seconds = map[string]bool{"asynq": true}

// TestExamples builds and runs each program, and holds that it prints its attempts, none
// of them before the delays of its schedule, and ends with success.
func TestExamples(t *testing.T) {
	programs, err := filepath.Glob("*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if len(programs) < 12 {
		t.Errorf("there are %d programs, want one for each engine", len(programs))
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range programs {
		name := filepath.Dir(program)
		t.Run(name, func(t *testing.T) {
			if command := "GOWORK=off go -C interop run ./examples/" + name; !strings.Contains(string(readme), command+"`") {
				t.Errorf("README.md does not have the command %q", command)
			}
			if s, ok := needs[name]; ok {
				service.Need(t, s)
			}
			binary := filepath.Join(t.TempDir(), name)
			if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./"+name).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			ctx := kept.Context(t, "the program to end")
			var stderr strings.Builder
			cmd := exec.CommandContext(ctx, binary)
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s%s", errors.Join(err, context.Cause(ctx)), out, &stderr)
			}
			for _, complaint := range complaints(string(out), seconds[name]) {
				t.Errorf("%s; it printed\n%s", complaint, out)
			}
		})
	}
}

// complaints describes what is wrong with the output of a program that fails three times,
// on the schedule 100 ms, 200 ms, 400 ms, or, if bySeconds, twice on 1 s, 2 s.
func complaints(out string, bySeconds bool) (all []string) {
	base, attempts := 100*time.Millisecond, 4
	if bySeconds {
		base, attempts = time.Second, 3
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != attempts {
		all = append(all, fmt.Sprintf("there are %d lines, want %d", len(lines), attempts))
	}
	for i, line := range lines {
		var n int
		var text string
		if _, err := fmt.Sscanf(line, "attempt %d after %s", &n, &text); err != nil || n != i+1 {
			all = append(all, fmt.Sprintf("line %d is %q, want attempt %d after a time", i+1, line, i+1))
			continue
		}
		after, err := time.ParseDuration(text)
		if earliest := base*(1<<i-1) - 10*time.Millisecond; err != nil || after < earliest {
			all = append(all, fmt.Sprintf("attempt %d is after %s, want at least %v", n, text, earliest))
		}
	}
	return all
}

func TestComplaints(t *testing.T) {
	const right = "attempt 1 after 0s\nattempt 2 after 100ms\nattempt 3 after 310ms\nattempt 4 after 710ms\n"
	if got := complaints(right, false); len(got) > 0 {
		t.Errorf("of a right program: %q", got)
	}
	for _, wrong := range []string{
		"",
		"attempt 1 after 0s\nattempt 2 after 100ms\nattempt 3 after 310ms\n",
		"attempt 1 after 0s\nattempt 2 after 100ms\nattempt 3 after 210ms\nattempt 4 after 710ms\n",
		"attempt 0 after 0s\nattempt 1 after 100ms\nattempt 2 after 310ms\nattempt 3 after 710ms\n",
	} {
		if len(complaints(wrong, false)) == 0 {
			t.Errorf("no complaint about %q", wrong)
		}
	}
}
