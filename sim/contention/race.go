package contention

import (
	"context"
	"iter"
	"time"

	"example.com/backoff/sim/internal/engine"
)

// A race is one repetition. Its memory is used again by the next.
//
// Of the four messages of an attempt only the arrival of the write is an event: a
// write succeeds if no other did since its client's read arrived, and a client knows
// when that was when it sends the write. So an attempt costs one event in place of
// four, and the result is the same, to the nanosecond.
type race struct {
	hop       time.Duration
	deviation float64
	schedule  func(seed uint64) iter.Seq[time.Duration]

	clients []client
	writes  *engine.Tree // by client: when its next write arrives
	drawer  engine.Drawer

	outcome               // so far
	winner  int           // whose write was the last to succeed
	wonAt   time.Duration // when it arrived
}

type client struct {
	rand   engine.Rand
	read   time.Duration // when the read before its next write arrived
	delays []time.Duration
	used   int // of delays
	drawn  int // of the schedule, so far
	seed   uint64
	seq    iter.Seq[time.Duration]
}

// A client draws its first delays in a block of firstBlock. Each later one is as
// large as all before it, up to lastBlock.
const (
	firstBlock = 8
	lastBlock  = 4096
)

// horizon is where virtual time ends, after 146 years. A client whose delay leads
// beyond it has given up.
const horizon time.Duration = 1 << 62

// The context is checked every contextEvery events, each of which takes some 50 ns.
const contextEvery = 1024

func newRace(config *Config) *race {
	return &race{hop: config.Hop, deviation: float64(config.HopDeviation), schedule: config.Schedule}
}

// run returns ok = false if ctx ended before the race.
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

// write is the arrival of client i's write.
func (r *race) write(i int, now time.Duration) (success bool) {
	r.calls++
	c := &r.clients[i]
	known := now + r.message(c)
	// Of two arrivals at one time that of the lower number is the first.
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

// reset returns false if ctx has ended.
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

// message returns the time that the client's next message takes, |N(hop, deviation)|
// in whole nanoseconds.
func (r *race) message(c *client) time.Duration {
	d := r.hop + time.Duration(r.deviation*c.rand.Normal())
	if d < 0 {
		return -d
	}
	return d
}

// nextDelay returns the client's next delay, and false if its schedule has ended.
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
