package adapt

import (
	"iter"
	"math"
	"time"

	"example.com/backoff/internal/splitmix"
)

const (
	grpcMost   = 100    // retries of a schedule; one that has more is taken to be endless
	grpcDrawn  = 10_000 // schedules, if they differ
	grpcDrawn0 = 100    // schedules, if they do not
)

// grpcDraws is what is known of a schedule after many draws.
type grpcDraws struct {
	retries []grpcRetry
	count   [grpcMost + 2]int // of the draws with 0, 1, ... grpcMost retries, or with more
	total   int               // of the draws
}

// A grpcRetry has the delays before one retry.
type grpcRetry struct {
	count             int
	sum               float64
	shortest, longest time.Duration
}

func (r grpcRetry) mean() float64 { return r.sum / float64(r.count) }

// unknown returns how far the mean may be from that of the schedule: the half nanosecond
// to which delays are rounded, the digits that float64 does not have, and twice the
// standard error, with that of a uniform delay for all.
func (r grpcRetry) unknown() float64 {
	return max(0.5, 1e-12*r.mean(), 2*float64(r.longest-r.shortest)/math.Sqrt(12*float64(r.count)))
}

// drawGRPC draws schedules until it knows that they are equal, or enough about them.
func drawGRPC(newSeq func(seed uint64) iter.Seq[time.Duration]) *grpcDraws {
	w := new(grpcDraws)
	for w.total < grpcDrawn0 || w.total < grpcDrawn && w.random() {
		seq := newSeq(splitmix.At(1, uint64(w.total)))
		if seq == nil {
			reject("GRPCServiceConfig", "the result of newSeq", "nil", "a schedule")
		}
		w.draw(seq)
	}
	return w
}

// draw adds one schedule.
func (w *grpcDraws) draw(seq iter.Seq[time.Duration]) {
	n := 0
	for d := range seq {
		if n == grpcMost {
			n++
			break
		}
		d = max(d, 0)
		if n == len(w.retries) {
			w.retries = append(w.retries, grpcRetry{shortest: d, longest: d})
		}
		r := &w.retries[n]
		r.count++
		r.sum += float64(d)
		r.shortest, r.longest = min(r.shortest, d), max(r.longest, d)
		n++
	}
	w.count[n]++
	w.total++
}

// random reports whether two of the schedules differ.
func (w *grpcDraws) random() bool {
	for _, r := range w.retries {
		if r.shortest != r.longest {
			return true
		}
	}
	shortest, longest := w.lengths()
	return shortest != longest
}

// lengths returns the smallest and the largest number of retries.
func (w *grpcDraws) lengths() (shortest, longest int) {
	shortest = len(w.count)
	for n, c := range w.count {
		if c > 0 {
			shortest, longest = min(shortest, n), n
		}
	}
	return shortest, longest
}

// length returns the number of retries that the config gets: the median, and as many as
// gRPC makes by itself if the median schedule is endless.
func (w *grpcDraws) length() int {
	n, below := 0, w.count[0] // draws with at most n retries
	for 2*below < w.total {
		n++
		below += w.count[n]
	}
	if n > grpcMost {
		return grpcAttempts - 1
	}
	return n
}
