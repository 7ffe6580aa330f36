package main

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
	"example.com/backoff/expr"
)

func newSim() *cobra.Command {
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
			return fmt.Errorf("sim: %w", unknownCommand(cmd, args[0]))
		},
	}
	sim.AddCommand(newContention(), newOverload())
	return sim
}

// A simulation is what flags say of any experiment.
type simulation struct {
	reps    int
	seed    uint64
	workers int
	presentation
}

// addFlags adds the flags, with so many repetitions unless told.
func (s *simulation) addFlags(cmd *cobra.Command, reps int) {
	flags := cmd.Flags()
	flags.IntVar(&s.reps, "reps", reps, "repetitions of each experiment")
	flags.Uint64Var(&s.seed, "seed", 1, "where the random numbers begin")
	flags.IntVar(&s.workers, "workers", runtime.GOMAXPROCS(0), "repetitions that run at a time")
	s.presentation.addFlags(cmd)
}

// parse returns the expressions of args, and those of published where there are none.
func (s *simulation) parse(args, published []string) ([]*expr.Expr, error) {
	if len(args) == 0 {
		args = published
	}
	return parseExprs(args)
}

// each calls one for every schedule, with a context that an interrupt ends, and shows
// how far it is.
func (s *simulation) each(cmd *cobra.Command, exprs []*expr.Expr, one func(ctx context.Context, e *expr.Expr, progress func(done, total int)) error) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // A second interrupt ends the process at once.

	name := commandName(cmd)
	b := newBar(cmd.ErrOrStderr(), name, len(exprs))
	defer b.end()
	for i, e := range exprs {
		err := one(ctx, e, func(done, total int) { b.show(float64(i) + float64(done)/float64(total)) })
		if ctx.Err() != nil {
			b.end()
			fmt.Fprintf(cmd.ErrOrStderr(), "backoff: %s: interrupted\n", name)
			return exitError(130)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// commandName returns the words of a command: sim overload.
func commandName(cmd *cobra.Command) string {
	_, words, _ := strings.Cut(cmd.CommandPath(), " ")
	return words
}

// drawsOf returns what a model asks of a schedule: its delays under a seed.
func drawsOf(e *expr.Expr) func(seed uint64) iter.Seq[time.Duration] {
	return func(seed uint64) iter.Seq[time.Duration] {
		return e.Schedule(backoff.WithSeed(seed))
	}
}

// flagOf makes of a model's error about a field of its configuration,
//
//	overload: Queue is -1, want 0 to 1000000000
//
// one about the flag that sets it. Of a list's fields one flag sets all.
func flagOf(cmd *cobra.Command, err error, flags map[string]string) error {
	_, text, _ := strings.Cut(err.Error(), ": ")
	field, rest, _ := strings.Cut(text, " is ")
	field, _, _ = strings.Cut(field, "[")
	flag, ok := flags[field]
	if !ok {
		return fmt.Errorf("%s: %w", commandName(cmd), err)
	}
	return fmt.Errorf("%s: %s is %s", commandName(cmd), flag, rest)
}
