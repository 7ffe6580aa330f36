// Package forecast says what a schedule will do: "backoff plan EXPR" without its flags.
package forecast

import (
	"fmt"
	"slices"
	"time"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/expr"
	"example.com/backoff/internal/saturating"
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
	quantiles []float64     // those asked for; the plans have the median too
	shown     *plan.Plan    // of the rows
	plan      *plan.Plan    // of the same draws, of more retries where a question needs them
	fit       *plan.Fit     // nil where no deadline is given
	load      *plan.Load    // nil where no clients are
	peak      plan.Peak     // of the load
	cut       time.Duration // where the load ends for want of draws; 0: it does not
	cost      *cost         // nil where no probability is
}

// New draws from all schedules and answers what is asked of them.
func New(exprs []*expr.Expr, p *Params) ([]Forecast, error) {
	forecasts := make([]Forecast, len(exprs))
	for i, e := range exprs {
		shown := p.sample(e)
		forecasts[i] = Forecast{expr: e, quantiles: p.Quantiles, shown: shown, plan: shown}
	}
	until := p.until(forecasts)
	for i := range forecasts {
		f := &forecasts[i]
		if p.Asked["deadline"] {
			f.plan = f.plan.UntilDeadline(p.Deadline)
			f.fit = new(f.plan.Within(p.Deadline))
			if err := p.checkFit(*f); err != nil {
				return nil, err
			}
		}
		if p.Asked["fail"] {
			f.addCost(p.Fail)
		}
		if p.Asked["clients"] {
			f.plan = f.plan.UntilComplete(until)
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
		looked = min(looked, max(1, f.plan.Complete()))
	}
	bin, peakBin := p.bins(forecasts, looked)
	if least := figure.RoundStep(looked, plan.MostRetries); bin < least {
		return fmt.Errorf("plan: --bin is %s, want at least %s for the %s that are looked at",
			digits.Exact(bin), digits.Exact(least), digits.Exact(looked))
	}
	for i := range forecasts {
		f := &forecasts[i]
		f.load = new(f.plan.Load(p.Clients, looked, bin))
		f.peak = f.plan.Peak(p.Clients, looked, peakBin)
		if looked < until {
			f.cut = looked
		}
	}
	return nil
}

// sample draws the rows of e, with the median among the quantiles.
func (p *Params) sample(e *expr.Expr) *plan.Plan {
	quantiles := p.Quantiles
	if !slices.Contains(quantiles, 0.5) {
		quantiles = append(slices.Clip(quantiles), 0.5)
	}
	return plan.Of(e.Seeded, p.Retries, plan.Draws(p.Draws), plan.Seed(p.Seed),
		plan.Quantiles(quantiles...), plan.AttemptTime(p.AttemptTime))
}

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
		if n := len(f.shown.Retries); n > 0 {
			until = max(until, f.median(f.shown.Retries[n-1].Elapsed))
		}
	}
	if bin := figure.RoundStep(until, mostBins); until < backoff.NoLimit-bin {
		until += bin - until%bin // so that the last row is in it
	}
	return until
}

// bins returns how closely the load is looked at until then, and its peak: this, if there
// are enough draws, as closely as the first retry of some schedule wants, because most
// clients come together then.
func (p *Params) bins(forecasts []Forecast, until time.Duration) (bin, peak time.Duration) {
	if p.Asked["bin"] {
		return p.Bin, p.Bin
	}
	bin = figure.RoundStep(until, mostBins)
	peak = bin
	for _, f := range forecasts {
		if len(f.shown.Retries) > 0 {
			first := f.median(f.shown.Retries[0].Elapsed)
			peak = min(peak, max(figure.RoundStep(first, 2), figure.RoundStep(until, plan.MostRetries)))
		}
	}
	return bin, peak
}

// median returns the median of s, which every plan here has.
func (f Forecast) median(s plan.Stats) time.Duration {
	return s.Quantiles[slices.Index(f.shown.Quantiles, 0.5)]
}

// checkFit is the check of a deadline that leaves no room for a retry.
func (p *Params) checkFit(f Forecast) error {
	switch {
	case len(f.shown.Retries) == 0 || f.fit.Max > 1 || p.Compare:
		return nil
	case f.fit.Max == 0:
		return fmt.Errorf("plan: --deadline is %s, want at least the %s of one attempt",
			digits.Exact(p.Deadline), digits.Exact(p.AttemptTime))
	}
	first := saturating.Add(f.shown.Retries[0].Elapsed.Min, p.AttemptTime)
	what := "when retry 1 comes at the earliest"
	if p.AttemptTime > 0 {
		what = "when retry 1 ends at the earliest"
	}
	return fmt.Errorf("plan: --deadline is %s, want at least %s, %s", digits.Exact(p.Deadline), digits.Exact(first), what)
}

// exact reports whether nothing in the rows is random, so that they are known and not
// estimated.
func (f Forecast) exact() bool { return !f.shown.Random() }
