//go:build unix && !aix && !solaris

package run

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// inShell runs a script with job control on a terminal of its own, where "$@" is backoff. A
// process whose parent is of another session cannot be stopped from the terminal.
func inShell(t *testing.T, backoff *exec.Cmd, script string) (shell *exec.Cmd, terminal *os.File, output *bufio.Reader) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	// Without noflsh the terminal could lose what is written after ctrl-Z: it drops its output
	// after it has sent the signal.
	shell = exec.CommandContext(untilStuck(t), "bash", append([]string{"-c", "stty noflsh; set -m; " + script, "bash"}, backoff.Args...)...)
	shell.Env = backoff.Env
	terminal, output = startOnTerminal(t, shell)
	return shell, terminal, output
}

// In the background backoff writes what it does without a terminal: the shell's prompt is there.
func TestRunInBackground(t *testing.T) {
	backoff := backoffRun(t, "-n", "2", "--delay", "0.01", "sh", "-c", "exit 7")
	shell, _, output := inShell(t, backoff, `"$@" & wait`)
	const want = "backoff: attempt 1 of 2 failed with exit status 7; next in 10ms\r\n" +
		"backoff: attempt 2 of 2 failed with exit status 7; no attempt left\r\n"
	if diff := cmp.Diff(want, expect(t, output, "no attempt left\r\n")); diff != "" {
		t.Errorf("the terminal has (-want +got):\n%s", diff)
	}
	go io.Copy(io.Discard, output)
	if err := shell.Wait(); err != nil {
		t.Error(err)
	}
}

// After ctrl-Z and bg backoff writes nothing more about the delay, and after fg it counts down
// again.
func TestRunMovesToBackground(t *testing.T) {
	const countdown = "\rbackoff: attempt 1 failed with exit status 7; "
	for _, then := range []string{"bg", "fg"} {
		shell, terminal, output := inShell(t, backoffRun(t, never, "sh", "-c", "exit 7"),
			`"$@"; echo stopped; `+then+` >/dev/null; kill %1; wait; echo ended`)
		expect(t, output, countdown+"next in 1h")
		io.WriteString(terminal, "\x1a")
		expect(t, output, "stopped\r\n")
		if then == "fg" {
			expect(t, output, countdown+"next in ")
			io.WriteString(terminal, "\x03")
			expect(t, output, countdown+"waited ")
		} else if rest := expect(t, output, "ended\r\n"); strings.Contains(rest, countdown) || !strings.Contains(rest, "ended by SIGTERM\r\n") {
			t.Errorf("after bg and kill comes %q, want no countdown, and the signal", rest)
		}
		go io.Copy(io.Discard, output)
		_ = shell.Wait() // it dies of ctrl-C too
	}
}

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
