// Package cli is what all commands share: how their errors end the process, and what
// they say of arguments and flags.
package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/backoff/expr"
)

// WantExprs is the check of the arguments of a command that takes expressions.
func WantExprs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s: no expression, want one such as 'full-jitter(100ms, 10s)'", cmd.Name())
	}
	return nil
}

// WantNothing is the check of a command that takes no arguments.
func WantNothing(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s: unexpected argument %q, want none", cmd.Name(), args[0])
	}
	return nil
}

// ParseExprs parses each argument. An error says which one it is about, where
// there is more than one.
func ParseExprs(args []string) ([]*expr.Expr, error) {
	exprs := make([]*expr.Expr, len(args))
	for i, text := range args {
		e, err := expr.Parse(text)
		if err != nil && len(args) > 1 {
			err = fmt.Errorf("expression %d: %w", i+1, err)
		}
		if err != nil {
			return nil, err
		}
		exprs[i] = e
	}
	return exprs, nil
}

// CompleteExpr offers the examples of all stages to the shell, and no file.
func CompleteExpr(_ *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var offers []cobra.Completion
	for _, s := range expr.Stages() {
		if strings.HasPrefix(s.Example, prefix) {
			offers = append(offers, cobra.CompletionWithDesc(s.Example, s.Formula))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// WantOneExpr is the check of the arguments of a command that takes one expression.
func WantOneExpr(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%s: %d expressions, want one", cmd.Name(), len(args))
	}
	return WantExprs(cmd, args)
}

// CommandName returns the words of a command: sim overload.
func CommandName(cmd *cobra.Command) string {
	_, words, _ := strings.Cut(cmd.CommandPath(), " ")
	return words
}
