package overload

import "time"

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
