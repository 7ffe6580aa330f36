package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/backoff/sim/overload"
)

func testRules() Rules {
	return Rules{
		Limit: 30, Base: 100 * time.Millisecond, Factor: 1.05, Scale: 15,
		Poll: 50 * time.Millisecond, Queue: 4096, Abandoned: "keep",
	}
}

func testServer(t *testing.T, rules Rules) *server {
	t.Helper()
	s, err := newServer(rules)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A connWriter is a ResponseWriter whose connection can be taken.
type connWriter struct {
	*httptest.ResponseRecorder
	closed bool
}

func (w *connWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.closed = true
	conn, other := net.Pipe()
	other.Close()
	return conn, nil, nil
}

// A request is answered at the first check at which it has been open for the latency with
// the requests that are open then.
func TestServerLatency(t *testing.T) {
	for _, test := range []struct {
		name  string
		open  int // requests at one time
		poll  time.Duration
		first time.Duration // when the first are answered
		last  time.Duration
	}{
		{"one", 1, 50 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond},
		{"limit", 30, 50 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond},
		// 105 ms, until some are answered and the others find it faster.
		{"limit + scale", 45, 50 * time.Millisecond, 150 * time.Millisecond, 150 * time.Millisecond},
		{"decided at once", 45, 0, 100 * time.Millisecond, 105 * time.Millisecond},
		{"exactly a look", 45, 105 * time.Millisecond, 105 * time.Millisecond, 105 * time.Millisecond},
		// 100 ms · 1.05^(970/15) = 2.3468 s
		{"thousand", 1000, 50 * time.Millisecond, 2350 * time.Millisecond, 2350 * time.Millisecond},
		{"thousand, seldom", 1000, time.Second, 3 * time.Second, 3 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rules := testRules()
				rules.Poll = test.poll
				s := testServer(t, rules)
				begun := time.Now()
				var mu sync.Mutex
				var took []time.Duration
				var all sync.WaitGroup
				for range test.open {
					all.Go(func() {
						w := httptest.NewRecorder()
						s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
						if w.Code != http.StatusOK || w.Body.String() != "OK\n" {
							t.Errorf("answered %d %q", w.Code, w.Body)
						}
						mu.Lock()
						defer mu.Unlock()
						took = append(took, time.Since(begun))
					})
				}
				synctest.Wait()
				if open, peak, recent := s.open.Load(), s.peak.Load(), s.recentPeak.Load(); open != int64(test.open) || peak != open || recent != open {
					t.Errorf("%d open, at most %d ever and %d recently, want %d", open, peak, recent, test.open)
				}
				all.Wait()
				if first, last := took[0], took[len(took)-1]; first != test.first || last != test.last {
					t.Errorf("answered after %v to %v, want %v to %v", first, last, test.first, test.last)
				}
				if open := s.open.Load(); open != 0 {
					t.Errorf("%d open at the end", open)
				}
			})
		})
	}
}

// An abandoned request is cancelled at once, or kept until it is due. Its connection is
// closed at once.
func TestServerAbandoned(t *testing.T) {
	for _, test := range []struct {
		abandoned string
		poll      time.Duration
		closed    bool // by the handler; net/http closes it for one that has ended
		ends      time.Duration
	}{
		{"cancel", 50 * time.Millisecond, false, 60 * time.Millisecond},
		{"cancel", 0, false, 60 * time.Millisecond},
		{"keep", 50 * time.Millisecond, true, 100 * time.Millisecond},
		{"keep", 70 * time.Millisecond, true, 140 * time.Millisecond},
		{"keep", 0, true, 100 * time.Millisecond},
	} {
		t.Run(fmt.Sprint(test.abandoned, test.poll), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rules := testRules()
				rules.Abandoned, rules.Poll = test.abandoned, test.poll
				s := testServer(t, rules)
				go s.sweep(t.Context())
				ctx, cancel := context.WithCancel(t.Context())
				w := &connWriter{ResponseRecorder: httptest.NewRecorder()}
				go s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
				time.AfterFunc(60*time.Millisecond, cancel)
				begun := time.Now()
				time.Sleep(test.ends - 1)
				if open := s.open.Load(); open != 1 {
					t.Errorf("%d open before %v, want 1", open, test.ends)
				}
				time.Sleep(time.Nanosecond)
				synctest.Wait()
				if open := s.open.Load(); open != 0 {
					t.Errorf("%d open after %v, want 0", open, time.Since(begun))
				}
				if w.closed != test.closed || w.Body.Len() != 0 {
					t.Errorf("connection closed: %v, want %v; answered %q", w.closed, test.closed, w.Body)
				}
			})
		})
	}
}

// Abandoned requests that are due end; the latency falls with each, and more become due. How
// late a round ends is measured.
func TestServerSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testServer(t, testRules())
		go s.sweep(t.Context())
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 345 { // 278.6 ms for that many
			go s.ServeHTTP(&connWriter{ResponseRecorder: httptest.NewRecorder()}, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		}
		time.Sleep(299 * time.Millisecond)
		synctest.Wait()
		if open := s.open.Load(); open != 345 {
			t.Errorf("%d open after 299 ms, want all 345", open)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if open := s.open.Load(); open != 0 {
			t.Errorf("%d open after 300 ms, want none", open)
		}
		if n := s.lateness.count.Load(); n != 6 {
			t.Errorf("%d rounds measured, want 6", n)
		}
	})
}

// The latency is the model's, and saturates.
func TestServerLatencyIsTheModels(t *testing.T) {
	linear := testRules()
	linear.Linear, linear.PerOpen = true, 2*time.Millisecond
	for _, test := range []struct {
		rules Rules
		model overload.Latency
	}{
		{testRules(), overload.Default().Latency},
		{linear, overload.LinearLatency{Base: 100 * time.Millisecond, PerOpen: 2 * time.Millisecond}},
	} {
		s := testServer(t, test.rules)
		for _, open := range []int{0, 1, 30, 31, 1000, 4233, 7792, 7793, 8191, 8192, 100_000} {
			s.open.Store(int64(open))
			if got, want := s.latency(), test.model.At(open); got != want {
				t.Errorf("%+v with %d open: %v, want %v", test.model, open, got, want)
			}
		}
	}
}

func TestServerStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testServer(t, testRules())
		s.open.Store(1000)
		s.peak.Store(2000)
		s.recentPeak.Store(1500)
		s.starved.Store(3)
		s.lateness.most.Store(5e6)
		s.lateness.sum.Store(12e6)
		s.lateness.count.Store(4)
		ask := func() (stats Stats) {
			w := httptest.NewRecorder()
			s.stats(w, httptest.NewRequest(http.MethodGet, "/", nil))
			if err := json.Unmarshal(w.Body.Bytes(), &stats); err != nil {
				t.Fatal(err)
			}
			return stats
		}
		got := ask()
		want := Stats{
			PID: got.PID, Rules: testRules(), Open: 1000, Peak: 2000, Latency: s.latency(), Starved: 3,
			RecentPeak: 1500, LateMost: 5 * time.Millisecond, LateMean: 3 * time.Millisecond,
		}
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		want.RecentPeak, want.LateMost, want.LateMean = 1000, 0, 0
		if got := ask(); got != want {
			t.Errorf("asked again: got %+v, want %+v", got, want)
		}
	})
}

// The server reports its state every second, warns once when a connection has found no file
// descriptor, and ends with its context or with an error.
func TestServerReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testServer(t, testRules())
		s.open.Store(45)
		failed := make(chan error, 1)
		n, _ := OpenFileLimit()
		warning := fmt.Sprintf("backoff: serve: this process may have %d files open, which is too few: connections wait until others are closed; raise the hard limit of open files\n", n)
		for _, want := range []string{"", warning} {
			ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
			defer cancel()
			states := ""
			for n := range 2 {
				states += time.Now().Add(time.Duration(n+1)*time.Second).Format(time.TimeOnly) + " open 45, latency 105ms\n"
			}
			var stdout, stderr strings.Builder
			err := s.report(ctx, failed, &stdout, &stderr)
			if err != nil || stdout.String() != states || stderr.String() != want {
				t.Errorf("writes %q, %q and returns %v; want %q, %q and no error", stdout.String(), stderr.String(), err, states, want)
			}
			s.starved.Store(3)
		}
		broken := errors.New("broken")
		failed <- broken
		if err := s.report(t.Context(), failed, io.Discard, io.Discard); err != broken {
			t.Errorf("returns %v, want %v", err, broken)
		}
	})
}

// If nothing else runs, no timer is late.
func TestLateness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Lateness
		ctx, cancel := context.WithCancel(t.Context())
		go l.Watch(ctx, 20*time.Millisecond)
		time.Sleep(time.Second + 1)
		if n := l.count.Load(); n != 50 {
			t.Errorf("looked %d times in a second, want 50", n)
		}
		if most, mean := l.Take(); most != 0 || mean != 0 {
			t.Errorf("%v and %v late on average, want 0", most, mean)
		}
		cancel()
	})
}
