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
	"example.com/backoff/cmd/backoff/internal/live/load"
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
		LateMost: 1234567,
		LateMean: 123456,
	}
	o.Verdict = overload.Judge(o.Seconds, overload.Config{Warmup: o.Phases.Warmup, Trigger: overload.Trigger{For: o.Phases.Stop}, After: o.Phases.After})
	o.Verdict.PeakOpen = 9100
	if model {
		for seed := range uint64(3) {
			rep := overload.Rep{Seed: seed, Verdict: o.Verdict}
			rep.Verdict.PeakOpen += int64(seed)
			for _, s := range o.Seconds {
				s.OK += int64(seed)
				s.Open += 10 * int64(seed)
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

// The run and its model are in the picture, from the first second to the last.
func TestLoadPicture(t *testing.T) {
	for _, model := range []bool{false, true} {
		figures := figures(testOutcome(t, model), true)
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

func TestBadInput(t *testing.T) {
	for _, test := range []struct{ args, want string }{
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
	} {
		clitest.Refuses(t, New, test.want, strings.Fields(test.args)...)
	}
}
