package plan

import (
	"fmt"
	"time"
)

// A Load is the retries per second, over time, of clients that fail together.
type Load struct {
	Bin time.Duration

	// PerSecond[i] is the expected number of retries per second in the half-open
	// interval [i·Bin, (i+1)·Bin).
	PerSecond []float64

	// Complete is the time before which nothing is missing, [Plan.Complete].
	Complete time.Duration
}

// mostBins bounds the memory of a Load to 128 MB.
const mostBins = 1 << 24

// Load returns the retries per second that so many clients make if the first
// attempt of each begins at 0 and every attempt fails, in bins that reach from 0 to
// until or just beyond. The first attempts are no retries and not counted. It is
// the expected load, the mean of all draws.
//
// It panics if clients < 0, until <= 0 or bin <= 0, or if there are more than
// 2²⁴ bins.
func (p *Plan) Load(clients int, until, bin time.Duration) Load {
	counts := p.counts("Load", clients, until, bin)
	l := Load{Bin: bin, PerSecond: make([]float64, len(counts)), Complete: p.Complete()}
	perCount := float64(clients) / float64(p.Draws) / bin.Seconds()
	for i, count := range counts {
		l.PerSecond[i] = float64(count) * perCount
	}
	return l
}

// counts returns how many retries of the draws come in each bin.
func (p *Plan) counts(question string, clients int, until, bin time.Duration) []int {
	checkNonNegative(question, "clients", clients)
	if until <= 0 {
		reject(question, "until", until, "> 0")
	}
	if bin <= 0 {
		reject(question, "bin", bin, "> 0")
	}
	bins := (until-1)/bin + 1
	if bins > mostBins {
		reject(question, "bin", bin, fmt.Sprintf("at least until/%d", mostBins))
	}
	counts := make([]int, bins)
	for _, d := range p.draws {
		for _, at := range d.elapsed {
			if at/bin >= bins {
				break
			}
			counts[at/bin]++
		}
	}
	return counts
}

// Peak returns the start of the bin with the most retries per second, the first of
// several, and how many these are. If the schedule is random and bins hold few draws
// each, this is the luckiest of them; [Plan.Peak] is for a number that holds.
func (l Load) Peak() (at time.Duration, perSecond float64) {
	for i, rate := range l.PerSecond {
		if rate > perSecond {
			at, perSecond = time.Duration(i)*l.Bin, rate
		}
	}
	return at, perSecond
}
