package advice

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/expr"
	"example.com/backoff/retry"
	"example.com/backoff/sim/overload"
)

// experiment is the published one, shorter and with few clients, and what came of it.
func experiment(t *testing.T, text string, change func(*overload.Config)) (overload.Config, *expr.Expr, []overload.Rep) {
	t.Helper()
	e := clitest.Parse(t, text)
	config := overload.Default()
	config.Schedule = e.Seeded
	config.Clients, config.Think = 50, time.Second
	config.Latency = overload.ExponentialLatency{Base: 100 * time.Millisecond, Limit: 5, Factor: 1.05, Scale: 2}
	config.Warmup, config.Trigger.For, config.After = 5*time.Second, 4*time.Second, 12*time.Second
	change(&config)
	return config, e, run(t, config)
}

func run(t *testing.T, config overload.Config) []overload.Rep {
	t.Helper()
	result, err := overload.Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return result.Reps
}

func noProgress(int, int) {}

// summary is an Advice without its repetitions.
type summary struct {
	What, Change string
	Helps        bool
}

func summaries(all []Advice) (short []summary) {
	for _, a := range all {
		short = append(short, summary{a.What, a.Flag + a.Expr, a.Helps})
	}
	return short
}

func TestSearch(t *testing.T) {
	same := func(*overload.Config) {}
	for _, test := range []struct {
		name, schedule string
		change         func(*overload.Config)
		want           []summary
	}{
		{"a short fixed delay", "constant(100ms)", same, []summary{
			{"cancel abandoned requests", "--abandoned cancel", true},
			{"delays of at least 4s", "constant(100ms) | floor(4s)", true},
			{"a retry budget", "--budget 10,0.1", true},
			{"no retries", "constant(100ms) | take(0)", true},
			{"a shorter accept queue", "--queue 128", false},
			{"jitter", "constant(100ms) | jitter(1)", false},
		}},
		{"recovers with wasted work", "constant(100ms)", func(c *overload.Config) { c.Trigger.For = 3 * time.Second }, []summary{
			{"cancel abandoned requests", "--abandoned cancel", true},
			{"delays of at least 3s", "constant(100ms) | floor(3s)", false},
			{"a retry budget", "--budget 10,0.1", false},
			{"no retries", "constant(100ms) | take(0)", false},
			{"a shorter accept queue", "--queue 128", false},
			{"jitter", "constant(100ms) | jitter(1)", false},
		}},
		{"a spike of open arrivals", "constant(0s) | take(2)", func(c *overload.Config) {
			c.Clients, c.Rate, c.Timeout, c.Network, c.Poll, c.Reps = 0, 40, 3*time.Second, 100*time.Millisecond, 0, 10
			c.Latency = overload.LinearLatency{Base: time.Second, PerOpen: 10 * time.Millisecond}
			c.Warmup, c.After = 20*time.Second, 55*time.Second
			c.Trigger = overload.Trigger{Kind: overload.Spike, For: 5 * time.Second, Factor: 2}
		}, []summary{
			{"delays of at least 20s", "constant(0s) | take(2) | floor(20s)", true}, // not 5s, not 10s
			{"a retry budget", "--budget 10,0.1", true},
			{"no retries", "constant(0s) | take(2) | take(0)", true},
			{"cancel abandoned requests", "--abandoned cancel", false}, // in less of the repetitions
		}},
	} {
		config, e, reps := experiment(t, test.schedule, test.change)
		got, err := Search(t.Context(), config, e, reps, noProgress)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, summaries(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// The changes depend on the experiment.
func TestChanges(t *testing.T) {
	for _, test := range []struct {
		name, schedule string
		change         func(*overload.Config)
		want           []string
	}{
		{"all there is", "constant(1s)", func(*overload.Config) {}, []string{
			"--abandoned cancel", "constant(1s) | floor(20s)", "--budget 10,0.1", "constant(1s) | take(2)", "--queue 128", "constant(1s) | jitter(1)",
		}},
		{"a random one keeps its jitter", "uniform(1s, 2s)", func(*overload.Config) {}, []string{
			"--abandoned cancel", "uniform(1s, 2s) | add(constant(20s))", "--budget 10,0.1", "uniform(1s, 2s) | take(2)", "--queue 128",
		}},
		{"a random one that may begin at once", "full-jitter(40s, 5m)", func(*overload.Config) {}, []string{
			"--abandoned cancel", "full-jitter(40s, 5m) | add(constant(20s))", "--budget 10,0.1", "full-jitter(40s, 5m) | take(2)", "--queue 128",
		}},
		{"what is done already", "constant(90s) | take(2)", func(c *overload.Config) {
			c.Abandoned, c.Queue = overload.Cancel, 31
			c.Budget = func() overload.Budget { return retry.NewBudget(1, 1) }
		}, []string{"constant(1m30s) | take(2) | take(0)", "constant(1m30s) | take(2) | jitter(1)"}},
		{"as long as the timeout", "constant(30s)", func(c *overload.Config) {
			c.Timeout, c.Queue = time.Minute, 0
		}, []string{"--abandoned cancel", "constant(30s) | floor(1m)", "--budget 10,0.1", "constant(30s) | take(2)", "constant(30s) | jitter(1)"}},
		{"longer than it is", "constant(30s)", func(*overload.Config) {}, []string{
			"--abandoned cancel", "constant(30s) | floor(40s)", "--budget 10,0.1", "constant(30s) | take(2)", "--queue 128", "constant(30s) | jitter(1)",
		}},
		{"a slow-down instead of a stop", "constant(1s) | jitter(1) | take(1)", func(c *overload.Config) {
			c.Trigger = overload.Trigger{Kind: overload.SlowDown, For: 20 * time.Second, Factor: 2}
		}, []string{"--abandoned cancel", "constant(1s) | jitter(1) | take(1) | add(constant(20s))", "--budget 10,0.1", "constant(1s) | jitter(1) | take(1) | take(0)"}},
		{"no stop", "list()", func(c *overload.Config) { c.Trigger.For = 0 }, []string{"--abandoned cancel", "--budget 10,0.1"}},
		{"no retries", "list()", func(*overload.Config) {}, []string{"--abandoned cancel", "--budget 10,0.1", "--queue 128"}},
		{"no delay to take from", "constant(0s) | take(1)", func(*overload.Config) {}, []string{
			"--abandoned cancel", "constant(0s) | take(1) | floor(20s)", "--budget 10,0.1", "constant(0s) | take(1) | take(0)", "--queue 128",
		}},
		{"as many stages as expr allows", "constant(100ms)" + strings.Repeat(" | cap(1s)", 999), func(*overload.Config) {}, []string{
			"--abandoned cancel", "--budget 10,0.1", "--queue 128",
		}},
	} {
		config := overload.Default()
		test.change(&config)
		var got []string
		for _, variants := range changes(config, clitest.Parse(t, test.schedule)) {
			got = append(got, variants[0].flag+variants[0].expr)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// The first variant that is enough ends the search; if none is, the best one counts.
func TestVariants(t *testing.T) {
	config, _, before := experiment(t, "constant(100ms)", func(c *overload.Config) { c.Reps = 3 })
	tried := ""
	variantOf := func(name string, change func(*overload.Config)) variant {
		return variant{what: name, change: func(c *overload.Config) {
			tried += name
			change(c)
		}}
	}
	same := func(*overload.Config) {}
	cancel := func(c *overload.Config) { c.Abandoned = overload.Cancel }
	waste := func(c *overload.Config) { c.Trigger.For = 2 * time.Second } // recovers, with wasted work
	for _, test := range []struct {
		variants   []func(*overload.Config)
		want, best string
		helps      bool
	}{
		{[]func(*overload.Config){same, same, same}, "abc", "a", false},
		{[]func(*overload.Config){same, cancel, same}, "ab", "b", true},
		{[]func(*overload.Config){cancel, cancel, same}, "a", "a", true},
		{[]func(*overload.Config){waste, same, cancel}, "a", "a", true},
	} {
		var variants []variant
		for i, change := range test.variants {
			variants = append(variants, variantOf(string(rune('a'+i)), change))
		}
		tried = ""
		best, err := try(t.Context(), config, variants, before)
		if err != nil {
			t.Fatal(err)
		}
		if tried != test.want || best.What != test.best || best.Helps != test.helps {
			t.Errorf("tried %s, best %s, helps: %v; want %s, %s, %v", tried, best.What, best.Helps, test.want, test.best, test.helps)
		}
	}
}

// rep is a repetition with a verdict, answers in time and wasted work.
func rep(recovered bool, ok, wasted int64) overload.Rep {
	return overload.Rep{Verdict: overload.Verdict{Recovered: recovered}, Seconds: []overload.Second{{OK: ok, Wasted: wasted}}}
}

func TestNeeded(t *testing.T) {
	config := overload.Config{Trigger: overload.Trigger{For: 1}} // a repetition is unfinished if it had goodput before
	unfinished := rep(false, 90, 90)
	unfinished.Verdict.Before = 1
	for _, test := range []struct {
		reps []overload.Rep
		want bool
	}{
		{[]overload.Rep{unfinished}, false},
		{[]overload.Rep{unfinished, rep(true, 50, 50)}, false},
		{[]overload.Rep{unfinished, rep(false, 90, 0)}, true},
		{[]overload.Rep{rep(true, 90, 10)}, false},
		{[]overload.Rep{rep(true, 90, 11)}, true},
		{[]overload.Rep{rep(true, 90, 0), rep(false, 90, 0)}, true},
		{[]overload.Rep{rep(true, 0, 0)}, false},
		{append(slices.Repeat([]overload.Rep{rep(true, 90, 0)}, MaxReps-1), rep(false, 90, 0)), true},
		{append(slices.Repeat([]overload.Rep{rep(true, 90, 0)}, MaxReps), rep(false, 90, 0)), false}, // no change is tried with the last
		{append(slices.Repeat([]overload.Rep{rep(true, 90, 0)}, MaxReps), rep(true, 0, 9000)), false},
		{[]overload.Rep{{Verdict: overload.Verdict{Recovered: true}, Seconds: []overload.Second{{OK: 10, Wasted: 10, Refused: 80}}}}, false},
	} {
		if got := Needed(test.reps, config); got != test.want {
			t.Errorf("%+v: advice is needed: %v, want %v", test.reps, got, test.want)
		}
	}
}

func TestHelps(t *testing.T) {
	for _, test := range []struct {
		name          string
		before, after []overload.Rep
		want          bool
	}{
		{"recovers", []overload.Rep{rep(false, 1, 0)}, []overload.Rep{rep(true, 1, 1)}, true},
		{"collapses as before", []overload.Rep{rep(false, 1, 9)}, []overload.Rep{rep(false, 1, 0)}, false},
		{"more of them", []overload.Rep{rep(false, 1, 0), rep(true, 1, 0), rep(false, 1, 0)}, []overload.Rep{rep(true, 1, 0), rep(true, 1, 0), rep(false, 1, 0)}, true},
		{"as many", []overload.Rep{rep(false, 1, 0), rep(true, 1, 9)}, []overload.Rep{rep(true, 1, 0), rep(false, 1, 0)}, false},
		{"less waste", []overload.Rep{rep(true, 50, 50)}, []overload.Rep{rep(true, 80, 20)}, true},
		{"little less waste", []overload.Rep{rep(true, 50, 50)}, []overload.Rep{rep(true, 75, 25)}, false},
		{"less waste in a collapse", []overload.Rep{rep(true, 50, 50)}, []overload.Rep{rep(false, 100, 0)}, false},
	} {
		if got := helps(test.before, test.after); got != test.want {
			t.Errorf("%s: helps: %v, want %v", test.name, got, test.want)
		}
	}
}

// The advice depends on the experiment alone, with its first repetitions, and each change is
// what a run with it gives.
func TestSearchIsDeterministic(t *testing.T) {
	config, e, reps := experiment(t, "full-jitter(100ms, 1m)", func(c *overload.Config) { c.Reps, c.Workers, c.Queue = MaxReps+2, 1, 40 })
	want, err := Search(t.Context(), config, e, reps, noProgress)
	if err != nil {
		t.Fatal(err)
	}
	config.Workers = 7
	calls := 0
	got, err := Search(t.Context(), config, e, reps, func(done, total int) {
		if calls++; done != calls || total != len(want) {
			t.Errorf("progress %d of %d, want %d of %d", done, total, calls, len(want))
		}
	})
	if err != nil || calls != len(want) {
		t.Fatalf("%v, %d calls of progress, want %d", err, calls, len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with 7 workers (-with 1 +with 7):\n%s", diff)
	}
	found := false
	for _, a := range got {
		if a.Flag == "--abandoned cancel" {
			found = true
			config.Abandoned, config.Reps = overload.Cancel, MaxReps
			if diff := cmp.Diff(run(t, config), a.Reps); diff != "" {
				t.Errorf("%s (-want +got):\n%s", a.Flag, diff)
			}
		}
	}
	if !found {
		t.Errorf("no change is to cancel: %v", summaries(got))
	}
}

// Fewer workers than one are one.
func TestSearchWithoutWorkers(t *testing.T) {
	config, e, reps := experiment(t, "constant(100ms)", func(*overload.Config) {})
	config.Workers = 0
	synctest.Test(t, func(t *testing.T) { // It reports a deadlock at once.
		if got, err := Search(t.Context(), config, e, reps, noProgress); err != nil || len(got) == 0 {
			t.Errorf("got %d changes and %v, want some", len(got), err)
		}
	})
}

func TestSearchEndsWithItsContext(t *testing.T) {
	config, e, reps := experiment(t, "constant(100ms)", func(*overload.Config) {})
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if got, err := Search(ctx, config, e, reps, noProgress); err != cause || got != nil {
		t.Errorf("got %v, %v; want the cause alone", got, err)
	}
	// Also in the middle of a run.
	ctx, cancel = context.WithCancelCause(t.Context())
	config.After = 50 * time.Minute
	defer cancel(nil)
	reps = run(t, config)
	config.Budget = func() overload.Budget {
		cancel(cause)
		return retry.NewBudget(1, 1)
	}
	if got, err := Search(ctx, config, e, reps, noProgress); err != cause || got != nil {
		t.Errorf("got %v, %v; want the cause alone", got, err)
	}
}
