package overload

import (
	"context"
	"time"

	"example.com/backoff/sim/internal/engine"
)

// A world is one repetition: its clients, its server, and the events to come.
//
// Clients send at any time, in any order, which needs a queue of events: sends. All other
// events have an order of their own: timeouts come in the order of the requests, the
// server's polls by the ticks of its clock, and accepts one after the other. So the next
// event is the earliest of a few heads.
type world struct {
	config *Config
	seed   uint64
	end    time.Duration

	clients []client
	idle    []uint32 // of open arrivals: clients whose operation is over
	delays  delayBlocks
	budgets []Budget

	server server

	sends      *engine.Calendar // by client: its next request, first or retry
	timeouts   ring[request]    // as they were sent
	arrival    time.Duration    // the next operation of open arrivals
	arrivals   engine.Rand
	operations uint64 // of open arrivals, so far

	toServer *inFlight // requests on their way to the server; nil if that takes no time
	toClient *inFlight // answers on their way to the client

	mark   time.Duration // when the current second ends
	change time.Duration // when the trigger starts, and then when it ends

	stats stats

	prefetched int    // how many of the next timeouts had their clients prefetched
	read       uint32 // what prefetch read, so that the compiler keeps the reads

	ctx    context.Context
	events int64
	ended  bool // ctx is done
}

// A request is identified by its client and the client's turn, which rises when the client
// is done with a request. So every holder of a request can tell whether the client still
// waits for it.
//
// With a million clients, no client is in the cache when its event comes. So a request
// carries what is needed when it is sent and when it opens, and the client's record is read
// only when the request ends.
type request struct {
	sent         time.Duration
	client, turn uint32
}

// awaited reports whether the client still waits for the request.
func (w *world) awaited(r request) bool { return w.clients[r.client].turn == r.turn }

// The context is checked every contextEvery events, each of which takes some 100 ns.
const contextEvery = 1024

func newWorld(config *Config, seed uint64) *world {
	w := &world{
		config:  config,
		seed:    seed,
		end:     config.end(),
		sends:   engine.NewCalendar(max(config.Clients, 1), config.end()),
		arrival: engine.Never,
		change:  engine.Never,
	}
	w.mark = min(time.Second, w.end)
	if config.Trigger.For > 0 {
		w.change = config.Warmup
	}
	if config.Network > 0 {
		w.toServer, w.toClient = newInFlight(config), newInFlight(config)
	}
	w.server.init(config)
	if config.Budget != nil {
		for range config.Processes {
			w.budgets = append(w.budgets, config.Budget())
		}
	}
	return w
}

// run calls part after each second, and returns false if ctx is done before the end.
func (w *world) run(ctx context.Context, part func()) bool {
	w.ctx = ctx
	w.startClients()
	for !w.ended {
		if now, second := w.step(); second {
			part()
			if now == w.end {
				return true
			}
		}
	}
	return false
}

// step handles the next event and returns its time, and whether a second ended. Events at
// one time come in the order below, sends last.
func (w *world) step() (now time.Duration, second bool) {
	s := &w.server
	now = min(w.mark, w.change, s.accepts, s.tick.at, w.arrival)
	if w.timeouts.size > 0 {
		now = min(now, w.timeouts.at(0).sent+w.config.Timeout)
	}
	now = min(now, s.nextDue(now))
	now = min(now, w.toServer.next(now))
	now = min(now, w.toClient.next(now))
	if e := w.sends.Next(now - 1); e.At < now {
		w.sends.Take()
		w.send(e)
		return e.At, false
	}
	switch now {
	case w.mark:
		w.stats.endSecond(s)
		w.mark = min(now+time.Second, w.end)
		return now, true
	case w.change:
		w.trigger(now)
	case s.accepts:
		w.accept(now)
	case s.tick.at:
		w.poll(now)
	case w.arrival:
		w.arrive(now)
	case s.nextDue(now):
		w.finish(now)
	case w.toServer.next(now):
		w.requestArrives(now)
	case w.toClient.next(now):
		w.answerArrives(now)
	default:
		w.timeOut(now)
	}
	return now, false
}

// count counts an event, and checks the context every contextEvery events.
func (w *world) count() {
	w.events++
	if w.events%contextEvery == 0 && w.ctx.Err() != nil {
		w.ended = true
	}
}

// trigger starts the trigger, or ends it.
func (w *world) trigger(now time.Duration) {
	from, to := w.config.during()
	w.change = engine.Never
	if now == from {
		w.change = to
	}
	switch w.config.Trigger.Kind {
	case Stop:
		if now == from {
			w.server.stop()
		} else {
			w.resume(now)
		}
	case SlowDown:
		w.server.slow = 1
		if now == from {
			w.server.slow = w.config.Trigger.Factor
		}
	case Spike:
		// The arrivals know it in advance, see nextOperation.
	}
}
