package retry_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A program that does not log is linked without the code of log/slog that writes, which
// is a seventh of a small program.
func TestLinkedWithoutSlog(t *testing.T) {
	if testing.Short() || runtime.GOOS == "js" {
		t.Skip("builds two programs")
	}
	const program = `package main

import (
	"context"
	"log/slog"

	"example.com/backoff"
	"example.com/backoff/retry"
)

var logger *slog.Logger

func main() {
	_ = retry.Do(context.Background(), backoff.Constant(1), func(context.Context) error { return nil } OPTIONS)
}
`
	// Inside of the module, so that the program can import it; go build ./... ignores it.
	dir, err := os.MkdirTemp(".", "_linked")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for options, want := range map[string]bool{"": false, ", retry.WithLogger(logger)": true} {
		file, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "main.exe")
		if err := os.WriteFile(file, []byte(strings.Replace(program, " OPTIONS", options, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "build", "-o", binary, file).CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
		out, err := exec.Command("go", "tool", "nm", binary).Output()
		if err != nil {
			t.Fatalf("go tool nm: %v", err)
		}
		if got := strings.Contains(string(out), "log/slog.(*Logger).logAttrs"); got != want {
			t.Errorf("with the options %q, slog is linked: %v, want %v", options, got, want)
		}
	}
}
