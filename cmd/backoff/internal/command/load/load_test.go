package load

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/live/load"
	"example.com/backoff/cmd/backoff/internal/live/server"
	"example.com/backoff/cmd/backoff/internal/picture"
	"example.com/backoff/cmd/backoff/internal/picturetest"
	"example.com/backoff/sim/overload"
)

// testOutcome is a run of 10.5 s.
func testOutcome(t *testing.T, model bool) load.Result {
	o := load.Result{
		Expr:   clitest.Parse(t, "full-jitter(100ms, 10s)"),
		Phases: load.Phases{Warmup: 2 * time.Second, Stop: 500 * time.Millisecond, After: 8 * time.Second},
		Seconds: []overload.Second{
			{First: 90, OK: 80, Open: 10, Latency: 100 * time.Millisecond},
			{First: 100, OK: 100, Open: 10, Latency: 100 * time.Millisecond},
			{First: 60, Retries: 3, OK: 50, Timeouts: 5, Open: 40, Latency: 105 * time.Millisecond, PeakOpen: 400},
			{First: 90, Retries: 40, OK: 20, Timeouts: 30, Refused: 1, Open: 9000, Latency: backoff.NoLimit, PeakOpen: 9100},
			{First: 95, Retries: 9, OK: 100, Open: 12, Latency: 100 * time.Millisecond},
			{First: 96, OK: 101, Open: 9, Latency: 100 * time.Millisecond},
			{First: 97, OK: 102, Open: 9, Latency: 100 * time.Millisecond},
			{First: 98, OK: 99, Open: 9, Latency: 100 * time.Millisecond},
			{First: 99, OK: 98, Open: 9, Latency: 100 * time.Millisecond},
			{First: 101, OK: 97, Open: 9, Latency: 100 * time.Millisecond},
			{First: 48, OK: 52, Open: 11, Latency: 100 * time.Millisecond},
		},
		Rules:    server.Rules{Base: 100 * time.Millisecond, Limit: 30, Factor: 1.05, Scale: 15},
		LateMost: 1234567,
		LateMean: 123456,
	}
	for i := range o.Seconds {
		s := &o.Seconds[i]
		s.PeakOpen = max(s.PeakOpen, s.Open)
	}
	o.Verdict = overload.Judge(o.Seconds, overload.Config{Warmup: o.Phases.Warmup, Trigger: overload.Trigger{For: o.Phases.Stop}, After: o.Phases.After})
	if model {
		for seed := range uint64(3) {
			rep := overload.Rep{Seed: seed, Verdict: o.Verdict}
			rep.Verdict.PeakOpen += int64(seed)
			for _, s := range o.Seconds {
				s.OK += int64(seed)
				s.Open += 10 * int64(seed)
				s.PeakOpen = max(s.PeakOpen, s.Open)
				rep.Seconds = append(rep.Seconds, s)
			}
			o.Model = append(o.Model, rep)
		}
	}
	return o
}

func TestLoadOutput(t *testing.T) {
	for _, test := range []struct {
		name  string
		model bool
		write func(io.Writer, load.Result) error
	}{
		{"load-table", false, writeTable},
		{"load-model-table", true, writeTable},
		{"load-csv", false, writeCSV},
		{"load-model-csv", true, writeCSV},
	} {
		var b strings.Builder
		if err := test.write(&b, testOutcome(t, test.model)); err != nil {
			t.Fatal(err)
		}
		clitest.Golden(t, test.name, b.String())
	}
	clitest.Golden(t, "load-help", clitest.Succeeds(t, New, "load", "--help"))
}

// The figure of open requests has the peak of each second, of the run and of the model.
func TestFigureShowsPeaks(t *testing.T) {
	o := testOutcome(t, true)
	for _, c := range figures(o, 0)[0].Curves {
		for i, s := range o.Seconds {
			want := float64(s.PeakOpen)
			if c.Name == "the model" {
				want = float64(max(s.PeakOpen, s.Open+10)) // the second of three runs
			}
			if c.Median[i] != want {
				t.Errorf("%s, second %d: %v, want %v", c.Name, i, c.Median[i], want)
			}
		}
	}
}

// The verdict tells what is enough, and a collapse from clients that are still missing.
func TestVerdictText(t *testing.T) {
	for _, test := range []struct {
		ok, timeouts int64 // of each second after the stop
		during       int64 // timeouts during the stop
		want         string
	}{
		{10, 0, 9, "recovered right after the resume: 12 requests a second answered in time before, 10 at the end (90 % less two standard deviations); max 3 open"},
		{12, 0, 9, "recovered right after the resume: 12 requests a second answered in time before, 12 at the end; max 3 open"},
		{2, 0, 0, "has not yet recovered, but few operations begin; use more clients or a higher rate: 12 requests a second answered in time before, 2 at the end; max 3 open"},
		{2, 0, 9, "has not yet recovered, but few requests are open; use a longer --after: 12 requests a second answered in time before, 2 at the end; max 3 open"},
		{2, 9, 9, "collapsed: 12 requests a second answered in time before, 2 at the end; max 3 open"},
	} {
		o := load.Result{Phases: load.Phases{Warmup: 3 * time.Second, Stop: time.Second, After: 9 * time.Second}}
		for s := range 13 {
			second := overload.Second{First: 12, OK: 12, PeakOpen: 3}
			switch {
			case s == 3:
				second.OK, second.Timeouts = 0, test.during
			case s > 3:
				second.OK, second.Timeouts = test.ok, test.timeouts
			}
			o.Seconds = append(o.Seconds, second)
		}
		o.Verdict = overload.Judge(o.Seconds, o.Phases.In(overload.Config{}))
		if got := verdictText(o); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestModelVerdict(t *testing.T) {
	for _, test := range []struct {
		after []time.Duration // -1 of a run that collapsed
		want  string
	}{
		{[]time.Duration{-1, -1}, "0 recovered; max 7 to 8 open"},
		{[]time.Duration{0, -1}, "1 recovered, right after the resume; max 7 to 8 open"},
		{[]time.Duration{2 * time.Second, 2 * time.Second}, "2 recovered, 2s after the resume; max 7 to 8 open"},
		{[]time.Duration{36 * time.Second, 28 * time.Second}, "2 recovered, 28s to 36s after the resume; max 7 to 8 open"},
	} {
		var o load.Result
		for i, after := range test.after {
			o.Model = append(o.Model, overload.Rep{Verdict: overload.Verdict{Recovered: after >= 0, After: max(after, 0), PeakOpen: int64(7 + i)}})
		}
		if got := modelVerdict(o); got != test.want {
			t.Errorf("%v: %q, want %q", test.after, got, test.want)
		}
	}
}

// A run on a machine that was too busy says so.
func TestBusyMachine(t *testing.T) {
	for _, busy := range []bool{false, true} {
		o := testOutcome(t, false)
		if busy {
			o.LateMean = 11 * time.Millisecond
		}
		var b strings.Builder
		if err := writeTable(&b, o); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "too busy"); got != busy {
			t.Errorf("timers %v late on average: said to be busy: %v, want %v", o.LateMean, got, busy)
		}
	}
}

// The run and its model are in the picture, from the first second to the last.
func TestLoadPicture(t *testing.T) {
	for _, model := range []bool{false, true} {
		figures := figures(testOutcome(t, model), figure.Logarithmic)
		var b strings.Builder
		if err := picture.WritePNG(&b, figures...); err != nil {
			t.Fatal(err)
		}
		drawn := picturetest.DecodePNG(t, []byte(b.String()), 1200, 1125)
		for i, ink := range picture.Inks[:2] {
			pixels, left, right, top, bottom := picturetest.InkWithin(drawn, drawn.Bounds(), ink)
			there := pixels > 500 && left < 250 && right > 1100 && top < 400 && bottom > 800
			if want := i == 0 || model; there != want {
				t.Errorf("model %v, curve %d: %d pixels, x from %d to %d, y from %d to %d", model, i, pixels, left, right, top, bottom)
			}
		}
		b.Reset()
		if err := picture.WriteSVG(&b, figures...); err != nil {
			t.Fatal(err)
		}
		texts := picturetest.SvgTexts(t, []byte(b.String()))
		for want, there := range map[string]bool{
			"Max open requests of each second (stopped from 2s to 2.5s), on a logarithmic axis": true,
			"Goodput, requests answered in time a second (stopped from 2s to 2.5s)":             true,
			"full-jitter(100ms, 10s), a real server":                                            true,
			"the model":                                                                         model,
		} {
			if _, ok := texts[want]; ok != there {
				t.Errorf("model %v: is %q in the picture? %v, want %v", model, want, ok, there)
			}
		}
	}
}

func TestBadInput(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"load", "load: no expression, want one such as 'full-jitter(100ms, 10s)'"},
		{"load constant(1s) constant(2s)", "load: 2 expressions, want one"},
		{"load constant(1s)|capp(3s)", `column 14: unknown stage "capp", did you mean cap?`},
		{"load constant(1s) --address 8.8.8.8:80", `load: --address is "8.8.8.8:80", want a loopback address, 127.0.0.1 or [::1]: this overloads no other machine`},
		{"load constant(1s) --stats 8.8.8.8:80", `load: --stats is "8.8.8.8:80", want a loopback address, 127.0.0.1 or [::1]: this overloads no other machine`},
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
	} {
		clitest.Refuses(t, New, test.want, strings.Fields(test.args)...)
	}
}
