package plan

import (
	"fmt"
	"time"
)

// A Load is the number of retries per second, over time, of clients that fail together.
type Load struct {
	Bin time.Duration

	// PerSecond[i] is the expected number of retries per second in the half-open
	// interval [i·Bin, (i+1)·Bin).
	PerSecond []float64

	// Complete is the time before which no retry is missing, [Plan.Complete].
	Complete time.Duration
}

// mostBins bounds the memory of a Load to 128 MB.
const mostBins = 1 << 24

// Load returns the retries per second that this number of clients sends if the first
// attempt of each begins at 0 and every attempt fails, as in an outage. The bins reach from
// 0 to until or just beyond. First attempts are not retries and do not count. It is the
// expected load, the mean of all draws.
//
// Retries at exactly the same time count as if they were spread over their bin;
// [Plan.Arrivals] finds them.
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

// Peak returns the start of the bin with the most retries per second, and that number. If
// there are several such bins, the first wins. If the schedule is random and bins hold few
// draws each, it is the luckiest bin: use [Plan.Peak] then.
func (l Load) Peak() (at time.Duration, perSecond float64) {
	for i, rate := range l.PerSecond {
		if rate > perSecond {
			at, perSecond = time.Duration(i)*l.Bin, rate
		}
	}
	return at, perSecond
}
