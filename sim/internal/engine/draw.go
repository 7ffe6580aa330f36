package engine

import (
	"iter"
	"time"
)

// A Drawer draws delays from schedules, a block at a time. It keeps no iteration open
// between two calls: it ranges again from the start and skips the delays drawn before. A
// coroutine for each client, as in [iter.Pull], would take 2.8 kB and up to a microsecond a
// step. A Drawer takes only the block, and draws each delay once or twice more if each block
// is as large as all before it.
//
// So a schedule must replay: every range must give the same delays, as with
// [example.com/backoff.WithSeed]. If a schedule does not replay, the delays are a mixture of
// its ranges.
//
// The zero value is ready to use. It allocates once.
type Drawer struct {
	skip  int
	block []time.Duration
	n     int
	yield func(time.Duration) bool // bound once, because a closure for each call would be garbage
}

// Draw sets block to the delays of seq after the first skip delays, and negative ones to 0.
// It returns their number, which is less than len(block) only if seq ends. It draws no
// further delay.
func (d *Drawer) Draw(seq iter.Seq[time.Duration], skip int, block []time.Duration) int {
	if len(block) == 0 {
		return 0
	}
	if d.yield == nil {
		d.yield = d.take
	}
	d.skip, d.block, d.n = skip, block, 0
	seq(d.yield)
	d.block = nil
	return d.n
}

func (d *Drawer) take(delay time.Duration) bool {
	if d.skip > 0 {
		d.skip--
		return true
	}
	if d.n < len(d.block) {
		d.block[d.n] = max(delay, 0)
		d.n++
	}
	return d.n < len(d.block)
}
