package main

import (
	"iter"
	"math"
	"time"

	"example.com/backoff"
	"example.com/backoff/interop/observed"
	"example.com/backoff/plan"
)

// figures are the numbers of a schedule that the page prints.
type figures struct {
	plan        *plan.Plan // of all retries within an hour, without the rare ones
	endless     bool
	minAttempts int               // until it gives up; meaningless if endless
	maxAttempts int               // likewise
	longest     time.Duration     // the longest delay
	total       time.Duration     // the longest time until it gives up; meaningless if endless
	mean        time.Duration     // of the total
	bounds      []observed.Bounds // of each delay of the plan
	minute      count
	hour        count
	first       float64 // the share of clients that have the same delay before retry 1
	last        float64 // the same before the last retry of the plan
}

// A count is the number of retries within a time.
type count struct {
	mean    float64
	low, up int // one client in twenty has fewer, one in twenty more

	unlimited bool // no delay takes any time
}

// most is larger than the number of delays of every schedule that ends.
const most = 100

// figure returns the figures of a client.
func figure(c client) figures {
	newSchedule := func(seed uint64) iter.Seq[time.Duration] { return c.schedule(backoff.WithSeed(seed)) }
	n, draws := most, 10_000
	if !c.random() {
		draws = 2 // which are equal, so the figures are exact
	}
	p := plan.Of(newSchedule, n, plan.Draws(draws))
	for p.Open > 0 && p.Within(time.Hour).Open > 0 && !instant(p) {
		n *= 2
		p = plan.Of(newSchedule, n, plan.Draws(draws))
	}
	if c.random() && p.Open == 0 && len(p.Retries) <= 30 {
		// Few delays can afford many draws. With fewer draws the largest share
		// of equal delays comes out too large.
		p = plan.Of(newSchedule, n, plan.Draws(100_000))
	}
	f := figures{
		plan:    p,
		endless: p.Open > 0,
		minute:  countOf(p.Within(time.Minute)),
		hour:    countOf(p.Within(time.Hour)),
	}
	mean := 0.0
	for _, r := range p.Retries {
		mean += float64(r.Share * float64(r.Delay.Mean))
	}
	// A retry that hardly any client makes has too few draws for a share.
	for p.Retries[len(p.Retries)-1].Share < 0.01 {
		p.Retries = p.Retries[:len(p.Retries)-1]
	}
	f.first = p.Retries[0].Atom.Share
	f.last = p.Retries[len(p.Retries)-1].Atom.Share
	f.bounds = c.observed().Bounds(min(len(p.Retries), most))
	for _, b := range f.bounds {
		f.longest = max(f.longest, b.Max)
	}
	if f.endless {
		return f
	}
	// A limited total allows the most attempts to the shortest delays, and neither
	// extreme has the largest total then; the page prints the limit instead.
	f.minAttempts = math.MaxInt
	for _, extreme := range []backoff.Option{observed.Lowest(), observed.Highest()} {
		attempts, total := 1, time.Duration(0)
		for d := range c.schedule(extreme) {
			attempts, total = attempts+1, total+d
		}
		f.minAttempts = min(f.minAttempts, attempts)
		f.maxAttempts = max(f.maxAttempts, attempts)
		f.total = max(f.total, total)
	}
	f.mean = time.Duration(math.Round(mean))
	return f
}

// instant reports whether no delay of a plan takes any time.
func instant(p *plan.Plan) bool { return p.Retries[len(p.Retries)-1].Elapsed.Max == 0 }

func countOf(fit plan.Fit) count {
	c := count{unlimited: fit.Open > 0, mean: fit.Mean - 1, low: fit.Min - 1, up: fit.Min - 1}
	for attempts, share := range fit.AtLeast {
		if share >= 0.95 {
			c.low = attempts - 1
		}
		if share > 0.05 {
			c.up = attempts - 1
		}
	}
	return c
}
