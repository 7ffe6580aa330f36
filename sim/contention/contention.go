package contention

import (
	"context"
	"math"
	"slices"
	"time"

	"example.com/backoff/sim/internal/engine"
)

// A Result is what a [Config] gives, one cell for each of its numbers of clients, in
// the same order.
type Result struct {
	Cells []Cell
}

// A Cell sums up the repetitions with one number of clients. Each standard error is
// that of the mean before it, and 0 for a single repetition.
type Cell struct {
	Clients int
	Reps    int
	Time    time.Duration // mean time until the last client knows that its write succeeded
	TimeSE  time.Duration
	Calls   float64 // mean number of writes tried, by all clients together
	CallsSE float64
	GaveUp  float64 // mean number of clients whose schedule ended before they had written
}

// Run runs the experiment that config describes. It returns the cause of ctx's end if
// ctx ends first, and an [*Error] that names the field if config makes no sense. What
// the schedule does to end its goroutine, a panic or [runtime.Goexit], Run does to the
// caller's.
func Run(ctx context.Context, config Config) (Result, error) {
	if err := config.Validate(); err != nil {
		return Result{}, err
	}
	reps := config.Reps
	outcomes := make([]outcome, len(config.Clients)*reps)
	plan := engine.Plan{Reps: len(outcomes), Parts: 1, Workers: config.Workers, Progress: config.Progress}
	// The largest cells come first, so that no long repetition begins when the
	// other workers are out of work.
	order := make([]int, len(config.Clients))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return config.Clients[b] - config.Clients[a] })
	err := engine.Repeat(ctx, plan, func(ctx context.Context) func(int, func()) {
		r := newRace(&config)
		return func(i int, part func()) {
			cell, rep := order[i/reps], i%reps
			clients := config.Clients[cell]
			seed := engine.Seed(config.Seed, uint64(clients), uint64(rep))
			var ok bool
			if outcomes[cell*reps+rep], ok = r.run(ctx, clients, seed); ok {
				part()
			}
		}
	})
	if err != nil {
		return Result{}, err
	}
	var result Result
	for i, clients := range config.Clients {
		result.Cells = append(result.Cells, sum(clients, outcomes[i*reps:(i+1)*reps]))
	}
	return result, nil
}

// An outcome is what one repetition gave.
type outcome struct {
	time   time.Duration
	calls  int64
	gaveUp int64
}

// sum is exact up to the last step of each figure: what is added are differences
// from the first outcome, in float64 only from there on, in the order of the
// repetitions, so that neither the processor nor the workers can tell.
func sum(clients int, outcomes []outcome) Cell {
	meanTime, timeSE := mean(outcomes, func(o outcome) int64 { return int64(o.time) })
	calls, callsSE := mean(outcomes, func(o outcome) int64 { return o.calls })
	gaveUp, _ := mean(outcomes, func(o outcome) int64 { return o.gaveUp })
	return Cell{
		Clients: clients,
		Reps:    len(outcomes),
		Time:    time.Duration(math.Floor(meanTime + 0.5)),
		TimeSE:  time.Duration(math.Floor(timeSE + 0.5)),
		Calls:   calls,
		CallsSE: callsSE,
		GaveUp:  gaveUp,
	}
}

// mean returns the mean of figure over outcomes and its standard error.
func mean(outcomes []outcome, figure func(outcome) int64) (m, se float64) {
	n := float64(len(outcomes))
	first := figure(outcomes[0])
	total := 0.0
	for _, o := range outcomes {
		total += float64(figure(o) - first)
	}
	m = float64(first) + total/n
	if n == 1 {
		return m, 0
	}
	squares := 0.0
	for _, o := range outcomes {
		d := float64(figure(o)-first) - total/n
		squares += float64(d * d)
	}
	return m, math.Sqrt(squares / (n - 1) / n)
}
