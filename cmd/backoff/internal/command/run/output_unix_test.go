//go:build unix && !aix && !solaris

package run

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/backoff/cmd/backoff/internal/process"
)

// Output that is held back is whole even if the command opens it again by a name, and
// however many processes write to it.
func TestRunOutputByName(t *testing.T) {
	if _, err := os.Stat("/dev/stdout"); err != nil {
		t.Skip(err)
	}
	for script, want := range map[string]string{
		"echo a; echo b >/dev/stdout; echo c":                               "a\nb\nc\n",
		"echo a; echo b | tee /dev/stdout; echo c":                          "a\nb\nb\nc\n",
		"echo a; echo b >>/dev/stdout; echo c":                              "a\nb\nc\n",
		"for i in 1 2 3; do (echo $i; echo $i >/dev/stdout) & wait; done":   "1\n1\n2\n2\n3\n3\n",
		"echo a >/dev/stdout; [ $RETRY_ATTEMPT = 2 ] && echo b":             "a\nb\n",
		"echo a; [ $RETRY_ATTEMPT = 3 ] && exec cat /dev/null >/dev/stdout": "a\n",
	} {
		check(t, result{0, want, ""}, "-q", atOnce, "--output", "last", "--", "sh", "-c", script)
	}
}

// What the command has written when it ends is there, even if it was written the moment
// before and a process that stays behind holds the output open. That process can go on
// writing, which belongs to no attempt.
func TestRunOutputOfBackground(t *testing.T) {
	text := strings.Repeat("all of it\n", 6000) // which a pipe holds
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	stays := filepath.Join(t.TempDir(), "stays")
	wrote := filepath.Join(t.TempDir(), "wrote")
	got := finish(t, backoffRun(t, "-q", atOnce, "--output", "last", "--", "sh", "-c", `cat "$1"
case $RETRY_ATTEMPT in
1) (while [ ! -e "$2" ]; do sleep 0.01; done; cat "$1" "$1" && echo >"$3") & exit 1 ;;
2) echo >"$2"; while [ ! -e "$3" ]; do sleep 0.01; done ;;
esac`, "sh", file, stays, wrote))
	if got.status != 0 || got.stdout != text || got.stderr != "" {
		t.Errorf("status %d, %d bytes of output, standard error %q; want 0, %d bytes, nothing",
			got.status, len(got.stdout), got.stderr, len(text))
	}
}

// A process that writes without end does not keep backoff from ending.
func TestRunOutputWithoutEnd(t *testing.T) {
	got := finish(t, backoffRun(t, "-q", "-n", "1", "--output", "last", "--", "sh", "-c", "yes & sleep 0.1; exit 3"))
	if got.status != 3 || strings.Trim(got.stdout, "y\n") != "" {
		t.Errorf("status %d, want 3; standard error %q", got.status, got.stderr)
	}
}

// If the disk is full, the command does not run to its end for nothing.
func TestRunOutputTooLong(t *testing.T) {
	self := backoffRun(t, never, "-q", "--output", "last", "--", "sh", "-c", "head -c 100000 /dev/zero; exec sleep 1000")
	cmd := backoffRun(t)
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -f 1; exec "$@"`, "sh"}, self.Args...)
	cmd.Env = self.Env
	got := finish(t, cmd)
	if got.status != process.StatusFailed || !regexp.MustCompile(`^backoff: run: standard output: write .*: file too large\n$`).MatchString(got.stderr) {
		t.Errorf("status %d, standard error %q", got.status, got.stderr)
	}
}
