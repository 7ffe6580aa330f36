//go:build unix && !aix && !solaris

package run

import (
	"io"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"example.com/backoff/cmd/backoff/internal/process"
)

// drawsForLong is a schedule whose first delay takes longer than a test that is stuck.
const drawsForLong = "--retry=full-jitter(1s, 1m)" +
	" | drop(2147483647) | drop(2147483647) | drop(2147483647) | drop(2147483647)"

// The time limit ends backoff while a delay is drawn.
func TestRunTimeoutDuringDraw(t *testing.T) {
	got := finish(t, backoffRun(t, drawsForLong, "--timeout=1s", "false"))
	// On a busy machine the command itself may take as long as the limit.
	if got.status != process.StatusTimedOut || !strings.HasSuffix(got.stderr, "; no time left\n") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("status %d, standard error %q", got.status, got.stderr)
	}
}

// So does a signal.
func TestRunSignalDuringDraw(t *testing.T) {
	cmd := backoffRun(t, drawsForLong, "sh", "-c", "echo $$; exit 1")
	rest, line := started(t, cmd)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	for ctx := untilStuck(t); syscall.Kill(pid, 0) == nil && ctx.Err() == nil; {
		// The attempt is not over.
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, rest)
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 128+int(syscall.SIGTERM) {
		t.Errorf("status %d, want that of SIGTERM", got)
	}
}

// A command that is not retried needs no delay.
func TestRunDrawsNothing(t *testing.T) {
	check(t, result{1, "", "backoff: attempt 1 failed with exit status 1; not retried\n"}, drawsForLong, "--on=3", "false")
	check(t, result{0, "", ""}, drawsForLong, "true")
}
