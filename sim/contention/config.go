package contention

import (
	"fmt"
	"iter"
	"runtime"
	"time"
)

// A Config describes an experiment. No field has a default: start from [Default].
type Config struct {
	// Schedule returns the schedule of a client, from a seed of the client's own. The
	// schedule must replay: every range gives the same delays. Several goroutines call
	// Schedule at once.
	Schedule func(seed uint64) iter.Seq[time.Duration]

	Clients      []int         // the numbers of clients to try, each from 1 to 1,000,000
	Reps         int           // repetitions of each, from 1 to 1,000,000
	Hop          time.Duration // the mean time of a message, above 0, at most 24 h
	HopDeviation time.Duration // its standard deviation, from 0 to 24 h

	Seed    uint64 // equal seeds give equal results
	Workers int    // number of repetitions that run at a time, >= 1; no influence on the result

	// Progress, if not nil, is called with the number of repetitions that are done and
	// their total: by one goroutine at a time, at most about a thousand times.
	Progress func(done, total int)
}

// Default returns the published experiment without its schedules: 10, 20, ..., 190 clients,
// 100 repetitions, messages of 10 ± 2 ms. The seed is 1. It uses all processors.
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

// With these bounds sums of times cannot overflow, and a typing mistake is an error instead
// of a day of waiting.
const (
	maxClients = 1_000_000
	maxReps    = 1_000_000
	maxHop     = 24 * time.Hour
	maxRaces   = 50_000_000 // in all
)

// Validate returns an [*Error] about the first field that is out of its bounds, or nil.
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
