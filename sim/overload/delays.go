package overload

import (
	"slices"
	"time"

	"example.com/backoff/sim/internal/engine"
)

// delayBlocks holds the next delays of every client that retries, in a block as large as a
// line of the cache. A million clients can retry at once.
type delayBlocks struct {
	chunks [][]block
	unused []uint32
	blocks int
	long   map[uint32]*longBlock // of clients with an operation of many retries
	drawer engine.Drawer
}

// A longBlock follows the blocks of a client. To draw a block, all delays before it are
// drawn again, so small blocks would cost more and more.
type longBlock struct {
	from   uint32 // the retry of the first delay
	delays []time.Duration
}

const (
	longFrom = 256     // retries from the small blocks
	longMost = 1 << 16 // max delays of a long one
)

type block [8]time.Duration

// scheduleEnd follows the last delay of a schedule that has ended.
const scheduleEnd time.Duration = -1

const chunk = 1 << 12

func (w *delayBlocks) at(n uint32) *block { return &w.chunks[n/chunk][n%chunk] }

func (w *delayBlocks) new() uint32 {
	if n := len(w.unused); n > 0 {
		b := w.unused[n-1]
		w.unused = w.unused[:n-1]
		return b
	}
	if w.blocks == len(w.chunks)*chunk {
		w.chunks = append(w.chunks, make([]block, chunk))
	}
	w.blocks++
	return uint32(w.blocks - 1)
}

func (w *delayBlocks) free(n uint32) {
	delete(w.long, n)
	w.unused = append(w.unused, n)
}

// nextDelay returns the client's next delay, and false if its schedule has ended.
func (w *world) nextDelay(c *client) (delay time.Duration, ok bool) {
	if c.block == 0 {
		c.block = w.delays.new() + 1
		c.scheduleSeed = c.rand.Uint64()
	}
	if c.retry >= longFrom {
		return w.longDelay(c)
	}
	b := w.delays.at(c.block - 1)
	place := c.retry % uint32(len(b))
	if place == 0 {
		n := w.delays.drawer.Draw(w.config.Schedule(c.scheduleSeed), int(c.retry), b[:])
		if n < len(b) {
			b[n] = scheduleEnd
		}
	}
	return b[place], b[place] != scheduleEnd
}

// longDelay is nextDelay for a client with an operation of many retries: a block is as long
// as all before it.
func (w *world) longDelay(c *client) (delay time.Duration, ok bool) {
	b := w.delays.long[c.block-1]
	if b == nil {
		if w.delays.long == nil {
			w.delays.long = map[uint32]*longBlock{}
		}
		b = &longBlock{from: c.retry}
		w.delays.long[c.block-1] = b
	}
	if c.retry == b.from+uint32(len(b.delays)) {
		b.from = c.retry
		b.delays = slices.Grow(b.delays[:0], int(min(c.retry, longMost)))
		b.delays = b.delays[:cap(b.delays)]
		n := w.delays.drawer.Draw(w.config.Schedule(c.scheduleSeed), int(c.retry), b.delays)
		if n < len(b.delays) {
			b.delays[n] = scheduleEnd
		}
	}
	delay = b.delays[c.retry-b.from]
	return delay, delay != scheduleEnd
}
