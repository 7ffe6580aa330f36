package contention

import (
	"context"
	"math"
	"slices"
	"time"

	"example.com/backoff/sim/internal/engine"
)

// A Result is the result of an experiment. It has a cell for each of the numbers of clients
// in its [Config], in the same order.
type Result struct {
	Cells []Cell
}

// A Cell summarizes the repetitions with one number of clients. Each standard error belongs
// to the mean before it. It is 0 for a single repetition.
type Cell struct {
	Clients int
	Reps    int
	Time    time.Duration // mean time until the last client knows that its write succeeded
	TimeSE  time.Duration
	Calls   float64 // mean number of writes tried, by all clients together
	CallsSE float64
	GaveUp  float64 // mean number of clients that gave up, because their schedule ended
}

// Run runs an experiment. If ctx is done first, Run returns its cause. If a field of config
// is out of its bounds, Run returns an [*Error] that names it. If a schedule panics or
// calls [runtime.Goexit], so does Run.
func Run(ctx context.Context, config Config) (Result, error) {
	if err := config.Validate(); err != nil {
		return Result{}, err
	}
	reps := config.Reps
	outcomes := make([]outcome, len(config.Clients)*reps)
	plan := engine.Plan{Reps: len(outcomes), Parts: 1, Workers: config.Workers, Progress: config.Progress}
	// The largest cells come first. Otherwise one worker could begin a long repetition
	// when the others have nothing left to do.
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

// An outcome is the result of one repetition.
type outcome struct {
	time   time.Duration
	calls  int64
	gaveUp int64
}

// sum adds differences from the first outcome, in the order of the repetitions, and rounds
// in the last step only. So the result depends neither on the processor nor on the number
// of workers.
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
