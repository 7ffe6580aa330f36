package run

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// As the first process of a container backoff is the parent of all processes whose own has
// ended, and waits for them, during an attempt and during a delay.
func TestRunReapsOrphans(t *testing.T) {
	container := []string{"--pid", "--fork", "--mount-proc", "--kill-child"}
	if out, err := exec.CommandContext(untilStuck(t), "unshare", append(container, "true")...).CombinedOutput(); err != nil {
		t.Skipf("there are no namespaces of processes: %v, %s", err, out)
	}
	// A process is in /proc until its parent has waited for it.
	const orphan = `orphan() {
	(sh -c 'echo $$ >"$1"' sh "$1" &)
	while [ ! -s "$1" ]; do sleep 0.01; done
	while [ -e "/proc/$(cat "$1")" ]; do sleep 0.01; done
	echo reaped
}
`
	for name, script := range map[string]string{
		"attempt": `orphan "$1"; exec sleep 1000`,
		"delay":   `orphan "$1" & exit 1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := backoffRun(t, never, "sh", "-c", orphan+script, "sh", filepath.Join(t.TempDir(), "pid"))
			unshare, err := exec.LookPath("unshare")
			if err != nil {
				t.Fatal(err)
			}
			cmd.Args = append(append([]string{"unshare"}, container...), cmd.Args...)
			cmd.Path = unshare
			if _, line := started(t, cmd); line != "reaped\n" {
				t.Errorf("the command prints %q", line)
			}
			endNow(t, cmd)
		})
	}
}
