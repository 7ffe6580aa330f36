package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"example.com/backoff/expr"
)

// Every completion is an expression that begins with the prefix. After a | it goes on with
// a stage that may follow.
func TestCompleteExpr(t *testing.T) {
	offers := func(prefix string) []string {
		var texts []string
		all, directive := CompleteExpr(nil, nil, prefix)
		if directive != cobra.ShellCompDirectiveNoFileComp {
			t.Errorf("%q: the directive is %d", prefix, directive)
		}
		for _, offer := range all {
			text, _, _ := strings.Cut(offer, "\t")
			if _, err := expr.Parse(text); err != nil || !strings.HasPrefix(text, prefix) {
				t.Errorf("%q gives %q: %v", prefix, text, err)
			}
			texts = append(texts, text)
		}
		return texts
	}
	if got := len(offers("")); got != len(expr.Stages()) {
		t.Errorf("%d completions of nothing, want one for each of %d stages", got, len(expr.Stages()))
	}
	for prefix, want := range map[string][]string{
		"decorr":                         {"decorrelated-jitter(100ms, 10s)"},
		"constant(1s)|c":                 {"constant(1s)|cap(5s)"},
		"constant(1s) |  add":            {"constant(1s) |  add(uniform(0s, 100ms))"},
		"list() | jitter(1) | t":         {"list() | jitter(1) | take(4)", "list() | jitter(1) | then(constant(1s))"},
		"constant(1s) | full":            nil,
		"full-jitter(100ms, 10s) | take": {"full-jitter(100ms, 10s) | take(4)"},
	} {
		if diff := cmp.Diff(want, offers(prefix)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", prefix, diff)
		}
	}
	if got := offers("constant(1s) | "); len(got) < 10 {
		t.Errorf("%d stages follow a generator, want them all: %q", len(got), got)
	}
}

// testRoot is a root with one command, which takes expressions and has two flags.
func testRoot() *cobra.Command {
	show := &cobra.Command{Use: "show", Run: func(*cobra.Command, []string) {}, ValidArgsFunction: CompleteExpr}
	show.Flags().String("format", "", "")
	show.Flags().String("retry", "", "")
	show.Flags().String("png", "", "")
	for flag, f := range map[string]cobra.CompletionFunc{
		"format": cobra.FixedCompletions([]string{"csv", "json"}, cobra.ShellCompDirectiveNoFileComp),
		"retry":  CompleteExpr,
	} {
		if err := show.RegisterFlagCompletionFunc(flag, f); err != nil {
			panic(err)
		}
	}
	return NewRoot(show)
}

// script is the output of completion.
func script(t *testing.T, args ...string) string {
	t.Helper()
	args = append([]string{"completion"}, args...)
	var stdout, stderr bytes.Buffer
	if status := Execute(t.Context(), testRoot(), args, strings.NewReader(""), &stdout, &stderr); status != 0 {
		t.Fatal(status, stderr.String())
	}
	return stdout.String()
}

// Cobra's script has the functions that bashQuoting replaces and those that it calls.
func TestBashScriptFitsCobra(t *testing.T) {
	cobras, _, ok := strings.Cut(script(t, "bash"), bashQuoting)
	if !ok {
		t.Fatal("the script is without the functions for quoting")
	}
	for _, name := range []string{
		"__start_backoff", "__backoff_handle_completion_types",
		"__backoff_process_completion_results", "__backoff_format_comp_descriptions",
	} {
		if !strings.Contains(cobras, "\n"+name+"()") && !strings.Contains(cobras, "\n"+name+"() {") {
			t.Errorf("cobra's script has no function %s", name)
		}
	}
	if without := script(t, "bash", "--no-descriptions"); strings.Contains(without, " __complete ") || strings.Count(without, " __completeNoDesc ") != 2 {
		t.Error("--no-descriptions still asks for descriptions")
	}
}

func TestZshScriptFitsCobra(t *testing.T) {
	for _, flags := range [][]string{nil, {"--no-descriptions"}} {
		got := script(t, append([]string{"zsh"}, flags...)...)
		if !strings.Contains(got, "${compstate[quote]}") {
			t.Errorf("%q: the script does not close quotation marks", flags)
		}
		if asks := strings.Contains(got, " __complete "); asks != (flags == nil) {
			t.Errorf("%q: asks for descriptions: %t", flags, asks)
		}
	}
}
