package overload

import (
	"context"
	"time"

	"example.com/backoff/sim/internal/engine"
)

// Run runs the experiment that config describes. It returns an [*Error] if config is invalid,
// and the cause of ctx's end if ctx is done first. If the schedule or the budget ends its
// goroutine by a panic or [runtime.Goexit], Run does the same to the caller's.
func Run(ctx context.Context, config Config) (Result, error) {
	if err := config.Validate(); err != nil {
		return Result{}, err
	}
	reps := make([]Rep, config.Reps)
	plan := engine.Plan{
		Reps:     config.Reps,
		Parts:    int((config.end() + time.Second - 1) / time.Second),
		Workers:  config.Workers,
		Progress: config.Progress,
	}
	err := engine.Repeat(ctx, plan, func(ctx context.Context) func(int, func()) {
		return func(rep int, part func()) {
			seed := config.seedOf(rep)
			w := newWorld(&config, seed)
			if w.run(ctx, part) {
				reps[rep] = Rep{seed, w.stats.seconds, Judge(w.stats.seconds, config)}
			}
		}
	})
	if err != nil {
		return Result{}, err
	}
	return Result{reps}, nil
}

// seedOf returns the seed of a repetition: Seed itself for the first, so that a repetition
// can be run again with its own seed, and a hash of Seed for each further one, so that
// different Seeds share no other repetition. The hash is cut to 53 bits, which is what
// programs that read JSON keep of a number.
func (c *Config) seedOf(rep int) uint64 {
	if rep == 0 {
		return c.Seed
	}
	// Paths that begin with 0 and 1 are those of the clients and of the arrivals.
	return engine.Seed(c.Seed, 2, uint64(rep)) >> 11
}
