package forecast

import (
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/internal/saturating"
	"example.com/backoff/plan"
)

// A load is what clients that fail together do to a server.
type load struct {
	plan.Load
	until   time.Duration // where it ends
	peak    plan.Peak     // of bins as long as those of the Load
	moments []plan.Moment // when clients come at once
	most    []plan.Burst  // the first is of the fullest moment, Within 0; then one for each window
	cut     time.Duration // from here on retries are missing, because the draws end; 0: none is
}

// windows are the times within which the most retries are counted.
var windows = []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second}

// These are indices of the most of a load.
const (
	instant = 0
	tenth   = 3 // of a second
	second  = 4
)

// mostBins is how many bins a figure of load has, at most, unless --bin is set.
const mostBins = 60

// addLoads adds the load of each schedule, in one bin for all.
func (p *Params) addLoads(forecasts []Forecast) error {
	until := p.until(forecasts)
	if shortest := figure.RoundStep(until, plan.MostRetries); p.Asked["bin"] && p.Bin < shortest {
		return fmt.Errorf("plan: --bin is %s, want at least %s for a load of %s",
			digits.Exact(p.Bin), digits.Exact(shortest), digits.Brief(until))
	}
	bin := p.bin(until)
	whole := wholeBins(until, bin)
	longest := time.Duration(1)
	for i := range forecasts {
		f := &forecasts[i]
		f.plan = f.plan.UntilComplete(closed(whole))
		longest = max(longest, min(whole, f.plan.Complete()))
	}
	if longest < whole {
		bin = p.bin(longest)
	}
	for i := range forecasts {
		f := &forecasts[i]
		if complete := f.plan.Complete(); complete < closed(whole) { // then retries are missing
			complete = max(1, complete)
			f.addLoad(p.Clients, max(complete-complete%bin, min(complete, bin)), bin)
			f.load.cut = complete
		} else {
			f.addLoad(p.Clients, whole, bin)
		}
	}
	return nil
}

func (f *Forecast) addLoad(clients int, until, bin time.Duration) {
	arrivals := f.plan.Arrivals(clients, closed(until))
	f.load = &load{
		Load:    f.plan.Load(clients, until, bin),
		until:   until,
		peak:    f.plan.Peak(clients, until, bin),
		moments: arrivals.Moments(),
	}
	f.load.most = []plan.Burst{fullest(f.load.moments)}
	for _, window := range windows {
		f.load.most = append(f.load.most, arrivals.Most(window))
	}
}

// closed returns the end of a time to which its last instant belongs, as a retry at the
// deadline belongs to those that fit.
func closed(until time.Duration) time.Duration { return saturating.Add(until, 1) }

// fullest returns the moment with the most retries, the first of several, as a Burst that
// takes no time.
func fullest(moments []plan.Moment) plan.Burst {
	b := plan.Burst{}
	for _, m := range moments {
		if m.Retries > b.Retries {
			b.At, b.Retries = m.At, m.Retries
		}
	}
	return b
}

// atOnce returns the Burst of the fullest moment.
func (l *load) atOnce() plan.Burst { return l.most[instant] }

// inSecond returns the Burst of the busiest second.
func (l *load) inSecond() plan.Burst { return l.most[second] }

// spread returns the retries per second in each bin, without those at moments.
func (l *load) spread() []float64 {
	rates := make([]float64, len(l.PerSecond))
	copy(rates, l.PerSecond)
	for _, m := range l.moments {
		i := int(m.At / l.Bin)
		if i == len(rates) {
			break // at the very end, after all bins
		}
		rates[i] -= m.Retries / l.Bin.Seconds()
		if rates[i] < 1e-9*l.PerSecond[i] {
			rates[i] = 0 // what is left is rounding
		}
	}
	return rates
}

// until returns the time over which the load is counted: the deadline, or the time at
// which the last row has come: for all clients of a schedule that ends, and for half of
// the clients of one that goes on.
func (p *Params) until(forecasts []Forecast) time.Duration {
	if p.Asked["deadline"] {
		return p.Deadline
	}
	until := time.Duration(1)
	for _, f := range forecasts {
		if n := len(f.shown.Retries); n > 0 {
			// One more, because the end does not belong to it.
			at := f.median(f.shown.Retries[n-1].Elapsed)
			if f.shown.End() == plan.Ends {
				at = f.shown.LastRetry().Max
			}
			until = max(until, saturating.Add(at, 1))
		}
	}
	return until
}

// bin returns how long the bins of a load are.
func (p *Params) bin(until time.Duration) time.Duration {
	if p.Asked["bin"] {
		return p.Bin
	}
	return figure.RoundStep(until, mostBins)
}

// wholeBins returns until, rounded up to a multiple of bin, so that the last bin is as long
// as the others; NoLimit if that is more.
func wholeBins(until, bin time.Duration) time.Duration {
	bins := (until-1)/bin + 1
	if bins > backoff.NoLimit/bin {
		return backoff.NoLimit
	}
	return bins * bin
}
