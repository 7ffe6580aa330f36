// Package list is the command that lists the stages of expressions.
package list

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/expr"
)

// New returns the command.
func New() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the stages that an expression can have",
		Long: `List the stages that an expression can have: each with its parameters, its
formula, and an example to run.`,
		Args:              cli.WantNothing,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return writeList(cmd.OutOrStdout())
		},
	}
}

func writeList(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "An expression is a stage that starts a schedule, and any that change it:\n\n")
	fmt.Fprintf(out, "    exponential(100ms, 2) | cap(10s) | jitter(1) | take(8)\n\n")
	fmt.Fprintf(out, "A duration is written 100ms, 1m30s or 0, and none where there is to be no limit.\n")
	fmt.Fprintf(out, "U[a, b] is uniform over the closed interval, N(m, s) normal with mean m and\n")
	fmt.Fprintf(out, "standard deviation s.\n")
	for _, starts := range []bool{true, false} {
		if starts {
			fmt.Fprintf(out, "\nTo start a schedule; delay n counts from 0:\n")
		} else {
			fmt.Fprintf(out, "\nTo change a schedule; d is each of its delays:\n")
		}
		for _, s := range expr.Stages() {
			if s.Starts == starts {
				fmt.Fprintf(out, "\n  %s\n      %s\n      %s\n      backoff show '%s'\n",
					s.Usage(), s.Formula, wants(s), s.Example)
			}
		}
	}
	return out.Flush()
}

// wants says what each parameter of a stage takes.
func wants(s expr.Stage) string {
	words := make([]string, len(s.Params))
	for i, p := range s.Params {
		words[i] = p.Name + " is " + p.Want
	}
	return "where " + strings.Join(words, "; ")
}
