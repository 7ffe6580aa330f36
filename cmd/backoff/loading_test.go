package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/sim/overload"
)

// Nobody but this machine is ever asked.
func TestLoopback(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:8070": "127.0.0.1:8070",
		"127.1.2.3:0":    "127.1.2.3:0",
		"localhost:80":   "127.0.0.1:80",
		"[::1]:8070":     "[::1]:8070",
	} {
		if got, err := loopback("address", address); err != nil || got.String() != want {
			t.Errorf("%q is %v, error %v; want %v", address, got, err, want)
		}
	}
	for _, address := range []string{
		"8.8.8.8:80", "0.0.0.0:80", "[::]:80", ":80", "192.168.1.1:80", "169.254.169.254:80", "[2001:db8::1]:80",
		"example.com:80", "localhost.example.com:80", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1",
		"[::ffff:8.8.8.8]:80", "",
	} {
		if got, err := loopback("address", address); err == nil {
			t.Errorf("%q is %v, want an error", address, got)
		}
	}
}

func TestBadServe(t *testing.T) {
	testBadInput(t, "serve", []badInput{
		{"serve --address 8.8.8.8:80", `serve: --address is "8.8.8.8:80", want a loopback address, 127.0.0.1 or [::1]: no other machine is to be overloaded`},
		{"serve --address 8070", `serve: --address is "8070", want a loopback address and a port, such as 127.0.0.1:8070`},
		{"serve --address 127.0.0.1:x", `serve: --address is "127.0.0.1:x", want a port in [0, 65535]`},
		{"serve --address 127.0.0.1:0 --stats 10.0.0.1:80", `serve: --stats is "10.0.0.1:80", want a loopback address, 127.0.0.1 or [::1]: no other machine is to be overloaded`},
		{"serve x", `serve: unexpected argument "x", want none`},
		{"serve --limit -1", "serve: --limit is -1, want a whole number >= 0"},
		{"serve --base-latency 0", "serve: --base-latency is 0s, want above 0, at most 1h"},
		{"serve --base-latency soon", `--base-latency is "soon", want a duration such as 90s or 1m30s`},
		{"serve --latency-factor NaN", "serve: --latency-factor is NaN, want a value in [1, 1e300]"},
		{"serve --latency-factor much", `--latency-factor is "much", want a number`},
		{"serve --latency-scale 0", "serve: --latency-scale is 0, want a value in (0, 1e300]"},
		{"serve --poll 1us", "serve: --poll is 1µs, want 0 or 1ms to 1h"},
		{"serve --queue 0", "serve: --queue is 0, want a whole number in [1, 1000000]"},
		{"serve --abandoned lose", `serve: --abandoned is "lose", want keep or drop`},
	})
}

func TestBadLoad(t *testing.T) {
	testBadInput(t, "load", []badInput{
		{"load", "load: no expression, want one such as 'full-jitter(100ms, 10s)'"},
		{"load constant(1s) constant(2s)", "load: 2 expressions, want one"},
		{"load constant(1s)|capp(3s)", `column 14: unknown stage "capp", did you mean cap?`},
		{"load constant(1s) --address 8.8.8.8:80", `load: --address is "8.8.8.8:80", want a loopback address, 127.0.0.1 or [::1]: no other machine is to be overloaded`},
		{"load constant(1s) --stats 8.8.8.8:80", `load: --stats is "8.8.8.8:80", want a loopback address, 127.0.0.1 or [::1]: no other machine is to be overloaded`},
		{"load constant(1s) --clients 0", "load: --clients is 0, want a whole number in [1, 100000]"},
		{"load constant(1s) --think -1s", "load: --think is -1s, want 0 to 24h"},
		{"load constant(1s) --timeout 0", "load: --timeout is 0s, want above 0, at most 1h"},
		{"load constant(1s) --dial-timeout 0", "load: --dial-timeout is 0s, want above 0, at most 1h"},
		{"load constant(1s) --warmup 1s", "load: --warmup is 1s, want 2s to 1h"},
		{"load constant(1s) --stop -1s", "load: --stop is -1s, want 0 to 1h"},
		{"load constant(1s) --after 1s", "load: --after is 1s, want 5s to 1h"},
		{"load constant(1s) --after 59m50s", "load: --warmup + --stop + --after is 1h0m25s, want at most 1h"},
		{"load constant(1s) --format xml", `load: --format is "xml", want one of table, csv`},
		{"load constant(1s) --stop-pid 0", "load: --stop-pid is 0, want the number of the server's process"},
		{"load constant(1s) --stop-pid -1", "load: --stop-pid is -1, want the number of the server's process"},
		{"load constant(1s) --stop-pid 1", "load: --stop-pid is 1, want the number of the server's process"},
		{fmt.Sprintf("load constant(1s) --stop-pid %d", os.Getpid()), fmt.Sprintf("load: --stop-pid is %d, want the number of the server's process", os.Getpid())},
	})
}

type badInput struct{ args, want string }

func testBadInput(t *testing.T, command string, tests []badInput) {
	t.Helper()
	for _, test := range tests {
		status, stdout, stderr := runs(t, strings.Fields(test.args)...)
		if status != 2 || stdout != "" {
			t.Errorf("%q: status %d, want 2; standard output %q, want nothing", test.args, status, stdout)
		}
		if diff := cmp.Diff("backoff: "+test.want+"\n", stderr); diff != "" {
			t.Errorf("%q: standard error (-want +got):\n%s", test.args, diff)
		}
	}
}

// A roundTrip answers requests without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answered(status int) (*http.Response, error) {
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status), Body: io.NopCloser(strings.NewReader("OK\n"))}, nil
}

func parsed(t *testing.T, text string) *expr.Expr {
	t.Helper()
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What one client does second by second.
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
		{"refused", "constant(1s)", after(900*time.Millisecond, 503), []second{
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
					schedule: parsed(t, test.schedule), timeout: 2 * time.Second, seed: 1, url: "http://127.0.0.1/",
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
			schedule: parsed(t, "constant(1s)"), think: time.Second, timeout: time.Second, seed: seed, url: "http://127.0.0.1/",
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
// the mean is 1 s but for 0.0071 s, and the share above it 1/e but for 0.0034: four
// standard deviations are allowed for, and the seed is fixed.
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

// The seed and the client's number decide about it.
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

func TestPeakOf(t *testing.T) {
	for _, test := range []struct{ atSeconds, before, after, want int64 }{
		{50, 0, 70, 70},
		{50, 60, 70, 70},
		{50, 70, 70, 50},
	} {
		if got := peakOf(test.atSeconds, test.before, test.after); got != test.want {
			t.Errorf("peakOf(%d, %d, %d) = %d, want %d", test.atSeconds, test.before, test.after, got, test.want)
		}
	}
}

// A server that is only beginning is waited for, for 3 s, and one with another fault not.
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

// testOutcome is a run of 10.5 s.
func testOutcome(t *testing.T, model bool) outcome {
	o := outcome{
		expr:   parsed(t, "full-jitter(100ms, 10s)"),
		course: course{2 * time.Second, 500 * time.Millisecond, 8 * time.Second},
		seconds: []overload.Second{
			{First: 90, OK: 80, Open: 10, Latency: 100 * time.Millisecond},
			{First: 100, OK: 100, Open: 10, Latency: 100 * time.Millisecond},
			{First: 60, Retries: 3, OK: 50, Timeouts: 5, Open: 400, Latency: 333333333},
			{First: 90, Retries: 40, OK: 20, Timeouts: 30, Refused: 1, Open: 9000, Latency: backoff.NoLimit},
			{First: 95, Retries: 9, OK: 100, Open: 12, Latency: 100 * time.Millisecond},
			{First: 96, OK: 101, Open: 9, Latency: 100 * time.Millisecond},
			{First: 97, OK: 102, Open: 9, Latency: 100 * time.Millisecond},
			{First: 98, OK: 99, Open: 9, Latency: 100 * time.Millisecond},
			{First: 99, OK: 98, Open: 9, Latency: 100 * time.Millisecond},
			{First: 101, OK: 97, Open: 9, Latency: 100 * time.Millisecond},
			{First: 48, OK: 52, Open: 11, Latency: 100 * time.Millisecond},
		},
		lateMost: 1234567,
		lateMean: 123456,
	}
	o.verdict = overload.Judge(o.seconds, o.course.warmup, o.course.stop, o.course.after)
	o.verdict.PeakOpen = 9100
	if model {
		for seed := range uint64(3) {
			rep := overload.Rep{Seed: seed, Verdict: o.verdict}
			rep.Verdict.PeakOpen += int64(seed)
			for _, s := range o.seconds {
				s.OK += int64(seed)
				s.Open += 10 * int64(seed)
				rep.Seconds = append(rep.Seconds, s)
			}
			o.model = append(o.model, rep)
		}
	}
	return o
}

func TestLoadOutput(t *testing.T) {
	for _, test := range []struct {
		name  string
		model bool
		write func(io.Writer, outcome) error
	}{
		{"load-table", false, writeRunTable},
		{"load-model-table", true, writeRunTable},
		{"load-csv", false, writeRunCSV},
		{"load-model-csv", true, writeRunCSV},
	} {
		var b strings.Builder
		if err := test.write(&b, testOutcome(t, test.model)); err != nil {
			t.Fatal(err)
		}
		golden(t, test.name, b.String())
	}
	golden(t, "serve-help", succeeds(t, "serve", "--help"))
	golden(t, "load-help", succeeds(t, "load", "--help"))
}

// The run and its model are in the picture, from the first second to the last.
func TestLoadPicture(t *testing.T) {
	for _, model := range []bool{false, true} {
		figures := runFigures(testOutcome(t, model), true)
		var b strings.Builder
		if err := writePNG(&b, figures...); err != nil {
			t.Fatal(err)
		}
		drawn := decodePNG(t, []byte(b.String()), 1200, 1125)
		for i, ink := range inks[:2] {
			pixels, left, right, top, bottom := inkWithin(drawn, drawn.Bounds(), ink)
			there := pixels > 500 && left < 250 && right > 1100 && top < 400 && bottom > 800
			if want := i == 0 || model; there != want {
				t.Errorf("model %v, curve %d: %d pixels, x from %d to %d, y from %d to %d", model, i, pixels, left, right, top, bottom)
			}
		}
		b.Reset()
		if err := writeSVG(&b, figures...); err != nil {
			t.Fatal(err)
		}
		texts := svgTexts(t, []byte(b.String()))
		for want, there := range map[string]bool{
			"Open requests (stopped from 2s to 2.5s)":                               true,
			"Goodput, requests answered in time a second (stopped from 2s to 2.5s)": true,
			"full-jitter(100ms, 10s), a real server":                                true,
			"the model":                                                             model,
		} {
			if _, ok := texts[want]; ok != there {
				t.Errorf("model %v: is %q in the picture? %v, want %v", model, want, ok, there)
			}
		}
	}
}
