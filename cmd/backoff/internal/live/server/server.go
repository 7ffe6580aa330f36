// Package server is an HTTP server that slows down as more requests are open, by the rules
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

// Rules are how a server behaves. Clients ask the server for them, so that a user gives them
// once. Durations are in nanoseconds.
type Rules struct {
	Limit     int           `json:"limit"`
	Base      time.Duration `json:"base_latency"`
	Factor    float64       `json:"latency_factor"`
	Scale     float64       `json:"latency_scale"`
	Linear    bool          `json:"linear"` // PerOpen counts, and not Limit, Factor and Scale
	PerOpen   time.Duration `json:"latency_per_open"`
	Poll      time.Duration `json:"poll"`
	Queue     int           `json:"queue"` // 0 if unknown
	Abandoned string        `json:"abandoned"`
}

// Latency returns the law by which the server slows down.
func (r Rules) Latency() overload.Latency {
	if r.Linear {
		return overload.LinearLatency{Base: r.Base, PerOpen: r.PerOpen}
	}
	return overload.ExponentialLatency{Base: r.Base, Limit: r.Limit, Factor: r.Factor, Scale: r.Scale}
}

func (r Rules) abandonedRule() (overload.Abandoned, error) {
	switch r.Abandoned {
	case "keep":
		return overload.Keep, nil
	case "cancel", "drop": // an older word for it
		return overload.Cancel, nil
	}
	return 0, fmt.Errorf("--abandoned is %q, want keep or cancel", r.Abandoned)
}

// Config returns the model of this server, without clients.
func (r Rules) Config() (overload.Config, error) {
	abandoned, err := r.abandonedRule()
	c := overload.Default()
	c.Latency = r.Latency()
	c.Poll = r.Poll
	c.Abandoned = abandoned
	c.Queue = r.Queue
	return c, err
}

// A server answers a request once it has been open for the latency, which depends on the
// requests that are open at that moment. It checks every Poll.
type server struct {
	rules     Rules
	abandoned overload.Abandoned
	table     []time.Duration // the latency with few open requests

	open       atomic.Int64
	peak       atomic.Int64 // the most that were ever open
	recentPeak atomic.Int64 // since the statistics were last asked for
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
		s.table[open] = rules.Latency().At(open)
	}
	return s, nil
}

// latency returns the latency with the requests that are open now.
func (s *server) latency() time.Duration {
	open := int(s.open.Load())
	if open < len(s.table) {
		return s.table[open]
	}
	return s.rules.Latency().At(open)
}

// ServeHTTP serves a request. If its client abandons it, the server either cancels it at
// once or goes on with it. Nobody will read that answer, so the work then goes on without
// the connection, which would take up a file descriptor of this process.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	open := s.open.Add(1)
	raise(&s.peak, open)
	raise(&s.recentPeak, open)
	start := time.Now()
	wait := s.rules.Poll
	if wait == 0 {
		wait = s.latency() // fixed when the request opens
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-r.Context().Done():
			if s.abandoned == overload.Cancel {
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

// keep goes on with an abandoned request, which is visible as an open request and in no
// other way. So it needs no goroutine and no timer of its own, of which a collapse would
// have tens of thousands: sweep checks all of them together.
func (s *server) keep(start time.Time, wait time.Duration) {
	if s.rules.Poll == 0 {
		time.AfterFunc(wait-time.Since(start), func() { s.open.Add(-1) })
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandonedSince = append(s.abandonedSince, start)
}

// sweep ends the abandoned requests that are due, every Poll until ctx is done. A round that
// ends late is a late timer.
func (s *server) sweep(ctx context.Context) {
	for s.rules.Poll > 0 {
		begun := time.Now()
		if backoff.Sleep(ctx, s.rules.Poll) != nil {
			return
		}
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
		s.lateness.add(time.Since(begun) - s.rules.Poll)
	}
}

// hangUp closes the connection of a request that is still being served.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		conn.Close()
	}
}

// Stats are a server's statistics. Durations are in nanoseconds.
type Stats struct {
	PID     int           `json:"pid"`
	Rules   Rules         `json:"rules"`
	Open    int64         `json:"open"`    // requests now
	Peak    int64         `json:"peak"`    // most requests that were ever open at one time
	Latency time.Duration `json:"latency"` // with the requests that are open now
	Starved int64         `json:"starved"` // how often it had no file descriptor for a connection

	// These are of the time since the statistics were last asked for.
	RecentPeak int64         `json:"recent_peak"` // most requests open at one time
	LateMost   time.Duration `json:"late_most"`   // how late the timers were at worst
	LateMean   time.Duration `json:"late_mean"`   // and on average
}

// stats serves the statistics, on a port of its own, so that questions do not queue with
// requests.
func (s *server) stats(w http.ResponseWriter, _ *http.Request) {
	most, mean := s.lateness.Take()
	recent := s.recentPeak.Swap(0)
	raise(&s.recentPeak, s.open.Load()) // As many are open when the next answer's time begins.
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(Stats{
		PID: os.Getpid(), Rules: s.rules,
		Open: s.open.Load(), Peak: s.peak.Load(), Latency: s.latency(), Starved: s.starved.Load(),
		RecentPeak: recent, LateMost: most, LateMean: mean,
	})
}
