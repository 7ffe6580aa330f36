package plan

import (
	"fmt"
	"iter"
	"slices"
	"time"
)

// An Option says how [Of] draws. If several set one thing, the last counts. The zero
// Option sets nothing.
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

// Draws sets how many clients are simulated, 10,000 unless set, if the schedule is
// random. A share that is estimated from k draws is off by 1/√k or more once in
// twenty times, at most.
//
// It panics if n < 2: what is random shows only between two.
func Draws(n int) Option {
	if n < 2 {
		reject("Draws", "n", n, ">= 2")
	}
	return Option{func(s settings) settings {
		s.draws = n
		return s
	}}
}

// Seed sets what the seeds of the draws are computed from, 1 unless set. Another
// seed gives other draws of the same schedule.
func Seed(seed uint64) Option {
	return Option{func(s settings) settings {
		s.seed = seed
		return s
	}}
}

// Quantiles sets the probabilities of the quantiles in each [Stats]: 0.05, 0.5 and
// 0.95 unless set, the median and what nine of ten clients lie between. None are
// allowed.
//
// It panics if one is not in [0, 1].
func Quantiles(probabilities ...float64) Option {
	for i, q := range probabilities {
		if !(q >= 0 && q <= 1) {
			reject("Quantiles", fmt.Sprintf("probability %d", i), q, "a value in [0, 1]")
		}
	}
	probabilities = slices.Clone(probabilities) // the caller may change its own
	return Option{func(s settings) settings {
		s.quantiles = slices.Clone(probabilities) // and its Plan's
		return s
	}}
}

// AttemptTime sets how long each attempt lasts, 0 unless set. Then retry n comes at
// n·d and the n delays, and an attempt fits within a deadline if it ends by then.
//
// It panics if d < 0.
func AttemptTime(d time.Duration) Option {
	checkNonNegative("AttemptTime", "d", d)
	return Option{func(s settings) settings {
		s.attempt = d
		return s
	}}
}
