package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/expr"
)

// recorder has the shell say, on a descriptor that no pipe redirects, which arguments
// this command would be given. It runs nothing else, because it has no PATH.
const recorder = `
PATH=
exec 3>&1
backoff() { printf '%s\0' "$@" >&3; printf '\1\0' >&3; }
go() { [ "$1 $2" = 'run ./cmd/backoff' ] || return 0; shift 2; backoff "$@"; }
bin/backoff() { backoff "$@"; }
pgrep() { echo 1; }
: & # so that $! is set
`

// TestDocumentedCommands holds that every command line of the pages has flags, arguments
// and expressions that the command takes.
func TestDocumentedCommands(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash to read command lines")
	}
	var pages []string
	for _, pattern := range []string{"../../*.md", "*.md", "../../docs/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	blocks := regexp.MustCompile("(?m)(?:^```[a-z]*\n(?s:(.*?))^```$)|((?:^    .*\n)+)")
	lines := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range blocks.FindAllStringSubmatch(string(text), -1) {
			for _, line := range strings.Split(strings.ReplaceAll(block[1]+block[2], "\\\n", " "), "\n") {
				if !strings.Contains(line, "backoff ") || !regexp.MustCompile(`^\s*(\$ )?(go run \./cmd/|bin/|for .* do )?backoff `).MatchString(line) {
					continue
				}
				lines++
				for _, args := range recorded(t, bash, line) {
					if complaint := refusal(args); complaint != "" {
						t.Errorf("%s: %s\n%s", page, strings.TrimSpace(line), complaint)
					}
				}
			}
		}
	}
	if lines < 12 {
		t.Errorf("%d command lines found in %d pages, want 12", lines, len(pages))
	}
}

// recorded returns the arguments of each call of this command in a line of shell.
func recorded(t *testing.T, bash, line string) [][]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // if the line waits for something
	defer cancel()
	shell := exec.CommandContext(ctx, bash, "-c", recorder+strings.TrimPrefix(strings.TrimSpace(line), "$ "))
	shell.Dir = t.TempDir()       // for what the line redirects
	shell.WaitDelay = time.Minute // for a process of the line that holds the pipe open
	out, err := shell.Output()
	if ctx.Err() != nil {
		t.Fatalf("%s: the shell is killed after 5 minutes, %v", line, err)
	}
	if len(out) == 0 {
		t.Errorf("%s: the shell finds no call in it (%v)", line, err)
		return nil
	}
	var calls [][]string
	for call := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x01\x00"), "\x01\x00") {
		calls = append(calls, strings.Split(strings.TrimSuffix(call, "\x00"), "\x00"))
	}
	return calls
}

// refusal returns what the command has to say against its arguments; nothing is run.
func refusal(args []string) string {
	root := newRoot()
	var idle func(cmd *cobra.Command)
	idle = func(cmd *cobra.Command) {
		if cmd.RunE != nil {
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				if cmd.Name() == "run" {
					return nil // its arguments are another command
				}
				for _, arg := range args {
					if _, err := expr.Parse(arg); err != nil && arg != "EXPR" {
						return err
					}
				}
				return nil
			}
		}
		for _, below := range cmd.Commands() {
			idle(below)
		}
	}
	idle(root)
	var stdout, stderr bytes.Buffer
	cli.Execute(context.Background(), root, args, strings.NewReader(""), &stdout, &stderr)
	return stderr.String()
}

// TestDocumentedOutput runs the command lines of the README that have their output below
// them, marked as printed. The page may leave lines out, before, between and after.
func TestDocumentedOutput(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash to read command lines")
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	pair := regexp.MustCompile("```\n(go run [^\n]*)\n```\n\n<!-- printed -->\n```\n((?s).*?)```")
	found := pair.FindAllStringSubmatch(string(text), -1)
	if marks := strings.Count(string(text), "<!-- printed -->"); len(found) != marks || marks == 0 {
		t.Fatalf("%d command lines above %d marks", len(found), marks)
	}
	for _, m := range found {
		args := recorded(t, bash, regexp.MustCompile(` --picture \S+`).ReplaceAllString(m[1], ""))[0]
		var stdout, stderr bytes.Buffer
		cli.Execute(t.Context(), newRoot(), args, strings.NewReader(""), &stdout, &stderr)
		rest, ok := stdout.String()+stderr.String(), false
		for line := range strings.Lines(m[2]) {
			if _, rest, ok = strings.Cut(rest, line); !ok {
				t.Errorf("%s\ndoes not print, after the lines before it,\n%s\nbut\n%s", m[1], line, stdout.String()+stderr.String())
				break
			}
		}
	}
}
