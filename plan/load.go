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
	checkNonNegative("Load", "clients", clients)
	if until <= 0 {
		reject("Load", "until", until, "> 0")
	}
	if bin <= 0 {
		reject("Load", "bin", bin, "> 0")
	}
	bins := (until-1)/bin + 1
	if bins > mostBins {
		reject("Load", "bin", bin, fmt.Sprintf("at least until/%d", mostBins))
	}
	l := Load{Bin: bin, PerSecond: make([]float64, bins), Complete: p.Complete()}
	for _, d := range p.draws {
		for _, at := range d.elapsed {
			if at/bin >= bins {
				break
			}
			l.PerSecond[at/bin]++
		}
	}
	perCount := float64(clients) / float64(p.Draws) / bin.Seconds()
	for i := range l.PerSecond {
		l.PerSecond[i] *= perCount
	}
	return l
}

// Peak returns the start of the bin with the most retries per second, the first of
// several, and how many these are.
func (l Load) Peak() (at time.Duration, perSecond float64) {
	for i, rate := range l.PerSecond {
		if rate > perSecond {
			at, perSecond = time.Duration(i)*l.Bin, rate
		}
	}
	return at, perSecond
}
