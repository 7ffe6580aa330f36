package main

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"pgregory.net/rapid"

	"example.com/backoff/sim/contention"
	"example.com/backoff/sim/overload"
)

// Small experiments, for the sake of the tests' speed.
var (
	fewClients = []string{"sim", "contention", "--clients", "3,10", "--reps", "20"}
	smallLoad  = []string{
		"sim", "overload", "--clients", "50", "--think", "1s", "--limit", "5",
		"--latency-scale", "2", "--warmup", "5s", "--stop", "4s", "--after", "12s",
	}
	openLoad = []string{
		"sim", "overload", "full-jitter(20s, none) | take(2)", "constant(0s) | take(2)",
		"--rate", "40", "--network", "100ms", "--base-latency", "1s", "--latency-per-open", "10ms", "--poll", "0", "--timeout", "3s",
		"--warmup", "20s", "--spike", "5s", "--after", "40s", "--reps", "5",
	}
)

// with returns args and more.
func with(args []string, more ...string) []string {
	return append(args[:len(args):len(args)], more...)
}

func TestSim(t *testing.T) {
	for name, args := range map[string][]string{
		"sim-help":            {"sim"},
		"contention-help":     {"sim", "contention", "--help", "--workers", "2"},
		"overload-help":       {"sim", "overload", "--help", "--workers", "2"},
		"contention":          fewClients,
		"contention-one":      {"sim", "contention", "--clients", "10", "--reps", "20"},
		"contention-once":     {"sim", "contention", "--clients", "3,10", "--reps", "1", "constant(0s)"},
		"contention-ends":     with(fewClients, "full-jitter(10ms, 2s) | take(2)", "full-jitter(10ms, 2s)", "list()"),
		"contention-log":      {"sim", "contention", "--clients", "10:30:10", "--reps", "20", "--log", "--seed", "7", "--hop", "5ms", "--hop-deviation", "0s"},
		"contention-csv":      with(fewClients, "--format", "csv"),
		"contention-json":     with(fewClients, "full-jitter(10ms, 2s) | take(2)", "--format", "json"),
		"overload":            smallLoad,
		"overload-reps":       with(smallLoad, "--reps", "4", "--abandoned", "keep", "exponential(100ms, 2) | cap(10s)"),
		"overload-log":        with(smallLoad, "--log"),
		"overload-verdict":    with(smallLoad, "--reps", "3", "--verdict", "--failures", "0.05"),
		"overload-csv":        with(smallLoad, "--format", "csv"),
		"overload-means":      with(smallLoad, "--format", "csv", "--reps", "4", "constant(1s) | take(2)"),
		"overload-json":       with(smallLoad, "--format", "json", "--after", "5s", "--warmup", "2s", "constant(1s) | take(1)"),
		"overload-verdicts":   with(smallLoad, "--format", "csv", "--reps", "3", "--seed", "18446744073709551614", "--verdict"),
		"overload-json-brief": with(smallLoad, "--format", "json", "--verdict", "--queue", "1"),
		"overload-slow-down":  with(smallLoad[:len(smallLoad)-4], "--after", "12s", "--slow-down", "4s", "--factor", "3.5", "--reps", "2"),
		"overload-open":       openLoad,
		"overload-budget":     with(smallLoad, "--budget", "10,0.1", "--processes", "5", "constant(100ms)"),
		"overload-no-trigger": {"sim", "overload", "--clients", "20", "--stop", "0s", "--warmup", "3s", "--after", "5s"},
		"overload-too-much":   {"sim", "overload", "--clients", "5000", "--think", "1s", "--limit", "5", "--stop", "1s", "--warmup", "3s", "--after", "5s", "--verdict"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := succeeds(t, args...)
			if strings.HasSuffix(name, "-help") {
				got = processors.Replace(got)
			}
			golden(t, name, got)
		})
	}
}

// processors hides how many of them there are, the default of --workers.
var processors = strings.NewReplacer("run at a time (default "+newContention().Flag("workers").DefValue+")", "run at a time (default N)")

// What is written does not depend on --workers, and a repetition is a run of its own
// with its own seed.
func TestSimReproduces(t *testing.T) {
	for _, args := range [][]string{
		with(fewClients, "--format", "json"),
		with(smallLoad, "--format", "json", "--reps", "5"),
	} {
		want := succeeds(t, with(args, "--workers", "1")...)
		for _, workers := range []string{"2", "7"} {
			if got := succeeds(t, with(args, "--workers", workers)...); got != want {
				t.Errorf("%q differs with %s workers", args, workers)
			}
		}
		if succeeds(t, with(args, "--seed", "2")...) == want {
			t.Errorf("%q does not depend on the seed", args)
		}
	}
	all := succeeds(t, with(smallLoad, "--format", "csv", "--verdict", "--reps", "3", "constant(1s)")...)
	third := succeeds(t, with(smallLoad, "--format", "csv", "--verdict", "--seed", "3", "constant(1s)")...)
	lines := strings.Split(third, "\n")
	if len(lines) != 3 || !strings.Contains(all, "\n"+lines[1]+"\n") {
		t.Errorf("the third repetition of\n%s is not\n%s", all, third)
	}
}

func TestSimBadInput(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "no", "such", "file")
	const wantCounts = "want numbers of clients such as 10,50,100 or 10:190:10 (from:to:step), 10000 at most"
	const wantTokens = "want tokens,ratio such as 10,0.1, both in [0.000001, 1e12]"
	for _, test := range []struct {
		args string // after sim, with spaces between them
		want string
	}{
		{"x", `sim: unknown command "x", want one of contention, overload`},
		{"contentoin", `sim: unknown command "contentoin", did you mean contention?`},
		{"contention constant(", "column 10: unexpected end of text, want a duration >= 0 for delay"},
		{"overload constant(1s) constant(", "expression 2: column 10: unexpected end of text, want a duration >= 0 for delay"},
		{"contention --format xml", `sim contention: --format is "xml", want one of table, csv, json`},
		{"overload --format xml", `sim overload: --format is "xml", want one of table, csv, json`},
		{"contention --clients 10 --reps 1 --png " + nowhere, "sim contention: open " + nowhere + ": no such file or directory"},
		{"overload --clients 10 --svg " + nowhere, "sim overload: open " + nowhere + ": no such file or directory"},

		{"contention --clients=", `--clients is "", ` + wantCounts},
		{"contention --clients many", `--clients is "many", ` + wantCounts},
		{"contention --clients 0", `--clients is "0", ` + wantCounts},
		{"contention --clients 10,", `--clients is "10,", ` + wantCounts},
		{"contention --clients 10:20", `--clients is "10:20", ` + wantCounts},
		{"contention --clients 20:10:5", `--clients is "20:10:5", ` + wantCounts},
		{"contention --clients 10:20:0", `--clients is "10:20:0", ` + wantCounts},
		{"contention --clients 1:10001:1", `--clients is "1:10001:1", ` + wantCounts},
		{"contention --clients 1,1:10000:1", `--clients is "1,1:10000:1", ` + wantCounts},
		{"contention --clients 5,1000001", "sim contention: --clients is 1000001, want 1 to 1000000"},
		{"contention --reps 0", "sim contention: --reps is 0, want 1 to 1000000"},
		{"contention --reps x", `--reps is "x", want a whole number`},
		{"contention --seed -1", `--seed is "-1", want a whole number in [0, 2^64)`},
		{"contention --workers 0", "sim contention: --workers is 0, want >= 1"},
		{"contention --hop 0s", "sim contention: --hop is 0s, want above 0, at most 24h0m0s"},
		{"contention --hop 5", `--hop is "5", want a duration such as 90s or 1m30s`},
		{"contention --hop-deviation -1ns", "sim contention: --hop-deviation is -1ns, want 0 to 24h0m0s"},

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
		refuses(t, test.want, append([]string{"sim"}, strings.Split(test.args, " ")...)...)
	}
}

// Every field of a configuration has a flag to name in an error, but for those that no
// flag can set wrongly.
func TestFieldsHaveFlags(t *testing.T) {
	for _, test := range []struct {
		config any
		flags  map[string]string
		cmd    *cobra.Command
		but    string
	}{
		{contention.Config{}, contentionFields, newContention(), "Schedule Seed Progress"},
		{overload.Config{}, (&loadFlags{}).fields(overload.Config{}), newOverload(), "Schedule Budget Abandoned Seed Progress Trigger.Kind"},
	} {
		var names func(prefix string, fields reflect.Type) []string
		names = func(prefix string, fields reflect.Type) []string {
			var all []string
			for i := range fields.NumField() {
				f := fields.Field(i)
				inner := []reflect.Type{f.Type}
				if f.Name == "Latency" {
					inner = []reflect.Type{reflect.TypeFor[overload.ExponentialLatency](), reflect.TypeFor[overload.LinearLatency]()}
				}
				for _, t := range inner {
					if t.Kind() == reflect.Struct {
						all = append(all, names(f.Name+".", t)...)
					} else {
						all = append(all, prefix+f.Name)
					}
				}
			}
			return all
		}
		for _, name := range names("", reflect.TypeOf(test.config)) {
			if strings.Contains(" "+test.but+" ", " "+name+" ") {
				continue
			}
			flag, ok := strings.CutPrefix(test.flags[name], "--")
			if !ok || test.cmd.Flag(flag) == nil {
				t.Errorf("%s of %T has the flag %q", name, test.config, flag)
			}
		}
	}
}

// The flags' own values are the published experiments.
func TestFlagsAreThePublishedExperiments(t *testing.T) {
	cmd := newOverload()
	var l loadFlags
	l.addFlags(&cobra.Command{}) // sets the defaults
	got, err := l.config(cmd)
	if err != nil || !reflect.DeepEqual(got, overload.Default()) {
		t.Errorf("the flags of sim overload give %+v, %v; want %+v", got, err, overload.Default())
	}
	if reps := cmd.Flag("reps").DefValue; reps != "1" {
		t.Errorf("sim overload makes %s repetitions, want 1", reps)
	}
	published := contention.Default()
	var c clientCounts
	if err := c.Set(newContention().Flag("clients").DefValue); err != nil || !reflect.DeepEqual(c.counts, published.Clients) {
		t.Errorf("sim contention is for %v clients, %v; want %v", c.counts, err, published.Clients)
	}
}

// An interrupt ends a simulation at once, with a line and status 130.
func TestInterrupt(t *testing.T) {
	// For the test to live on where the signal comes before the command listens.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt)
	defer signal.Stop(caught)
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"sim", "contention", "--reps", "1000000"},
		{"sim", "overload", "--clients", "10000000", "--png", filepath.Join(t.TempDir(), "never.png")},
	} {
		var stdout, stderr bytes.Buffer
		status := make(chan int)
		go func() { status <- execute(t.Context(), newRoot(commands()...), args, strings.NewReader(""), &stdout, &stderr) }()
		ticks := time.NewTicker(10 * time.Millisecond)
		for ended := false; !ended; {
			select {
			case s := <-status:
				ended = true
				want := "backoff: " + strings.Join(args[:2], " ") + ": interrupted\n"
				if s != 130 || stdout.Len() > 0 || stderr.String() != want {
					t.Errorf("%q: status %d, standard output %q, standard error %q", args, s, stdout.String(), stderr.String())
				}
			case <-ticks.C:
				if err := self.Signal(os.Interrupt); err != nil {
					t.Skip(err) // This system has no such signals.
				}
			}
		}
		ticks.Stop()
	}
}

// A context that has ended before ends it too.
func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	status := execute(ctx, newRoot(commands()...), fewClients, strings.NewReader(""), &stdout, &stderr)
	if status != 130 || stdout.Len() > 0 || stderr.String() != "backoff: sim contention: interrupted\n" {
		t.Errorf("status %d, standard output %q, standard error %q", status, stdout.String(), stderr.String())
	}
}

// A bar is there when its time has come, on a terminal only, and leaves nothing behind.
func TestBar(t *testing.T) {
	for _, test := range []struct {
		name     string
		delay    time.Duration
		terminal bool
		want     bool
	}{
		{"terminal", 0, true, true},
		{"too soon", time.Hour, true, false},
		{"no terminal", 0, false, false},
	} {
		var w bytes.Buffer
		b := newBar(&w, "sim contention", 2)
		b.delay = test.delay
		if test.terminal {
			b.options = []mpb.ContainerOption{mpb.WithAutoRefresh()}
		}
		for done := range 20 {
			b.show(float64(done) / 10)
		}
		b.end()
		b.end() // as after an interrupt
		got := w.String()
		if test.want {
			if !strings.Contains(got, "sim contention [") || !strings.HasSuffix(got, "\x1b[J") {
				t.Errorf("%s: the bar is %q", test.name, got)
			}
		} else if got != "" {
			t.Errorf("%s: %q is written", test.name, got)
		}
	}
}

// Numbers of clients replay from their text.
func TestClientCounts(t *testing.T) {
	for text, want := range map[string][]int{
		"7": {7}, "10:190:90": {10, 100, 190}, "1:4:2": {1, 3}, "5:5:1": {5}, " 3, 10:30:10 ,4": {3, 10, 20, 30, 4},
	} {
		var c clientCounts
		if err := c.Set(text); err != nil || !reflect.DeepEqual(c.counts, want) {
			t.Errorf("%q gives %v, %v; want %v", text, c.counts, err, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := clientCounts{rapid.SliceOfN(rapid.IntRange(1, 5), 1, 6).Draw(t, "counts")}
		var again clientCounts
		if err := again.Set(c.String()); err != nil || !reflect.DeepEqual(again, c) {
			t.Fatalf("%v is written %s, and read %v, %v", c.counts, c.String(), again.counts, err)
		}
	})
}
