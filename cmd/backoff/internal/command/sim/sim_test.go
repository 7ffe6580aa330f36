package sim

import (
	"bytes"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/clitest"
)

func TestHelp(t *testing.T) {
	clitest.Golden(t, "sim-help", clitest.Succeeds(t, New, "sim"))
}

func TestBadInput(t *testing.T) {
	clitest.Refuses(t, New, `sim: unknown command "x", want one of contention, overload`, "sim", "x")
	clitest.Refuses(t, New, `sim: unknown command "contentoin", did you mean contention?`, "sim", "contentoin")
}

// An interrupt ends a simulation at once, with a line and status 130.
func TestInterrupt(t *testing.T) {
	// The test survives a signal that arrives before the command listens, or after the end of
	// this function: so there is no signal.Stop.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"sim", "contention", "--reps", "1000000"},
		{"sim", "overload", "--clients", "10000000", "--png", filepath.Join(t.TempDir(), "never.png")},
	} {
		var stdout, stderr bytes.Buffer
		status := make(chan int, 1)
		go func() {
			status <- cli.Execute(t.Context(), cli.NewRoot(New()), args, strings.NewReader(""), &stdout, &stderr)
		}()
		stuck := time.After(5 * time.Minute)
		ticks := time.NewTicker(10 * time.Millisecond)
		for ended := false; !ended; {
			select {
			case s := <-status:
				ended = true
				want := "backoff: " + strings.Join(args[:2], " ") + ": interrupted\n"
				if s != 130 || stdout.Len() > 0 || stderr.String() != want {
					t.Errorf("%q: status %d, standard output %q, standard error %q", args, s, stdout.String(), stderr.String())
				}
			case <-ticks.C:
				if err := self.Signal(os.Interrupt); err != nil {
					t.Skip(err) // This system has no such signals.
				}
			case <-stuck:
				t.Fatalf("%q: signals for 5 minutes do not end it", args)
			}
		}
		ticks.Stop()
	}
}
