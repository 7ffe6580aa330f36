package plan

import (
	"fmt"
	"iter"
	"slices"
	"time"
)

// An Option changes how [Of] draws. If several options set the same thing, the last wins.
// The zero Option changes nothing.
type Option struct{ set func(settings) settings }

type settings struct {
	newSchedule func(seed uint64) iter.Seq[time.Duration]
	draws       int
	seed        uint64
	quantiles   []float64
	attempt     time.Duration
}

func newSettings(opts []Option) settings {
	s := settings{draws: 10_000, seed: 1, quantiles: []float64{0.05, 0.5, 0.95}}
	for _, o := range opts {
		if o.set != nil {
			s = o.set(s)
		}
	}
	return s
}

// Draws sets how many clients are simulated if the schedule is random (default 10,000).
// Use more when you need a rare share, or a peak that is short: a share that is estimated
// from k draws is off by 1/√k or more at most once in twenty times.
//
// It panics if n < 2, because one draw does not show whether a schedule is random.
func Draws(n int) Option {
	if n < 2 {
		reject("Draws", "n", n, ">= 2")
	}
	return Option{func(s settings) settings {
		s.draws = n
		return s
	}}
}

// Seed sets the seed of the draws (default 1). Use another one to find out how much the
// results depend on it.
func Seed(seed uint64) Option {
	return Option{func(s settings) settings {
		s.seed = seed
		return s
	}}
}

// Quantiles sets the probabilities of the quantiles in each [Stats] (default 0.05, 0.5 and
// 0.95: the median, and the bounds of nine clients in ten). An empty list is allowed.
//
// It panics if one is not in [0, 1].
func Quantiles(probabilities ...float64) Option {
	for i, q := range probabilities {
		if !(q >= 0 && q <= 1) {
			reject("Quantiles", fmt.Sprintf("probability %d", i), q, "a value in [0, 1]")
		}
	}
	probabilities = slices.Clone(probabilities) // the caller may change its slice
	return Option{func(s settings) settings {
		s.quantiles = slices.Clone(probabilities) // and that of its Plan
		return s
	}}
}

// AttemptTime sets how long each attempt lasts (default 0). Use it when attempts take long
// compared with the delays, as those that time out do: retry n comes after n attempts and n
// delays, and an attempt fits within a deadline if it ends by then.
//
// It panics if d < 0.
func AttemptTime(d time.Duration) Option {
	checkNonNegative("AttemptTime", "d", d)
	return Option{func(s settings) settings {
		s.attempt = d
		return s
	}}
}
