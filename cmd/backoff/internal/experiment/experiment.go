// Package experiment is what all simulations share: flags, progress and interrupt.
package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/present"
	"example.com/backoff/expr"
	"example.com/backoff/sim/contention"
	"example.com/backoff/sim/overload"
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

// FlagError makes of a model's error about a field of its configuration one about the
// flag that sets it. Of a list's fields one flag sets all.
func FlagError(cmd *cobra.Command, err error, flags map[string]string) error {
	var field, got, want string
	if e, ok := errors.AsType[*contention.Error](err); ok {
		field, got, want = e.Field, e.Got, e.Want
	}
	if e, ok := errors.AsType[*overload.Error](err); ok {
		field, got, want = e.Field, e.Got, e.Want
	}
	list, _, _ := strings.Cut(field, "[")
	flag, ok := flags[list]
	if !ok {
		return fmt.Errorf("%s: %w", cli.CommandName(cmd), err)
	}
	return fmt.Errorf("%s: %s is %s, want %s", cli.CommandName(cmd), flag, got, want)
}
