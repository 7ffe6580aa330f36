package adapt

import (
	"iter"
	"sync"
	"time"
)

// last is the largest index of a delay that this package draws. Without it a call with
// a large number, such as math.MaxInt, would range over an endless schedule for years.
const last = 1<<20 - 1

const late = "adapt: the schedule called yield after its range was over"

// A drawing takes one delay from a schedule. It is what the body of a range over the
// schedule would be, but such a body is allocated at each range, and a drawing is used
// again.
type drawing struct {
	skip  int // how many delays come before the wanted one
	delay time.Duration
	found bool // delay is the wanted one
	over  bool // yield must not be called any more
	late  bool // it was called all the same
	yield func(time.Duration) bool
}

func newDrawing() *drawing {
	w := new(drawing)
	w.yield = w.take
	return w
}

// take is the yield of the range.
func (w *drawing) take(d time.Duration) bool {
	if w.over {
		w.late = true
		panic(late)
	}
	w.delay = max(d, 0)
	w.found = w.skip == 0
	w.over = w.found
	w.skip--
	return !w.over
}

// draw ranges over seq up to delay n, or up to its last one if it has fewer.
func (w *drawing) draw(seq iter.Seq[time.Duration], n int) {
	w.skip, w.delay, w.found, w.over, w.late = min(max(n, 0), last), 0, false, false, false
	seq(w.yield)
	w.over = true
	if w.late {
		panic(late) // because the schedule recovered the first one
	}
}

var drawings = sync.Pool{New: func() any { return newDrawing() }}

// at returns delay n of seq, counting from 0. If seq has n delays or fewer, found is
// false and delay is the last one, or 0 if there is none.
func at(seq iter.Seq[time.Duration], n int) (delay time.Duration, found bool) {
	w := drawings.Get().(*drawing)
	w.draw(seq, n)
	delay, found = w.delay, w.found
	drawings.Put(w) // not after a panic in seq, which may still hold w.yield
	return delay, found
}

// firstDelays returns the first n delays of seq, or all if it has fewer.
func firstDelays(seq iter.Seq[time.Duration], n int) []time.Duration {
	delays := []time.Duration{}
	if n == 0 {
		return delays
	}
	for d := range seq {
		delays = append(delays, max(d, 0))
		if len(delays) == n {
			break
		}
	}
	return delays
}
