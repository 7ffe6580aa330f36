// Package cli has what all commands share: the root command, the exit status for an error,
// checks of arguments, and messages about flags and names that are wrong.
package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/backoff/expr"
)

// WantExprs checks the arguments of a command that takes expressions.
func WantExprs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s: no expression, want one such as 'full-jitter(100ms, 10s)'", cmd.Name())
	}
	return nil
}

// WantNothing checks the arguments of a command that takes none.
func WantNothing(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s: unexpected argument %q, want none", cmd.Name(), args[0])
	}
	return nil
}

// ParseExprs parses each argument. If there are several, an error has the number of the
// argument.
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

// WantOneExpr checks the arguments of a command that takes one expression.
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
