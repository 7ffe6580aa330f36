package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/backoff/expr"
)

// wantExprs is the check of the arguments of a command that takes expressions.
func wantExprs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s: no expression, want one such as 'full-jitter(100ms, 10s)'", cmd.Name())
	}
	return nil
}

// wantNothing is the check of a command that takes no arguments.
func wantNothing(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s: unexpected argument %q, want none", cmd.Name(), args[0])
	}
	return nil
}

// parseExprs parses each argument. An error says which one it is about, where
// there is more than one.
func parseExprs(args []string) ([]*expr.Expr, error) {
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

// completeExpr offers the examples of all stages to the shell, and no file.
func completeExpr(_ *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var offers []cobra.Completion
	for _, s := range expr.Stages() {
		if strings.HasPrefix(s.Example, prefix) {
			offers = append(offers, cobra.CompletionWithDesc(s.Example, s.Formula))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}
