package overload

import (
	"math"
	"math/bits"
	"time"

	"example.com/backoff/sim/internal/engine"
)

// A server checks each open request every Poll after it opened, a little late, and answers
// it if it has been open for the latency of that moment. It is late because a timer fires at
// the next tick of a clock, and never early: so a request with a latency of 100 ms is
// answered at the second check of 50 ms and not at the third. The clock ticks 500 times in a
// Poll.
//
// Requests that opened between the same two ticks are therefore checked together, and those
// that opened whole Polls apart at the same ticks: they have the same phase. A phase holds
// them in a queue, oldest first. If the oldest is not due, none of the others is, so one
// check is enough for all of them. So a check costs no more with a million open requests
// than with a thousand.
//
// If Poll is 0, the server fixes how long a request takes when it opens.
type server struct {
	poll, width time.Duration // between looks, and between ticks
	latency     func(open int) time.Duration
	slow        float64         // the factor of a slow-down, otherwise 1
	table       []time.Duration // the latency with few open requests

	open   int
	phases []phase
	busy   []uint64 // a bit for each phase that has requests
	tick   tick     // the next at which there is a request to check
	missed tick     // while stopped: the first such tick since the stop

	due *inFlight // if poll is 0: requests until they are answered

	stopped bool
	atStop  Second // Open and Latency, as they were
	queue   ring[request]
	outside ring[request]            // while stopped: those that found the queue full
	returns map[uint32]time.Duration // when requests that try again were sent, by client
	free    time.Duration            // when it can accept another request
	accepts time.Duration            // when it accepts the next one from the queue
}

// A tick is that of one phase.
type tick struct {
	at    time.Duration
	cycle time.Duration // at which the Poll began that it is in
	phase int
}

type phase struct {
	groups   ring[group]
	requests ring[request] // of the younger groups, one after the other
	old      int           // groups that have no requests left there
}

// A group of requests became open between two ticks.
type group struct {
	opened   time.Duration // the second of the two
	requests uint32        // that are left
	known    uint32        // of these, in the phase's requests; the others are abandoned
}

const ticks = 500

func (s *server) init(config *Config) {
	s.latency = config.Latency.rule()
	s.slow = 1
	s.returns = map[uint32]time.Duration{}
	s.tick.at, s.accepts = engine.Never, engine.Never
	s.poll = config.Poll
	if s.poll == 0 {
		s.due = newInFlight(config)
		return
	}
	s.width = max((s.poll+ticks-1)/ticks, 1)
	n := int((s.poll + s.width - 1) / s.width)
	s.phases = make([]phase, n)
	s.busy = make([]uint64, (n+63)/64)
}

// latencyNow returns the latency with the requests that are open now.
func (s *server) latencyNow() time.Duration {
	const most = 1 << 13
	for n := len(s.table); n <= min(s.open, most); n++ {
		s.table = append(s.table, s.latency(n))
	}
	switch {
	case s.open <= most:
		return slower(s.table[s.open], s.slow)
	case s.table[most] == engine.Never: // It never falls as open rises.
		return engine.Never
	}
	return slower(s.latency(s.open), s.slow)
}

// connect is the arrival of a request.
func (w *world) connect(r request, now time.Duration) {
	s := &w.server
	switch {
	case !s.stopped && s.queue.size == 0 && s.free <= now:
		w.openRequest(r, now)
		s.free = now + w.config.Accept
	case s.queue.size < w.config.Queue:
		s.queue.push(r)
		if !s.stopped && s.accepts == engine.Never {
			s.accepts = s.free
		}
	case s.stopped:
		for s.outside.size > 0 && s.outside.at(0).sent+w.config.Timeout <= now {
			s.outside.drop(1)
		}
		s.outside.push(r)
	default:
		w.reconnect(r, now)
	}
}

// reconnect makes a request that found the queue full try again, if its client still waits
// then. That is its only event until then.
func (w *world) reconnect(r request, now time.Duration) {
	in := w.clients[r.client].rand.Uint64N(uint64(w.config.Reconnect))
	at := now + 1 + time.Duration(in)
	if at < r.sent+w.config.Timeout {
		w.server.returns[r.client] = r.sent
		w.add(int(r.client), r.turn, sendAgain, at)
	}
}

// accept accepts a request from the queue.
func (w *world) accept(now time.Duration) {
	w.count()
	s := &w.server
	w.openRequest(*s.queue.at(0), now)
	s.queue.drop(1)
	s.free = now + w.config.Accept
	s.accepts = engine.Never
	if s.queue.size > 0 {
		s.accepts = s.free
	}
}

// openRequest opens a request: the server serves it from now on. A server that cancels
// abandoned requests does not open one.
func (w *world) openRequest(r request, now time.Duration) {
	s := &w.server
	if w.config.Abandoned == Cancel {
		if !w.awaited(r) {
			return
		}
		w.clients[r.client].open = true
	}
	s.open++
	w.stats.PeakOpen = max(w.stats.PeakOpen, int64(s.open))
	if s.poll == 0 {
		s.decide(r, now)
		return
	}
	cycle := now - now%s.poll
	n := int(now % s.poll / s.width)
	opened := cycle + min(time.Duration(n+1)*s.width, s.poll)
	p := &s.phases[n]
	if last := p.groups.size - 1; last < 0 || p.groups.at(last).opened != opened {
		p.groups.push(group{opened: opened})
	}
	g := p.groups.at(p.groups.size - 1)
	g.requests++
	g.known++
	p.requests.push(r)
	s.busy[n/64] |= 1 << (n % 64)
	if opened < s.tick.at {
		s.tick = tick{opened, cycle, n}
	}
}

// decide fixes when a request will be answered, for a server that does not poll.
func (s *server) decide(r request, now time.Duration) {
	takes := s.latencyNow()
	if takes >= engine.Never-now {
		return // It stays open.
	}
	s.due.add(r, now+takes)
}

// nextDue returns when a server that does not poll answers its next request, if that is
// not after limit, and Never otherwise.
func (s *server) nextDue(limit time.Duration) time.Duration {
	if s.stopped {
		return engine.Never
	}
	return s.due.next(limit)
}

// finish ends a request at a server that does not poll: it is answered, or it was wasted
// work.
func (w *world) finish(now time.Duration) {
	w.count()
	switch r := w.server.due.take(now); {
	case w.awaited(r):
		w.sendAnswer(r, now)
	case w.config.Abandoned == Keep:
		w.server.open--
		w.stats.Wasted++
	}
}

// poll is a tick: the server checks the requests of its phase.
func (w *world) poll(now time.Duration) {
	s := &w.server
	w.pollPhase(s.tick.phase, now)
	s.tick = s.after(s.tick)
}

// after returns the next tick after t of a phase that has requests.
func (s *server) after(t tick) tick {
	from := t.phase + 1
	for i, word := 0, from/64; i <= len(s.busy); i, word = i+1, word+1 {
		if word == len(s.busy) {
			word = 0
			t.cycle += s.poll
		}
		bitsLeft := s.busy[word]
		if i == 0 {
			bitsLeft &= math.MaxUint64 << (from % 64)
		}
		if bitsLeft != 0 {
			n := word*64 + bits.TrailingZeros64(bitsLeft)
			return tick{t.cycle + min(time.Duration(n+1)*s.width, s.poll), t.cycle, n}
		}
	}
	return tick{at: engine.Never}
}

// pollPhase answers those requests of a phase that are due.
func (w *world) pollPhase(n int, now time.Duration) {
	s := &w.server
	p := &s.phases[n]
	w.forget(p, now)
	for p.groups.size > 0 {
		g := p.groups.at(0)
		prefetched := false
		for g.requests > 0 {
			if s.latencyNow() > now-g.opened {
				return
			}
			w.count()
			if w.ended {
				return
			}
			g.requests--
			if g.known == 0 {
				s.open--
				w.stats.Wasted++
				continue
			}
			if !prefetched {
				prefetched = true
				w.prefetch(&p.requests, int(min(g.known, prefetchSize)))
			}
			g.known--
			r := *p.requests.at(0)
			p.requests.drop(1)
			switch {
			case w.awaited(r):
				w.sendAnswer(r, now)
			case w.config.Abandoned == Keep:
				s.open--
				w.stats.Wasted++
			}
		}
		p.groups.drop(1)
		p.old = max(p.old-1, 0)
	}
	s.busy[n/64] &^= 1 << (n % 64)
}

// forget releases requests that are older than the timeout: they are abandoned, and only
// their number counts. If the server cancels abandoned requests, not even that counts.
func (w *world) forget(p *phase, now time.Duration) {
	for p.old < p.groups.size {
		g := p.groups.at(p.old)
		if now-g.opened <= w.config.Timeout {
			return
		}
		p.requests.drop(int(g.known))
		g.known = 0
		if w.config.Abandoned == Cancel {
			p.groups.drop(1)
		} else {
			p.old++
		}
	}
}

// stop stops the server.
func (s *server) stop() {
	s.atStop.Open, s.atStop.Latency = int64(s.open), s.latencyNow()
	s.stopped = true
	s.missed = s.tick
	s.tick.at, s.accepts = engine.Never, engine.Never
}

// resume resumes a stopped server. Timers that ran out during the stop fire now, in their
// order.
func (w *world) resume(now time.Duration) {
	s := &w.server
	s.stopped = false
	for s.due.next(now-1) < now {
		w.finish(now)
	}
	t := s.missed
	if t.at < now {
		for round := t.at + s.poll; t.at < now && t.at < round; t = s.after(t) {
			w.pollPhase(t.phase, now)
		}
		if t.at < now { // One poll of each phase was enough; the others that were missed are left out.
			missed := (now - t.at) / s.poll * s.poll
			t.at += missed
			t.cycle += missed
		}
		for t.at < now {
			t = s.after(t)
		}
	}
	s.tick = t
	if s.queue.size > 0 {
		s.accepts = max(s.free, now)
	}
	// Clients that found the queue full and still wait connect again.
	for ; s.outside.size > 0 && !w.ended; s.outside.drop(1) {
		w.count()
		if r := *s.outside.at(0); w.awaited(r) {
			w.reconnect(r, now)
		}
	}
}
