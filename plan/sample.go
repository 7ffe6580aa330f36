package plan

import (
	"slices"
	"time"
)

// A row is the first delays of one client, and whether more follow.
type row struct {
	delays []time.Duration
	more   bool
}

// A draw is one client: when its retries come, and whether more would follow.
type draw struct {
	elapsed []time.Duration
	more    bool
}

// drawsAtOnce is how many draws a goroutine takes at a time, and how many share
// one piece of memory.
const drawsAtOnce = 256

// Before all draws are taken to be alike, at least comparedDelays delays and comparedDraws
// draws are compared.
const (
	comparedDelays = 1 << 20
	comparedDraws  = 100
)

// rangeOver yields the first n delays of draw i, and returns whether more follow.
func (s settings) rangeOver(i, n int, yield func(time.Duration)) (more bool) {
	seq := s.newSchedule(seedOf(s.seed, i))
	if seq == nil {
		reject("Of", "newSchedule", "a function that returns nil", "one that returns a schedule")
	}
	length := 0
	for d := range seq {
		if length == n {
			return true
		}
		yield(max(d, 0))
		length++
	}
	return false
}

// A lead has the first draws: a number of them that are alike, and then one that differs.
// If random is not set, all draws are taken to be alike.
type lead struct {
	first  row
	alike  int
	differ row
	random bool
}

// lead draws until a draw differs from the first, or until enough are alike. It keeps at
// most two of them.
func (s settings) lead(n int) lead {
	l := lead{alike: 1}
	l.first.more = s.rangeOver(0, n, func(d time.Duration) { l.first.delays = append(l.first.delays, d) })
	most := min(s.draws, max(comparedDraws, comparedDelays/(len(l.first.delays)+1)))
	for ; l.alike < most; l.alike++ {
		length := 0 // how many delays are those of the first draw
		var rest []time.Duration
		more := s.rangeOver(l.alike, n, func(d time.Duration) {
			if rest == nil && length < len(l.first.delays) && l.first.delays[length] == d {
				length++
			} else {
				rest = append(rest, d)
			}
		})
		if length < len(l.first.delays) || rest != nil || more != l.first.more {
			l.differ = row{append(slices.Clip(l.first.delays[:length]), rest...), more}
			l.random = true
			return l
		}
	}
	return l
}

// rows makes all draws that the lead has not made. It returns the delays apart, because
// they are not needed once they are summed up.
func (s settings) rows(n int, l lead) ([]draw, [][]time.Duration) {
	count := s.draws
	if !l.random {
		count = 1 // it stands for all
	}
	draws := make([]draw, count)
	delays := make([][]time.Duration, count)
	blocks := (count-1)/drawsAtOnce + 1
	parallel(blocks, func() func(int) {
		var flat []time.Duration // the delays of one block, one draw after the other
		return func(block int) {
			first := block * drawsAtOnce
			last := min(first+drawsAtOnce, count)
			flat = flat[:0]
			var lengths [drawsAtOnce]int
			for i := first; i < last; i++ {
				before := len(flat)
				switch {
				case i < l.alike:
					flat, draws[i].more = append(flat, l.first.delays...), l.first.more
				case i == l.alike:
					flat, draws[i].more = append(flat, l.differ.delays...), l.differ.more
				default:
					draws[i].more = s.rangeOver(i, n, func(d time.Duration) { flat = append(flat, d) })
				}
				lengths[i-first] = len(flat) - before
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
