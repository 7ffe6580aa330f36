package plan

import (
	"sort"
	"time"
)

// A Fit is how many attempts fit within a deadline, the first attempt included.
type Fit struct {
	Min, Max int
	Mean     float64

	// AtLeast[k] is the probability that at least k attempts fit, for k from 0
	// to Max. It begins with 1 and never rises. Beyond Max it would be 0 in these draws.
	AtLeast []float64

	// Open is the share of draws of which all n retries fit and more follow, so that more
	// attempts might fit. If it is not 0, [Plan.UntilDeadline] draws more.
	Open float64
}

// Within returns how many attempts fit within deadline. An attempt fits if it ends by
// then. Without [AttemptTime] attempts take no time, and a first attempt always fits.
// Elapsed times of 292 years and more are all backoff.NoLimit, and fit within that deadline.
//
// It panics if deadline < 0.
func (p *Plan) Within(deadline time.Duration) Fit {
	checkNonNegative("Within", "deadline", deadline)
	if deadline < p.settings.attempt {
		return Fit{AtLeast: []float64{1}}
	}
	counts := make([]int, len(p.Retries)+2) // counts[k]: the draws in which k attempts fit
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

// Share returns the share of clients for whom at least this number of attempts fits.
//
// It panics if attempts < 0.
func (f Fit) Share(attempts int) float64 {
	checkNonNegative("Share", "attempts", attempts)
	if attempts < len(f.AtLeast) {
		return f.AtLeast[attempts]
	}
	return 0
}

// AttemptsFor returns the largest number of attempts that fits for at least this share of
// the clients, such as 0.95.
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
