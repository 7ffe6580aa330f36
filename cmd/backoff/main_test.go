package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/expr"
)

// runs runs backoff with all its commands, in this process.
func runs(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = cli.Execute(t.Context(), newRoot(), args, strings.NewReader(""), &out, &errs)
	return status, out.String(), errs.String()
}

// succeeds runs a command that must not fail or write to standard error.
func succeeds(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	status, stdout, stderr := runs(t, args...)
	if status != 0 || stderr != "" {
		t.Fatalf("%q: status %d, standard error %q", args, status, stderr)
	}
	return stdout
}

// Bad input gets one line on standard error, nothing on standard output, and status 2.
func TestBadInput(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"shwo"}, `unknown command "shwo", did you mean show?`},
		{[]string{"frobnicate", "constant(1s)"}, `unknown command "frobnicate", want one of show, plan, list, run, sim, serve, load, version, completion`},
		{[]string{"--frobnicate"}, `unknown flag --frobnicate, see "backoff --help"`},
		{[]string{"plan", "-t", "5"}, `unknown flag -t, see "backoff plan --help"`},
		{[]string{"show", "--x"}, `unknown flag --x, see "backoff show --help"`},
		{[]string{"run", "--ü", "x"}, `unknown flag --ü, see "backoff run --help"`},
		{[]string{"help", "shaw"}, `unknown command "shaw", did you mean show?`},
		{[]string{"help", "sim", "nothing"}, `unknown command "nothing", want one of contention, overload`},
		{[]string{"help", "show", "nothing"}, `show: unexpected argument "nothing", want none`},
		{[]string{"completion", "bash", "nothing"}, `bash: unexpected argument "nothing", want none`},
		{[]string{"run", "-n", "9223372036854775808", "true"}, `--attempts is "9223372036854775808", want a whole number that is nearer to 0`},
		{[]string{"show", "--seed", "18446744073709551616", "constant(1s)"}, `--seed is "18446744073709551616", want a whole number in [0, 2^64)`},
		{[]string{"completion", "nushell"}, `unknown command "nushell", want one of bash, zsh, fish, powershell`},
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

// The error about a flag without a value says what the flag takes.
func TestNoValue(t *testing.T) {
	for _, test := range []struct{ command, flag, want string }{
		{"run", "-n", "--attempts has no value, want a whole number"},
		{"run", "--delay", "--delay has no value, want a duration such as 90s or 1m30s, or an expression such as 'full-jitter(100ms, 10s)'"},
		{"run", "--retry", "--retry has no value, want an expression such as 'full-jitter(100ms, 10s)'"},
		{"run", "--report", "--report has no value, want a file's name"},
		{"run", "--output", "--output has no value, want one of all, last"},
		{"show", "--format", "--format has no value, want one of table, csv, json, go"},
		{"load", "--format", "--format has no value, want one of table, csv"},
		{"load", "--address", "--address has no value, want an address"},
		{"serve", "--abandoned", "--abandoned has no value, want one of keep, cancel"},
	} {
		status, stdout, stderr := runs(t, test.command, test.flag)
		if want := "backoff: " + test.want + "\n"; status != 2 || stdout != "" || stderr != want {
			t.Errorf("%s %s: status %d, standard output %q, standard error %q, want %q", test.command, test.flag, status, stdout, stderr, want)
		}
	}
	// No flag has the text of the library.
	walk(newRoot(), func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal != "" {
				return
			}
			args := append(strings.Fields(c.CommandPath())[1:], "--"+f.Name)
			_, _, stderr := runs(t, args...)
			if before := "backoff: --" + f.Name + " has no value, want "; !strings.HasPrefix(stderr, before) {
				t.Errorf("%q: standard error %q, want %q and more", args, stderr, before)
			}
		})
	})
}

// A flag of another tool, or one that is misspelled, gets the name of ours.
func TestDidYouMean(t *testing.T) {
	for _, test := range []struct{ command, flags, want string }{
		{"run", "--tries --times --max-attempts --max-tries --count -t", "--attempts"},
		{"run", "--retries --max-retries", "--attempts (retries + 1)"},
		{"run", "--interval --sleep --wait -d", "--delay"},
		{"run", "--max-time --deadline --max-elapsed", "--timeout"},
		{"run", "--kill -k --k", "--kill-after"},
		{"run", "--n", "-n"},
		{"run", "--q", "-q"},
		{"run", "--connect-timeout", "--attempt-timeout"},
		{"run", "--halt", "--stop-on"},
		{"run", "--while -w --retry-on", "--on"},
		{"run", "-u --success-on", "--until"},
		{"run", "--silent --quite", "--quiet"},
		{"run", "--retyr --rety", "--retry"},
		{"plan", "--attempts --tries --max-attempts", "--retries (attempts - 1)"},
		{"plan", "--max-retries --retrys", "--retries"},
		{"plan", "--timeout --max-time", "--deadline"},
		{"plan", "--max-delay --cap", "--limit"},
		{"plan", "--multiplier", "--factor"},
		{"plan", "--interval", "--delay"},
		{"show", "--image", "--png"},
		{"sim overload", "--repetitions --runs", "--reps"},
		{"sim overload", "--limit", "--latency-limit"},
		{"sim overload", "--factor", "--trigger-factor"},
		{"serve", "--rps", "--capacity"},
		{"load", "--concurrency", "--clients"},
	} {
		for flag := range strings.FieldsSeq(test.flags) {
			status, stdout, stderr := runs(t, append(strings.Fields(test.command), flag, "5", "x")...)
			want := "backoff: unknown flag " + flag + ", did you mean " + test.want + "?\n"
			if status != 2 || stdout != "" || stderr != want {
				t.Errorf("%s %s: status %d, standard output %q, standard error %q, want %q", test.command, flag, status, stdout, stderr, want)
			}
		}
	}
	for word, want := range map[string]string{
		"sohw": "show", "retry": "run", "exec": "run", "predict": "plan", "simulate": "sim", "server": "serve", "laod": "load", "stages": "list",
	} {
		_, _, stderr := runs(t, word, "constant(1s)")
		if want := "backoff: unknown command \"" + word + "\", did you mean " + want + "?\n"; stderr != want {
			t.Errorf("%s: standard error %q, want %q", word, stderr, want)
		}
	}
}

// walk calls visit for a command and all below it.
func walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		walk(below, visit)
	}
}

// Every flag that is a duration reads the same texts. Execute arranges that, so the flags
// are those of a root that has run.
func TestDurations(t *testing.T) {
	root := newRoot()
	if status := cli.Execute(t.Context(), root, []string{"version"}, strings.NewReader(""), io.Discard, io.Discard); status != 0 {
		t.Fatalf("status %d", status)
	}
	var names []string
	walk(root, func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			kind, _ := pflag.UnquoteUsage(f)
			if kind != "duration" {
				return
			}
			names = append(names, c.CommandPath()+" --"+f.Name)
			for text, want := range map[string]string{"5": "5s", "1.5": "1.5s", "0.25": "250ms", "1m30s": "1m30s", "90": "1m30s", "2h": "2h0m0s"} {
				err := f.Value.Set(text)
				got := f.Value.String()
				if want, _ := time.ParseDuration(want); err != nil || !slices.Contains([]string{want.String(), expr.FormatDuration(want)}, got) {
					t.Errorf("%s --%s %s gives %s (%v), want %v", c.CommandPath(), f.Name, text, got, err, want)
				}
			}
			for _, text := range []string{"", "soon", "5 s", "NaN", "1e10", "-", ".", "1d", "99999999999"} {
				if err := f.Value.Set(text); err == nil {
					t.Errorf("%s --%s %q gives %s, want an error", c.CommandPath(), f.Name, text, f.Value)
				}
			}
		})
	})
	if len(names) < 25 {
		t.Errorf("there are %d such flags, want 25 or more: %q", len(names), names)
	}
}

// pflag takes one pair of backticks out of a flag's text.
func TestNoBackticks(t *testing.T) {
	walk(newRoot(), func(c *cobra.Command) {
		if help := c.Flags().FlagUsages(); strings.Contains(help, "`") {
			t.Errorf("the flags of %s:\n%s", c.CommandPath(), help)
		}
	})
}

// Nor does the completion of any flag show one.
func TestCompletionHasNoBackticks(t *testing.T) {
	described := 0
	walk(newRoot(), func(c *cobra.Command) {
		args := append([]string{"__complete"}, strings.Fields(c.CommandPath())[1:]...)
		_, flags, _ := runs(t, append(args, "--")...)
		if strings.Contains(flags, "`") {
			t.Errorf("the flags of %s:\n%s", c.CommandPath(), flags)
		}
		described += strings.Count(flags, "\t")
	})
	if described < 100 {
		t.Errorf("%d flags have a description, want 100 or more", described)
	}
}

// Every help that lists a duration says that a plain number is in seconds.
func TestHelpSaysSeconds(t *testing.T) {
	walk(newRoot(), func(c *cobra.Command) {
		help := succeeds(t, append(strings.Fields(c.CommandPath())[1:], "--help")...)
		lists := regexp.MustCompile(`(?m)^ +(-., )?--[a-z-]+ duration `).MatchString(help)
		if says := strings.Contains(help, "a number without a unit is in seconds"); says != lists {
			t.Errorf("the help of %s lists a duration: %t, says what a number is: %t", c.CommandPath(), lists, says)
		}
	})
}

// Output and help that cannot be written are an error, which run tells from a bad flag.
func TestWriteErrors(t *testing.T) {
	for _, test := range []struct {
		status int
		args   []string
	}{
		{2, nil},
		{2, []string{"--help"}},
		{2, []string{"help"}},
		{2, []string{"help", "sim", "overload"}},
		{2, []string{"list"}},
		{2, []string{"show", "constant(1s)"}},
		{2, []string{"show", "--help"}},
		{125, []string{"run", "--help"}},
		{125, []string{"run", "--dry-run", "-n", "3", "--", "x"}},
		{2, []string{"sim"}},
		{2, []string{"completion"}},
		{2, []string{"completion", "bash"}},
		{2, []string{"completion", "zsh"}},
		{2, []string{"completion", "fish"}},
		{2, []string{"completion", "powershell"}},
		{2, []string{"completion", "bash", "--help"}},
	} {
		closed, w := io.Pipe()
		closed.Close()
		var stderr strings.Builder
		status := cli.Execute(t.Context(), newRoot(), test.args, strings.NewReader(""), w, &stderr)
		if want := "backoff: " + io.ErrClosedPipe.Error() + "\n"; status != test.status || stderr.String() != want {
			t.Errorf("%q: status %d, standard error %q, want %d, %q", test.args, status, stderr.String(), test.status, want)
		}
	}
}

// Help names all commands, in the order of their use.
func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"--help"}} {
		clitest.Golden(t, "root-help", succeeds(t, args...))
	}
}

// The command lines in help and in the table of README.md have commands, flags and
// expressions that exist.
func TestExamples(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash to read command lines")
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, line := range regexp.MustCompile("(?m)^\\| `(backoff .*?)` \\|").FindAllStringSubmatch(string(readme), -1) {
		lines = append(lines, strings.ReplaceAll(line[1], `\|`, "|"))
	}
	walk(newRoot(), func(c *cobra.Command) {
		lines = append(lines, regexp.MustCompile(`(?m)^[^#\n]*backoff .*$`).FindAllString(c.Example, -1)...)
	})
	if len(lines) < 40 {
		t.Errorf("%d command lines, want 40 or more", len(lines))
	}
	for _, line := range lines {
		for _, args := range recorded(t, bash, line) {
			if complaint := refusal(args); complaint != "" {
				t.Errorf("%s\n%s", strings.TrimSpace(line), complaint)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	want := "backoff (devel) (" + runtime.Version() + ")\n" // a test has no version
	for _, args := range [][]string{{"--version"}, {"version"}} {
		if got := succeeds(t, args...); got != want {
			t.Errorf("%q prints %q, want %q", args, got, want)
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
		{[]string{"show", "--format", ""}, "table\ncsv\njson\ngo\n:4\n"},
		{[]string{"show", "fib"}, "fibonacci(100ms)\tbase·(1, 1, 2, 3, 5, 8, ...)\nfibonacci(1s) | scale(0.5)\tfactor·d\n:4\n"},
		{[]string{"list", ""}, ":4\n"},
		{[]string{"run", "--output", ""}, "all\nlast\n:4\n"},
		{[]string{"run", "--retry", "fib"}, "fibonacci(100ms)\tbase·(1, 1, 2, 3, 5, 8, ...)\nfibonacci(1s) | scale(0.5)\tfactor·d\n:4\n"},
	} {
		_, got, _ := runs(t, append([]string{"__complete"}, test.args...)...)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("completion of %q (-want +got):\n%s", test.args, diff)
		}
	}
}

// Each command in the output of list runs.
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
