// Package list is the command that lists the stages of expressions.
package list

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/screen"
	"example.com/backoff/expr"
)

// New returns the command.
func New() *cobra.Command {
	return &cobra.Command{
		Use:        "list",
		Short:      "List the stages of expressions",
		SuggestFor: []string{"stages", "ls"},
		Long: `List the stages of expressions: when to use each, its formula, the bounds of its
parameters, and an example to run.`,
		Args:              cli.WantNothing,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return writeList(cmd.OutOrStdout())
		},
	}
}

func writeList(w io.Writer) error {
	out := screen.NewWriter(w)
	fmt.Fprintf(out, "An expression is a generator and any number of stages that change its delays:\n\n")
	fmt.Fprintf(out, "    exponential(100ms, 2) | cap(10s) | jitter(1) | take(8)\n\n")
	fmt.Fprintf(out, "Write a duration as 100ms, 1m30s or 0, and none for no limit. U[a, b] is uniform "+
		"over the closed interval, N(m, s) normal with mean m and standard deviation s.\n")
	for _, starts := range []bool{true, false} {
		if starts {
			fmt.Fprintf(out, "\nGenerators. The formula is delay n, counting from 0:\n")
		} else {
			fmt.Fprintf(out, "\nStages after a generator. The formula replaces each delay d:\n")
		}
		for _, s := range expr.Stages() {
			if s.Starts == starts {
				fmt.Fprintf(out, "\n  %s\n    Use it %s.\n    %s\n%s    backoff show '%s'\n",
					s.Usage(), s.Use, s.Formula, bounds(s), s.Example)
			}
		}
	}
	return out.Flush()
}

// bounds returns a line for each parameter of a stage.
func bounds(s expr.Stage) string {
	var b strings.Builder
	for _, p := range s.Params {
		fmt.Fprintf(&b, "    %s is %s\n", p.Name, p.Want)
	}
	return b.String()
}
