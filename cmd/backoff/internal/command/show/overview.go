package show

import (
	"iter"
	"math/rand/v2"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/expr"
)

// An overview is what a schedule does in its first retries.
type overview struct {
	expr  *expr.Expr
	draws int // how many ranges it was made from; 1 where nothing is random
	seed  uint64
	rows  []row          // of retry 0, 1, 2, ...
	goes  sampling.Going // what comes after the rows
}

// A row tells of one retry, from the draws whose schedule has it.
type row struct {
	reached float64 // their share of all draws
	delay   seconds.Spread[time.Duration]
	elapsed seconds.Spread[time.Duration] // the sum of the delays up to this one
}

// newOverview ranges over the schedule of e for its first n delays: once, or many
// times with seeds that come from seed where it is random.
func newOverview(e *expr.Expr, n, draws int, seed uint64) overview {
	if !e.Random() {
		draws = 1
	}
	delays := make([][]time.Duration, n) // by retry
	elapsed := make([][]time.Duration, n)
	seeds := rand.NewPCG(seed, 0)
	longer := 0
	for range draws {
		retry := 0
		for d, sum := range running(e.Seeded(seeds.Uint64())) {
			if retry == n {
				longer++
				break
			}
			delays[retry] = append(delays[retry], d)
			elapsed[retry] = append(elapsed[retry], sum)
			retry++
		}
	}
	o := overview{expr: e, draws: draws, seed: seed, goes: sampling.Mixed}
	switch longer {
	case 0:
		o.goes = sampling.Ends
	case draws:
		o.goes = sampling.On
	}
	for i := range delays {
		if len(delays[i]) == 0 {
			break
		}
		o.rows = append(o.rows, row{
			reached: float64(len(delays[i])) / float64(draws),
			delay:   seconds.SpreadOf(delays[i]),
			elapsed: seconds.SpreadOf(elapsed[i]),
		})
	}
	return o
}

// running returns each delay with the sum of all up to it, which is NoLimit where
// it would be more.
func running(seq iter.Seq[time.Duration]) iter.Seq2[time.Duration, time.Duration] {
	return func(yield func(d, sum time.Duration) bool) {
		sum := time.Duration(0)
		for d := range seq {
			sum = digits.Total(sum, d)
			if !yield(d, sum) {
				return
			}
		}
	}
}
