package overload

import (
	"time"

	"example.com/backoff/sim"
)

// waits holds the next delays of every client that retries: a block of them each, no
// larger than a line of the cache. A million clients can be retrying at once.
type waits struct {
	chunks [][]block
	unused []uint32
	blocks int
	drawer sim.Drawer
}

type block [8]time.Duration

// none follows the last delay of a schedule that has ended.
const none time.Duration = -1

const chunk = 1 << 12

func (w *waits) at(n uint32) *block { return &w.chunks[n/chunk][n%chunk] }

func (w *waits) new() uint32 {
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

func (w *waits) free(n uint32) { w.unused = append(w.unused, n) }

// delay returns the client's next delay, and false if its schedule has ended.
func (w *world) delay(c *client) (delay time.Duration, ok bool) {
	if c.block == 0 {
		c.block = w.waits.new() + 1
		c.delays = c.rand.Uint64()
	}
	b := w.waits.at(c.block - 1)
	place := c.retry % uint32(len(b))
	if place == 0 {
		n := w.waits.drawer.Draw(w.config.Schedule(c.delays), int(c.retry), b[:])
		if n < len(b) {
			b[n] = none
		}
	}
	return b[place], b[place] != none
}
