package overload

import "time"

// stats records a run, second by second.
type stats struct {
	Second                // the current one
	seen    time.Duration // in it: the sum of what the answered requests took
	seconds []Second      // those before
	peak    int64         // the most requests that were open at one time
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

// verdict returns the verdict on a run that has ended. Its PeakOpen is exact: Judge sees
// the open requests at the ends of seconds only, and there are often more in between.
func (r *stats) verdict(config *Config) Verdict {
	v := Judge(r.seconds, *config)
	v.PeakOpen = r.peak
	return v
}
