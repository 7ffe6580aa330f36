package engine

import (
	"iter"
	"time"
)

// A Drawer draws delays from schedules, some at a time. Between two calls nothing
// of a schedule's iteration is kept: to go on it ranges again from the start and
// skips what was drawn before. A coroutine for each of a million clients, see
// [iter.Pull], would take 2.8 kB each and up to a microsecond a step; this takes
// nothing but the block, and draws each delay one or two times more if the blocks
// grow with what was drawn before.
//
// So a schedule must replay: ranging over it again must give the same delays. One
// with [example.com/backoff.WithSeed] does. One that does not is treated as the
// mixture of what its ranges give.
//
// The zero value is ready. It allocates once, however often it draws.
type Drawer struct {
	skip  int
	block []time.Duration
	n     int
	yield func(time.Duration) bool // bound once: a closure for each call would be garbage
}

// Draw sets block to the delays of seq after the first skip ones, negative ones to
// 0, and returns how many there were: fewer than len(block) only if seq ends. It
// draws nothing more.
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
