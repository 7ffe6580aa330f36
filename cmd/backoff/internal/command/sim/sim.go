// Package sim is the command above the simulations.
package sim

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/command/contention"
	"example.com/backoff/cmd/backoff/internal/command/overload"
)

// New returns the command.
func New() *cobra.Command {
	sim := &cobra.Command{
		Use:   "sim",
		Short: "Simulate what a schedule does to a server",
		Long: `Simulate what a schedule does to a server: many clients, each with the schedule
and random numbers of its own, in virtual time.

A result depends on the flags and the seed alone: it is the same on every
machine, and for any number of workers.`,
		Example: "  backoff sim contention\n  backoff sim overload",

		SuggestionsMinimumDistance: 2,

		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return fmt.Errorf("sim: %w", cli.UnknownCommand(cmd, args[0]))
		},
	}
	sim.AddCommand(contention.New(), overload.New())
	return sim
}
