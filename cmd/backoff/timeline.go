package main

import (
	"math"
	"sync"
	"time"

	"example.com/backoff/sim/overload"
)

// A timeline counts what happens in each second of a run.
type timeline struct {
	begun time.Time

	mu      sync.Mutex
	seconds []overload.Second
}

// newTimeline begins a run that is so long.
func newTimeline(length time.Duration) *timeline {
	n := (length + time.Second - 1) / time.Second
	return &timeline{begun: time.Now(), seconds: make([]overload.Second, n)}
}

// count has f count something that happens now.
func (t *timeline) count(f func(*overload.Second)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	// The run may be over.
	if n := int(time.Since(t.begun) / time.Second); n < len(t.seconds) {
		f(&t.seconds[n])
	}
}

// ended notes how the server was when second n ended, and returns that second.
func (t *timeline) ended(n int, open int64, latency time.Duration) overload.Second {
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

// A course is when the server is stopped in a run.
type course struct{ warmup, stop, after time.Duration }

func (c course) length() time.Duration { return c.warmup + c.stop + c.after }

// judge says of a run what the model says of one of its own: see
// [overload.Verdict].
func (c course) judge(seconds []overload.Second, peak int64) overload.Verdict {
	resumed := c.warmup + c.stop
	// Of whole seconds, those of the warm-up and those after the stop.
	warm := int(c.warmup / time.Second)
	after := int((resumed + time.Second - 1) / time.Second)
	whole := int(c.length() / time.Second)
	ending := seconds[whole-(whole-after+2)/3 : whole]
	v := overload.Verdict{
		Before:   goodput(seconds[1:warm]),
		End:      goodput(ending),
		PeakOpen: peak,
	}
	// Two standard deviations of what is expected are allowed for.
	enough := func(seconds []overload.Second) bool {
		least := 0.9 * v.Before * float64(len(seconds))
		return goodput(seconds)*float64(len(seconds)) >= least-2*math.Sqrt(least)
	}
	const window = 5
	for s := after; v.Before > 0 && enough(ending) && s+window <= whole; s++ {
		if enough(seconds[s:s+1]) && enough(seconds[s:s+window]) {
			v.Recovered = true
			v.After = time.Duration(s)*time.Second - resumed
			break
		}
	}
	return v
}

// goodput returns the mean of what was answered in time in each of seconds.
func goodput(seconds []overload.Second) float64 {
	return float64(overload.Total(seconds).OK) / float64(len(seconds))
}
