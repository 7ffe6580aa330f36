// Package forecast predicts what a schedule will do. It computes and writes what
// "backoff plan EXPR" prints.
package forecast

import (
	"fmt"
	"slices"
	"time"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/expr"
	"example.com/backoff/internal/saturating"
	"example.com/backoff/plan"
)

// Params are the questions that the flags of plan ask about expressions.
type Params struct {
	sampling.Sample
	Compare     bool
	Quantiles   []float64
	AttemptTime time.Duration
	Deadline    time.Duration   // if Asked has it
	Clients     int             // likewise
	Fail        float64         // likewise
	Bin         time.Duration   // likewise
	Asked       map[string]bool // the flags that are set

	tooMany int // the draws that were asked for, if New made fewer; else 0
}

// A Forecast is what plan tells of one schedule.
type Forecast struct {
	expr      *expr.Expr
	quantiles []float64  // those asked for; the plans have the median too
	shown     *plan.Plan // of the rows
	plan      *plan.Plan // of the same draws, with more retries where a question needs them
	fit       *plan.Fit  // nil unless a deadline is given
	load      *load      // nil unless clients are given
	cost      *cost      // nil unless a probability of failure is given
}

// enoughDraws are as many as New makes in any case, if they are asked for.
const enoughDraws = 10_000

// New draws from all schedules and answers the questions in p. The more draws, the fewer
// retries of each fit into memory: if an answer needs more, New makes fewer draws, and
// changes p.Draws.
func New(exprs []*expr.Expr, p *Params) ([]Forecast, error) {
	for asked := p.Draws; ; p.tooMany = asked {
		forecasts, err := p.answer(exprs)
		if err != nil || p.Draws <= enoughDraws || !slices.ContainsFunc(forecasts, Forecast.needsFewerDraws) {
			return forecasts, err
		}
		p.Draws = max(p.Draws/4, enoughDraws)
	}
}

// needsFewerDraws reports whether an answer is open that fewer draws might have.
func (f Forecast) needsFewerDraws() bool { return f.isOpen() && f.lookFurther() != "" }

// isOpen reports whether an answer needs more retries than plan examined.
func (f Forecast) isOpen() bool {
	return f.fit != nil && f.fit.Open > 0 || f.cost != nil && f.cost.stopped > 0 || f.load != nil && f.load.cut > 0
}

// answer draws from all schedules and answers the questions in p with these draws.
func (p *Params) answer(exprs []*expr.Expr) ([]Forecast, error) {
	forecasts := make([]Forecast, len(exprs))
	for i, e := range exprs {
		shown := p.sample(e)
		forecasts[i] = Forecast{expr: e, quantiles: p.Quantiles, shown: shown, plan: shown}
	}
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
			f.addCost(p)
		}
	}
	if p.Asked["clients"] {
		return forecasts, p.addLoads(forecasts)
	}
	return forecasts, nil
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

// median returns the median of s, which every plan here has.
func (f Forecast) median(s plan.Stats) time.Duration {
	return s.Quantiles[slices.Index(f.shown.Quantiles, 0.5)]
}

// checkFit refuses a deadline that leaves no room for a retry.
func (p *Params) checkFit(f Forecast) error {
	switch {
	case len(f.shown.Retries) == 0 || f.fit.Max > 1 || p.Compare:
		return nil
	case f.fit.Max == 0:
		return fmt.Errorf("plan: --deadline is %s, want at least the %s of one attempt",
			digits.Exact(p.Deadline), digits.Exact(p.AttemptTime))
	}
	first := saturating.Add(f.shown.Retries[0].Elapsed.Min, p.AttemptTime)
	if first == backoff.NoLimit {
		return fmt.Errorf("plan: --deadline is %s, but no deadline is long enough for a retry", digits.Exact(p.Deadline))
	}
	what := "when retry 1 comes at the earliest"
	if p.AttemptTime > 0 {
		what = "when retry 1 ends at the earliest"
	}
	return fmt.Errorf("plan: --deadline is %s, want at least %s, %s", digits.Exact(p.Deadline), digits.Exact(first), what)
}

// exact reports whether nothing in the rows is random: then they are known and not
// estimated. Later retries may be random all the same; f.plan.Random() includes those that
// an answer needs.
func (f Forecast) exact() bool { return !f.shown.Random() }
