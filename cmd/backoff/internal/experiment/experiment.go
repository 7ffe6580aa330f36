// Package experiment has what all simulations share: their flags, the progress bar and the
// interrupt.
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

// A Flags holds the values of the flags that all experiments have.
type Flags struct {
	Reps    int
	Seed    uint64
	Workers int
	present.Flags
}

// AddFlags adds the flags to a command. The default of --reps is reps.
func (s *Flags) AddFlags(cmd *cobra.Command, reps int) {
	flags := cmd.Flags()
	flags.IntVar(&s.Reps, "reps", reps, "repetitions of each experiment")
	flags.Uint64Var(&s.Seed, "seed", 1, "random seed")
	flags.IntVar(&s.Workers, "workers", runtime.GOMAXPROCS(0), "repetitions that run at a time")
	s.Flags.AddFlags(cmd)
}

// Parse returns the expressions of args, or those of published if there are none.
func (s *Flags) Parse(args, published []string) ([]*expr.Expr, error) {
	if len(args) == 0 {
		args = published
	}
	return cli.ParseExprs(args)
}

// Each calls one for each schedule, with a context that an interrupt cancels, and shows the
// progress.
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

// FlagError turns a model's error about a field of its configuration into one about the
// flag that sets the field. One flag sets all elements of a list.
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
