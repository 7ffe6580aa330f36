//go:build unix && !aix && !solaris

package run

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/term"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/process"
)

// The test binary is the command where this variable says so.
const asCommand = "BACKOFF_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Unsetenv(asCommand)
		os.Exit(cli.Execute(context.Background(), cli.NewRoot(New()), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	// Commands inherit the signals that this process ignores, because of nohup or a shell
	// without job control, and not those that it catches.
	for _, sig := range process.EndingSignals {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
	os.Exit(m.Run())
}

const (
	atOnce = "--retry=constant(0) | take(8)"
	never  = "--retry=constant(1h)" // a test that begins this delay is stuck
)

// stuck is when a test ends the command that it waits for, so that the test fails with what
// it has read so far. It is no limit for a machine that is busy.
const stuck = 2 * time.Minute

func untilStuck(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), stuck)
	t.Cleanup(cancel)
	return ctx
}

// backoffRun returns the command backoff run, which ends with the test, or when it is stuck.
func backoffRun(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(untilStuck(t), self, append([]string{"run"}, args...)...)
	// It ends what it runs, which may hold the test's pipe or terminal open, and is killed
	// when it takes too long for that.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+t.TempDir())
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// A result is what a user sees of a command that has ended.
type result struct {
	status         int
	stdout, stderr string
}

func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		t.Errorf("%q: a process that it started is still alive", cmd.Args)
	}
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// check runs backoff with an empty pipe as standard input.
func check(t *testing.T, want result, args ...string) {
	t.Helper()
	cmd := backoffRun(t, args...)
	cmd.Stdin = strings.NewReader("")
	got := finish(t, cmd)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
		t.Errorf("%q (-want +got):\n%s", args, diff)
	}
}

// script writes a script for sh.
func script(t *testing.T, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRunUntilSuccess(t *testing.T) {
	twice := script(t, `echo "out $RETRY_ATTEMPT"; echo "err $RETRY_ATTEMPT" >&2; [ $RETRY_ATTEMPT -eq 3 ] || exit 7`)
	check(t, result{0, "out 1\nout 2\nout 3\n", "err 1\n" +
		"backoff: attempt 1 of 9 failed with exit status 7; next in 0s\nerr 2\n" +
		"backoff: attempt 2 of 9 failed with exit status 7; next in 0s\nerr 3\n"}, atOnce, twice)
	check(t, result{0, "out 3\n", "err 1\nerr 2\nerr 3\n"}, atOnce, "--output", "last", "--quiet", "--", twice)
	check(t, result{0, "out 1\nout 2\nout 3\n", "err 1\nerr 2\nerr 3\n"}, atOnce, "-q", twice)
	check(t, result{7, "out 2\n", "err 1\nerr 2\n"}, "--retry", "constant(1ms) | take(1)", "--output", "last", "-q", twice)
	check(t, result{0, "out 3\n", "err 1\n" +
		"backoff: attempt 1 failed with exit status 7; next in 1ms\nerr 2\n" +
		"backoff: attempt 2 failed with exit status 7; next in 1ms\nerr 3\n"},
		"--retry", "constant(1ms)", "--output", "last", twice)
}

// The number of attempts bounds a delay, an expression, and what is there by default.
func TestRunAttempts(t *testing.T) {
	fails := []string{"sh", "-c", "echo $RETRY_ATTEMPT; exit 7"}
	check(t, result{7, "1\n2\n3\n", "backoff: attempt 1 of 3 failed with exit status 7; next in 1ms\n" +
		"backoff: attempt 2 of 3 failed with exit status 7; next in 1ms\n" +
		"backoff: attempt 3 of 3 failed with exit status 7; no attempt left\n"},
		append([]string{"-n", "3", "--delay", "0.001"}, fails...)...)
	check(t, result{7, "1\n2\n", ""}, append([]string{"-q", "--attempts", "2", "--delay", "constant(0s) | take(5)"}, fails...)...)
	check(t, result{7, "1\n2\n", ""}, append([]string{"-q", "-n5", "--retry", "list(0s)"}, fails...)...)
	check(t, result{7, "1\n", "backoff: attempt 1 of 1 failed with exit status 7; no attempt left\n"}, append([]string{"-n", "1"}, fails...)...)
	check(t, result{0, "1\n", ""}, "-n", "1", "sh", "-c", "echo $RETRY_ATTEMPT")
}

func TestRunStatuses(t *testing.T) {
	for _, test := range []struct {
		args   []string
		script string // 1, 2, 3, ... are its statuses, by attempt, unless it says otherwise
		status int
		stderr string
	}{
		{[]string{"--retry=list(0, 0)"}, "exit $RETRY_ATTEMPT", 3, "backoff: attempt 1 of 3 failed with exit status 1; next in 0s\n" +
			"backoff: attempt 2 of 3 failed with exit status 2; next in 0s\n" +
			"backoff: attempt 3 of 3 failed with exit status 3; no attempt left\n"},
		{[]string{"--retry=list()"}, "exit 4", 4, "backoff: attempt 1 of 1 failed with exit status 4; no attempt left\n"},
		{[]string{"--on", "1,75-77"}, "exit $RETRY_ATTEMPT", 2, "backoff: attempt 1 of 9 failed with exit status 1; next in 0s\n" +
			"backoff: attempt 2 of 9 failed with exit status 2; not retried\n"},
		{[]string{"--stop-on", "2"}, "exit $RETRY_ATTEMPT", 2, "backoff: attempt 1 of 9 failed with exit status 1; next in 0s\n" +
			"backoff: attempt 2 of 9 failed with exit status 2; not retried\n"},
		{[]string{"--until", "2-3"}, "exit $RETRY_ATTEMPT", 2, "backoff: attempt 1 of 9 failed with exit status 1; next in 0s\n"},
		{[]string{"--until", "1"}, "exit $((RETRY_ATTEMPT-2 ? 0 : 1))", 1, "backoff: attempt 1 of 9 failed with exit status 0; next in 0s\n"},
		{nil, "kill -KILL $$", 128 + 9, ""},
		{[]string{"--on", "137"}, "[ $RETRY_ATTEMPT -gt 1 ] || kill -KILL $$", 0, "backoff: attempt 1 of 9 was killed by SIGKILL; next in 0s\n"},
		{nil, "exit 126", 126, "backoff: attempt 1 of 9 failed with exit status 126; not retried\n"},
		{nil, "exit 255", 255, ""},
		{[]string{"--successes", "2"}, "[ $RETRY_ATTEMPT -ne 2 ]", 0, "backoff: attempt 1 of 9 succeeded, 1 of 2 in a row; next in 0s\n" +
			"backoff: attempt 2 of 9 failed with exit status 1; next in 0s\n" +
			"backoff: attempt 3 of 9 succeeded, 1 of 2 in a row; next in 0s\n"},
		{[]string{"--successes", "3", "--retry=list(0)"}, "true", 1, "backoff: attempt 1 of 2 succeeded, 1 of 3 in a row; next in 0s\n" +
			"backoff: attempt 2 of 2 succeeded, 2 of 3 in a row; no attempt left\n"},
		{[]string{"--successes", "3", "--retry=list(0)", "--until=0-255"}, "true", 255, ""},
		{[]string{"--until", "7", "--retry=list(0)"}, "true", 1, "backoff: attempt 1 of 2 failed with exit status 0; next in 0s\n" +
			"backoff: attempt 2 of 2 failed with exit status 0; no attempt left\n"},
		{[]string{"--until", "1-3", "--retry=list()"}, "true", 4, ""},
		{[]string{"--until", "7", "--on", "3"}, "true", 1, "backoff: attempt 1 of 9 failed with exit status 0; not retried\n"},
		{nil, "kill -PIPE $$", 141, "backoff: attempt 1 of 9 was killed by SIGPIPE; not retried\n"},
		{[]string{"--on", "141"}, "[ $RETRY_ATTEMPT -gt 1 ] || kill -PIPE $$", 0, ""},
		{[]string{"--attempt-timeout", ".05", "--on", "7"}, "exec sleep 1000", 124, ""},
		{[]string{"--attempt-timeout", "0.05", "--stop-on", "124"}, "exec sleep 1000", 124, ""},
		{[]string{"--attempt-timeout", "0.05", "--on", "124"}, "[ $RETRY_ATTEMPT -gt 1 ] || exec sleep 1000", 0, ""},
	} {
		args := append(append([]string{atOnce}, test.args...), "sh", "-c", test.script)
		cmd := backoffRun(t, args...)
		got := finish(t, cmd)
		if got.status != test.status {
			t.Errorf("%q: status %d, want %d", args, got.status, test.status)
		}
		if diff := cmp.Diff(test.stderr, got.stderr); test.stderr != "" && diff != "" {
			t.Errorf("%q: standard error (-want +got):\n%s", args, diff)
		}
	}
}

// A command that cannot be run is not retried, and --quiet does not hide the message.
func TestRunCannotRun(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	plain := filepath.Join(dir, "plain-file")
	if err := os.WriteFile(plain, []byte("echo ran\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(dir, "nowhere")
	for _, test := range []struct {
		command string
		status  int
		why     string
	}{
		{nowhere, 127, "no such file or directory"},
		{"no-such-command-anywhere", 127, "executable file not found in $PATH"},
		{plain, 126, "permission denied"},
		{"plain-file", 126, "permission denied"},
		{dir, 126, "is a directory"},
	} {
		check(t, result{test.status, "", "backoff: run: " + test.command + ": " + test.why + "\n"},
			never, "--quiet", test.command)
		check(t, result{test.status, "", "backoff: attempt 1 cannot run " + test.command + ": " + test.why + "; not retried\n"},
			never, test.command)
	}
	check(t, result{127, "", "backoff: attempt 1 of 2 cannot run " + nowhere + ": no such file or directory; next in 0s\n" +
		"backoff: attempt 2 of 2 cannot run " + nowhere + ": no such file or directory; no attempt left\n"},
		"--retry=list(0)", "--on", "127", nowhere)

	// A script without #! is one for sh.
	if err := os.Chmod(plain, 0o777); err != nil {
		t.Fatal(err)
	}
	check(t, result{0, "ran\n", ""}, "plain-file")
}

// Words after the command reach it unchanged.
func TestRunArguments(t *testing.T) {
	echo := script(t, `printf '<%s>' "$@"`)
	for _, args := range [][]string{
		{}, {"--help"}, {"--retry", "x"}, {"-q", "--", "-x"}, {"--"}, {"run"}, {"", " ", "a b"}, {"help"},
	} {
		want := "<" + strings.Join(args, "><") + ">"
		check(t, result{0, want, ""}, append([]string{echo}, args...)...)
		check(t, result{0, want, ""}, append([]string{"--", echo}, args...)...)
		check(t, result{0, want, ""}, append([]string{"--timeout", "1h", "--", echo}, args...)...)
	}
	check(t, result{0, "run\n", ""}, "echo", "run")
}

// The number of an attempt takes the place of one that was there before.
func TestRunEnvironment(t *testing.T) {
	t.Setenv("RETRY_ATTEMPT", "77")
	check(t, result{0, "RETRY_ATTEMPT=1\n", ""}, "--", "sh", "-c", "env | grep RETRY_ATTEMPT")
}

// A time limit ends an attempt with everything that it started.
func TestRunTimeouts(t *testing.T) {
	const attempt, all = "--attempt-timeout=LIMIT", "--timeout=LIMIT"
	for name, test := range map[string]struct {
		args []string
		trap string
		want string
	}{
		"attempt":         {[]string{attempt, "--retry=list(0)"}, "", "1 2 "},
		"all":             {[]string{all}, "", "1 "},
		"not on":          {[]string{attempt, "--on=1"}, "", "1 "},
		"on":              {[]string{attempt, "--retry=list(0)", "--on=124"}, "", "1 2 "},
		"ignores TERM":    {[]string{attempt, "--retry=list()", "--kill-after=30ms"}, "trap '' TERM", "1 "},
		"never asked":     {[]string{attempt, "--retry=list()", "--kill-after=0"}, "trap '' TERM", "1 "},
		"exits with 0":    {[]string{attempt, "--retry=list()"}, "trap 'exit 0' TERM", "1 "},
		"leaves a child":  {[]string{attempt, "--retry=list()", "--kill-after=50ms"}, "(trap '' TERM; while :; do sleep 0.01; done) & trap 'exit 0' TERM", "1 "},
		"is stopped":      {[]string{attempt, "--retry=list()"}, "(sleep 0.01; kill -STOP $$) &", "1 "},
		"stopped for all": {[]string{all, "--retry=list()"}, "(sleep 0.01; kill -STOP $$) &", "1 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const longest = 8 * time.Second
			for limit := 30 * time.Millisecond; ; limit *= 2 {
				args := []string{"-q", atOnce}
				for _, arg := range test.args {
					args = append(args, strings.ReplaceAll(arg, "LIMIT", limit.String()))
				}
				report := filepath.Join(t.TempDir(), "report")
				// A process that is alive holds the pipe open, so the test reads the end of
				// the output only when none is left.
				got := finish(t, backoffRun(t, append(args, "--report", report, "sh", "-c",
					test.trap+"\n"+`printf "$RETRY_ATTEMPT "; sleep 1000 & while :; do sleep 0.01; done`)...))
				attempts := reportedAttempts(t, report)
				// The messages of sh about its children on standard error do not matter.
				if got.status != process.StatusTimedOut || attempts != len(strings.Fields(test.want)) || got.stdout != test.want && limit >= longest {
					t.Fatalf("%v: status %d after %d attempts, standard output %q, standard error %q; want 124, %q",
						limit, got.status, attempts, got.stdout, got.stderr, test.want)
				}
				if got.stdout == test.want {
					return
				}
				// On a busy machine an attempt may be over before it wrote its number: the
				// next limit is twice this.
				t.Logf("%v was too short: %q", limit, got.stdout)
			}
		})
	}
}

func reportedAttempts(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Attempts []struct{} }
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	return len(r.Attempts)
}

// If a delay would last until the limit, backoff gives up instead of waiting.
func TestRunDelayPassesTimeout(t *testing.T) {
	check(t, result{124, "", "backoff: attempt 1 failed with exit status 3; no time left\n"},
		"--timeout", "59m", never, "sh", "-c", "exit 3")
}

// started waits for the first line that a command prints.
func started(t *testing.T, cmd *exec.Cmd) (rest *bufio.Reader, line string) {
	t.Helper()
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rest = bufio.NewReader(pipe)
	line, err = rest.ReadString('\n')
	if err != nil {
		t.Fatalf("the command prints %q, and then %v", line, err)
	}
	return rest, line
}

func TestRunPassesSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		for script, want := range map[string]int{
			"trap 'echo trapped; exit 0' NAME; echo ready; while :; do sleep 0.01; done": 0, // it did what it was called for
			"trap 'echo trapped; exit 3' NAME; echo ready; while :; do sleep 0.01; done": 128 + int(sig),
			// Not sleep: a shell that is just about to start a command can miss a signal.
			"echo ready; while :; do :; done": 128 + int(sig),
		} {
			script = strings.ReplaceAll(script, "NAME", strconv.Itoa(int(sig)))
			cmd := backoffRun(t, never, "sh", "-c", "ulimit -c 0; "+script)
			rest, _ := started(t, cmd)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			output, err := io.ReadAll(rest)
			if err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != want || strings.Contains(script, "trapped") != (string(output) == "trapped\n") {
				t.Errorf("%v, %q: status %d, want %d; the command wrote %q", sig, script, got, want, output)
			}
		}
	}
}

// Other signals reach only the command.
func TestRunPassesOtherSignals(t *testing.T) {
	cmd := backoffRun(t, never, "sh", "-c", "trap 'exit 0' USR1; echo ready; while :; do sleep 0.01; done")
	started(t, cmd)
	if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// A signal ends a delay at once. Output that was held back is still written.
func TestRunSignalEndsDelay(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		cmd := backoffRun(t, never, "--output", "last", "sh", "-c", "echo out; exit 1")
		var stdout bytes.Buffer
		cmd.Stdout = &stdout
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		log := bufio.NewReader(stderr)
		if line, err := log.ReadString('\n'); err != nil || line != "backoff: attempt 1 failed with exit status 1; next in 1h\n" {
			t.Fatalf("the log is %q (%v)", line, err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(log)
		if err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if got, want := cmd.ProcessState.ExitCode(), 128+int(sig); got != want || string(rest) != "backoff: ended by "+process.SignalName(sig)+"\n" || stdout.String() != "out\n" {
			t.Errorf("%v: status %d, want %d; then the log has %q; standard output is %q", sig, got, want, rest, stdout.String())
		}
	}
}

// A signal that was ignored from the start stays ignored, as nohup needs.
func TestRunIgnoredSignal(t *testing.T) {
	self := backoffRun(t, never, "sh", "-c", "echo ready; read line; exit 0")
	cmd := exec.CommandContext(untilStuck(t), "sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, self.Args...)...)
	cmd.Env = self.Env
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	started(t, cmd)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(stdin)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// Each attempt reads its input from the beginning, wherever it comes from.
func TestRunStandardInput(t *testing.T) {
	// More than a pipe and a piece of the recording hold.
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintln(&text, i)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("skipped\n"+text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	// The first reads nothing, the second some, the third all, and so does the fourth.
	read := script(t, `case $RETRY_ATTEMPT in
1) exit 1 ;;
2) head -c 100000; exit 1 ;;
3) cat; exit 1 ;;
4) cat ;;
esac`)
	want := text.String()[:100_000] + text.String() + text.String()
	for name, open := range map[string]func(t *testing.T, cmd *exec.Cmd){
		"pipe": func(_ *testing.T, cmd *exec.Cmd) { cmd.Stdin = strings.NewReader(text.String()) },
		"file": func(t *testing.T, cmd *exec.Cmd) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			if _, err := f.Seek(int64(len("skipped\n")), io.SeekStart); err != nil {
				t.Fatal(err)
			}
			cmd.Stdin = f
		},
		"socket": func(t *testing.T, cmd *exec.Cmd) {
			ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err != nil {
				t.Fatal(err)
			}
			near, far := os.NewFile(uintptr(ends[0]), "near"), os.NewFile(uintptr(ends[1]), "far")
			t.Cleanup(func() { far.Close() })
			syscall.CloseOnExec(ends[0])
			go func() {
				defer near.Close()
				io.WriteString(near, text.String())
			}()
			cmd.Stdin = far
		},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := backoffRun(t, "-q", atOnce, read)
			open(t, cmd)
			if got := finish(t, cmd); got.status != 0 || got.stderr != "" || got.stdout != want {
				t.Errorf("status %d, standard error %q, %d bytes of output, want 0, nothing, %d bytes",
					got.status, got.stderr, len(got.stdout), len(want))
			}
		})
	}
}

// An attempt reads input that arrives after its start, and the next attempt reads all.
func TestRunInputArrivesLater(t *testing.T) {
	cmd := backoffRun(t, "-q", atOnce, "sh", "-c", `head -n $RETRY_ATTEMPT | tr a-z A-Z; [ $RETRY_ATTEMPT = 3 ]`)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(stdin, "a")
	rest, line := started(t, cmd)
	got := line
	for _, next := range []string{"b", "c"} {
		fmt.Fprintln(stdin, next)
		for _, want := range map[string][]string{"b": {"A", "B"}, "c": {"A", "B", "C"}}[next] {
			line, err := rest.ReadString('\n')
			if err != nil || line != want+"\n" {
				t.Fatalf("after %q comes %q (%v), want %q", got, line, err, want)
			}
			got += line
		}
	}
	// Standard input is still open.
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// Endless standard input, and standard input that never arrives, do not block backoff.
func TestRunEndlessInput(t *testing.T) {
	endless := exec.CommandContext(t.Context(), "yes")
	pipe, err := endless.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := endless.Start(); err != nil {
		t.Fatal(err)
	}
	cmd := backoffRun(t, "-q", atOnce, "sh", "-c", "head -n 1; [ $RETRY_ATTEMPT = 3 ]")
	cmd.Stdin = pipe
	if got := finish(t, cmd); got.status != 0 || got.stdout != "y\ny\ny\n" {
		t.Errorf("status %d, standard output %q", got.status, got.stdout)
	}
	pipe.Close()
	_ = endless.Wait() // it dies of SIGPIPE

	silent, mute, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	cmd = backoffRun(t, "-q", atOnce, "sh", "-c", "echo $RETRY_ATTEMPT; [ $RETRY_ATTEMPT = 3 ]")
	cmd.Stdin = silent
	if got := finish(t, cmd); got.status != 0 || got.stdout != "1\n2\n3\n" {
		t.Errorf("status %d, standard output %q", got.status, got.stdout)
	}
}

// No temporary file is left, and the bytes are those that were written.
func TestRunLeavesNoFile(t *testing.T) {
	var data [1 << 20]byte
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	cmd := backoffRun(t, "-q", atOnce, "--output", "last", "sh", "-c", "cat; [ $RETRY_ATTEMPT = 2 ]")
	dir := t.TempDir()
	cmd.Env = append(cmd.Env, "TMPDIR="+dir)
	cmd.Stdin = bytes.NewReader(data[:])
	if got := finish(t, cmd); got.status != 0 || got.stdout != string(data[:]) || got.stderr != "" {
		t.Errorf("status %d, %d bytes, standard error %q, want 0, %d bytes, nothing", got.status, len(got.stdout), got.stderr, len(data))
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v (%v)", files, err)
	}
}

// If there is no room for a temporary file, backoff fails with a message, and the command
// does not take half of its input for the whole.
func TestRunNoSpool(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	cmd := backoffRun(t, never, "--output", "last", "true")
	cmd.Env = append(cmd.Env, "TMPDIR="+nowhere)
	got := finish(t, cmd)
	if got.status != process.StatusFailed || !regexp.MustCompile(`^backoff: run: standard output: open .*\n$`).MatchString(got.stderr) {
		t.Errorf("status %d, standard error %q", got.status, got.stderr)
	}
	cmd = backoffRun(t, never, "sh", "-c", "cat && sleep 1000")
	cmd.Env = append(cmd.Env, "TMPDIR="+nowhere)
	cmd.Stdin = strings.NewReader("lost")
	got = finish(t, cmd)
	if got.status != process.StatusFailed || !regexp.MustCompile(`^backoff: run: standard input: open .*\n$`).MatchString(got.stderr) {
		t.Errorf("status %d, standard error %q", got.status, got.stderr)
	}
}

func TestRunReport(t *testing.T) {
	type attempt struct {
		Attempt  int
		Start    float64
		Elapsed  float64
		Status   int
		Signal   string
		TimedOut bool `json:"timed_out"`
		Error    string
		Delay    *float64
	}
	type report struct {
		Command    []string
		Expression string
		Seed       uint64
		Started    time.Time
		Elapsed    float64
		Status     int
		Reason     string
		Attempts   []attempt
	}
	read := func(args ...string) report {
		t.Helper()
		file := filepath.Join(t.TempDir(), "report.json")
		finish(t, backoffRun(t, append([]string{"--report", file, "--seed=7"}, args...)...))
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r report
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		return r
	}
	const schedule = "uniform(1ms, 2ms) | take(3)"
	command := []string{"sh", "-c", "case $RETRY_ATTEMPT in 1) exit 3;; 2) kill -9 $$;; 3) exec sleep 1000;; esac"}
	// On a busy machine an attempt that does nothing may take as long as the limit: then the
	// next limit is twice this.
	limit := 250 * time.Millisecond
	var got report
	for hurried := true; hurried && limit < 8*time.Second; {
		limit *= 2
		got = read(append([]string{"--retry", schedule, "--attempt-timeout", limit.String(), "--on=3,124,137"}, command...)...)
		hurried = slices.ContainsFunc(got.Attempts, func(a attempt) bool { return a.Attempt != 3 && a.TimedOut })
	}
	if got.Started.IsZero() || len(got.Attempts) != 4 {
		t.Fatalf("the report is %+v", got)
	}
	var delays []float64
	end := 0.0
	for i := range got.Attempts {
		a := &got.Attempts[i]
		if a.Start < end || a.Elapsed <= 0 || a.TimedOut && a.Elapsed < limit.Seconds() {
			t.Errorf("attempt %d began at %v, took %v; %v is not before", a.Attempt, a.Start, a.Elapsed, end)
		}
		end = a.Start + a.Elapsed
		if a.Delay != nil {
			if *a.Delay < 0.001 || *a.Delay > 0.002 {
				t.Errorf("delay %d is %v, want one in [0.001, 0.002]", i, *a.Delay)
			}
			delays = append(delays, *a.Delay)
			end += *a.Delay
		}
		if retried := i < 3; retried != (a.Delay != nil) {
			t.Errorf("attempt %d has the delay %v, and is retried: %t", a.Attempt, a.Delay, retried)
		}
		a.Start, a.Elapsed, a.Delay = 0, 0, nil
	}
	if got.Elapsed < end {
		t.Errorf("all took %v, less than the last attempt's end at %v", got.Elapsed, end)
	}
	want := report{
		Command: command, Expression: schedule, Seed: 7, Status: 0, Reason: "succeeded",
		Started: got.Started, Elapsed: got.Elapsed,
		Attempts: []attempt{
			{Attempt: 1, Status: 3},
			{Attempt: 2, Status: 137, Signal: "SIGKILL"},
			{Attempt: 3, Status: 124, TimedOut: true},
			{Attempt: 4},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// The same seed draws the same delays.
	again := read("--retry", schedule, "sh", "-c", "exit 3")
	for i, d := range delays {
		if *again.Attempts[i].Delay != d {
			t.Errorf("delay %d is %v, was %v", i, *again.Attempts[i].Delay, d)
		}
	}
	if again.Status != 3 || again.Reason != "no attempt left" || again.Attempts[3].Delay != nil {
		t.Errorf("the report is %+v", again)
	}
	for reason, args := range map[string][]string{
		"not retried":  {"--stop-on=3", "sh", "-c", "exit 3"},
		"no time left": {"--timeout=1m", never, "false"},
	} {
		if got := read(args...); got.Reason != reason || len(got.Attempts) != 1 {
			t.Errorf("%q: the report is %+v, want the reason %q", args, got, reason)
		}
	}
	if got := read("/nowhere"); got.Status != 127 || got.Attempts[0].Error != "no such file or directory" {
		t.Errorf("the report is %+v", got)
	}
}

// Words that are not UTF-8 are in the report too.
func TestRunReportBytes(t *testing.T) {
	type report struct {
		Command []string
		Base64  [][]byte `json:"command_base64"`
	}
	for _, test := range []struct {
		word string
		want report
	}{
		{"ü\u2028", report{Command: []string{"true", "ü\u2028"}}},
		{"\xffü", report{[]string{"true", "\ufffdü"}, [][]byte{[]byte("true"), []byte("\xffü")}}},
	} {
		stdout := finish(t, backoffRun(t, "-q", "--report=-", "true", test.word)).stdout
		var got report
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatalf("%v in\n%s", err, stdout)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.word, diff)
		}
		if has := strings.Contains(stdout, "base64"); has != (test.want.Base64 != nil) {
			t.Errorf("%q: the report has them in base64: %t", test.word, has)
		}
	}
}

// On standard output the report follows what the command wrote there.
func TestRunReportToOutput(t *testing.T) {
	for _, output := range []string{"all", "last"} {
		got := finish(t, backoffRun(t, "-q", "--report=-", "--output", output, "--", "echo", "out"))
		report, found := strings.CutPrefix(got.stdout, "out\n")
		var r struct{ Reason string }
		if err := json.Unmarshal([]byte(report), &r); err != nil || !found || r.Reason != "succeeded" || got.status != 0 {
			t.Errorf("--output %s: status %d (%v), standard output\n%s", output, got.status, err, got.stdout)
		}
	}
	if _, err := os.Stat("-"); err == nil {
		t.Error("there is a file with the name -")
	}
}

// A dry run writes the delays of the flags, and runs nothing.
func TestRunDry(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	check(t, result{0, `attempt         delay       elapsed
      1                          0s
      2            1s            1s
      3            1s            2s
no attempt left
`, ""}, "--dry-run", "-n", "3", "--delay", "1", "touch", ran)
	if _, err := os.Stat(ran); err == nil {
		t.Error("the command ran")
	}
}

// The seed that a dry run prints gives the same delays again.
func TestRunDrySeed(t *testing.T) {
	args := []string{"--dry-run", "--timeout", "1m", "true"}
	first := finish(t, backoffRun(t, args...))
	seed := regexp.MustCompile(`(?m)^the delays are those of (--seed) (\d+)$`).FindStringSubmatch(first.stdout)
	if seed == nil {
		t.Fatalf("there is no seed in\n%s", first.stdout)
	}
	check(t, first, append(seed[1:], args...)...)
}

// state returns the letter that ps has for the state of a process.
func state(t *testing.T, pid string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ps", "-o", "stat=", "-p", pid).Output()
	if err != nil || len(out) == 0 {
		t.Fatalf("process %s has the state %q (%v)", pid, out, err)
	}
	return string(out[:1])
}

// untilState waits until the state of a process is one of these letters.
func untilState(t *testing.T, pid, letters string) {
	t.Helper()
	for ctx := untilStuck(t); !strings.Contains(letters, state(t, pid)); {
		if ctx.Err() != nil {
			t.Fatalf("process %s never has the state %s", pid, letters)
		}
	}
}

// A command that is stopped gets an ending signal at once: backoff continues it.
func TestRunEndsStopped(t *testing.T) {
	cmd := backoffRun(t, never, "sh", "-c", "trap 'echo trapped; exit 0' TERM; echo $$; kill -STOP $$; while :; do sleep 0.01; done")
	rest, pid := started(t, cmd)
	untilState(t, strings.TrimSpace(pid), "T")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	output, err := io.ReadAll(rest)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || string(output) != "trapped\n" {
		t.Errorf("it ended with %v, after it wrote %q", err, output)
	}
}

// onTerminal runs backoff as a shell's foreground job on a terminal of its own.
func onTerminal(t *testing.T, args ...string) (cmd *exec.Cmd, terminal *os.File, output *bufio.Reader) {
	t.Helper()
	cmd = backoffRun(t, args...)
	terminal, output = startOnTerminal(t, cmd)
	return cmd, terminal, output
}

// startOnTerminal starts cmd as the leader of a session with a terminal of its own.
func startOnTerminal(t *testing.T, cmd *exec.Cmd) (terminal *os.File, output *bufio.Reader) {
	t.Helper()
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return terminal, bufio.NewReader(terminal)
}

// A line that is too long for the terminal keeps its countdown.
func TestRunNarrowTerminal(t *testing.T) {
	cmd := backoffRun(t, never, "sh", "-c", "exit 100")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 5, Cols: 40})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	expect(t, bufio.NewReader(terminal), "\rbackoff: attempt 1 failed …; next in 1h")
	endNow(t, cmd)
}

// A line that stays is broken, and says all.
func TestRunNarrowTerminalKeepsStatus(t *testing.T) {
	cmd := backoffRun(t, "-n", "2", "--delay", "0.01", "sh", "-c", "exit 100")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 5, Cols: 40})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	all, _ := io.ReadAll(terminal) // which ends with an error when the other side is closed
	_ = cmd.Wait()
	const want = `\rbackoff: attempt 1 of 2 failed with    \r\nexit status 100; waited [\d.]+m?s\r\n` +
		`backoff: attempt 2 of 2 failed with\r\nexit status 100; no attempt left\r\n$`
	if !regexp.MustCompile(want).Match(all) {
		t.Errorf("the terminal has %q, want %s", all, want)
	}
}

// With --quiet there is no countdown either.
func TestRunQuietTerminal(t *testing.T) {
	cmd, _, output := onTerminal(t, "-q", "-n", "3", "--delay", "0.01", "sh", "-c", "printf $RETRY_ATTEMPT; exit 7")
	all, _ := io.ReadAll(output) // which ends with an error when the other side is closed
	if string(all) != "123" {
		t.Errorf("the terminal has %q, want 123", all)
	}
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
}

// endNow kills backoff, which is in a delay.
func endNow(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
}

// expect reads until a text comes.
func expect(t *testing.T, output *bufio.Reader, text string) (all string) {
	t.Helper()
	var seen strings.Builder
	for !strings.HasSuffix(seen.String(), text) {
		b, err := output.ReadByte()
		if err != nil {
			t.Fatalf("%v before %q, after %q", err, text, seen.String())
		}
		seen.WriteByte(b)
	}
	return seen.String()
}

func endedBy(t *testing.T, cmd *exec.Cmd, sig syscall.Signal) {
	t.Helper()
	_ = cmd.Wait()
	if got := cmd.ProcessState.Sys().(syscall.WaitStatus); !got.Signaled() || got.Signal() != sig {
		t.Errorf("it ended with %v, want %v", cmd.ProcessState, sig)
	}
}

// Ctrl-C ends a delay, a command that only writes, and a command that reads from the
// terminal; each time a shell can tell that it was ctrl-C.
func TestRunTerminalInterrupt(t *testing.T) {
	const ctrlC = "\x03"
	for name, test := range map[string]struct{ args, before, after string }{
		"delay":   {"exit 1", "next in 1h", ""},
		"writes":  {"echo ready; exec sleep 1000", "ready", ""},
		"reads":   {"stty -echo; echo ready; read line; echo got $line; exec sleep 1000", "ready", "hello\n"},
		"handles": {"trap 'exit 130' INT; stty -echo; echo ready; read line; echo got $line; while :; do sleep 0.01; done", "ready", "hello\n"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, terminal, output := onTerminal(t, never, "sh", "-c", test.args)
			if test.before == "next in 1h" {
				expect(t, output, "backoff: attempt 1 failed with exit status 1; next in 1h")
			} else {
				expect(t, output, test.before)
			}
			if test.after != "" {
				io.WriteString(terminal, test.after)
				expect(t, output, "got hello")
			}
			io.WriteString(terminal, ctrlC)
			go io.Copy(io.Discard, output)
			endedBy(t, cmd, syscall.SIGINT)
		})
	}
}

// A command may read from the terminal in each attempt, by its standard input and by
// /dev/tty, and backoff has the terminal again in between.
func TestRunTerminalInput(t *testing.T) {
	cmd, terminal, output := onTerminal(t, "--retry=constant(10ms) | take(3)", "sh", "-c",
		`grep SigIgn /proc/self/status; stty -echo; echo ask $RETRY_ATTEMPT; read a; read b </dev/tty; echo "<$a $b>"; [ "$a" = yes ]`)
	for i, answer := range []string{"no", "maybe", "yes"} {
		if runtime.GOOS == "linux" {
			// Nor does an attempt inherit what backoff does about signals.
			expect(t, output, "SigIgn:\t0000000000000000\r\n")
		}
		expect(t, output, fmt.Sprintf("ask %d\r\n", i+1))
		fmt.Fprintf(terminal, "%s\nindeed\n", answer)
		expect(t, output, "<"+answer+" indeed>\r\n")
		if answer != "yes" {
			expect(t, output, fmt.Sprintf("backoff: attempt %d of 4 failed with exit status 1; waited ", i+1))
			// Of at least 10 ms, and as late as the machine is busy.
			if waited := strings.TrimSpace(expect(t, output, "\r\n")); !regexp.MustCompile(`^[1-9]\d+ms$|^[\d.]+s$`).MatchString(waited) {
				t.Errorf("it waited %q, want at least 10ms", waited)
			}
		}
	}
	go io.Copy(io.Discard, output)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// The terminal's modes are restored after each attempt that was killed.
func TestRunTerminalModes(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	before, err := term.GetState(int(master.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	cmd := backoffRun(t, "--attempt-timeout=300ms", "--retry=list(0)", "sh", "-c", "stty -echo -icanon; exec sleep 1000")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = cmd.Start()
	slave.Close()
	if err != nil {
		t.Fatal(err)
	}
	output := bufio.NewReader(master)
	expect(t, output, "no attempt left")
	after, err := term.GetState(int(master.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if *before != *after {
		t.Error("the modes are not what they were")
	}
	go io.Copy(io.Discard, output)
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != process.StatusTimedOut {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
}

// Ctrl-Z stops backoff and the command, whichever of them has the terminal, and both
// continue when a shell continues backoff.
func TestRunTerminalStop(t *testing.T) {
	for name, ask := range map[string]string{"writes": "", "reads": "stty -echo; read x;"} {
		t.Run(name, func(t *testing.T) {
			// The script starts nothing while it is stopped: a shell in vfork(2) cannot be.
			self := backoffRun(t, never, "sh", "-c", ask+`echo ready; while [ ! -e "$GO" ]; do :; done; echo went on`)
			self.Env = append(self.Env, "GO="+filepath.Join(t.TempDir(), "go"))
			cmd, terminal, output := inShell(t, self, `"$@"; echo "stopped $?"; touch "$GO"; fg >/dev/null; echo "ended $?"`)
			if ask != "" {
				io.WriteString(terminal, "answer\n")
			}
			expect(t, output, "ready\r\n")
			io.WriteString(terminal, "\x1a")
			expect(t, output, "stopped ")
			expect(t, output, "went on\r\n")
			expect(t, output, "ended 0\r\n")
			go io.Copy(io.Discard, output)
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	clitest.Golden(t, "run-help", clitest.Succeeds(t, New, "run", "--help"))
}
