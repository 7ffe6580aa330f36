package overload

import (
	"fmt"
	"iter"
	"math"
	"runtime"
	"time"
)

// A Config says what to run. Every field counts as it stands: start from [Default].
type Config struct {
	// Schedule returns the schedule of the retries of one operation, given a seed
	// of its own. It must replay: ranging over it again gives the same delays.
	// When it ends, the operation is given up. Several goroutines call it at once.
	Schedule func(seed uint64) iter.Seq[time.Duration]

	// Budget returns a retry budget, which says of every failure whether a retry
	// may follow; nil for none. It is called once for each of Processes in each
	// repetition, by several goroutines at once: the clients of one process share
	// one.
	Budget    func() Budget
	Processes int // from 1; client i belongs to process i modulo Processes

	// Arrivals are closed, so many clients that each think, call until they
	// succeed or give up, and think again; or open, so many operations a second,
	// each of a client of its own. One of Clients and Rate is 0.
	Clients int           // 0 to 10,000,000
	Think   time.Duration // the mean of the exponentially distributed time, 0 to 24 h
	Rate    float64       // operations a second, 0 to 1e9; Poisson arrivals

	Timeout time.Duration // when a client abandons its request, 1 ms to 1 h

	// Network is the mean of the exponentially distributed time that a request takes
	// to the server, and an answer back; 0 to 1 min. That a client has given up, the
	// server hears at once.
	Network time.Duration

	Latency   Latency       // how long the server takes, by the open requests
	Poll      time.Duration // how often it looks at a request again, from 1 µs to 1 h; 0 for never
	Abandoned Abandoned     // whether the server goes on with an abandoned request
	Failures  float64       // the share of requests that are answered by an error, in [0, 1]
	Queue     int           // requests that the accept queue holds, 0 to 1e9
	Accept    time.Duration // for taking one request out of it, 0 to 1 s
	Reconnect time.Duration // within which a request that found the queue full tries again, 1 ms to 1 min

	// A run is Warmup, then the trigger, then After; 1 h at most in all.
	Warmup  time.Duration // at least 2 s
	Trigger Trigger
	After   time.Duration // at least 5 s

	Reps    int    // repetitions, 1 to 100,000
	Seed    uint64 // that of the first repetition; each further one's is made from it and unrelated
	Workers int    // repetitions that run at a time, >= 1; the result does not depend on it

	// Progress is called, if it is not nil, with how many seconds of virtual time
	// of how many are done, by one goroutine at a time, at most about a thousand
	// times.
	Progress func(done, total int)
}

// A Budget limits retries. A [example.com/backoff/retry.Budget] is one.
type Budget interface {
	Failed() (retry bool) // counts a failure, and reports whether a retry may follow
	Succeeded()           // counts a success
}

// Abandoned says what the server does with a request whose client has given up.
type Abandoned int

const (
	// Keep goes on serving it, as a net/http handler does that ignores its
	// request's context.
	Keep Abandoned = iota
	// Drop ends it at once.
	Drop
)

func (a Abandoned) String() string {
	switch a {
	case Keep:
		return "keep"
	case Drop:
		return "drop"
	}
	return fmt.Sprintf("Abandoned(%d)", int(a))
}

// A Trigger is what happens to the server after the warm-up.
type Trigger struct {
	Kind   TriggerKind
	For    time.Duration // how long; 0 for no trigger
	Factor float64       // of a SlowDown or a Spike, finite and >= 1
}

// A TriggerKind says what a [Trigger] does.
type TriggerKind int

const (
	// Stop stops the server, as SIGSTOP does: it answers nothing, and requests
	// wait in the accept queue.
	Stop TriggerKind = iota
	// SlowDown multiplies the server's latency by Factor.
	SlowDown
	// Spike multiplies the rate of first tries by Factor: of open arrivals, and of
	// the clients that are thinking.
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

// Default returns the published experiment, without a schedule: 1,000 clients that
// think for 10 s on average and wait for 2 s, a server whose latency is 100 ms until
// 30 requests are open and 5 % longer for every 15 more, a stop of 20 s after 15 s, and
// 90 s to recover. The accept queue is that of today's Linux, 4096; abandoned requests
// are kept. One repetition, with seed 1.
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

// Validate returns nil, or an [*Error] that names the first field that makes no sense.
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
		field            string
		got, least, most int
	}{
		{"Processes", c.Processes, 1, 10_000_000},
		{"Clients", c.Clients, 0, 10_000_000},
		{"Queue", c.Queue, 0, 1_000_000_000},
		{"Abandoned", int(c.Abandoned), int(Keep), int(Drop)},
		{"Trigger.Kind", int(c.Trigger.Kind), int(Stop), int(Spike)},
		{"Reps", c.Reps, 1, 100_000},
		{"Workers", c.Workers, 1, math.MaxInt},
	} {
		if n.got < n.least || n.got > n.most {
			return reject(n.field, n.got, within(n.least, n.most))
		}
	}
	for _, d := range []struct {
		field            string
		got, least, most time.Duration
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
		if d.got < d.least || d.got > d.most {
			return reject(d.field, d.got, within(d.least, d.most))
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

func within(least, most any) string {
	if most == any(math.MaxInt) {
		return fmt.Sprintf(">= %v", least)
	}
	return fmt.Sprintf("%v to %v", least, most)
}

// end is how long a run is.
func (c *Config) end() time.Duration { return c.Warmup + c.Trigger.For + c.After }

// during returns when the trigger is on: in [from, to).
func (c *Config) during() (from, to time.Duration) {
	return c.Warmup, c.Warmup + c.Trigger.For
}
