//go:build unix && !aix && !solaris

package run

import (
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inGroup starts backoff as a shell does, in a group of its own, which can be stopped because
// its parent is of another group, and waits for the first line that the command prints.
func inGroup(t *testing.T, args ...string) (send func(...syscall.Signal), wait func() error, line string) {
	t.Helper()
	cmd := backoffRun(t, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	rest, line := started(t, cmd)
	send = func(all ...syscall.Signal) {
		t.Helper()
		for _, sig := range all {
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
		}
	}
	return send, func() error { _, _ = io.Copy(io.Discard, rest); return cmd.Wait() }, strings.TrimSpace(line)
}

// A SIGTSTP stops backoff and the command, and a SIGCONT continues both, again and again.
func TestRunStops(t *testing.T) {
	send, wait, pids := inGroup(t, never, "sh", "-c", "echo $$ $PPID; while :; do :; done")
	command, backoff, _ := strings.Cut(pids, " ")
	for i := range 3 {
		send(syscall.SIGTSTP)
		for i > 0 && !strings.Contains("T", state(t, backoff)) {
			// One that comes right after a SIGCONT could have been sent before it, and does
			// nothing.
			send(syscall.SIGTSTP)
		}
		untilState(t, backoff, "T")
		untilState(t, command, "T")
		send(syscall.SIGCONT)
		untilState(t, backoff, "SR")
		untilState(t, command, "SR")
	}
	send(syscall.SIGTERM)
	_ = wait()
}

// A SIGCONT right after a SIGTSTP, which comes while backoff is about to stop, leaves neither
// backoff nor the command stopped. Without the care of process.Relay that fails one of ten times.
func TestRunContinuesAtOnce(t *testing.T) {
	times := 60
	if testing.Short() {
		times = 12 // a start takes a second under the race detector
	}
	for i := range times {
		send, wait, _ := inGroup(t, never, "sh", "-c", "trap 'exit 0' USR1; echo ready; while :; do :; done")
		for range 1 + i%3 {
			send(syscall.SIGTSTP)
			for start, pause := time.Now(), time.Duration(i)*5*time.Microsecond; time.Since(start) < pause; {
				// A sleep would be longer.
			}
			send(syscall.SIGCONT)
		}
		send(syscall.SIGUSR1)
		if err := wait(); err != nil {
			t.Fatalf("after %d times, it ended with %v", i, err)
		}
	}
}
