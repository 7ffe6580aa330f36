package contention

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/backoff/sim/internal/engine"
	"github.com/google/go-cmp/cmp"
)

func TestBadConfig(t *testing.T) {
	tests := []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Schedule = nil }, "contention: Schedule is nil, want a function that returns a schedule"},
		{func(c *Config) { c.Clients = nil }, "contention: Clients is empty, want at least one number of clients"},
		{func(c *Config) { c.Clients = []int{10, 0} }, "contention: Clients[1] is 0, want 1 to 1000000"},
		{func(c *Config) { c.Clients = []int{1_000_001} }, "contention: Clients[0] is 1000001, want 1 to 1000000"},
		{func(c *Config) { c.Reps = 0 }, "contention: Reps is 0, want 1 to 1000000"},
		{func(c *Config) { c.Clients, c.Reps = slices.Repeat([]int{1}, 51), 1_000_000 }, "contention: Clients × Reps is 51000000, want at most 50000000"},
		{func(c *Config) { c.Hop = 0 }, "contention: Hop is 0s, want above 0, at most 24h0m0s"},
		{func(c *Config) { c.Hop = 25 * time.Hour }, "contention: Hop is 25h0m0s, want above 0, at most 24h0m0s"},
		{func(c *Config) { c.HopDeviation = -1 }, "contention: HopDeviation is -1ns, want 0 to 24h0m0s"},
		{func(c *Config) { c.Workers = 0 }, "contention: Workers is 0, want >= 1"},
	}
	for _, test := range tests {
		config := Default()
		config.Schedule = none
		test.change(&config)
		_, err := Run(context.Background(), config)
		if err == nil || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("%v is a %T, want an *Error", err, err)
		}
	}
}

// The largest values of Config's bounds are within them.
func TestLargestConfig(t *testing.T) {
	config := Default()
	config.Schedule, config.Clients = none, []int{maxClients}
	config.Hop, config.HopDeviation = maxHop, maxHop
	if err := config.Validate(); err != nil {
		t.Error(err)
	}
	config.Clients, config.Reps = slices.Repeat([]int{1}, maxRaces/maxReps), maxReps
	if err := config.Validate(); err != nil {
		t.Error(err)
	}
}

// A single repetition has no standard error, and JSON, which has no NaN, can say so.
func TestSingleRepetition(t *testing.T) {
	config := Default()
	config.Schedule, config.Clients, config.Reps = full, []int{20}, 1
	result, err := Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	r := newRace(&config)
	o, _ := r.run(context.Background(), 20, engine.Seed(config.Seed, 20, 0))
	want := Result{[]Cell{{Clients: 20, Reps: 1, Time: o.time, Calls: float64(o.calls), GaveUp: float64(o.gaveUp)}}}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := json.Marshal(result); err != nil {
		t.Error(err)
	}
}

// One seed has these figures, on every GOARCH and with any number of workers.
func TestGolden(t *testing.T) {
	want := `
exponential, 40·5: 30.66736595s ± 817.197723ms, 431.2 ± 6.763135367564367, 0
exponential, 1·5: 38.774458ms ± 1.66265ms, 1 ± 0, 0
exponential, 7·5: 922.035567ms ± 2.70349ms, 28 ± 0, 0
equal-jitter, 40·5: 3.508974979s ± 355.105591ms, 261 ± 1.9235384061671346, 0
equal-jitter, 1·5: 38.774458ms ± 1.66265ms, 1 ± 0, 0
equal-jitter, 7·5: 497.978061ms ± 8.530647ms, 25.8 ± 0.48989794855663565, 0
full-jitter, 40·5: 2.181984597s ± 171.708196ms, 249.4 ± 1.4352700094407325, 0
full-jitter, 1·5: 38.774458ms ± 1.66265ms, 1 ± 0, 0
full-jitter, 7·5: 306.19036ms ± 12.372227ms, 23 ± 0.4472135954999579, 0
decorrelated-jitter, 40·5: 1.62354063s ± 102.903009ms, 275.6 ± 6.508456038109192, 0
decorrelated-jitter, 1·5: 38.774458ms ± 1.66265ms, 1 ± 0, 0
decorrelated-jitter, 7·5: 347.356067ms ± 18.79029ms, 22.8 ± 0.7348469228349535, 0
published decorrelated, 40·5: 1.62354063s ± 102.903009ms, 275.6 ± 6.508456038109192, 0
published decorrelated, 1·5: 38.774458ms ± 1.66265ms, 1 ± 0, 0
published decorrelated, 7·5: 347.356067ms ± 18.79029ms, 22.8 ± 0.7348469228349535, 0
none, 40·5: 953.294333ms ± 28.381325ms, 463.4 ± 8.53580693314932, 0
none, 1·5: 38.774458ms ± 1.66265ms, 1 ± 0, 0
none, 7·5: 292.035567ms ± 2.70349ms, 28 ± 0, 0
ending, 40·5: 492.529712ms ± 8.456614ms, 209.4 ± 0.6782329983125268, 20.2
ending, 1·5: 38.774458ms ± 1.66265ms, 1 ± 0, 0
ending, 7·5: 306.19036ms ± 12.372227ms, 23 ± 0.4472135954999579, 0
`
	got := "\n"
	for _, s := range schedules {
		config := Default()
		config.Schedule = s.delay
		config.Clients = []int{40, 1, 7}
		config.Reps = 5
		config.Workers = 1
		result, err := Run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range result.Cells {
			got += fmt.Sprintf("%s, %d·%d: %v ± %v, %v ± %v, %v\n",
				s.name, c.Clients, c.Reps, c.Time, c.TimeSE, c.Calls, c.CallsSE, c.GaveUp)
		}
		config.Workers = 4
		again, err := Run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(result, again); diff != "" {
			t.Errorf("%s: 4 workers differ from 1 (-1 +4):\n%s", s.name, diff)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, got)
	}
}

func TestSeedMatters(t *testing.T) {
	config := Default()
	config.Schedule, config.Clients = full, []int{20}
	one, _ := Run(context.Background(), config)
	config.Seed = 2
	two, _ := Run(context.Background(), config)
	if one.Cells[0].Time == two.Cells[0].Time {
		t.Errorf("seeds 1 and 2 both take %v", one.Cells[0].Time)
	}
}

// A client gives up when its schedule ends, and when its delay is endless.
func TestGivingUp(t *testing.T) {
	for _, schedule := range []schedule{
		func(uint64) iter.Seq[time.Duration] { return func(func(time.Duration) bool) {} },
		func(uint64) iter.Seq[time.Duration] {
			return func(yield func(time.Duration) bool) { yield(1<<63 - 1) }
		},
	} {
		config := Default()
		config.Schedule, config.Clients, config.Reps = schedule, []int{1, 50}, 10
		result, err := Run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		alone, many := result.Cells[0], result.Cells[1]
		if alone.GaveUp != 0 || alone.Calls != 1 {
			t.Errorf("one client: %+v, want one write and nobody giving up", alone)
		}
		// Every client writes once, and gives up or succeeds.
		if many.Calls != 50 || many.GaveUp < 25 || many.GaveUp > 49 {
			t.Errorf("50 clients: %+v, want 50 writes and most giving up", many)
		}
	}
}

func TestProgress(t *testing.T) {
	config := Default()
	config.Schedule, config.Clients, config.Reps, config.Workers = none, []int{2, 3}, 700, 3
	last := 0
	config.Progress = func(done, total int) {
		if total != 1400 || done <= last || done > total {
			t.Errorf("progress %d of %d after %d, want more and at most 1400", done, total, last)
		}
		last = done
	}
	if _, err := Run(context.Background(), config); err != nil {
		t.Fatal(err)
	}
	if last != 1400 {
		t.Errorf("the last progress was %d, want 1400", last)
	}
}

func TestEndedContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	config := Default()
	config.Workers = 2
	var calls atomic.Int64
	ended := make(chan struct{})
	config.Schedule = func(seed uint64) iter.Seq[time.Duration] {
		switch n := calls.Add(1); {
		case n == 100:
			cancel(cause)
			close(ended)
		case n > 100:
			<-ended // else this worker might go on for long before the one above cancels
		}
		return full(seed)
	}
	result, err := Run(ctx, config)
	if err != cause || result.Cells != nil {
		t.Errorf("got %v, %v, want no result and the cause", result, err)
	}
	// Each of the 190 clients of a repetition calls Schedule at most once, and no worker
	// begins another repetition.
	if n := calls.Load(); n > 100+2*190 {
		t.Errorf("%d calls of Schedule, want at most 100 and those of two repetitions", n)
	}
	before := calls.Load()
	if _, err := Run(ctx, config); err != cause || calls.Load() != before {
		t.Errorf("with an ended context: %v after %d more calls, want the cause and none", err, calls.Load()-before)
	}
}

// A context that is done after a number of checks.
type countedContext struct {
	context.Context
	looks int
}

func (c *countedContext) Err() error {
	c.looks--
	if c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// A race checks the context every 1,024 writes, and before it begins every 1,024 clients.
// Each write takes far less than the 48 µs that would add up to 50 ms.
func TestContextIsChecked(t *testing.T) {
	config := Default()
	config.Schedule = none
	r := newRace(&config)
	if _, ok := r.run(&countedContext{context.Background(), 2}, 5000, 1); ok || r.calls != 0 {
		t.Errorf("ok = %v after %d writes, want an end among the first clients", ok, r.calls)
	}
	if _, ok := r.run(&countedContext{context.Background(), 5 + 3}, 5000, 1); ok || r.calls != 3*contextEvery {
		t.Errorf("ok = %v after %d writes, want an end after %d", ok, r.calls, 3*contextEvery)
	}
}

// In a repetition only the schedules allocate.
func TestNoAllocationPerEvent(t *testing.T) {
	config := Default()
	config.Schedule = none
	r := newRace(&config)
	r.run(context.Background(), 100, 1)
	// Constant(0) is one function value for each client that retries, at most 99.
	got := testing.AllocsPerRun(10, func() { r.run(context.Background(), 100, 1) })
	if got > 100 {
		t.Errorf("%v allocations in %d writes, want at most 100", got, r.calls)
	}
}
