package load

import (
	"sync"
	"time"

	"example.com/backoff/sim/overload"
)

// A timeline has the counts of each second of a run.
type timeline struct {
	start time.Time

	mu      sync.Mutex
	seconds []overload.Second
}

// newTimeline begins a run of a length.
func newTimeline(length time.Duration) *timeline {
	n := (length + time.Second - 1) / time.Second
	return &timeline{start: time.Now(), seconds: make([]overload.Second, n)}
}

// count calls f with the current second.
func (t *timeline) count(f func(*overload.Second)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	// After the end of the run there is none.
	if n := int(time.Since(t.start) / time.Second); n < len(t.seconds) {
		f(&t.seconds[n])
	}
}

// endSecond records the state of the server at the end of second n, and returns that
// second. The peak is the most open requests since the second before, or 0 if it is unknown.
func (t *timeline) endSecond(n int, open, peak int64, latency time.Duration) overload.Second {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &t.seconds[n]
	s.Open, s.Latency, s.PeakOpen = open, latency, max(peak, open)
	if n > 0 {
		s.PeakOpen = max(s.PeakOpen, t.seconds[n-1].Open)
	}
	return *s
}

// all returns the seconds so far.
func (t *timeline) all() []overload.Second {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]overload.Second(nil), t.seconds...)
}

// Phases are the phases of a run: the server is stopped after Warmup, for Stop.
type Phases struct{ Warmup, Stop, After time.Duration }

// Length returns the length of the run.
func (c Phases) Length() time.Duration { return c.Warmup + c.Stop + c.After }

// In returns config with these phases.
func (c Phases) In(config overload.Config) overload.Config {
	config.Warmup, config.Trigger.For, config.After = c.Warmup, c.Stop, c.After
	return config
}
