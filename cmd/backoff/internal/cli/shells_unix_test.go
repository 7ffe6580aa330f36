//go:build unix

package cli

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
)

// TestMain runs the command, for completions in a shell, if the variable is set.
func TestMain(m *testing.M) {
	if os.Getenv("BACKOFF_COMPLETES") != "" {
		root := testRoot()
		root.SetArgs(os.Args[1:])
		if root.Execute() != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// In bash on a terminal these keys make these arguments.
func TestBash(t *testing.T) {
	rc := "bind 'set bell-style none'; bind 'set page-completions off'; bind 'set enable-bracketed-paste off'\n"
	testKeys(t, []string{"bash", "--noprofile", "--rcfile", "rc", "-i"}, rc, []typed{
		{"backoff sh\t", "<show>"},
		{"backoff show decorr\t", "<show><decorrelated-jitter(100ms, 10s)>"},
		{"backoff show 'decorr\t", "<show><decorrelated-jitter(100ms, 10s)>"},
		{`backoff show "decorr` + "\t", "<show><decorrelated-jitter(100ms, 10s)>"},
		{`backoff show decorrelated-jitter\(` + "\t", "<show><decorrelated-jitter(100ms, 10s)>"},
		{"backoff show exp\t00ms, 2\t", "<show><exponential(100ms, 2)>"}, // several have 'exponential(1 in common
		{"backoff show 'constant(1s) | wit\tfib\t00ms)'", "<show><constant(1s) | within(10s)><fibonacci(100ms)>"},
		{"backoff show 'list()' \"list(1s)\" full\t", "<show><list()><list(1s)><full-jitter(100ms, 10s)>"},
		{"backoff show --format j\t", "<show><--format><json>"},
		{"backoff show --format=j\t", "<show><--format=json>"},
		{"backoff show --retry 'decorr\t", "<show><--retry><decorrelated-jitter(100ms, 10s)>"},
		{"backoff show --retry=decorr\t", "<show><--retry=decorrelated-jitter(100ms, 10s)>"},
		{"backoff show --retry='decorr\t", "<show><--retry=decorrelated-jitter(100ms, 10s)>"},
		{"backoff show x --png a\t", "<show><x><--png><a file.png>"},
		{"backoff show x < a\t", "<show><x>"}, // a file, which is there
	})
}

// In zsh on a terminal these keys make these arguments.
func TestZsh(t *testing.T) {
	rc := "autoload -U compinit; compinit -u -d ./dump; unsetopt beep list_beep; PS1='$ '\n"
	testKeys(t, []string{"zsh", "-i"}, rc, []typed{
		{"backoff sh\t", "<show>"},
		{"backoff show decorr\t", "<show><decorrelated-jitter(100ms, 10s)>"},
		{"backoff show 'decorr\t", "<show><decorrelated-jitter(100ms, 10s)>"},
		{`backoff show "decorr` + "\t", "<show><decorrelated-jitter(100ms, 10s)>"},
		{"backoff show 'constant(1s) | wit\tfull\t", "<show><constant(1s) | within(10s)><full-jitter(100ms, 10s)>"},
		{"backoff show --format j\t", "<show><--format><json>"},
		{"backoff show --format=j\t", "<show><--format=json>"},
		{"backoff show --retry 'decorr\t", "<show><--retry><decorrelated-jitter(100ms, 10s)>"},
		{"backoff show x --png a\t", "<show><x><--png><a file.png>"},
	})
}

// Keys typed in a shell, and the arguments that backoff gets.
type typed struct{ keys, want string }

// testKeys types the keys in a shell, which runs rc first and then loads its completion.
func testKeys(t *testing.T, shell []string, rc string, tests []typed) {
	t.Helper()
	path, err := exec.LookPath(shell[0])
	if err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	rc += "source ./script\n" +
		"backoff() {\n  if [[ $1 == __complete ]]; then BACKOFF_COMPLETES=1 '" + self + "' \"$@\"\n" +
		"  else printf 'GOT'; printf '<%s>' \"$@\"; echo; fi\n}\n"
	for name, text := range map[string]string{
		"a file.png": "", "script": script(t, shell[0]), "rc": rc, ".zshrc": rc,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // if it waits for more keys
	defer cancel()
	interactive := exec.CommandContext(ctx, path, shell[1:]...)
	interactive.Dir = dir
	interactive.Env = append(os.Environ(), "PS1=$ ", "TERM=dumb", "INPUTRC=/dev/null", "ZDOTDIR="+dir)
	terminal, err := pty.StartWithSize(interactive, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	// All keys at once: the terminal echoes keys that come while the shell runs a command, in
	// the middle of its output.
	var keys strings.Builder
	for _, test := range tests {
		keys.WriteString(test.keys + "\n")
	}
	keys.WriteString("exit\n")
	if _, err := io.WriteString(terminal, keys.String()); err != nil {
		t.Fatal(err)
	}
	out, _ := io.ReadAll(terminal) // Linux ends a terminal that nobody has open with an error.
	if err := interactive.Wait(); err != nil {
		t.Error(err)
	}
	var got []string
	for _, line := range regexp.MustCompile(`(?m)^GOT(.*?)\r?$`).FindAllStringSubmatch(string(out), -1) {
		got = append(got, line[1])
	}
	var want []string
	for _, test := range tests {
		want = append(want, test.want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("arguments (-want +got):\n%s\nthe terminal:\n%s", diff, strings.ReplaceAll(string(out), "\r", ""))
	}
}
