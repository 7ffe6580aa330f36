// Package sampling has the flags that say how a schedule is drawn from, and their bounds.
package sampling

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/digits"
)

func GoingOf(open float64) Going {
	switch open {
	case 0:
		return Ends
	case 1:
		return On
	}
	return Mixed
}

// A Going says whether a schedule goes on after its rows.
type Going int

const (
	Ends  Going = iota // none of its draws
	Mixed              // some
	On                 // all
)

// A Sample is what flags say of how a schedule is drawn from.
type Sample struct {
	Retries int // the command's own flag
	Draws   int
	Seed    uint64
}

const (
	MaxRetries = 100_000
	minDraws   = 2          // as plan.Draws wants: randomness shows between two
	maxDrawn   = 20_000_000 // delays of one schedule: they are held in memory
)

func (d *Sample) AddFlags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&d.Draws, "draws", 10_000, "how many times to range over a random schedule")
	cmd.Flags().Uint64Var(&d.Seed, "seed", 1, "where the random numbers begin")
}

// Check checks the flags of a command.
func (d *Sample) Check(command string) error {
	switch {
	case d.Retries < 1 || d.Retries > MaxRetries:
		return fmt.Errorf("%s: --retries is %d, want a whole number in [1, %d]", command, d.Retries, MaxRetries)
	case d.Draws < minDraws || d.Draws > maxDrawn/d.Retries:
		return fmt.Errorf("%s: --draws is %d, want a whole number in [%d, %d] for %s",
			command, d.Draws, minDraws, maxDrawn/d.Retries, digits.Count(d.Retries, "retry"))
	}
	return nil
}
