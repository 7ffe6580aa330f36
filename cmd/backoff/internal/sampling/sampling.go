// Package sampling has the flags of how a random schedule is drawn, and their bounds.
package sampling

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/plan"
)

// A Sample holds the values of these flags.
type Sample struct {
	Retries int // the command's own flag
	Draws   int
	Seed    uint64
}

const (
	maxRetries = plan.MostRetries
	minDraws   = 2          // as plan.Draws wants: randomness shows between two
	maxDrawn   = 20_000_000 // delays of one schedule, which take seconds
)

// AddFlags adds --draws and --seed to a command. Each command has a --retries of its own.
func (d *Sample) AddFlags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&d.Draws, "draws", 10_000, "how many samples of a random schedule to draw; fewer by default for more than 2,000 retries")
	cmd.Flags().Uint64Var(&d.Seed, "seed", 1, "random seed")
}

// Check checks the flags of a command. If --draws is not given and the default is too many
// for --retries, it takes as many as are allowed.
func (d *Sample) Check(command string, drawsGiven bool) error {
	switch {
	case d.Retries < 1 || d.Retries > maxRetries:
		return fmt.Errorf("%s: --retries is %d, want a whole number in [1, %d]", command, d.Retries, maxRetries)
	case !drawsGiven:
		d.Draws = min(d.Draws, maxDrawn/d.Retries)
	case d.Draws < minDraws || d.Draws > maxDrawn/d.Retries:
		return fmt.Errorf("%s: --draws is %d, want a whole number in [%d, %d] for %s",
			command, d.Draws, minDraws, maxDrawn/d.Retries, digits.Count(d.Retries, "retry"))
	}
	return nil
}
