package plan

import (
	"sort"
	"time"
)

// A Fit says how many attempts fit within a deadline, the first attempt counted.
type Fit struct {
	Min, Max int
	Mean     float64

	// AtLeast[k] is the probability that at least k attempts fit, for k from 0
	// to Max: 1, ... and never more than the one before it. Beyond Max
	// it is 0, of these draws.
	AtLeast []float64

	// Open is the share of draws of which all n retries fit and the schedule goes
	// on, so that more might fit: [Of] was asked for too few.
	Open float64
}

// Within returns how many attempts fit within deadline. An attempt fits if it
// ends by then; without [AttemptTime] it ends when it begins, and a first attempt
// always fits. A deadline of backoff.NoLimit is 292 years, beyond which no elapsed
// time is told apart.
//
// It panics if deadline < 0.
func (p *Plan) Within(deadline time.Duration) Fit {
	checkNonNegative("Within", "deadline", deadline)
	if deadline < p.settings.attempt {
		return Fit{AtLeast: []float64{1}}
	}
	counts := make([]int, len(p.Retries)+2) // counts[k]: the draws of which k attempts fit
	open, sum := 0, 0.0
	for _, d := range p.draws {
		retries := sort.Search(len(d.elapsed), func(i int) bool { return d.elapsed[i] > deadline-p.settings.attempt })
		counts[retries+1]++
		sum += float64(retries + 1)
		if retries == len(d.elapsed) && d.more {
			open++
		}
	}
	f := Fit{
		Min:     len(counts),
		Mean:    sum / float64(p.Draws),
		AtLeast: []float64{1},
		Open:    share(open, p.Draws),
		Max:     0,
	}
	left := p.Draws
	for k, count := range counts {
		if count > 0 {
			f.Min, f.Max = min(f.Min, k), k
		}
		left -= count
		if left > 0 {
			f.AtLeast = append(f.AtLeast, share(left, p.Draws))
		}
	}
	return f
}

// Share returns the share of clients for whom at least so many attempts fit.
//
// It panics if attempts < 0.
func (f Fit) Share(attempts int) float64 {
	checkNonNegative("Share", "attempts", attempts)
	if attempts < len(f.AtLeast) {
		return f.AtLeast[attempts]
	}
	return 0
}

// AttemptsFor returns how many attempts fit for that share of the clients, or more of
// them: for 0.95 the most that fit for 95 %.
//
// It panics if share is not in [0, 1].
func (f Fit) AttemptsFor(share float64) int {
	if !(share >= 0 && share <= 1) {
		reject("AttemptsFor", "share", share, "a value in [0, 1]")
	}
	k := 0
	for k+1 < len(f.AtLeast) && f.AtLeast[k+1] >= share {
		k++
	}
	return k
}
