package plan

import (
	"iter"
	"slices"
	"time"
)

// A draw is one client: when its retries come, and whether more would follow.
type draw struct {
	elapsed []time.Duration
	more    bool
}

// drawsAtOnce is how many draws a goroutine takes at a time, and how many share
// one piece of memory.
const drawsAtOnce = 256

// drawAll draws from all schedules. It returns the delays apart: once they are
// summed up nobody needs them.
func drawAll(newSchedule func(uint64) iter.Seq[time.Duration], n int, s settings) ([]draw, [][]time.Duration) {
	draws := make([]draw, s.draws)
	delays := make([][]time.Duration, s.draws)
	blocks := (s.draws-1)/drawsAtOnce + 1
	parallel(blocks, func() func(int) {
		var flat []time.Duration // the delays of one block, one draw after the other
		return func(block int) {
			first := block * drawsAtOnce
			last := min(first+drawsAtOnce, s.draws)
			flat = flat[:0]
			var lengths [drawsAtOnce]int
			for i := first; i < last; i++ {
				seq := newSchedule(seedOf(s.seed, i))
				if seq == nil {
					reject("Of", "newSchedule", "a function that returns nil", "one that returns a schedule")
				}
				length := 0
				for d := range seq {
					if length == n {
						draws[i].more = true
						break
					}
					flat = append(flat, max(d, 0))
					length++
				}
				lengths[i-first] = length
			}
			// flat is used again; these are of the right size and stay.
			rows, times := slices.Clone(flat), make([]time.Duration, len(flat))
			for i := first; i < last; i++ {
				length := lengths[i-first]
				delays[i], rows = rows[:length], rows[length:]
				draws[i].elapsed, times = times[:length], times[length:]
				at := time.Duration(0)
				for j, d := range delays[i] {
					at = plus(plus(at, s.attempt), d)
					draws[i].elapsed[j] = at
				}
			}
		}
	})
	return draws, delays
}
