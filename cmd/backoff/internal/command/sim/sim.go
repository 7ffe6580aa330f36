// Package sim is the parent command of the simulations.
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
		Use:        "sim",
		Short:      "Simulate many clients that retry",
		SuggestFor: []string{"simulate"},
		Long: `Simulate what a schedule does to a server, in virtual time. Each of many clients
has the schedule, with random numbers of its own.

Use contention for clients that compete for a database row, and overload for a
server that slows down or stops.

A result depends on the flags and the seed only. It is the same on every machine
and for any number of workers.`,
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
