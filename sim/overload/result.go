package overload

import (
	"fmt"
	"math"
	"time"
)

// A Result has the repetitions of a [Config], in their order.
type Result struct {
	Reps []Rep
}

// A Rep is one repetition. A Config with its seed and one repetition gives it again.
type Rep struct {
	Seed    uint64
	Seconds []Second // second n is from n s to n+1 s; the last may be shorter
	Verdict Verdict
}

// A Second is what happened in one second of virtual time, and how it was at its end.
// First and Retries are the requests sent; each is in the end one of OK, Timeouts and
// Refused.
type Second struct {
	First    int64 // first tries: operations begun
	Retries  int64 // requests after the first of their operation
	OK       int64 // answered in time
	Timeouts int64 // abandoned by their client
	Refused  int64 // answered by an error, see Failures

	GaveUp int64 // operations whose schedule ended
	Denied int64 // operations that the budget ended
	Wasted int64 // requests served whose client had abandoned them

	Open    int64         // requests that the server is at, abandoned ones among them
	Queued  int64         // requests in the accept queue
	Latency time.Duration // the server's, with so many open
	Seen    time.Duration // the clients': mean of those that were answered, 0 if there were none
}

// Total returns the sums of the counts of seconds; of Open and Queued, and of the two
// latencies, the largest.
func Total(seconds []Second) Second {
	var t Second
	for _, s := range seconds {
		t.First += s.First
		t.Retries += s.Retries
		t.OK += s.OK
		t.Timeouts += s.Timeouts
		t.Refused += s.Refused
		t.GaveUp += s.GaveUp
		t.Denied += s.Denied
		t.Wasted += s.Wasted
		t.Open = max(t.Open, s.Open)
		t.Queued = max(t.Queued, s.Queued)
		t.Latency = max(t.Latency, s.Latency)
		t.Seen = max(t.Seen, s.Seen)
	}
	return t
}

// A Verdict says whether the server recovered from the trigger: whether the goodput,
// the requests answered in time, came back to 90 % of what it was before, and was there
// at the end. So that chance decides nothing, two standard deviations of the count are
// allowed for: of the 98 requests a second of a thousand clients 399 are enough in 5 s,
// where 90 % are 441. None is never enough.
type Verdict struct {
	Recovered bool // false too if there was no goodput before: too much from the start
	// After is how long after the trigger's end the first second began that had
	// enough by itself and together with the next four. It is 0 if the server did
	// not recover.
	After    time.Duration
	Before   float64 // mean goodput a second in the warm-up, but for its first second
	End      float64 // the same in the last third of After
	PeakOpen int64   // the most requests that were open at one time
}

// String returns "recovered after 2s" or "collapsed".
func (v Verdict) String() string {
	if v.Recovered {
		return fmt.Sprintf("recovered after %v", v.After)
	}
	return "collapsed"
}

// Judge returns the verdict on the seconds of a run, also of a real server's. Of config
// only Warmup, Trigger.For and After count: the trigger began after Warmup and lasted
// for Trigger.For, and After followed. PeakOpen is the largest Open of seconds.
//
// It panics if Warmup < 2 s, Trigger.For < 0 or After < 5 s, or if the run has more
// whole seconds than there are.
func Judge(seconds []Second, config Config) Verdict {
	warmup, trigger, after := config.Warmup, config.Trigger.For, config.After
	resumed := warmup + trigger
	// Of whole seconds, those of the warm-up and those after the trigger.
	warm := int(warmup / time.Second)
	first := int((resumed + time.Second - 1) / time.Second)
	whole := int((resumed + after) / time.Second)
	if warm < 2 || trigger < 0 || after < 5*time.Second || whole > len(seconds) {
		panic(fmt.Sprintf("overload: Judge: %d seconds of %v, %v and %v, want as many as those have, at least 2s, 0s and 5s",
			len(seconds), warmup, trigger, after))
	}
	ending := seconds[whole-(whole-first+2)/3 : whole]
	v := Verdict{
		Before:   goodput(seconds[1:warm]),
		End:      goodput(ending),
		PeakOpen: Total(seconds).Open,
	}
	if v.Before == 0 || !enough(ending, v.Before) {
		return v
	}
	const window = 5
	for s := first; s+window <= whole; s++ {
		if enough(seconds[s:s+1], v.Before) && enough(seconds[s:s+window], v.Before) {
			v.Recovered = true
			v.After = time.Duration(s)*time.Second - resumed
			return v
		}
	}
	return v
}

// goodput returns the mean of OK over seconds.
func goodput(seconds []Second) float64 {
	return float64(Total(seconds).OK) / float64(len(seconds))
}

// enough reports whether seconds have 90 % of the goodput before, less two standard
// deviations, which are twice the root of what is expected, and any at all.
func enough(seconds []Second, before float64) bool {
	least := float64(0.9 * before * float64(len(seconds)))
	return float64(Total(seconds).OK) >= max(least-float64(2*math.Sqrt(least)), 1)
}

// stats is the record of a run.
type stats struct {
	Second                // that is running
	seen    time.Duration // sum of what Seen is the mean of
	seconds []Second
	peak    int64
}

// endSecond notes the server's state and begins a new second. A server that is stopped
// has not noticed yet what became of its requests.
func (r *stats) endSecond(s *server) {
	if !s.stopped {
		r.Open, r.Latency = int64(s.open), s.latencyNow()
	} else {
		r.Open, r.Latency = s.atStop.Open, s.atStop.Latency
	}
	r.Queued = int64(s.queue.size)
	if r.OK > 0 {
		r.Seen = r.seen / time.Duration(r.OK)
	}
	r.seconds = append(r.seconds, r.Second)
	r.Second, r.seen = Second{}, 0
}

// verdict is the run's. The most open requests are often between the ends of seconds.
func (r *stats) verdict(config *Config) Verdict {
	v := Judge(r.seconds, *config)
	v.PeakOpen = r.peak
	return v
}
