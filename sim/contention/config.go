package contention

import (
	"fmt"
	"iter"
	"runtime"
	"time"
)

// A Config says what to run. Every field counts as it stands: start from [Default].
type Config struct {
	// Schedule returns the schedule of a client, given a seed of the client's own.
	// It must replay: ranging over it again gives the same delays. Several
	// goroutines call it at once.
	Schedule func(seed uint64) iter.Seq[time.Duration]

	Clients      []int         // the numbers of clients to try, each from 1 to 1,000,000
	Reps         int           // repetitions of each, from 1 to 1,000,000
	Hop          time.Duration // the mean time of a message, above 0, at most 24 h
	HopDeviation time.Duration // its standard deviation, from 0 to 24 h

	Seed    uint64 // equal seeds give equal results
	Workers int    // repetitions that run at a time, >= 1; the result does not depend on it

	// Progress is called, if it is not nil, with how many repetitions of how many
	// are done, by one goroutine at a time, at most about a thousand times.
	Progress func(done, total int)
}

// Default returns the published experiment, without a schedule: 10, 20, ..., 190
// clients, 100 repetitions, hops of 10 ± 2 ms. Its seed is 1, and it uses all
// processors.
func Default() Config {
	clients := make([]int, 0, 19)
	for n := 10; n <= 190; n += 10 {
		clients = append(clients, n)
	}
	return Config{
		Clients:      clients,
		Reps:         100,
		Hop:          10 * time.Millisecond,
		HopDeviation: 2 * time.Millisecond,
		Seed:         1,
		Workers:      runtime.GOMAXPROCS(0),
	}
}

// The bounds are there so that sums of times cannot overflow, and that a slip of
// the keyboard is an error and not a day of waiting for memory.
const (
	maxClients = 1_000_000
	maxReps    = 1_000_000
	maxHop     = 24 * time.Hour
	maxRaces   = 50_000_000 // in all
)

// Validate returns nil, or an [*Error] that names the first field that makes no sense.
func (c *Config) Validate() error {
	if c.Schedule == nil {
		return reject("Schedule", "nil", "a function that returns a schedule")
	}
	if len(c.Clients) == 0 {
		return reject("Clients", "empty", "at least one number of clients")
	}
	for i, n := range c.Clients {
		if n < 1 || n > maxClients {
			return reject(fmt.Sprintf("Clients[%d]", i), n, fmt.Sprintf("1 to %d", maxClients))
		}
	}
	if c.Reps < 1 || c.Reps > maxReps {
		return reject("Reps", c.Reps, fmt.Sprintf("1 to %d", maxReps))
	}
	if races := int64(len(c.Clients)) * int64(c.Reps); races > maxRaces {
		return reject("Clients × Reps", races, fmt.Sprintf("at most %d", maxRaces))
	}
	if c.Hop <= 0 || c.Hop > maxHop {
		return reject("Hop", c.Hop, fmt.Sprintf("above 0, at most %v", maxHop))
	}
	if c.HopDeviation < 0 || c.HopDeviation > maxHop {
		return reject("HopDeviation", c.HopDeviation, fmt.Sprintf("0 to %v", maxHop))
	}
	if c.Workers < 1 {
		return reject("Workers", c.Workers, ">= 1")
	}
	return nil
}
