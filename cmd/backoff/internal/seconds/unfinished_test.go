package seconds

import (
	"strings"
	"testing"
	"time"

	"example.com/backoff/expr"
	"example.com/backoff/sim/overload"
)

// A repetition is unfinished if the server is not congested at the end and has not recovered.
func TestUnfinished(t *testing.T) {
	config := overload.Config{Warmup: 3 * time.Second, Trigger: overload.Trigger{For: time.Second}, After: 6 * time.Second}
	for _, test := range []struct {
		name   string
		change func(*overload.Rep, *overload.Config)
		want   bool
	}{
		{"few requests", func(*overload.Rep, *overload.Config) {}, true},
		{"recovered", func(r *overload.Rep, _ *overload.Config) { r.Verdict.Recovered = true }, false},
		{"too much from the start", func(r *overload.Rep, _ *overload.Config) { r.Verdict.Before = 0 }, false},
		{"no trigger", func(_ *overload.Rep, c *overload.Config) { c.Trigger.For = 0 }, false},
		{"1 % time out", func(r *overload.Rep, _ *overload.Config) { r.Seconds[8].Timeouts = 2 }, true},
		{"more time out", func(r *overload.Rep, _ *overload.Config) { r.Seconds[8].Timeouts = 3 }, false},
		{"they timed out earlier", func(r *overload.Rep, _ *overload.Config) { r.Seconds[7].Timeouts = 99 }, true},
		{"twice as many open", func(r *overload.Rep, _ *overload.Config) { r.Seconds[9].PeakOpen = 14 }, true},
		{"more open", func(r *overload.Rep, _ *overload.Config) { r.Seconds[9].PeakOpen = 15 }, false},
		{"more open earlier", func(r *overload.Rep, _ *overload.Config) { r.Seconds[7].PeakOpen = 99 }, true},
		{"an idle server", func(r *overload.Rep, _ *overload.Config) {
			r.Seconds[8], r.Seconds[9] = overload.Second{}, overload.Second{}
		}, true},
	} {
		r := overload.Rep{Verdict: overload.Verdict{Before: 100}}
		for s := range 10 {
			r.Seconds = append(r.Seconds, overload.Second{First: 60, Retries: 40, OK: 50, PeakOpen: 6})
			if s == 0 {
				r.Seconds[s].PeakOpen = 50 // The first second does not count.
			}
		}
		r.Seconds[2].PeakOpen = 7
		c := config
		test.change(&r, &c)
		if got := Unfinished(r, c); got != test.want {
			t.Errorf("%s: unfinished: %v, want %v", test.name, got, test.want)
		}
	}
}

// What to do depends on whether clients of an unfinished repetition had a retry to wait for.
func TestToFinish(t *testing.T) {
	const longer, more = "few requests are open; use a longer --after", "few operations begin; use more clients or a higher rate"
	for _, test := range []struct {
		schedule string
		clients  int
		failures float64
		after    time.Duration
		want     string
	}{
		{"equal-jitter(90s, 10m)", 1000, 0, 30 * time.Second, longer},
		{"equal-jitter(90s, 10m)", 1, 0, 30 * time.Second, longer},
		{"equal-jitter(90s, 10m)", 1, 1, 30 * time.Second, more}, // none is unfinished
		{"list()", 1, 0, 20 * time.Second, more},
		{"list()", 1, 0.3, 20 * time.Second, more},
	} {
		e, err := expr.Parse(test.schedule)
		if err != nil {
			t.Fatal(err)
		}
		config := overload.Default()
		config.Schedule, config.Clients, config.Failures, config.After, config.Reps = e.Seeded, test.clients, test.failures, test.after, 20
		result, err := overload.Run(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		if got := ToFinish(result.Reps, config); got != test.want {
			t.Errorf("%s, %d clients, failures %v: %q, want %q", test.schedule, test.clients, test.failures, got, test.want)
		}
		if n := CountUnfinished(result.Reps, config); (n > 0) != (test.failures < 1) {
			t.Errorf("%s, %d clients, failures %v: %d unfinished", test.schedule, test.clients, test.failures, n)
		}
	}
}

// Each failed request is followed by a retry, or ends its operation in one of two ways.
func TestToFinishCounts(t *testing.T) {
	config := overload.Config{Warmup: 3 * time.Second, Trigger: overload.Trigger{For: time.Second}, After: 6 * time.Second}
	for _, test := range []struct {
		failed overload.Second
		longer bool
	}{
		{overload.Second{}, false},
		{overload.Second{Timeouts: 1}, true},
		{overload.Second{Refused: 1}, true},
		{overload.Second{Timeouts: 1, Refused: 2, GaveUp: 1, Denied: 1}, true},
		{overload.Second{Timeouts: 1, Refused: 2, GaveUp: 3}, false},
		{overload.Second{Timeouts: 1, Refused: 2, Denied: 3}, false},
	} {
		r := overload.Rep{Verdict: overload.Verdict{Before: 100}, Seconds: make([]overload.Second, 10)}
		r.Seconds[3] = test.failed
		if got := ToFinish([]overload.Rep{r}, config); strings.Contains(got, "--after") != test.longer {
			t.Errorf("%+v: %q, want a longer --after: %v", test.failed, got, test.longer)
		}
	}
}

// Clients with long delays that come back one by one leave a run unfinished, which recovers
// if it goes on; a collapse does not end.
func TestUnfinishedRuns(t *testing.T) {
	for _, test := range []struct {
		schedule              string
		after                 time.Duration
		unfinished, recovered int
	}{
		{"equal-jitter(90s, 10m)", 30 * time.Second, 5, 0},
		{"equal-jitter(90s, 10m)", 5 * time.Minute, 0, 5},
		{"constant(100ms)", 30 * time.Second, 0, 0},
		{"constant(100ms)", 5 * time.Minute, 0, 0},
	} {
		e, err := expr.Parse(test.schedule)
		if err != nil {
			t.Fatal(err)
		}
		config := overload.Default()
		config.Schedule, config.Reps = e.Seeded, 5
		config.Trigger.For, config.After = time.Minute, test.after
		result, err := overload.Run(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		unfinished, recovered := CountUnfinished(result.Reps, config), len(Recoveries(result.Reps))
		if unfinished != test.unfinished || recovered != test.recovered {
			t.Errorf("%s, %v: %d unfinished and %d recovered, want %d and %d",
				test.schedule, test.after, unfinished, recovered, test.unfinished, test.recovered)
		}
	}
}
