package contention_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"example.com/backoff"
	"example.com/backoff/sim/contention"
)

// Twenty and a hundred clients, each with a full jitter of its own.
func ExampleRun() {
	config := contention.Default()
	config.Schedule = func(seed uint64) iter.Seq[time.Duration] {
		return backoff.FullJitter(10*time.Millisecond, 2*time.Second, backoff.WithSeed(seed))
	}
	config.Clients = []int{20, 100}
	result, err := contention.Run(context.Background(), config)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range result.Cells {
		fmt.Printf("%3d clients: %v ± %v, %.0f ± %.0f writes\n", c.Clients,
			c.Time.Round(time.Millisecond), c.TimeSE.Round(time.Millisecond), c.Calls, c.CallsSE)
	}
	// Output:
	//  20 clients: 1.054s ± 29ms, 100 ± 0 writes
	// 100 clients: 4.942s ± 58ms, 797 ± 1 writes
}

// The published experiment.
func ExampleDefault() {
	config := contention.Default()
	fmt.Println(config.Clients[0], "to", config.Clients[len(config.Clients)-1], "clients")
	fmt.Println(config.Reps, "repetitions")
	fmt.Println("messages of", config.Hop, "±", config.HopDeviation)
	// Output:
	// 10 to 190 clients
	// 100 repetitions
	// messages of 10ms ± 2ms
}

// A number of clients that is 0 by mistake.
func ExampleError() {
	config := contention.Default()
	config.Schedule = func(uint64) iter.Seq[time.Duration] { return backoff.Constant(0) }
	config.Clients = []int{10, 0}
	_, err := contention.Run(context.Background(), config)
	fmt.Println(err)
	if bad, ok := errors.AsType[*contention.Error](err); ok {
		fmt.Printf("field %s, got %s, want %s\n", bad.Field, bad.Got, bad.Want)
	}
	// Output:
	// contention: Clients[1] is 0, want 1 to 1000000
	// field Clients[1], got 0, want 1 to 1000000
}
