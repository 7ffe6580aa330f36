package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/live/server"
	"example.com/backoff/sim/overload"
)

// The bounds of the flags are allowed themselves.
func TestCheckBounds(t *testing.T) {
	for _, l := range []Config{
		{Clients: 1, Think: 0, Timeout: 1, DialTimeout: 1, Phases: Phases{2 * time.Second, 0, 5 * time.Second}},
		{Clients: maxClients, Think: 24 * time.Hour, Timeout: time.Hour, DialTimeout: time.Hour, Phases: Phases{30 * time.Minute, 15 * time.Minute, 15 * time.Minute}},
	} {
		if err := l.Check(false); err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// A roundTrip answers requests without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answered(status int) (*http.Response, error) {
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status), Body: io.NopCloser(strings.NewReader("OK\n"))}, nil
}

// One client, second by second.
func TestClient(t *testing.T) {
	never := func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	after := func(d time.Duration, status int) roundTrip {
		return func(r *http.Request) (*http.Response, error) {
			if err := backoff.Sleep(r.Context(), d); err != nil {
				return nil, err
			}
			return answered(status)
		}
	}
	type second = overload.Second
	for _, test := range []struct {
		name, schedule string
		server         roundTrip
		want           []second
	}{
		{"answered every 600 ms", "constant(100ms)", after(600*time.Millisecond, 200), []second{
			{First: 2, OK: 1}, {First: 2, OK: 2}, {First: 1, OK: 1}, {First: 2, OK: 2}, {First: 2, OK: 2},
		}},
		// Sent at 0, 2.1 and 4.2 s.
		{"never answered", "constant(100ms)", never, []second{
			{First: 1}, {}, {Retries: 1, Timeouts: 1}, {}, {Retries: 1, Timeouts: 1},
		}},
		// At 0, 2, 4.5 s.
		{"schedule that ends", "list(0s, 500ms)", never, []second{
			{First: 1}, {}, {Retries: 1, Timeouts: 1}, {}, {Retries: 1, Timeouts: 1},
		}},
		// At 0, 2.5, 5 s, as new operations.
		{"no retries", "list()", after(2500*time.Millisecond, 200), []second{
			{First: 1}, {}, {First: 1, Timeouts: 1}, {}, {First: 1, Timeouts: 1},
		}},
		{"answered too late", "constant(100ms)", after(2500*time.Millisecond, 200), []second{
			{First: 1}, {}, {Retries: 1, Timeouts: 1}, {}, {Retries: 1, Timeouts: 1},
		}},
		// At 0, 1.9, 3.8 s, the ends at 0.9, 2.8, 4.7 s.
		{"error responses", "constant(1s)", after(900*time.Millisecond, 503), []second{
			{First: 1, Refused: 1}, {Retries: 1}, {Refused: 1}, {Retries: 1}, {Refused: 1},
		}},
		{"not reached", "constant(900ms)", func(*http.Request) (*http.Response, error) {
			return nil, errors.New("no such server")
		}, []second{
			{First: 1, Retries: 1, Refused: 2}, {Retries: 1, Refused: 1}, {Retries: 1, Refused: 1}, {Retries: 1, Refused: 1}, {Retries: 1, Refused: 1},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				c := &clients{
					schedule: clitest.Parse(t, test.schedule), timeout: 2 * time.Second, seed: 1, url: "http://127.0.0.1/",
					http: &http.Client{Transport: test.server}, record: newTimeline(5 * time.Second),
				}
				go c.run(ctx, 0)
				time.Sleep(5*time.Second - 1)
				cancel()
				synctest.Wait()
				if diff := cmp.Diff(test.want, c.record.all()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// thoughts returns when a client that thinks for 1 s on average makes its first
// requests, which are answered at once.
func thoughts(t *testing.T, seed uint64, number, n int) (at []time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		begun := time.Now()
		c := &clients{
			schedule: clitest.Parse(t, "constant(1s)"), think: time.Second, timeout: time.Second, seed: seed, url: "http://127.0.0.1/",
			record: newTimeline(time.Second),
			http: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				if at = append(at, time.Since(begun)); len(at) == n {
					cancel()
				}
				return answered(200)
			})},
		}
		c.run(ctx, number)
	})
	return at
}

// The time to think is exponentially distributed. Of 20,000 thoughts of 1 s on average
// the mean is within 0.0071 s of 1 s, and the share above it within 0.0034 of 1/e, with one
// standard deviation each; four are allowed, and the seed is fixed.
func TestThink(t *testing.T) {
	const n = 20_000
	at := thoughts(t, 7, 3, n)
	above, last := 0, time.Duration(0)
	for _, now := range at {
		if now-last > time.Second {
			above++
		}
		last = now
	}
	mean := last.Seconds() / n
	share := float64(above) / n
	if math.Abs(mean-1) > 4*0.0071 || math.Abs(share-1/math.E) > 4*0.0034 {
		t.Errorf("mean %v s, %v of them above 1 s", mean, share)
	}
}

// The time to think depends on the seed and the client's number.
func TestThinkSeed(t *testing.T) {
	want := thoughts(t, 7, 3, 10)
	if diff := cmp.Diff(want, thoughts(t, 7, 3, 10)); diff != "" {
		t.Errorf("the same again (-want +got):\n%s", diff)
	}
	for _, other := range []struct {
		seed   uint64
		number int
	}{{8, 3}, {7, 4}} {
		if cmp.Equal(want, thoughts(t, other.seed, other.number, 10)) {
			t.Errorf("client %d of seed %d thinks like client 3 of seed 7", other.number, other.seed)
		}
	}
}

// The peak of a second is what the server says of it, and no less than what is open at its
// beginning and at its end.
func TestEndSecond(t *testing.T) {
	record := newTimeline(5 * time.Second)
	for n, s := range []struct{ open, peak int64 }{{10, 400}, {20, 5}, {5, 0}, {5, 0}, {90, 0}} {
		record.endSecond(n, s.open, s.peak, time.Duration(s.open))
	}
	want := []overload.Second{
		{Open: 10, PeakOpen: 400, Latency: 10},
		{Open: 20, PeakOpen: 20, Latency: 20},
		{Open: 5, PeakOpen: 20, Latency: 5},
		{Open: 5, PeakOpen: 5, Latency: 5},
		{Open: 90, PeakOpen: 90, Latency: 90},
	}
	if diff := cmp.Diff(want, record.all()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPeakOf(t *testing.T) {
	for _, test := range []struct{ ofSeconds, before, after, want int64 }{
		{50, 0, 70, 70},
		{50, 60, 70, 70},
		{50, 70, 70, 50},
	} {
		if got := peakOf(test.ofSeconds, test.before, test.after); got != test.want {
			t.Errorf("peakOf(%d, %d, %d) = %d, want %d", test.ofSeconds, test.before, test.after, got, test.want)
		}
	}
}

// load waits 3 s for a server that refuses connections, and not for one with another fault.
func TestFirstQuestion(t *testing.T) {
	refused := fmt.Errorf("connect: %w", syscall.ECONNREFUSED)
	other := errors.New("no route")
	for _, test := range []struct {
		name    string
		refuses int // questions
		err     error
		asked   int
	}{
		{"there", 0, nil, 1},
		{"soon there", 5, nil, 6},
		{"never there", 1000, refused, 13},
		{"another fault", 0, other, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked, begun := 0, time.Now()
			o := &observer{url: "http://a/", http: &http.Client{Transport: answering(func() (*http.Response, error) {
				asked++
				switch {
				case asked <= test.refuses:
					return nil, refused
				case test.err != nil:
					return nil, test.err
				}
				return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(`{"pid": 7}`))}, nil
			})}}
			stats, err := o.first(t.Context())
			if !errors.Is(err, test.err) || err == nil && stats.PID != 7 || asked != test.asked || time.Since(begun) > 3*time.Second {
				t.Errorf("%s: %+v, %v after %d questions and %v, want %v after %d", test.name, stats, err, asked, time.Since(begun), test.err, test.asked)
			}
		})
	}
}

// answering is a transport made of a function.
type answering func() (*http.Response, error)

func (f answering) RoundTrip(*http.Request) (*http.Response, error) { return f() }

func TestBusy(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		most, mean time.Duration
		want       bool
	}{{250 * ms, 10 * ms, false}, {251 * ms, 0, true}, {0, 11 * ms, true}} {
		if got := (Result{LateMost: test.most, LateMean: test.mean}).Busy(); got != test.want {
			t.Errorf("%v late, %v on average: busy: %v, want %v", test.most, test.mean, got, test.want)
		}
	}
}

// A run measures how late the server's timers and answers are, but not what is late because
// the server was stopped.
func TestConductLateness(t *testing.T) {
	const ms = time.Millisecond
	type reading struct {
		wait       time.Duration
		most, mean time.Duration
	}
	stop := Phases{2 * time.Second, 3 * time.Second, 5 * time.Second}
	for _, test := range []struct {
		name       string
		stopped    string // by whom
		readings   map[time.Duration]reading
		most, mean time.Duration
		unanswered int
	}{
		{"in time", "", nil, 0, 0, 0},
		{"late timers", "", map[time.Duration]reading{3000 * ms: {0, 70 * ms, 7 * ms}, 4000 * ms: {0, 60 * ms, 8 * ms}}, 70 * ms, 8 * ms, 0},
		{"a late answer", "", map[time.Duration]reading{3000 * ms: {300 * ms, 0, 0}}, 300 * ms, 0, 0},
		{"no answer", "", map[time.Duration]reading{3000 * ms: {time.Hour, 0, 0}}, 900 * ms, 0, 1},
		{"the stop is not late", "load", map[time.Duration]reading{5100 * ms: {0, 3 * time.Second, time.Second}}, 0, 0, 0},
		{"late before the stop", "load", map[time.Duration]reading{2000 * ms: {0, 70 * ms, 7 * ms}}, 70 * ms, 7 * ms, 0},
		{"late right after the resumption", "load", map[time.Duration]reading{5100 * ms: {400 * ms, 3 * time.Second, time.Second}}, 400 * ms, 0, 0},
		{"no answer after the resumption", "load", map[time.Duration]reading{5100 * ms: {time.Hour, 0, 0}}, 900 * ms, 0, 0},
		{"late in the first second", "load", map[time.Duration]reading{6000 * ms: {0, 70 * ms, 7 * ms}}, 70 * ms, 7 * ms, 0},
		{"no answer at its end", "load", map[time.Duration]reading{6000 * ms: {time.Hour, 0, 0}}, 900 * ms, 0, 1},
		{"stopped by a user", "user", map[time.Duration]reading{
			3000 * ms: {time.Hour, 0, 0}, 4000 * ms: {time.Hour, 0, 0}, 5000 * ms: {800 * ms, 0, 0}, 6000 * ms: {0, 3 * time.Second, time.Second},
		}, 0, 0, 2},
		{"resumed late", "user", map[time.Duration]reading{
			3000 * ms: {time.Hour, 0, 0}, 4000 * ms: {time.Hour, 0, 0}, 5000 * ms: {time.Hour, 0, 0}, 6000 * ms: {300 * ms, 3 * time.Second, time.Second},
		}, 0, 0, 3},
		{"late afterwards", "user", map[time.Duration]reading{7000 * ms: {300 * ms, 400 * ms, 7 * ms}}, 400 * ms, 7 * ms, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := &Config{Phases: stop}
			switch test.stopped {
			case "":
				l.Phases = Phases{5 * time.Second, 0, 5 * time.Second}
			case "load":
				l.StopPID = stoppable(t)
			}
			synctest.Test(t, func(t *testing.T) {
				record := newTimeline(l.Phases.Length())
				o := &observer{url: "http://a/", http: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					reading := test.readings[time.Since(record.start)]
					if err := backoff.Sleep(r.Context(), reading.wait); err != nil {
						return nil, err
					}
					stats, err := json.Marshal(server.Stats{LateMost: reading.most, LateMean: reading.mean})
					return &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader(stats))}, err
				})}}
				var got Result
				if err := l.conduct(t.Context(), &clients{record: record}, o, &got, io.Discard); err != nil {
					t.Fatal(err)
				}
				if got.LateMost != test.most || got.LateMean != test.mean || got.unanswered != test.unanswered {
					t.Errorf("up to %v late, %v on average, %d unanswered; want %v, %v, %d",
						got.LateMost, got.LateMean, got.unanswered, test.most, test.mean, test.unanswered)
				}
			})
		})
	}
}

// The peak of the first second after a resumption is that of the whole second, though the
// server is asked within it.
func TestConductPeak(t *testing.T) {
	l := &Config{Phases: Phases{2 * time.Second, time.Second, 2 * time.Second}, StopPID: stoppable(t)}
	synctest.Test(t, func(t *testing.T) {
		record := newTimeline(l.Phases.Length())
		peaks := map[time.Duration]int64{3100 * time.Millisecond: 500, 4 * time.Second: 50, 5 * time.Second: 40}
		o := &observer{url: "http://a/", http: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			stats, err := json.Marshal(server.Stats{RecentPeak: peaks[time.Since(record.start)]})
			return &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader(stats))}, err
		})}}
		if err := l.conduct(t.Context(), &clients{record: record}, o, new(Result), io.Discard); err != nil {
			t.Fatal(err)
		}
		want := []overload.Second{{}, {}, {}, {PeakOpen: 500}, {PeakOpen: 40}}
		if diff := cmp.Diff(want, record.all()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// stoppable returns a process that a run can stop and resume.
func stoppable(t *testing.T) (pid int) {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	if err := mayStop(cmd.Process.Pid); err != nil {
		t.Skip(err)
	}
	return cmd.Process.Pid
}
