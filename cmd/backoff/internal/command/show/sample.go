package show

import (
	"time"

	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/expr"
	"example.com/backoff/plan"
)

// A sample is the draws of one schedule. Its expression decides whether it is random:
// "constant(1s) | jitter(0)" is, although its delays do not differ.
type sample struct {
	expr  *expr.Expr
	plan  *plan.Summary
	draws int // 1 if nothing in the expression is random
	seed  uint64
}

func newSample(e *expr.Expr, s sampling.Sample) sample {
	draws, compared := s.Draws, s.Draws
	if !e.Random() {
		// Plan accepts two or more. It would compare the exact delays of more draws, which
		// takes seconds for 100,000 delays.
		draws, compared = 1, 2
	}
	return sample{
		expr:  e,
		plan:  plan.Summarize(e.Seeded, s.Retries, plan.Draws(compared), plan.Seed(s.Seed), plan.Quantiles(0.5)),
		draws: draws,
		seed:  s.Seed,
	}
}

// median returns the only quantile that a sample has.
func median(s plan.Stats) time.Duration { return s.Quantiles[0] }
