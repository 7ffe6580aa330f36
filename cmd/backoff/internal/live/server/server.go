// Package server is an HTTP server that is the slower the more requests are open, as that
// of the model in sim/overload.
package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/backoff"
	"example.com/backoff/sim/overload"
)

// Rules are how a server behaves. A client asks for them, so that they need be
// said once. Durations are in nanoseconds.
type Rules struct {
	Limit     int           `json:"limit"`
	Base      time.Duration `json:"base_latency"`
	Factor    float64       `json:"latency_factor"`
	Scale     float64       `json:"latency_scale"`
	Poll      time.Duration `json:"poll"`
	Queue     int           `json:"queue"` // 0 if that is not known
	Abandoned string        `json:"abandoned"`
}

func (r Rules) latency() overload.ExponentialLatency {
	return overload.ExponentialLatency{Base: r.Base, Limit: r.Limit, Factor: r.Factor, Scale: r.Scale}
}

func (r Rules) abandonedRule() (overload.Abandoned, error) {
	for _, a := range []overload.Abandoned{overload.Keep, overload.Drop} {
		if r.Abandoned == a.String() {
			return a, nil
		}
	}
	return 0, fmt.Errorf("--abandoned is %q, want keep or drop", r.Abandoned)
}

// Config returns the model of this server, without clients.
func (r Rules) Config() (overload.Config, error) {
	abandoned, err := r.abandonedRule()
	c := overload.Default()
	c.Latency = r.latency()
	c.Poll = r.Poll
	c.Abandoned = abandoned
	c.Queue = r.Queue
	return c, err
}

// A server answers a request when it has been open for as long as the latency is
// then, with the requests that are open then. It looks every poll.
type server struct {
	rules     Rules
	abandoned overload.Abandoned
	table     []time.Duration // the latency with few open requests

	open, peak atomic.Int64
	starved    atomic.Int64 // how often there was no file descriptor for a connection
	lateness   Lateness

	mu             sync.Mutex
	abandonedSince []time.Time // when the abandoned requests that go on became open
}

func newServer(rules Rules) (*server, error) {
	abandoned, err := rules.abandonedRule()
	if err != nil {
		return nil, err
	}
	s := &server{rules: rules, abandoned: abandoned, table: make([]time.Duration, 1<<13)}
	for open := range s.table {
		s.table[open] = rules.latency().At(open)
	}
	return s, nil
}

// latency returns what the rule says with the requests that are open now.
func (s *server) latency() time.Duration {
	open := int(s.open.Load())
	if open < len(s.table) {
		return s.table[open]
	}
	return s.rules.latency().At(open)
}

// ServeHTTP serves a request. If that is abandoned by its client, it is dropped at
// once, or kept: then nobody will read the answer, and the work goes on without the
// connection, which would take up one of the file descriptors of this process.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raise(&s.peak, s.open.Add(1))
	start := time.Now()
	wait := s.rules.Poll
	if wait == 0 {
		wait = s.latency() // decided: it never looks again
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-r.Context().Done():
			if s.abandoned == overload.Drop {
				s.open.Add(-1)
				return
			}
			hangUp(w)
			s.keep(start, wait)
			return
		case <-timer.C:
		}
		if s.rules.Poll == 0 || time.Since(start) >= s.latency() {
			break
		}
		timer.Reset(wait)
	}
	s.open.Add(-1)
	io.WriteString(w, "OK\n")
}

// keep goes on with an abandoned request. All that anybody will see of it is that it
// is open. So it needs no goroutine and no timer of its own, of which a collapse would
// have tens of thousands: sweep looks at all of them together.
func (s *server) keep(start time.Time, wait time.Duration) {
	if s.rules.Poll == 0 {
		time.AfterFunc(wait-time.Since(start), func() { s.open.Add(-1) })
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandonedSince = append(s.abandonedSince, start)
}

// sweep ends abandoned requests when their time has come, until ctx ends.
func (s *server) sweep(ctx context.Context) {
	for s.rules.Poll > 0 && backoff.Sleep(ctx, s.rules.Poll) == nil {
		now := time.Now()
		s.mu.Lock()
		s.abandonedSince = slices.DeleteFunc(s.abandonedSince, func(start time.Time) bool {
			if now.Sub(start) < s.latency() {
				return false
			}
			s.open.Add(-1)
			return true
		})
		s.mu.Unlock()
	}
}

// hangUp closes the connection of a request that is still being served.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		conn.Close()
	}
}

// Stats are what a server says of itself. Durations are in nanoseconds.
type Stats struct {
	PID      int           `json:"pid"`
	Rules    Rules         `json:"rules"`
	Open     int64         `json:"open"`      // requests now
	Peak     int64         `json:"peak"`      // most requests that were ever open
	Latency  time.Duration `json:"latency"`   // with the requests that are open now
	Starved  int64         `json:"starved"`   // how often it had no file descriptor for a connection
	LateMost time.Duration `json:"late_most"` // how late its timers were since these were last asked for
	LateMean time.Duration `json:"late_mean"`
}

// stats serves the statistics. It is to have a port of its own, which does not queue.
func (s *server) stats(w http.ResponseWriter, _ *http.Request) {
	most, mean := s.lateness.Take()
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(Stats{
		PID: os.Getpid(), Rules: s.rules,
		Open: s.open.Load(), Peak: s.peak.Load(), Latency: s.latency(), Starved: s.starved.Load(),
		LateMost: most, LateMean: mean,
	})
}
