package plan

import (
	"iter"
	"time"
)

// A Summary has the retries of a [Plan] without the draws.
type Summary struct {
	Draws     int       // as in the Plan
	Quantiles []float64 // as in the Plan
	Retries   []Retry   // as in the Plan
	Open      float64   // as in the Plan
	LastRetry Stats     // what [Plan.LastRetry] returns
}

// End returns whether the schedule goes on after the retries of s.
func (s *Summary) End() End { return endOf(s.Open) }

// Uneven reports whether some draws have fewer retries than others.
func (s *Summary) Uneven() bool { return uneven(s.Retries) }

// Summarize holds delaysAtOnce delays at a time, or minAtOnce of each draw if these are more.
// Fewer need less memory, but then all delays before them are drawn again more often.
const (
	delaysAtOnce = 1 << 21
	minAtOnce    = 4
)

// Summarize returns the same numbers as [Of] without keeping the draws. Use it for long
// schedules with many draws, when the retries answer your questions: it needs about 50 MB, or
// 200 bytes for each draw if that is more, and 200 bytes for each retry. So its memory does
// not grow with the delays of all draws.
//
// It summarizes about two million delays at a time, and each time draws all delays before
// them again. For twenty million it draws each delay five times on average.
//
// It panics when Of does.
func Summarize(newSchedule func(seed uint64) iter.Seq[time.Duration], n int, opts ...Option) *Summary {
	if newSchedule == nil {
		reject("Summarize", "newSchedule", "nil", "a function")
	}
	checkNonNegative("Summarize", "n", n)
	s := newSettings(opts)
	s.newSchedule = newSchedule
	draws := 1
	if s.lead(n).random {
		draws = s.draws
	}
	return s.summarize(n, draws, max(minAtOnce, delaysAtOnce/draws))
}

// summarize summarizes the first n retries of that many draws, of which it holds atOnce
// retries at a time.
func (s settings) summarize(n, draws, atOnce int) *Summary {
	atOnce = min(atOnce, n)
	sum := &Summary{Draws: draws, Quantiles: s.quantiles, Retries: make([]Retry, 0, n)}
	memory := make([]time.Duration, 2*atOnce*draws)
	delays, elapsed := make([][]time.Duration, draws), make([][]time.Duration, draws)
	for i := range delays {
		delays[i], memory = memory[:0:atOnce], memory[atOnce:]
		elapsed[i], memory = memory[:0:atOnce], memory[atOnce:]
	}
	last := make([]time.Duration, draws)
	more := make([]bool, draws)
	for done := 0; ; done += atOnce {
		parallel(draws, func() func(int) {
			return func(i int) {
				k, at := 0, time.Duration(0)
				row, times := delays[i][:0], elapsed[i][:0]
				more[i] = s.rangeOver(i, min(done+atOnce, n), func(d time.Duration) {
					at = plus(plus(at, s.attempt), d)
					if k >= done {
						row, times = append(row, d), append(times, at)
					}
					k++
				})
				delays[i], elapsed[i], last[i] = row, times, at
			}
		})
		sum.Retries = append(sum.Retries, s.retries(done, delays, elapsed)...)
		if done+atOnce >= n || len(sum.Retries) < done+atOnce {
			break
		}
	}
	sum.Open = openShare(draws, func(i int) bool { return more[i] })
	sorter := sorter{buf: last}
	sorter.sort()
	sum.LastRetry = newStats(sorter.buf, s.quantiles)
	return sum
}
