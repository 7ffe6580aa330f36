package engine_test

import (
	"context"
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/sim/internal/engine"
)

// A small model: ten clients fail at once. How much later than the first does the last one
// retry? It has a hundred repetitions.
func Example() {
	last := make([]time.Duration, 100)
	plan := engine.Plan{Reps: len(last), Parts: 1, Workers: 2}
	err := engine.Repeat(context.Background(), plan, func(context.Context) func(int, func()) {
		retries := engine.NewTree(10)
		var drawer engine.Drawer
		return func(rep int, part func()) {
			for client := range 10 {
				r := engine.NewRand(engine.Seed(1, uint64(rep), uint64(client)))
				delays := backoff.FullJitter(time.Second, time.Minute, backoff.WithSeed(r.Uint64()))
				var block [1]time.Duration
				drawer.Draw(delays, 0, block[:])
				retries.Set(client, block[0])
			}
			_, first := retries.Next()
			for {
				client, at := retries.Next()
				if at == engine.Never {
					break
				}
				last[rep] = at - first
				retries.Set(client, engine.Never)
			}
			part()
		}
	})
	sum := time.Duration(0)
	for _, d := range last {
		sum += d
	}
	fmt.Println((sum / 100).Round(time.Millisecond), err)
	// Output:
	// 814ms <nil>
}

// Equal paths give equal seeds, and different paths different ones.
func ExampleSeed() {
	fmt.Printf("%016x\n", engine.Seed(1, 3, 0))
	fmt.Printf("%016x\n", engine.Seed(1, 3, 0))
	fmt.Printf("%016x\n", engine.Seed(1, 0, 3))
	// Output:
	// ca32e53bf572740b
	// ca32e53bf572740b
	// ce639a27887a2771
}

// These numbers are the same on every architecture.
func ExampleNewRand() {
	r := engine.NewRand(engine.Seed(1))
	fmt.Println(r.Uint64(), r.Uint64N(6), r.Float64())
	fmt.Println(r.Exp(), r.Normal())
	// Output:
	// 6791897765849424158 5 0.04525699773739167
	// 0.2517527720079433 0.533816770948409
}

// Two delays at a time, each time with another range.
func ExampleDrawer() {
	delays := backoff.Take(backoff.Exponential(time.Second, 2), 5)
	var drawer engine.Drawer
	block := make([]time.Duration, 2)
	for skip := 0; ; skip += 2 {
		n := drawer.Draw(delays, skip, block)
		fmt.Println(block[:n])
		if n < len(block) {
			break
		}
	}
	// Output:
	// [1s 2s]
	// [4s 8s]
	// [16s]
}

func ExampleTree() {
	tree := engine.NewTree(3)
	tree.Set(0, 3*time.Second)
	tree.Set(1, 1*time.Second)
	tree.Set(2, 2*time.Second)
	tree.Set(1, 4*time.Second) // another time than before
	for {
		client, at := tree.Next()
		if at == engine.Never {
			break
		}
		fmt.Println(client, at)
		tree.Set(client, engine.Never)
	}
	// Output:
	// 2 2s
	// 0 3s
	// 1 4s
}

func ExampleCalendar() {
	calendar := engine.NewCalendar(1_000_000, time.Minute)
	calendar.Add(engine.Event{At: 3 * time.Second, Client: 999_999})
	calendar.Add(engine.Event{At: time.Second, Client: 7})
	calendar.Add(engine.Event{At: time.Hour, Client: 8}) // after the end
	fmt.Println(calendar.Next(time.Millisecond).At == engine.Never)
	for {
		e := calendar.Next(engine.Never)
		if e.At == engine.Never {
			break
		}
		fmt.Println(e.Client, e.At)
		calendar.Take()
	}
	// Output:
	// true
	// 7 1s
	// 999999 3s
}
