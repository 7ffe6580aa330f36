// Package forecast says what a schedule will do: "backoff plan EXPR" without its flags.
package forecast

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/expr"
	"example.com/backoff/plan"
)

// A Params is what the flags of plan ask of expressions.
type Params struct {
	sampling.Sample
	Compare     bool
	Quantiles   []float64
	AttemptTime time.Duration
	Deadline    time.Duration // where asked has it
	Clients     int           // likewise
	Fail        float64       // likewise
	Bin         time.Duration // likewise
	Asked       map[string]bool
}

// A Forecast is what plan says of one schedule.
type Forecast struct {
	expr      *expr.Expr
	quantiles []float64      // those asked for; plan has the median too
	plan      *plan.Plan     // of more retries than rows where a question needs them
	rows      []plan.Retry   // of retry 1, 2, 3, ...
	goes      sampling.Going // what comes after the rows
	fit       *plan.Fit      // nil where no deadline is given
	load      *plan.Load     // nil where no clients are
	peak      peak           // of the load
	cut       time.Duration  // where the load ends for want of draws; 0: it does not
	cost      *cost          // nil where no probability is
}

// A peak is when a load is at its most.
type peak struct {
	at, bin   time.Duration
	perSecond float64
}

// maxDeep bounds how many delays of one schedule are drawn to look beyond the rows:
// about a second, and half a gigabyte while they are sorted.
const maxDeep = 20_000_000

// New draws from all schedules and answers what is asked of them.
func New(exprs []*expr.Expr, p *Params) ([]Forecast, error) {
	forecasts := make([]Forecast, len(exprs))
	for i, e := range exprs {
		f := Forecast{expr: e, quantiles: p.Quantiles, plan: p.sample(e, p.Retries)}
		f.rows, f.goes = f.plan.Retries, sampling.GoingOf(f.plan.Open)
		forecasts[i] = f
	}
	until := p.until(forecasts)
	for i := range forecasts {
		f := &forecasts[i]
		if p.Asked["deadline"] {
			f.deepen(p, func() bool { return f.plan.Within(p.Deadline).Open == 0 })
			f.fit = new(f.plan.Within(p.Deadline))
			if err := p.checkFit(*f); err != nil {
				return nil, err
			}
		}
		if p.Asked["fail"] {
			f.cost = p.costOf(f)
		}
		if p.Asked["clients"] {
			f.deepen(p, func() bool { return f.complete() >= until })
		}
	}
	if p.Asked["clients"] {
		return forecasts, p.addLoads(forecasts, until)
	}
	return forecasts, nil
}

// addLoads adds the load until then, or until the draws end.
func (p *Params) addLoads(forecasts []Forecast, until time.Duration) error {
	looked := until
	for _, f := range forecasts {
		looked = min(looked, max(1, f.complete()))
	}
	bin, peakBin := p.bins(forecasts, looked)
	if least := figure.RoundStep(looked, sampling.MaxRetries); bin < least {
		return fmt.Errorf("plan: --bin is %s, want at least %s for the %s that are looked at",
			digits.Exact(bin), digits.Exact(least), digits.Exact(looked))
	}
	for i := range forecasts {
		f := &forecasts[i]
		f.load = new(f.plan.Load(p.Clients, looked, bin))
		f.peak.bin = peakBin
		f.peak.at, f.peak.perSecond = f.plan.Load(p.Clients, looked, peakBin).Peak()
		if looked < until {
			f.cut = looked
		}
	}
	return nil
}

// complete returns the time before which no retry is missing in the draws.
func (f Forecast) complete() time.Duration {
	if f.plan.Open == 0 {
		return backoff.NoLimit
	}
	return f.plan.Load(1, 1, 1).Complete
}

// sample draws the first n delays of e, with the median among the quantiles.
func (p *Params) sample(e *expr.Expr, n int) *plan.Plan {
	draws := p.Draws
	if !e.Random() {
		draws = 2 // the least there is: they are all the same
	}
	quantiles := p.Quantiles
	if !slices.Contains(quantiles, 0.5) {
		quantiles = append(slices.Clip(quantiles), 0.5)
	}
	return plan.Of(func(seed uint64) iter.Seq[time.Duration] {
		return e.Schedule(backoff.WithSeed(seed))
	}, n, plan.Draws(draws), plan.Seed(p.Seed), plan.Quantiles(quantiles...), plan.AttemptTime(p.AttemptTime))
}

// deepen draws more retries, of the same clients, until there are enough or no
// more to draw. The first stay what they are.
func (f *Forecast) deepen(p *Params, enough func() bool) {
	most := deepest(f.plan.Draws)
	for f.plan.Open > 0 && len(f.plan.Retries) < most && !enough() {
		f.plan = p.sample(f.expr, min(4*len(f.plan.Retries), most))
	}
}

// deepest returns how many retries of so many draws are looked at, at most.
func deepest(draws int) int { return min(sampling.MaxRetries, maxDeep/draws) }

// fewerDraws reports whether fewer draws would look further than these did.
func (f Forecast) fewerDraws() bool { return deepest(f.plan.Draws) < sampling.MaxRetries }

// mostBins is how many bins a figure of load has unless told otherwise.
const mostBins = 60

// until returns how far the load is looked at: to the deadline, or until the last
// row comes for half of the clients of every schedule.
func (p *Params) until(forecasts []Forecast) time.Duration {
	if p.Asked["deadline"] {
		return p.Deadline
	}
	until := time.Duration(1)
	for _, f := range forecasts {
		if n := len(f.rows); n > 0 {
			until = max(until, f.median(f.rows[n-1].Elapsed))
		}
	}
	if bin := figure.RoundStep(until, mostBins); until < backoff.NoLimit-bin {
		until += bin - until%bin // so that the last row is in it
	}
	return until
}

// bins returns how closely the load is looked at until then, and its peak: this as
// closely as the first retry of some schedule wants, for most come together then.
func (p *Params) bins(forecasts []Forecast, until time.Duration) (bin, peak time.Duration) {
	if p.Asked["bin"] {
		return p.Bin, p.Bin
	}
	bin = figure.RoundStep(until, mostBins)
	peak = bin
	for _, f := range forecasts {
		if len(f.rows) > 0 {
			first := f.median(f.rows[0].Elapsed)
			peak = min(peak, max(figure.RoundStep(first, 2), figure.RoundStep(until, sampling.MaxRetries)))
		}
	}
	return bin, peak
}

// median returns the median of s, which every plan here has.
func (f Forecast) median(s plan.Stats) time.Duration {
	return s.Quantiles[slices.Index(f.plan.Quantiles, 0.5)]
}

// checkFit is the check of a deadline that leaves no room for a retry.
func (p *Params) checkFit(f Forecast) error {
	switch {
	case len(f.rows) == 0 || f.fit.Max > 1 || p.Compare:
		return nil
	case f.fit.Max == 0:
		return fmt.Errorf("plan: --deadline is %s, want at least the %s of one attempt",
			digits.Exact(p.Deadline), digits.Exact(p.AttemptTime))
	}
	first := digits.Total(f.rows[0].Elapsed.Min, p.AttemptTime)
	what := "when retry 1 comes at the earliest"
	if p.AttemptTime > 0 {
		what = "when retry 1 ends at the earliest"
	}
	return fmt.Errorf("plan: --deadline is %s, want at least %s, %s", digits.Exact(p.Deadline), digits.Exact(first), what)
}

// exact reports whether nothing in the schedule is random, so that it is known and
// not estimated.
func (f Forecast) exact() bool { return !f.expr.Random() }

// uneven reports whether some draws end within the rows, and others later.
func (f Forecast) uneven() bool {
	n := len(f.rows)
	return n > 0 && f.rows[n-1].Share < 1
}
