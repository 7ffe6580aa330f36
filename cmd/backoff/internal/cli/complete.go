package cli

import (
	_ "embed"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/backoff/expr"
)

// CompleteExpr offers expressions to the shell, and no file: the examples of all stages,
// and after a | the stages that may follow.
func CompleteExpr(_ *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before, last := "", prefix
	if i := strings.LastIndexByte(prefix, '|') + 1; i > 0 {
		last = strings.TrimLeft(prefix[i:], " ")
		before = prefix[:len(prefix)-len(last)]
	}
	var offers []cobra.Completion
	for _, s := range expr.Stages() {
		text := s.Example
		if before != "" {
			if s.Starts {
				continue
			}
			text = text[strings.LastIndex(text, s.Name+"("):]
		}
		if strings.HasPrefix(text, last) {
			offers = append(offers, cobra.CompletionWithDesc(before+text, s.Formula))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// unquoteFlags removes the backquotes around the name of a value from the descriptions of all
// flags. Only help takes them out; completion shows a description as it is.
func unquoteFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) })
	for _, c := range cmd.Commands() {
		unquoteFlags(c)
	}
}

// quoteInZsh makes the script of "completion zsh" complete a word with an open quotation mark:
// cobra's asks for completions with a command line that it ends there.
func quoteInZsh(zsh *cobra.Command) {
	zsh.RunE = func(cmd *cobra.Command, _ []string) error {
		generate := cmd.Root().GenZshCompletion
		if without, err := cmd.Flags().GetBool("no-descriptions"); err == nil && without {
			generate = cmd.Root().GenZshCompletionNoDesc
		}
		var script strings.Builder
		if err := generate(&script); err != nil {
			return err
		}
		_, err := io.WriteString(cmd.OutOrStdout(),
			strings.Replace(script.String(), "eval ${requestComp} ", `eval "${requestComp}${compstate[quote]}" `, 1))
		return err
	}
}

// bashQuoting makes cobra's script for bash insert expressions between quotation marks.
//
//go:embed bash.sh
var bashQuoting string

// quoteInBash appends bashQuoting to the output of "completion bash".
func quoteInBash(bash *cobra.Command) {
	write := bash.RunE
	bash.RunE = func(cmd *cobra.Command, args []string) error {
		if err := write(cmd, args); err != nil {
			return err
		}
		script := bashQuoting
		if without, err := cmd.Flags().GetBool("no-descriptions"); err == nil && without {
			script = strings.Replace(script, " __complete ", " __completeNoDesc ", 1)
		}
		_, err := io.WriteString(cmd.OutOrStdout(), script)
		return err
	}
	bash.Long = `Generate the completion script for bash.

To load it in the current shell:

	source <(backoff completion bash)

To load it in every new shell, write it to a file of the package bash-completion:

	backoff completion bash > ~/.local/share/bash-completion/completions/backoff

or, without that package, to another file that ~/.bashrc sources.
`
}
