package overload

import (
	"time"

	"example.com/backoff/sim/internal/engine"
)

// inFlight holds requests until their times come: on their way through the network, or at a
// server that fixes how long a request takes when it opens. Requests of one time come in the
// order in which they were added.
type inFlight struct {
	calendar *engine.Calendar // by number; a tag is a place in requests
	requests []request
	unused   []uint32 // places
	number   uint32   // of requests so far
}

func newInFlight(config *Config) *inFlight {
	return &inFlight{calendar: engine.NewCalendar(max(config.Clients, 1), config.end())}
}

func (l *inFlight) add(r request, at time.Duration) {
	place := uint32(len(l.requests))
	if n := len(l.unused); n > 0 {
		place = l.unused[n-1]
		l.unused = l.unused[:n-1]
		l.requests[place] = r
	} else {
		l.requests = append(l.requests, r)
	}
	l.number++
	l.calendar.Add(engine.Event{At: at, Client: l.number, Tag: place})
}

// next returns the time of the first request, if it is not after limit, and Never
// otherwise. A nil inFlight holds no request.
func (l *inFlight) next(limit time.Duration) time.Duration {
	if l == nil {
		return engine.Never
	}
	return l.calendar.Next(limit).At
}

// take removes the first request, whose time is now, and returns it.
func (l *inFlight) take(now time.Duration) request {
	place := l.calendar.Next(now).Tag
	l.calendar.Take()
	l.unused = append(l.unused, place)
	return l.requests[place]
}
