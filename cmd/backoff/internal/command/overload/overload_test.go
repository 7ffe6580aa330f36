package overload

import (
	"encoding/json"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/picture"
	"example.com/backoff/cmd/backoff/internal/picturetest"
	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/sim/overload"
)

// CSV and JSON of sim overload have what the model gives, of one repetition and of the
// mean of more.
func TestOverloadFormats(t *testing.T) {
	const text = "exponential(200ms, 2) | take(1)"
	config := overload.Default()
	config.Schedule = clitest.Parse(t, text).Seeded
	config.Clients, config.Think, config.Reps, config.Seed = 80, time.Second, 2, 9
	config.Timeout, config.Poll, config.Failures, config.Queue = time.Second, 20*time.Millisecond, 0.1, 40
	config.Latency = overload.LinearLatency{Base: 50 * time.Millisecond, PerOpen: 2 * time.Millisecond}
	config.Abandoned = overload.Drop
	config.Network = 15 * time.Millisecond
	config.Accept, config.Reconnect = time.Millisecond, 200*time.Millisecond
	config.Budget, config.Processes = (&budgetValue{20, 0.2, true}).maker(), 4
	config.Warmup, config.After = 4*time.Second, 6*time.Second
	config.Trigger = overload.Trigger{Kind: overload.SlowDown, For: 1500 * time.Millisecond, Factor: 8}
	want, err := overload.Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Split("sim overload --clients 80 --think 1s --reps 2 --seed 9 --timeout 1s --poll 20ms --failures 0.1 --queue 40"+
		" --base-latency 50ms --latency-per-open 2ms --abandoned drop --network 15ms --accept 1ms --reconnect 200ms --budget 20,0.2 --processes 4"+
		" --warmup 4s --after 6s --slow-down 1500ms --factor 8", " ")
	args = append(args, text)

	var fromJSON []struct {
		Schedule    string
		Repetitions []struct {
			Seed     uint64
			Verdict  string
			After    *float64 `json:"recovered_after_s"`
			Before   float64  `json:"goodput_before"`
			End      float64  `json:"goodput_end"`
			PeakOpen int64    `json:"peak_open"`
			Seconds  []struct {
				T                                     int `json:"t_s"`
				First, Retries, OK, Timeouts, Refused int64
				GaveUp                                int64 `json:"gave_up"`
				Denied, Wasted, Open, Queued          int64
				LatencyMS                             float64 `json:"latency_ms"`
				SeenMS                                float64 `json:"seen_ms"`
			}
		}
	}
	if err := json.Unmarshal([]byte(clitest.Succeeds(t, underSim, clitest.With(args, "--format", "json")...)), &fromJSON); err != nil {
		t.Fatal(err)
	}
	duration := func(ms float64) time.Duration { return time.Duration(math.Round(ms * 1e6)) }
	var got overload.Result
	for _, r := range fromJSON[0].Repetitions {
		rep := overload.Rep{Seed: r.Seed, Verdict: overload.Verdict{
			Recovered: r.Verdict == "recovered", Before: r.Before, End: r.End, PeakOpen: r.PeakOpen,
		}}
		if r.After != nil {
			rep.Verdict.After = duration(*r.After * 1000)
		}
		if (r.After != nil) != rep.Verdict.Recovered {
			t.Errorf("%s after %v", r.Verdict, r.After)
		}
		for i, s := range r.Seconds {
			if s.T != i {
				t.Errorf("second %d is at %d", i, s.T)
			}
			rep.Seconds = append(rep.Seconds, overload.Second{
				First: s.First, Retries: s.Retries, OK: s.OK, Timeouts: s.Timeouts, Refused: s.Refused,
				GaveUp: s.GaveUp, Denied: s.Denied, Wasted: s.Wasted, Open: s.Open, Queued: s.Queued,
				Latency: duration(s.LatencyMS), Seen: duration(s.SeenMS),
			})
		}
		got.Reps = append(got.Reps, rep)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	if total := overload.Total(want.Reps[0].Seconds); total.Denied == 0 || total.Refused == 0 || total.GaveUp == 0 {
		t.Errorf("the experiment shows too little: %+v", total)
	}

	for _, reps := range []int{1, 2} {
		text := clitest.Succeeds(t, underSim, clitest.With(args, "--format", "csv", "--reps", strconv.Itoa(reps))...)
		all := clitest.Lines(t, text, "schedule,t_s,first,retries,ok,timeouts,refused,open,latency_ms")
		if len(all) != len(want.Reps[0].Seconds) {
			t.Fatalf("%d lines, want %d", len(all), len(want.Reps[0].Seconds))
		}
		for i, l := range all {
			var mean [7]float64
			for _, r := range want.Reps[:reps] {
				s := r.Seconds[i]
				for j, x := range []float64{
					float64(s.First), float64(s.Retries), float64(s.OK), float64(s.Timeouts), float64(s.Refused),
					float64(s.Open), float64(s.Latency) / 1e6,
				} {
					mean[j] += x / float64(reps)
				}
			}
			var got [7]float64
			for j := range got {
				got[j] = clitest.Float(t, l[2+j])
			}
			got[6] = math.Round(got[6]*1e6) / 1e6 // below a nanosecond
			mean[6] = math.Round(mean[6]*1e6) / 1e6
			if math.Abs(got[6]-mean[6]) <= 1e-6 {
				got[6] = mean[6]
			}
			if l[1] != strconv.Itoa(i) || got != mean {
				t.Errorf("%d repetitions, line %d: %v, want %v", reps, i, l, mean)
			}
		}
	}
	all := clitest.Lines(t, clitest.Succeeds(t, underSim, clitest.With(args, "--format", "csv", "--verdict")...), "schedule,seed,verdict,recovered_after_s,peak_open")
	for i, l := range all {
		v := want.Reps[i].Verdict
		if l[1] != strconv.FormatUint(want.Reps[i].Seed, 10) || (l[2] == "recovered") != v.Recovered || (l[3] != "") != v.Recovered || l[4] != strconv.FormatInt(v.PeakOpen, 10) {
			t.Errorf("repetition %d: %v, want %+v", i, l, v)
		}
	}
}

// What says how it ended, in words.
func TestVerdictInWords(t *testing.T) {
	recovered := func(seconds ...int) []overload.Rep {
		var reps []overload.Rep
		for _, s := range seconds {
			v := overload.Verdict{Before: 1}
			if s >= 0 {
				v.Recovered, v.After = true, time.Duration(s)*time.Second
			}
			reps = append(reps, overload.Rep{Verdict: v})
		}
		return reps
	}
	stop := overload.Trigger{Kind: overload.Stop, For: 1}
	for _, test := range []struct {
		trigger overload.Trigger
		reps    []overload.Rep
		want    string
	}{
		{stop, recovered(2), "recovered 2s after the resume"},
		{stop, recovered(0), "recovered with the resume"},
		{stop, recovered(-1), "collapsed"},
		{overload.Trigger{Kind: overload.SlowDown, For: 1}, recovered(1), "recovered 1s after the slow-down"},
		{overload.Trigger{Kind: overload.Spike, For: 1}, recovered(1), "recovered 1s after the spike"},
		{stop, recovered(3, 3), "recovered in all of 2 repetitions, 3s after the resume"},
		{stop, recovered(9, 1, 3), "recovered in all of 3 repetitions, 3s after the resume in the median, 9s after it at most"},
		{stop, recovered(-1, 5, -1, 0), "recovered in 2 of 4 repetitions, 2.5s after the resume in the median, 5s after it at most"},
		{stop, recovered(-1, -1), "collapsed in all of 2 repetitions"},
		{overload.Trigger{}, recovered(0), "held up"},
		{overload.Trigger{}, recovered(-1), "collapsed"},
		{overload.Trigger{}, recovered(0, -1, 0), "held up in 2 of 3 repetitions"},
		{stop, []overload.Rep{{Verdict: overload.Verdict{Recovered: true}}}, "too much from the start"},
	} {
		if got := verdictInWords(seconds.Series{Reps: test.reps}, test.trigger); got != test.want {
			t.Errorf("the verdict is %q, want %q", got, test.want)
		}
	}
}

// Where nothing is ever answered there is no logarithm to draw.
func TestPictureOfNoGoodput(t *testing.T) {
	args := clitest.With(smallLoad, "--failures", "1", "--log")
	picturetest.CheckTexts(t, args, picturetest.SvgTexts(t, clitest.Drawn(t, underSim, "svg", args...)), []string{"0", "1", "10"}, nil)
}

// Small experiments, for the sake of the tests' speed.
var (
	smallLoad = []string{
		"sim", "overload", "--clients", "50", "--think", "1s", "--limit", "5",
		"--latency-scale", "2", "--warmup", "5s", "--stop", "4s", "--after", "12s",
	}
	openLoad = []string{
		"sim", "overload", "full-jitter(20s, none) | take(2)", "constant(0s) | take(2)",
		"--rate", "40", "--network", "100ms", "--base-latency", "1s", "--latency-per-open", "10ms", "--poll", "0", "--timeout", "3s",
		"--warmup", "20s", "--spike", "5s", "--after", "40s", "--reps", "5",
	}
)

var underSim = clitest.Under("sim", New)

func TestOverload(t *testing.T) {
	clitest.Goldens(t, underSim, map[string][]string{
		"overload-help":       {"sim", "overload", "--help", "--workers", "2"},
		"overload":            smallLoad,
		"overload-reps":       clitest.With(smallLoad, "--reps", "4", "--abandoned", "keep", "exponential(100ms, 2) | cap(10s)"),
		"overload-log":        clitest.With(smallLoad, "--log"),
		"overload-verdict":    clitest.With(smallLoad, "--reps", "3", "--verdict", "--failures", "0.05"),
		"overload-csv":        clitest.With(smallLoad, "--format", "csv"),
		"overload-means":      clitest.With(smallLoad, "--format", "csv", "--reps", "4", "constant(1s) | take(2)"),
		"overload-json":       clitest.With(smallLoad, "--format", "json", "--after", "5s", "--warmup", "2s", "constant(1s) | take(1)"),
		"overload-verdicts":   clitest.With(smallLoad, "--format", "csv", "--reps", "3", "--seed", "18446744073709551614", "--verdict"),
		"overload-json-brief": clitest.With(smallLoad, "--format", "json", "--verdict", "--queue", "1"),
		"overload-slow-down":  clitest.With(smallLoad[:len(smallLoad)-4], "--after", "12s", "--slow-down", "4s", "--factor", "3.5", "--reps", "2"),
		"overload-open":       openLoad,
		"overload-budget":     clitest.With(smallLoad, "--budget", "10,0.1", "--processes", "5", "constant(100ms)"),
		"overload-no-trigger": {"sim", "overload", "--clients", "20", "--stop", "0s", "--warmup", "3s", "--after", "5s"},
		"overload-too-much":   {"sim", "overload", "--clients", "5000", "--think", "1s", "--limit", "5", "--stop", "1s", "--warmup", "3s", "--after", "5s", "--verdict"},
	})
}

func TestBadInput(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "no", "such", "file")
	const wantTokens = "want tokens,ratio such as 10,0.1, both in [0.000001, 1e12]"
	for _, test := range []struct {
		args string // after sim, with spaces between them
		want string
	}{
		{"overload constant(1s) constant(", "expression 2: column 10: unexpected end of text, want a duration >= 0 for delay"},
		{"overload --format xml", `sim overload: --format is "xml", want one of table, csv, json`},
		{"overload --clients 10 --svg " + nowhere, "sim overload: open " + nowhere + ": no such file or directory"},
		{"overload --clients 0", "sim overload: --clients is 0, want 1 to 10000000, or --rate"},
		{"overload --clients -1", "sim overload: --clients is -1, want 0 to 10000000"},
		{"overload --clients 5 --rate 5", "sim overload: --rate is given, and so are --clients or --think, want one kind of arrivals"},
		{"overload --rate 0", "sim overload: --rate is 0, want a value above 0"},
		{"overload --rate NaN", "sim overload: --rate is NaN, want a value in [0, 1e9]"},
		{"overload --rate x", `--rate is "x", want a number`},
		{"overload --think -1s", "sim overload: --think is -1s, want 0s to 24h0m0s"},
		{"overload --timeout 0s", "sim overload: --timeout is 0s, want 1ms to 1h0m0s"},
		{"overload --budget 10", `--budget is "10", ` + wantTokens},
		{"overload --budget 10,0", `--budget is "10,0", ` + wantTokens},
		{"overload --budget NaN,1", `--budget is "NaN,1", ` + wantTokens},
		{"overload --processes 0", "sim overload: --processes is 0, want 1 to 10000000"},
		{"overload --base-latency 0s", "sim overload: --base-latency is 0s, want above 0"},
		{"overload --limit -1", "sim overload: --limit is -1, want >= 0"},
		{"overload --latency-factor 0.5", "sim overload: --latency-factor is 0.5, want a finite value >= 1"},
		{"overload --latency-scale 0", "sim overload: --latency-scale is 0, want a finite value above 0"},
		{"overload --latency-per-open -1s", "sim overload: --latency-per-open is -1s, want >= 0"},
		{"overload --latency-per-open 1s --latency-scale 3", "sim overload: --latency-per-open is given, and so is --latency-scale, want one kind of latency"},
		{"overload --poll 1ns", "sim overload: --poll is 1ns, want 0 or 1µs to 1h0m0s"},
		{"overload --abandoned maybe", `sim overload: --abandoned is "maybe", want keep or drop`},
		{"overload --failures 1.5", "sim overload: --failures is 1.5, want a value in [0, 1]"},
		{"overload --queue -1", "sim overload: --queue is -1, want 0 to 1000000000"},
		{"overload --accept 2s", "sim overload: --accept is 2s, want 0s to 1s"},
		{"overload --reconnect 0s", "sim overload: --reconnect is 0s, want 1ms to 1m0s"},
		{"overload --warmup 1s", "sim overload: --warmup is 1s, want 2s to 1h0m0s"},
		{"overload --stop -1s", "sim overload: --stop is -1s, want 0s to 1h0m0s"},
		{"overload --slow-down 2h", "sim overload: --slow-down is 2h0m0s, want 0s to 1h0m0s"},
		{"overload --spike 1h", "sim overload: --warmup + --spike + --after is 1h1m45s, want at most 1h0m0s"},
		{"overload --spike 1s --slow-down 1s", "sim overload: more than one of --stop, --slow-down and --spike is given, want one trigger"},
		{"overload --factor 2", "sim overload: --factor is given, want it with --slow-down or --spike"},
		{"overload --spike 1s --factor 0.5", "sim overload: --factor is 0.5, want a finite value >= 1"},
		{"overload --after 1s", "sim overload: --after is 1s, want 5s to 1h0m0s"},
		{"overload --reps 100001", "sim overload: --reps is 100001, want 1 to 100000"},
		{"overload --workers -1", "sim overload: --workers is -1, want >= 1"},
		{"overload --verdict=x", `--verdict is "x", want true or false`},
	} {
		clitest.Refuses(t, underSim, test.want, append([]string{"sim"}, strings.Split(test.args, " ")...)...)
	}
}

// What is written does not depend on --workers, and a repetition is a run of its own
// with its own seed.
func TestReproduces(t *testing.T) {
	args := clitest.With(smallLoad, "--format", "json", "--reps", "5")
	want := clitest.Succeeds(t, underSim, clitest.With(args, "--workers", "1")...)
	for _, workers := range []string{"2", "7"} {
		if got := clitest.Succeeds(t, underSim, clitest.With(args, "--workers", workers)...); got != want {
			t.Errorf("%q differs with %s workers", args, workers)
		}
	}
	if clitest.Succeeds(t, underSim, clitest.With(args, "--seed", "2")...) == want {
		t.Errorf("%q does not depend on the seed", args)
	}
	all := clitest.Succeeds(t, underSim, clitest.With(smallLoad, "--format", "csv", "--verdict", "--reps", "3", "constant(1s)")...)
	repetitions := strings.Split(all, "\n")
	if len(repetitions) != 5 {
		t.Fatalf("%d lines, want a header, three and an empty one:\n%s", len(repetitions), all)
	}
	seed := strings.Split(repetitions[3], ",")[1]
	third := clitest.Succeeds(t, underSim, clitest.With(smallLoad, "--format", "csv", "--verdict", "--seed", seed, "constant(1s)")...)
	if want := repetitions[0] + "\n" + repetitions[3] + "\n"; third != want {
		t.Errorf("with the third repetition's seed\n%s, want\n%s", third, want)
	}
}

// Every field of a configuration has a flag to name in an error.
func TestFieldsHaveFlags(t *testing.T) {
	latencies := map[string][]reflect.Type{"Latency": {reflect.TypeFor[overload.ExponentialLatency](), reflect.TypeFor[overload.LinearLatency]()}}
	clitest.FieldsHaveFlags(t, overload.Config{}, (&scenario{}).fields(overload.Config{}), New(),
		"Schedule Budget Abandoned Seed Progress Trigger.Kind", latencies)
}

// The pictures have every curve in both halves, and what happened to the server is
// shaded: 4 s of 21 s, in a plot 1060 pixels wide.
func TestPictures(t *testing.T) {
	for _, args := range [][]string{smallLoad, clitest.With(smallLoad, "--reps", "5")} {
		picturetest.CheckHalves(t, clitest.Drawn(t, underSim, "png", args...), picture.Inks, 2, picture.Shade, 1060*4/21)
	}
	several := clitest.With(smallLoad, "--reps", "3")
	picturetest.CheckTexts(t, several, picturetest.SvgTexts(t, clitest.Drawn(t, underSim, "svg", several...)), append([]string{
		"Open requests (the server is stopped from 5s to 9s)", "Goodput, requests answered in time a second (the server is stopped from 5s to 9s)",
		"time     (lines: medians; bands: least to most of 3 repetitions)", "0s", "20s",
	}, publishedSchedules...), nil)
}

func TestWriteErrors(t *testing.T) {
	runs := []seconds.Series{{Name: "uniform(1s, 2s)", Reps: []overload.Rep{{Seconds: make([]overload.Second, 3)}}}}
	clitest.FullDisk(t, "table", func(w io.Writer) error {
		return (&flags{}).write(w, overload.Default(), runs, nil)
	})
	clitest.FullDisk(t, "csv", func(w io.Writer) error { return seconds.WriteCSV(w, runs) })
	clitest.FullDisk(t, "verdict csv", func(w io.Writer) error { return writeVerdictCSV(w, runs) })
	clitest.FullDisk(t, "json", func(w io.Writer) error { return writeJSON(w, runs, false) })
}

// The flags' own values are the published experiment.
func TestFlagsAreThePublishedExperiment(t *testing.T) {
	cmd := New()
	var l scenario
	l.addFlags(&cobra.Command{}) // sets the defaults
	got, err := l.config(cmd)
	if err != nil || !reflect.DeepEqual(got, overload.Default()) {
		t.Errorf("the flags of sim overload give %+v, %v; want %+v", got, err, overload.Default())
	}
	if reps := cmd.Flag("reps").DefValue; reps != "1" {
		t.Errorf("sim overload makes %s repetitions, want 1", reps)
	}
}
