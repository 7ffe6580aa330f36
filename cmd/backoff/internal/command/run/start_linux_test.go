package run

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A command that cannot be started because the machine is busy is retried, unless --on or
// --stop-on says otherwise.
func TestRunBusyFile(t *testing.T) {
	command := script(t, "")
	file, err := os.OpenFile(command, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, args := range [][]string{{"--stop-on=126"}, {"--on=1"}} {
		check(t, result{126, "", "backoff: attempt 1 cannot run " + command + ": text file busy; not retried\n"},
			append(args, never, command)...)
	}

	cmd := backoffRun(t, "--delay=10ms", command)
	log := startLogged(t, cmd)
	for i := 1; i < 3; i++ {
		expect(t, log, fmt.Sprintf("attempt %d cannot run %s: text file busy; next in 10ms\n", i, command))
	}
	file.Close()
	endsWell(t, cmd, log)
}

// So is one for which there are too many open files, whatever backoff opens for it.
func TestRunTooManyFiles(t *testing.T) {
	for name, flag := range map[string]string{"command": "--output=all", "output": "--output=last", "input": "--output=all"} {
		t.Run(name, func(t *testing.T) {
			gone := filepath.Join(t.TempDir(), "gone")
			cmd := backoffRun(t, flag, "--delay=10ms", "sh", "-c", `[ $RETRY_ATTEMPT = 1 ] || exit 0
echo ready >&2
while [ ! -e "$1" ]; do sleep 0.01; done
exit 1`, "sh", gone)
			if name == "input" {
				cmd.Stdin = strings.NewReader("") // by a pipe, for which backoff makes others
			}
			log := startLogged(t, cmd)
			expect(t, log, "ready\n")
			var before unix.Rlimit
			if err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_NOFILE, nil, &before); err != nil {
				t.Fatal(err)
			}
			limit := func(l unix.Rlimit) {
				t.Helper()
				if err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_NOFILE, &l, nil); err != nil {
					t.Fatal(err)
				}
			}
			limit(unix.Rlimit{Cur: 3, Max: before.Max})
			if err := os.WriteFile(gone, nil, 0o666); err != nil {
				t.Fatal(err)
			}
			expect(t, log, "attempt 2 cannot run sh: too many open files; next in 10ms\n")
			limit(before)
			endsWell(t, cmd, log)
		})
	}
}

// startLogged starts a command and returns its standard error.
func startLogged(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return bufio.NewReader(stderr)
}

// endsWell waits for a command that succeeds.
func endsWell(t *testing.T, cmd *exec.Cmd, log *bufio.Reader) {
	t.Helper()
	rest, _ := io.ReadAll(log)
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v, after %q", err, rest)
	}
}
