package overload

import (
	"math"
	"time"

	"example.com/backoff/sim/internal/engine"
)

// A client thinks, or waits to retry, until its event in sends comes; then it waits for the
// answer to its request, or for the timeout.
type client struct {
	rand         engine.Rand
	scheduleSeed uint64 // the seed of its operation's schedule
	turn         uint32 // number of requests that it is done with; see request
	retry        uint32 // number of retries of the operation so far
	block        uint32 // of the world's delays, plus 1; 0 for none
	open         bool   // whether its request is open, at a server that cancels abandoned requests
}

// The tags of events in world.sends: what the client sends at that time.
const (
	sendFirst = iota // an operation's first request
	sendRetry        // a retry
	sendAgain        // the request that found the accept queue full
	tagBits   = 2    // The bits of a tag above these are the client's turn.
)

// startClients plans the first operation of every client of closed arrivals.
func (w *world) startClients() {
	if w.config.Rate > 0 {
		w.arrivals = engine.NewRand(engine.Seed(w.seed, 1))
		w.arrival = w.nextOperation(0, &w.arrivals)
		return
	}
	w.clients = make([]client, w.config.Clients)
	for i := range w.clients {
		if w.count(); w.ended {
			return
		}
		c := &w.clients[i]
		c.rand = engine.NewRand(engine.Seed(w.seed, 0, uint64(i)))
		w.add(i, c.turn, sendFirst, w.nextOperation(0, &c.rand))
	}
}

// nextOperation returns when the next operation begins, of a client that thinks from now on,
// or of open arrivals. The time is exponentially distributed with a rate that a spike
// multiplies, also for clients that began to think before it: one number of mean 1 is used
// up at that rate. It is Never if the time is after the end.
func (w *world) nextOperation(now time.Duration, r *engine.Rand) time.Duration {
	mean := float64(w.config.Think)
	if w.config.Rate > 0 {
		mean = 1e9 / w.config.Rate
	}
	left := float64(r.Exp() * mean)
	if w.config.Trigger.Kind == Spike {
		from, to := w.config.during()
		if factor := w.config.Trigger.Factor; now < to {
			if before := float64(max(from-now, 0)); left > before {
				left -= before
				now = max(now, from)
				if during := float64(float64(to-now) * factor); left > during {
					left -= during
					now = to
				} else {
					left /= factor
				}
			}
		}
	}
	if left >= float64(w.end-now) {
		return engine.Never
	}
	return now + time.Duration(math.Floor(left))
}

// arrive begins an operation of open arrivals, by a client that has none.
func (w *world) arrive(now time.Duration) {
	w.count()
	w.arrival = w.nextOperation(now, &w.arrivals)
	var i int
	if n := len(w.idle); n > 0 {
		i = int(w.idle[n-1])
		w.idle = w.idle[:n-1]
	} else {
		i = len(w.clients)
		w.clients = append(w.clients, client{})
	}
	w.clients[i].rand = engine.NewRand(engine.Seed(w.seed, 0, w.operations))
	w.operations++
	w.send(engine.Event{At: now, Client: uint32(i), Tag: tagged(w.clients[i].turn, sendFirst)})
}

func (w *world) add(i int, turn uint32, tag uint32, at time.Duration) {
	w.sends.Add(engine.Event{At: at, Client: uint32(i), Tag: tagged(turn, tag)})
}

// tagged is what an event carries: what to do, and for which turn of its client.
func tagged(turn, tag uint32) uint32 { return turn<<tagBits | tag }

// send sends a request.
func (w *world) send(e engine.Event) {
	w.count()
	r := request{e.At, e.Client, e.Tag >> tagBits}
	switch e.Tag & (1<<tagBits - 1) {
	case sendFirst:
		w.stats.First++
	case sendRetry:
		w.stats.Retries++
	case sendAgain:
		// It has a timeout already, and is counted.
		r.sent = w.server.returns[r.client]
		delete(w.server.returns, r.client)
		w.connect(r, e.At)
		return
	}
	w.timeouts.push(r)
	if w.toServer == nil {
		w.connect(r, e.At)
		return
	}
	w.travel(w.toServer, r, e.At)
}

// travel puts a request, or the answer to it, on its way through the network.
func (w *world) travel(network *inFlight, r request, now time.Duration) {
	takes := w.clients[r.client].rand.Exp() * float64(w.config.Network)
	network.add(r, now+time.Duration(math.Floor(takes)))
}

// requestArrives is the arrival of a request at the server, even if its client has given up
// since.
func (w *world) requestArrives(now time.Duration) {
	w.count()
	w.connect(w.toServer.take(now), now)
}

// sendAnswer ends an open request whose client still waits, and sends it the answer.
func (w *world) sendAnswer(r request, now time.Duration) {
	w.server.open--
	w.clients[r.client].open = false
	if w.toClient == nil {
		w.receiveAnswer(r, now)
		return
	}
	w.travel(w.toClient, r, now)
}

// answerArrives is the arrival of an answer at its client, which may have given up since.
func (w *world) answerArrives(now time.Duration) {
	w.count()
	if r := w.toClient.take(now); w.awaited(r) {
		w.receiveAnswer(r, now)
		return
	}
	w.stats.Wasted++
}

// timeOut is the timeout of a request: its client abandons it.
func (w *world) timeOut(now time.Duration) {
	w.count()
	if w.prefetched == 0 {
		w.prefetched = w.prefetch(&w.timeouts, prefetchSize)
	}
	w.prefetched--
	r := *w.timeouts.at(0)
	w.timeouts.drop(1)
	if !w.awaited(r) {
		return // It was answered.
	}
	w.stats.Timeouts++
	if w.clients[r.client].open {
		w.server.open--
	}
	w.fail(int(r.client), now)
}

// receiveAnswer is the arrival of an answer at a client that waits for it: the operation has
// succeeded, or, for a share of Failures, the request has failed.
func (w *world) receiveAnswer(r request, now time.Duration) {
	i := int(r.client)
	c := &w.clients[i]
	if w.config.Failures > 0 && c.rand.Float64() < w.config.Failures {
		w.stats.Refused++
		w.fail(i, now)
		return
	}
	w.stats.OK++
	w.stats.seen += now - r.sent
	if w.budgets != nil {
		w.budgets[i%len(w.budgets)].Succeeded()
	}
	w.endOperation(i, now)
}

// fail ends a request without success: a retry follows, or the operation is over.
func (w *world) fail(i int, now time.Duration) {
	c := &w.clients[i]
	allowed := w.budgets == nil || w.budgets[i%len(w.budgets)].Failed()
	delay, more := w.nextDelay(c)
	switch {
	case !more:
		w.stats.GaveUp++
		w.endOperation(i, now)
	case !allowed:
		w.stats.Denied++
		w.endOperation(i, now)
	default:
		c.endRequest()
		c.retry++
		if delay < w.end-now {
			w.add(i, c.turn, sendRetry, now+delay)
		}
	}
}

// endOperation ends client i's operation, succeeded or given up, and plans its next one.
func (w *world) endOperation(i int, now time.Duration) {
	c := &w.clients[i]
	c.endRequest()
	c.retry = 0
	if c.block > 0 {
		w.delays.free(c.block - 1)
		c.block = 0
	}
	if w.config.Rate > 0 {
		w.idle = append(w.idle, uint32(i))
		return
	}
	w.add(i, c.turn, sendFirst, w.nextOperation(now, &c.rand))
}

// endRequest moves the client to its next turn: it no longer waits for a request.
func (c *client) endRequest() {
	c.turn = (c.turn + 1) & (1<<(32-tagBits) - 1)
	c.open = false
}

// prefetchSize is how many clients prefetch reads at a time.
const prefetchSize = 16

// prefetch reads the clients of the first requests, at most most of them, and returns their
// number. Their records and their delays are then in the cache when their events come. One
// by one, each read would wait for memory; here no read depends on another, and the
// processor waits for all of them at once.
func (w *world) prefetch(requests *ring[request], most int) int {
	n := min(most, requests.size)
	var read uint32
	for i := range n {
		read += w.clients[requests.at(i).client].turn
	}
	for i := range n {
		if b := w.clients[requests.at(i).client].block; b > 0 {
			read += uint32(w.delays.at(b - 1)[0])
		}
	}
	w.read = read // so that the compiler keeps the reads
	return n
}
