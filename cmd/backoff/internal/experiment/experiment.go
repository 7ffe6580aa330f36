// Package experiment is what all simulations share: flags, progress and interrupt.
package experiment

import (
	"context"
	"fmt"
	"iter"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/present"
	"example.com/backoff/expr"
)

// A Flags is what flags say of any experiment.
type Flags struct {
	Reps    int
	Seed    uint64
	Workers int
	present.Flags
}

// AddFlags adds the flags, with so many repetitions unless told.
func (s *Flags) AddFlags(cmd *cobra.Command, reps int) {
	flags := cmd.Flags()
	flags.IntVar(&s.Reps, "reps", reps, "repetitions of each experiment")
	flags.Uint64Var(&s.Seed, "seed", 1, "where the random numbers begin")
	flags.IntVar(&s.Workers, "workers", runtime.GOMAXPROCS(0), "repetitions that run at a time")
	s.Flags.AddFlags(cmd)
}

// Parse returns the expressions of args, and those of published where there are none.
func (s *Flags) Parse(args, published []string) ([]*expr.Expr, error) {
	if len(args) == 0 {
		args = published
	}
	return cli.ParseExprs(args)
}

// Each calls one for every schedule, with a context that an interrupt ends, and shows
// how far it is.
func (s *Flags) Each(cmd *cobra.Command, exprs []*expr.Expr, one func(ctx context.Context, e *expr.Expr, progress func(done, total int)) error) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // A second interrupt ends the process at once.

	name := cli.CommandName(cmd)
	b := newBar(cmd.ErrOrStderr(), name, len(exprs))
	defer b.end()
	for i, e := range exprs {
		err := one(ctx, e, func(done, total int) { b.show(float64(i) + float64(done)/float64(total)) })
		if ctx.Err() != nil {
			b.end()
			fmt.Fprintf(cmd.ErrOrStderr(), "backoff: %s: interrupted\n", name)
			return cli.ExitError(130)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// DrawsOf returns what a model asks of a schedule: its delays under a seed.
func DrawsOf(e *expr.Expr) func(seed uint64) iter.Seq[time.Duration] {
	return func(seed uint64) iter.Seq[time.Duration] {
		return e.Schedule(backoff.WithSeed(seed))
	}
}

// FlagError makes of a model's error about a field of its configuration,
//
//	overload: Queue is -1, want 0 to 1000000000
//
// one about the flag that sets it. Of a list's fields one flag sets all.
func FlagError(cmd *cobra.Command, err error, flags map[string]string) error {
	_, text, _ := strings.Cut(err.Error(), ": ")
	field, rest, _ := strings.Cut(text, " is ")
	field, _, _ = strings.Cut(field, "[")
	flag, ok := flags[field]
	if !ok {
		return fmt.Errorf("%s: %w", cli.CommandName(cmd), err)
	}
	return fmt.Errorf("%s: %s is %s", cli.CommandName(cmd), flag, rest)
}
