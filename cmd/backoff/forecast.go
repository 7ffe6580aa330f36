package main

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/plan"
)

// A planning is what the flags of plan ask of expressions.
type planning struct {
	drawing
	compare     bool
	quantiles   []float64
	attemptTime time.Duration
	deadline    time.Duration // where asked has it
	clients     int           // likewise
	fail        float64       // likewise
	bin         time.Duration // likewise
	asked       map[string]bool
}

// A forecast is what plan says of one schedule.
type forecast struct {
	expr      *expr.Expr
	quantiles []float64     // those asked for; plan has the median too
	plan      *plan.Plan    // of more retries than rows where a question needs them
	rows      []plan.Retry  // of retry 1, 2, 3, ...
	goes      going         // what comes after the rows
	fit       *plan.Fit     // nil where no deadline is given
	load      *plan.Load    // nil where no clients are
	peak      peak          // of the load
	cut       time.Duration // where the load ends for want of draws; 0: it does not
	cost      *cost         // nil where no probability is
}

// A peak is when a load is at its most.
type peak struct {
	at, bin   time.Duration
	perSecond float64
}

// maxDeep bounds how many delays of one schedule are drawn to look beyond the rows:
// about a second, and half a gigabyte while they are sorted.
const maxDeep = 20_000_000

// newForecasts draws from all schedules and answers what is asked of them.
func newForecasts(exprs []*expr.Expr, p *planning) ([]forecast, error) {
	forecasts := make([]forecast, len(exprs))
	for i, e := range exprs {
		f := forecast{expr: e, quantiles: p.quantiles, plan: p.draw(e, p.retries)}
		f.rows, f.goes = f.plan.Retries, goingOf(f.plan.Open)
		forecasts[i] = f
	}
	until := p.until(forecasts)
	for i := range forecasts {
		f := &forecasts[i]
		if p.asked["deadline"] {
			f.deepen(p, func() bool { return f.plan.Within(p.deadline).Open == 0 })
			f.fit = new(f.plan.Within(p.deadline))
			if err := p.checkFit(*f); err != nil {
				return nil, err
			}
		}
		if p.asked["fail"] {
			f.cost = p.costOf(f)
		}
		if p.asked["clients"] {
			f.deepen(p, func() bool { return f.complete() >= until })
		}
	}
	if p.asked["clients"] {
		return forecasts, p.addLoads(forecasts, until)
	}
	return forecasts, nil
}

// addLoads adds the load until then, or until the draws end.
func (p *planning) addLoads(forecasts []forecast, until time.Duration) error {
	looked := until
	for _, f := range forecasts {
		looked = min(looked, max(1, f.complete()))
	}
	bin, peakBin := p.bins(forecasts, looked)
	if least := roundStep(looked, maxRetries); bin < least {
		return fmt.Errorf("plan: --bin is %s, want at least %s for the %s that are looked at",
			exact(bin), exact(least), exact(looked))
	}
	for i := range forecasts {
		f := &forecasts[i]
		f.load = new(f.plan.Load(p.clients, looked, bin))
		f.peak.bin = peakBin
		f.peak.at, f.peak.perSecond = f.plan.Load(p.clients, looked, peakBin).Peak()
		if looked < until {
			f.cut = looked
		}
	}
	return nil
}

// complete returns the time before which no retry is missing in the draws.
func (f forecast) complete() time.Duration {
	if f.plan.Open == 0 {
		return backoff.NoLimit
	}
	return f.plan.Load(1, 1, 1).Complete
}

// draw draws the first n delays of e, with the median among the quantiles.
func (p *planning) draw(e *expr.Expr, n int) *plan.Plan {
	draws := p.draws
	if !e.Random() {
		draws = 2 // the least there is: they are all the same
	}
	quantiles := p.quantiles
	if !slices.Contains(quantiles, 0.5) {
		quantiles = append(slices.Clip(quantiles), 0.5)
	}
	return plan.Of(func(seed uint64) iter.Seq[time.Duration] {
		return e.Schedule(backoff.WithSeed(seed))
	}, n, plan.Draws(draws), plan.Seed(p.seed), plan.Quantiles(quantiles...), plan.AttemptTime(p.attemptTime))
}

// deepen draws more retries, of the same clients, until there are enough or no
// more to draw. The first stay what they are.
func (f *forecast) deepen(p *planning, enough func() bool) {
	most := deepest(f.plan.Draws)
	for f.plan.Open > 0 && len(f.plan.Retries) < most && !enough() {
		f.plan = p.draw(f.expr, min(4*len(f.plan.Retries), most))
	}
}

// deepest returns how many retries of so many draws are looked at, at most.
func deepest(draws int) int { return min(maxRetries, maxDeep/draws) }

// fewerDraws reports whether fewer draws would look further than these did.
func (f forecast) fewerDraws() bool { return deepest(f.plan.Draws) < maxRetries }

func goingOf(open float64) going {
	switch open {
	case 0:
		return ends
	case 1:
		return on
	}
	return mixed
}

// mostBins is how many bins a figure of load has unless told otherwise.
const mostBins = 60

// until returns how far the load is looked at: to the deadline, or until the last
// row comes for half of the clients of every schedule.
func (p *planning) until(forecasts []forecast) time.Duration {
	if p.asked["deadline"] {
		return p.deadline
	}
	until := time.Duration(1)
	for _, f := range forecasts {
		if n := len(f.rows); n > 0 {
			until = max(until, f.median(f.rows[n-1].Elapsed))
		}
	}
	if bin := roundStep(until, mostBins); until < backoff.NoLimit-bin {
		until += bin - until%bin // so that the last row is in it
	}
	return until
}

// bins returns how closely the load is looked at until then, and its peak: this as
// closely as the first retry of some schedule wants, for most come together then.
func (p *planning) bins(forecasts []forecast, until time.Duration) (bin, peak time.Duration) {
	if p.asked["bin"] {
		return p.bin, p.bin
	}
	bin = roundStep(until, mostBins)
	peak = bin
	for _, f := range forecasts {
		if len(f.rows) > 0 {
			first := f.median(f.rows[0].Elapsed)
			peak = min(peak, max(roundStep(first, 2), roundStep(until, maxRetries)))
		}
	}
	return bin, peak
}

// median returns the median of s, which every plan here has.
func (f forecast) median(s plan.Stats) time.Duration {
	return s.Quantiles[slices.Index(f.plan.Quantiles, 0.5)]
}

// checkFit is the check of a deadline that leaves no room for a retry.
func (p *planning) checkFit(f forecast) error {
	switch {
	case len(f.rows) == 0 || f.fit.Greatest > 1 || p.compare:
		return nil
	case f.fit.Greatest == 0:
		return fmt.Errorf("plan: --deadline is %s, want at least the %s of one attempt",
			exact(p.deadline), exact(p.attemptTime))
	}
	first := total(f.rows[0].Elapsed.Least, p.attemptTime)
	what := "when retry 1 comes at the earliest"
	if p.attemptTime > 0 {
		what = "when retry 1 ends at the earliest"
	}
	return fmt.Errorf("plan: --deadline is %s, want at least %s, %s", exact(p.deadline), exact(first), what)
}

// total returns a + b for a, b >= 0, or NoLimit where that is more.
func total(a, b time.Duration) time.Duration {
	if a > backoff.NoLimit-b {
		return backoff.NoLimit
	}
	return a + b
}

// exact reports whether nothing in the schedule is random, so that it is known and
// not estimated.
func (f forecast) exact() bool { return !f.expr.Random() }

// uneven reports whether some draws end within the rows, and others later.
func (f forecast) uneven() bool {
	n := len(f.rows)
	return n > 0 && f.rows[n-1].Share < 1
}
