package load

import (
	"sync"
	"time"

	"example.com/backoff/sim/overload"
)

// A timeline counts what happens in each second of a run.
type timeline struct {
	start time.Time

	mu      sync.Mutex
	seconds []overload.Second
}

// newTimeline begins a run that is so long.
func newTimeline(length time.Duration) *timeline {
	n := (length + time.Second - 1) / time.Second
	return &timeline{start: time.Now(), seconds: make([]overload.Second, n)}
}

// count has f count something that happens now.
func (t *timeline) count(f func(*overload.Second)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	// The run may be over.
	if n := int(time.Since(t.start) / time.Second); n < len(t.seconds) {
		f(&t.seconds[n])
	}
}

// endSecond notes how the server was when second n ended, and returns that second.
func (t *timeline) endSecond(n int, open int64, latency time.Duration) overload.Second {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seconds[n].Open, t.seconds[n].Latency = open, latency
	return t.seconds[n]
}

// all returns the seconds so far.
func (t *timeline) all() []overload.Second {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]overload.Second(nil), t.seconds...)
}

// A Phases is when the server is stopped in a run.
type Phases struct{ Warmup, Stop, After time.Duration }

// Length returns how long the run is.
func (c Phases) Length() time.Duration { return c.Warmup + c.Stop + c.After }

// in returns the configuration of a model that has these phases.
func (c Phases) in(config overload.Config) overload.Config {
	config.Warmup, config.Trigger.For, config.After = c.Warmup, c.Stop, c.After
	return config
}
