package overload

import (
	"fmt"
	"iter"
	"math"
	"runtime"
	"time"
)

// A Config is an experiment. No field has a default: start from [Default].
type Config struct {
	// Schedule returns the schedule of the retries of one operation, given a seed
	// of its own. It must replay: ranging over it again gives the same delays.
	// When it ends, the client gives the operation up. Several goroutines call it at
	// once.
	Schedule func(seed uint64) iter.Seq[time.Duration]

	// Budget returns a retry budget, which decides after every failure whether a
	// retry may follow; nil for none. It is called once for each of Processes in
	// each repetition, by several goroutines at once: the clients of one process
	// share one.
	Budget    func() Budget
	Processes int // from 1; client i belongs to process i modulo Processes

	// Arrivals are closed, Clients that each think, call until they succeed or give
	// up, and think again; or open, Rate operations a second, each by a client of its
	// own. One of Clients and Rate is 0.
	Clients int           // 0 to 10,000,000
	Think   time.Duration // the mean of the exponentially distributed time, 0 to 24 h
	Rate    float64       // operations a second, 0 to 1e9; Poisson arrivals

	Timeout time.Duration // after which a client abandons its request, 1 ms to 1 h

	// Network is the mean of the exponentially distributed time that a request takes
	// to the server, and an answer back; 0 to 1 min. If a client gives up, the server
	// is notified at once.
	Network time.Duration

	Latency   Latency       // of the server, as a function of the open requests
	Poll      time.Duration // how often it checks whether a request is due, 1 µs to 1 h; 0 for never
	Abandoned Abandoned     // what the server does with abandoned requests
	Failures  float64       // the share of requests that get an error response, in [0, 1]
	Queue     int           // requests that the accept queue holds, 0 to 1e9
	Accept    time.Duration // the time to take one request out of it, 0 to 1 s
	Reconnect time.Duration // within which a request that found the queue full tries again, 1 ms to 1 min

	// A run is Warmup, then the trigger, then After; at most 1 h in all.
	Warmup  time.Duration // min 2 s
	Trigger Trigger       // the outage, or what else happens
	After   time.Duration // to recover, min 5 s

	Reps    int    // repetitions, 1 to 100,000
	Seed    uint64 // of the first repetition; those of the others are derived from it
	Workers int    // repetitions that run at a time, >= 1; no result depends on it

	// Progress, if it is not nil, is called with the seconds of virtual time that are
	// done, and their total, by one goroutine at a time, about a thousand times at
	// most.
	Progress func(done, total int)
}

// A Budget limits retries. A [example.com/backoff/retry.Budget] is one.
type Budget interface {
	Failed() (retry bool) // counts a failure and reports whether a retry may follow
	Succeeded()           // counts a success
}

// Abandoned is what the server does with a request that its client has abandoned.
type Abandoned int

const (
	// Keep goes on serving it, as a net/http handler does that ignores its
	// request's context.
	Keep Abandoned = iota
	// Cancel ends it at once, as a handler does that returns when its request's
	// context is done.
	Cancel
	// Drop is another name of Cancel.
	Drop = Cancel
)

func (a Abandoned) String() string {
	switch a {
	case Keep:
		return "keep"
	case Cancel:
		return "cancel"
	}
	return fmt.Sprintf("Abandoned(%d)", int(a))
}

// A Trigger is what happens after the warm-up: the outage of the experiment.
type Trigger struct {
	Kind   TriggerKind
	For    time.Duration // its length; 0 for no trigger
	Factor float64       // of a SlowDown or a Spike, finite and >= 1
}

// A TriggerKind is the kind of a [Trigger].
type TriggerKind int

const (
	// Stop stops the server, as SIGSTOP does: it answers nothing, and requests wait
	// in the accept queue until it resumes.
	Stop TriggerKind = iota
	// SlowDown multiplies the server's latency by Factor.
	SlowDown
	// Spike multiplies the rate of initial requests by Factor: of open arrivals, and
	// of the clients that are thinking.
	Spike
)

func (k TriggerKind) String() string {
	switch k {
	case Stop:
		return "stop"
	case SlowDown:
		return "slow-down"
	case Spike:
		return "spike"
	}
	return fmt.Sprintf("TriggerKind(%d)", int(k))
}

// Default returns the published experiment, without a schedule: 1,000 clients that think for
// 10 s on average and wait for 2 s; a server whose latency is 100 ms until 30 requests are
// open and 5 % longer with every 15 more; a stop of 20 s after 15 s, and 90 s to recover. The
// accept queue is that of today's Linux, 4096; abandoned requests are kept. It is one
// repetition, with seed 1.
func Default() Config {
	return Config{
		Processes: 1,
		Clients:   1000,
		Think:     10 * time.Second,
		Timeout:   2 * time.Second,
		Latency:   ExponentialLatency{Base: 100 * time.Millisecond, Limit: 30, Factor: 1.05, Scale: 15},
		Poll:      50 * time.Millisecond,
		Abandoned: Keep,
		Queue:     4096,
		Accept:    25 * time.Microsecond,
		Reconnect: 300 * time.Millisecond,
		Warmup:    15 * time.Second,
		Trigger:   Trigger{Kind: Stop, For: 20 * time.Second, Factor: 1},
		After:     90 * time.Second,
		Reps:      1,
		Seed:      1,
		Workers:   runtime.GOMAXPROCS(0),
	}
}

// Validate returns nil, or an [*Error] that names the first invalid field.
func (c *Config) Validate() error {
	if c.Schedule == nil {
		return reject("Schedule", "nil", "a function that returns a schedule")
	}
	if c.Latency == nil {
		return reject("Latency", "nil", "an ExponentialLatency or a LinearLatency")
	}
	if err := c.Latency.check(); err != nil {
		return err
	}
	for _, n := range []struct {
		field         string
		got, min, max int
	}{
		{"Processes", c.Processes, 1, 10_000_000},
		{"Clients", c.Clients, 0, 10_000_000},
		{"Queue", c.Queue, 0, 1_000_000_000},
		{"Abandoned", int(c.Abandoned), int(Keep), int(Cancel)},
		{"Trigger.Kind", int(c.Trigger.Kind), int(Stop), int(Spike)},
		{"Reps", c.Reps, 1, 100_000},
		{"Workers", c.Workers, 1, math.MaxInt},
	} {
		if n.got < n.min || n.got > n.max {
			return reject(n.field, n.got, within(n.min, n.max))
		}
	}
	for _, d := range []struct {
		field         string
		got, min, max time.Duration
	}{
		{"Think", c.Think, 0, 24 * time.Hour},
		{"Timeout", c.Timeout, time.Millisecond, time.Hour},
		{"Network", c.Network, 0, time.Minute},
		{"Accept", c.Accept, 0, time.Second},
		{"Reconnect", c.Reconnect, time.Millisecond, time.Minute},
		{"Warmup", c.Warmup, 2 * time.Second, time.Hour},
		{"Trigger.For", c.Trigger.For, 0, time.Hour},
		{"After", c.After, 5 * time.Second, time.Hour},
	} {
		if d.got < d.min || d.got > d.max {
			return reject(d.field, d.got, within(d.min, d.max))
		}
	}
	if c.Poll != 0 && (c.Poll < time.Microsecond || c.Poll > time.Hour) {
		return reject("Poll", c.Poll, "0 or "+within(time.Microsecond, time.Hour))
	}
	if total := c.Warmup + c.Trigger.For + c.After; total > time.Hour {
		return reject("Warmup + Trigger.For + After", total, "at most 1h0m0s")
	}
	const most = 20_000_000 // of 100 bytes
	if seconds := int64(c.Reps) * int64((c.end()+time.Second-1)/time.Second); seconds > most {
		return reject("Reps × seconds", seconds, fmt.Sprintf("at most %d", most))
	}
	if !(c.Rate >= 0 && c.Rate <= 1e9) {
		return reject("Rate", c.Rate, "a value in [0, 1e9]")
	}
	if (c.Clients > 0) == (c.Rate > 0) {
		return reject("Rate", c.Rate, fmt.Sprintf("either it or Clients, which is %d, to be 0", c.Clients))
	}
	if !(c.Failures >= 0 && c.Failures <= 1) {
		return reject("Failures", c.Failures, "a value in [0, 1]")
	}
	if f := c.Trigger.Factor; !(f >= 1 && f <= math.MaxFloat64) {
		return reject("Trigger.Factor", f, "a finite value >= 1")
	}
	return nil
}

func within(min, max any) string {
	if max == any(math.MaxInt) {
		return fmt.Sprintf(">= %v", min)
	}
	return fmt.Sprintf("%v to %v", min, max)
}

// end returns the length of a run.
func (c *Config) end() time.Duration { return c.Warmup + c.Trigger.For + c.After }

// during returns the time of the trigger, [from, to).
func (c *Config) during() (from, to time.Duration) {
	return c.Warmup, c.Warmup + c.Trigger.For
}
