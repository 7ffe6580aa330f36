package overload

import "time"

// stats records a run, second by second.
type stats struct {
	Second                // the current one
	seen    time.Duration // in it: the sum of what the answered requests took
	seconds []Second      // those before
}

// endSecond records the server's state and begins a new second, at whose beginning as many
// requests are open. A stopped server has not noticed yet what became of its requests.
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
	r.Second, r.seen = Second{PeakOpen: r.Open}, 0
}
