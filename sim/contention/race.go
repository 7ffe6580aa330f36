package contention

import (
	"context"
	"iter"
	"time"

	"example.com/backoff/sim/internal/engine"
)

// A race is one repetition. The next one uses its memory again.
//
// An attempt has four messages, but only the arrival of the write is an event. The write
// succeeds if no other write did since the client's read arrived, and that time is known
// when the client sends the write. So an attempt costs one event instead of four, and the
// result is the same to the nanosecond.
type race struct {
	hop       time.Duration
	deviation float64
	schedule  func(seed uint64) iter.Seq[time.Duration]

	clients []client
	writes  *engine.Tree // by client: when its next write arrives
	drawer  engine.Drawer

	outcome               // so far
	winner  int           // the client whose write was the last to succeed
	wonAt   time.Duration // arrival of that write
}

type client struct {
	rand   engine.Rand
	read   time.Duration // arrival of the read before its next write
	delays []time.Duration
	used   int // number of delays that are used
	drawn  int // number of delays drawn from the schedule so far
	seed   uint64
	seq    iter.Seq[time.Duration]
}

// A client draws its delays in blocks. The first has firstBlock delays. Each later block is
// as large as all blocks before it, up to lastBlock.
const (
	firstBlock = 8
	lastBlock  = 4096
)

// horizon is the end of virtual time, after 146 years. A client whose delay leads beyond it
// gives up.
const horizon time.Duration = 1 << 62

// contextEvery is the number of events between two checks of the context. An event takes
// about 50 ns.
const contextEvery = 1024

func newRace(config *Config) *race {
	return &race{hop: config.Hop, deviation: float64(config.HopDeviation), schedule: config.Schedule}
}

// run returns ok = false if ctx is done before the race is over.
func (r *race) run(ctx context.Context, clients int, seed uint64) (o outcome, ok bool) {
	if !r.reset(ctx, clients, seed) {
		return outcome{}, false
	}
	for {
		i, now := r.writes.Next()
		if now == engine.Never {
			return r.outcome, true
		}
		if r.calls%contextEvery == 0 && ctx.Err() != nil {
			return outcome{}, false
		}
		r.write(i, now)
	}
}

// write lets client i's write arrive.
func (r *race) write(i int, now time.Duration) (success bool) {
	r.calls++
	c := &r.clients[i]
	known := now + r.message(c)
	// If two writes arrive at the same time, the client with the lower number wins.
	if c.read > r.wonAt || c.read == r.wonAt && i > r.winner {
		r.wonAt, r.winner = now, i
		r.time = max(r.time, known)
		r.writes.Set(i, engine.Never)
		return true
	}
	delay, ok := r.nextDelay(c)
	if !ok || delay > horizon-known {
		r.gaveUp++
		r.writes.Set(i, engine.Never)
		return false
	}
	c.read = known + delay + r.message(c)
	r.writes.Set(i, c.read+r.message(c)+r.message(c))
	return false
}

// reset prepares the next repetition. It returns false if ctx is done.
func (r *race) reset(ctx context.Context, clients int, seed uint64) bool {
	if len(r.clients) != clients {
		r.clients = make([]client, clients)
		r.writes = engine.NewTree(clients)
	}
	r.outcome, r.winner, r.wonAt = outcome{}, -1, -1
	for i := range r.clients {
		if i%contextEvery == 0 && ctx.Err() != nil {
			return false
		}
		c := &r.clients[i]
		c.rand = engine.NewRand(engine.Seed(seed, uint64(i)))
		c.seed = c.rand.Uint64()
		c.seq, c.delays, c.used, c.drawn = nil, c.delays[:0], 0, 0
		c.read = r.message(c)
		r.writes.Set(i, c.read+r.message(c)+r.message(c))
	}
	return true
}

// message draws the duration of the client's next message, |N(hop, deviation)| in whole
// nanoseconds.
func (r *race) message(c *client) time.Duration {
	d := r.hop + time.Duration(r.deviation*c.rand.Normal())
	if d < 0 {
		return -d
	}
	return d
}

// nextDelay returns the client's next delay, or false if its schedule has ended.
func (r *race) nextDelay(c *client) (time.Duration, bool) {
	if c.used == len(c.delays) && !r.refill(c) {
		return 0, false
	}
	d := c.delays[c.used]
	c.used++
	return d, true
}

func (r *race) refill(c *client) bool {
	if c.seq == nil {
		c.seq = r.schedule(c.seed)
	}
	size := min(max(firstBlock, c.drawn), lastBlock)
	if cap(c.delays) < size {
		c.delays = make([]time.Duration, size)
	}
	n := r.drawer.Draw(c.seq, c.drawn, c.delays[:size])
	c.delays, c.used = c.delays[:n], 0
	c.drawn += n
	return n > 0
}
