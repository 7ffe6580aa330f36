package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/expr"
)

// runs runs backoff with all its commands, in this process.
func runs(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = cli.Execute(t.Context(), cli.NewRoot(commands()...), args, strings.NewReader(""), &out, &errs)
	return status, out.String(), errs.String()
}

// succeeds is runs where nothing may go wrong.
func succeeds(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	status, stdout, stderr := runs(t, args...)
	if status != 0 || stderr != "" {
		t.Fatalf("%q: status %d, standard error %q", args, status, stderr)
	}
	return stdout
}

// Bad input is one line on standard error, nothing on standard output and status 2.
func TestBadInput(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"shwo"}, `unknown command "shwo", did you mean show?`},
		{[]string{"frobnicate", "constant(1s)"}, `unknown command "frobnicate", want one of completion, list, load, plan, run, serve, show, sim`},
		{[]string{"--frobnicate"}, "unknown flag: --frobnicate"},
		{[]string{"help", "shaw"}, `unknown command "shaw", did you mean show?`},
		{[]string{"help", "sim", "nothing"}, `unknown command "nothing", want one of contention, overload`},
		{[]string{"completion", "csh"}, `unknown command "csh", want one of bash, fish, powershell, zsh`},
	} {
		status, stdout, stderr := runs(t, test.args...)
		if status != 2 || stdout != "" {
			t.Errorf("%q: status %d, want 2; standard output %q, want nothing", test.args, status, stdout)
		}
		if diff := cmp.Diff("backoff: "+test.want+"\n", stderr); diff != "" {
			t.Errorf("%q: standard error (-want +got):\n%s", test.args, diff)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"--help"}} {
		if got := succeeds(t, args...); !strings.Contains(got, "  show ") || !strings.Contains(got, "  list ") {
			t.Errorf("%q does not name the commands:\n%s", args, got)
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := succeeds(t, "completion", shell); !strings.Contains(got, "backoff") {
			t.Errorf("the completion for %s is %q", shell, got)
		}
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"show", "--format", ""}, "table\ncsv\njson\n:4\n"},
		{[]string{"show", "fib"}, "fibonacci(100ms)\tbase·(1, 1, 2, 3, 5, 8, ...)\nfibonacci(1s) | scale(0.5)\tfactor·d\n:4\n"},
		{[]string{"list", ""}, ":4\n"},
		{[]string{"run", "--output", ""}, "all\nlast\n:4\n"},
		{[]string{"run", "--retry", "fib"}, "fibonacci(100ms)\tbase·(1, 1, 2, 3, 5, 8, ...)\nfibonacci(1s) | scale(0.5)\tfactor·d\n:4\n"},
		{[]string{"run", "gi"}, ":0\n"}, // the shell's own: files
	} {
		_, got, _ := runs(t, append([]string{"__complete"}, test.args...)...)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("completion of %q (-want +got):\n%s", test.args, diff)
		}
	}
}

// Each line of the list that is a command runs as it stands there.
func TestListedExamplesRun(t *testing.T) {
	commands := regexp.MustCompile(`(?m)^ +backoff show '(.*)'$`).FindAllStringSubmatch(succeeds(t, "list"), -1)
	if want := len(expr.Stages()); len(commands) != want {
		t.Errorf("%d examples, want %d", len(commands), want)
	}
	for _, c := range commands {
		if got := succeeds(t, "show", c[1]); !strings.HasPrefix(got, c[1]+"\n") || !strings.Contains(got, "retry") {
			t.Errorf("show %s prints\n%s", c[1], got)
		}
	}
}
