package overload

import (
	"context"
	"iter"
	"math"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
)

// recovered runs config and returns how many repetitions recovered, and the longest time
// that one of these took.
func recovered(t *testing.T, config Config) (n int, slowest time.Duration) {
	t.Helper()
	result, err := Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	for _, rep := range result.Reps {
		if rep.Verdict.Recovered {
			n++
			slowest = max(slowest, rep.Verdict.After)
		}
	}
	return n, slowest
}

// The published experiment and its variants end as they did with real servers. The seeds are
// fixed; if all of 20 are wanted, none of 100 was otherwise.
func TestStops(t *testing.T) {
	const all, most, none = 20, 10, 0
	tests := []struct {
		name      string
		delay     schedule
		queue     int
		abandoned Abandoned
		stop      time.Duration
		want      int // that recover: at least most, or exactly
		within    time.Duration
	}{
		{"today's queue, 3 s", fixed, 4096, Keep, 3 * time.Second, all, 2 * time.Second},
		{"today's queue, 4 s", fixed, 4096, Keep, 4 * time.Second, most, 3 * time.Second},
		{"today's queue, 5 s", fixed, 4096, Keep, 5 * time.Second, none, 0},
		{"today's queue, 20 s", fixed, 4096, Keep, 20 * time.Second, none, 0},
		{"exponential backoff collapses too, 5 s", article, 4096, Keep, 5 * time.Second, none, 0},
		{"exponential backoff collapses too, 20 s", article, 4096, Keep, 20 * time.Second, none, 0},
		{"the queue of 2014, fixed", fixed, 128, Keep, 20 * time.Second, none, 0},
		{"the queue of 2014, exponential", article, 128, Keep, 20 * time.Second, all, 2 * time.Second},
		{"cancelled, 4 s", fixed, 4096, Cancel, 4 * time.Second, all, 3 * time.Second},
		{"cancelled, 20 s", fixed, 4096, Cancel, 20 * time.Second, all, 3 * time.Second},
		{"cancelled, 60 s", fixed, 4096, Cancel, 60 * time.Second, all, 3 * time.Second},
		{"cancelled, 20 s, exponential", article, 4096, Cancel, 20 * time.Second, all, 3 * time.Second},
		{"a longer first delay", longer, 4096, Keep, 20 * time.Second, all, 15 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			config := Default()
			config.Schedule, config.Queue, config.Abandoned = test.delay, test.queue, test.abandoned
			config.Trigger.For = test.stop
			config.After = 30 * time.Second
			config.Reps = all
			if testing.Short() {
				config.Reps = 5
			} else {
				config.After = 90 * time.Second
			}
			n, slowest := recovered(t, config)
			wrong := n != test.want*config.Reps/all
			if test.want == most {
				wrong = n < config.Reps/2
			}
			if wrong || slowest > test.within {
				t.Errorf("%d of %d recover, the slowest after %v; want %d of %d, within %v",
					n, config.Reps, slowest, test.want, all, test.within)
			}
		})
	}
}

// longer waits for as long as the server is away before each retry.
func longer(seed uint64) iter.Seq[time.Duration] {
	return backoff.Spread(backoff.Constant(20*time.Second), 0.5, backoff.WithSeed(seed))
}

// A budget helps a server that keeps abandoned requests. It does not limit initial
// requests, and after 10 s these alone are too many.
func TestBudgetHelps(t *testing.T) {
	for _, delay := range []schedule{fixed, article} {
		config := Default()
		config.Schedule, config.Reps, config.After = delay, 10, 60*time.Second
		config.Trigger.For = 8 * time.Second
		if n, _ := recovered(t, config); n != 0 {
			t.Errorf("%d of 10 recover without a budget, want none", n)
		}
		config.Budget = func() Budget { return retry.NewBudget(100, 0.1) }
		if n, slowest := recovered(t, config); n != 10 || slowest > 3*time.Second {
			t.Errorf("%d of 10 recover with a budget, the slowest after %v; want all, within 3 s", n, slowest)
		}
	}
}

// A spike of open arrivals, the model of M. Brooker's simple_collapse_sim: of 4000 runs
// of that 2948 end collapsed with retries at once, and of 400 with full jitter none.
// Ours have the same share, within 4 standard deviations; the seeds are fixed.
func TestSpike(t *testing.T) {
	collapsed := func(network time.Duration, delay schedule) int {
		config := spike()
		config.Network, config.Schedule = network, delay
		n, _ := recovered(t, config)
		return config.Reps - n
	}
	atOnce := func(uint64) iter.Seq[time.Duration] { return backoff.Take(backoff.Constant(0), 2) }
	// That program doubles its 10 s before it first waits.
	jittered := func(seed uint64) iter.Seq[time.Duration] {
		return backoff.Take(backoff.FullJitter(20*time.Second, backoff.NoLimit, backoff.WithSeed(seed)), 2)
	}
	const share = 2948. / 4000
	reps := float64(spike().Reps)
	want, deviation := share*reps, math.Sqrt(share*(1-share)*(reps+reps*reps/4000))
	if n := collapsed(100*time.Millisecond, atOnce); math.Abs(float64(n)-want) > 4*deviation {
		t.Errorf("%d of %v collapse with retries at once, want %.0f, give or take %.0f", n, reps, want, 4*deviation)
	}
	if n := collapsed(100*time.Millisecond, jittered); n > 0 {
		t.Errorf("%d of %v collapse with full jitter, want none", n, reps)
	}
	// At the edge 0.2 s less on the way are enough for most to recover.
	if n := collapsed(0, atOnce); float64(n) > reps/2 {
		t.Errorf("%d of %v collapse with retries at once and without a network, want less than half", n, reps)
	}
}

// spike is 40 operations a second, 80 for 5 s, at a server whose latency is 1 s and 10
// ms more for each open request, decided when the request becomes open.
func spike() Config {
	config := Default()
	config.Clients, config.Rate = 0, 40
	config.Timeout = 3 * time.Second
	config.Latency = LinearLatency{Base: time.Second, PerOpen: 10 * time.Millisecond}
	config.Poll = 0
	config.Warmup = 20 * time.Second
	config.Trigger = Trigger{Spike, 5 * time.Second, 2}
	config.After = 55 * time.Second
	config.Reps = 400
	if testing.Short() {
		config.Reps = 100
	}
	return config
}

// A server that fails a share p of requests. Three retries succeed with 1 − p⁴ at
// (1 − p⁴)/(1 − p) times the load. Of 100,000 operations a share is right to 0.005 (3
// standard deviations are that much at most).
func TestFailures(t *testing.T) {
	shares := []float64{0, 0.1, 0.5, 0.9, 1}
	if testing.Short() {
		shares = []float64{0.5}
	}
	for _, p := range shares {
		for _, b := range []struct {
			name  string
			delay schedule
		}{
			{"at once", func(uint64) iter.Seq[time.Duration] { return backoff.Take(backoff.Constant(0), 3) }},
			{"full jitter", func(seed uint64) iter.Seq[time.Duration] {
				return backoff.Take(backoff.FullJitter(100*time.Millisecond, time.Second, backoff.WithSeed(seed)), 3)
			}},
		} {
			config := failing(p, 1000)
			config.Schedule = b.delay
			total := run(t, config)
			success := float64(total.OK) / float64(total.OK+total.GaveUp)
			load := float64(total.First+total.Retries) / float64(total.First)
			wantSuccess, wantLoad := 1-math.Pow(p, 4), 1+p+p*p+p*p*p
			if math.Abs(success-wantSuccess) > 0.005 || math.Abs(load-wantLoad) > 0.02 {
				t.Errorf("p = %v, %s: success %.4f at load %.3f, want %.4f at %.3f", p, b.name, success, load, wantSuccess, wantLoad)
			}

			// A budget of ratio 0.1 holds the load, whatever p is.
			config.Budget = func() Budget { return retry.NewBudget(100, 0.1) }
			total = run(t, config)
			if load := float64(total.First+total.Retries) / float64(total.First); load > 1.11 {
				t.Errorf("p = %v, %s: load %.3f with a budget, want at most 1.1", p, b.name, load)
			}
		}
	}
}

// Serial clients, which call again when they are done, make fewer initial requests where
// operations take longer: 100,000 of them at p = 0 are about 53,000 at p = 0.5 with
// retries at once, and 43,000 with delays of 52 ms on average. Operations of unbounded
// clients stay as many.
func TestFailuresSlowSerialClients(t *testing.T) {
	delay := func(d time.Duration) schedule {
		return func(uint64) iter.Seq[time.Duration] { return backoff.Take(backoff.Constant(d), 3) }
	}
	serial := func(p float64, d time.Duration) int64 {
		config := failing(p, 0)
		config.Clients, config.Think, config.Schedule = 100, 0, delay(d)
		return run(t, config).First
	}
	// A request takes 100 ms and what is left to the next tick of 100 µs, on
	// average half of it after the first one.
	const seconds = 107
	const p = 0.5
	base := serial(0, 0)
	for _, d := range []time.Duration{0, 51500 * time.Microsecond, time.Second} {
		attempts, retries := 1+p+p*p+p*p*p, p+p*p+p*p*p
		want := 100 * seconds / (0.1001*attempts + d.Seconds()*retries)
		got := float64(serial(p, d))
		// Each of the 100 clients begins one at once, and is in another at the end.
		if math.Abs(got-want) > 0.01*want+250 {
			t.Errorf("delay %v: %.0f initial requests, %d at p = 0, want %.0f", d, got, base, want)
		}
		t.Logf("delay %v: %.0f of %d initial requests", d, got, base)

		config := failing(p, 1000)
		config.Schedule = delay(d)
		if got := float64(run(t, config).First); math.Abs(got-1000*seconds) > 4*math.Sqrt(1000*seconds) {
			t.Errorf("delay %v: %.0f initial requests of unbounded clients, want %d ± 4 standard deviations", d, got, 1000*seconds)
		}
	}
}

// failing returns a server that does not slow down, and fails a share p of requests.
func failing(p, rate float64) Config {
	config := Default()
	config.Clients, config.Rate = 0, rate
	config.Latency = LinearLatency{Base: 100 * time.Millisecond}
	config.Failures = p
	config.Queue = 1_000_000
	config.Accept = 0
	config.Warmup, config.Trigger.For, config.After = 2*time.Second, 0, 105*time.Second
	return config
}

// Cancelling is not enough for many clients with a short fixed delay: they collapse, and
// recover with exponential backoff.
func TestCancellingIsNotEnough(t *testing.T) {
	const reps = 5
	for _, test := range []struct {
		name   string
		change func(*Config)
	}{
		{"2,000 clients", func(c *Config) { c.Clients = 2000 }},
		{"500 a second", func(c *Config) {
			c.Latency = LinearLatency{Base: 100 * time.Millisecond, PerOpen: 2 * time.Millisecond}
			c.Trigger.For = time.Minute
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			config := Default()
			config.Abandoned, config.Reps, config.Schedule = Cancel, reps, fixed
			test.change(&config)
			if n, _ := recovered(t, config); n != 0 {
				t.Errorf("with a fixed delay %d of %d recover, want none", n, reps)
			}
			config.Schedule = article
			if n, slowest := recovered(t, config); n != reps || slowest > 30*time.Second {
				t.Errorf("with exponential backoff %d of %d recover, the slowest after %v; want all within 30s", n, reps, slowest)
			}
		})
	}
}

func run(t *testing.T, config Config) Second {
	t.Helper()
	result, err := Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	return Total(result.Reps[0].Seconds)
}

// Every request ends in one way, and every operation.
func TestNothingIsLost(t *testing.T) {
	for _, s := range schedules {
		for _, abandoned := range []Abandoned{Keep, Cancel} {
			config := Default()
			config.Clients = 200
			config.Schedule, config.Abandoned, config.Failures = s.delay, abandoned, 0.1
			config.After = 10 * time.Second
			w := newWorld(&config, 3)
			w.run(context.Background(), func() {})
			total := Total(w.stats.seconds)
			sent, ended := total.First+total.Retries, total.OK+total.Timeouts+total.Refused
			waiting := int64(0)
			for i := range w.timeouts.size {
				if w.awaited(*w.timeouts.at(i)) {
					waiting++
				}
			}
			if sent != ended+waiting {
				t.Errorf("%s, %v: %d sent, %d ended and %d wait", s.name, abandoned, sent, ended, waiting)
			}
			busy := total.First - total.OK - total.GaveUp
			if busy < 0 || busy > 200 {
				t.Errorf("%s, %v: %d operations under way, want 0 to 200", s.name, abandoned, busy)
			}
		}
	}
}

// The rate of what begins is that asked for, before, in and after a spike.
func TestArrivals(t *testing.T) {
	for _, closed := range []bool{false, true} {
		config := failing(0, 1000)
		if closed {
			config.Rate, config.Clients, config.Think = 0, 100_000, 100*time.Second
		}
		config.Schedule = fixed
		config.Warmup, config.After = 20*time.Second, 20*time.Second
		config.Trigger = Trigger{Spike, 20 * time.Second, 1.5}
		result, err := Run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		s := result.Reps[0].Seconds
		for i, want := range []float64{20_000, 30_000, 20_000} {
			if got := float64(Total(s[20*i : 20*i+20]).First); math.Abs(got-want) > 4*math.Sqrt(want)+want/500 {
				t.Errorf("closed = %v, part %d: %.0f initial requests, want %.0f ± 4 standard deviations", closed, i, got, want)
			}
		}
	}
}

// A server without goodput before the stop does not recover.
func TestNoGoodputBefore(t *testing.T) {
	config := Default()
	config.Schedule = func(uint64) iter.Seq[time.Duration] { return backoff.Constant(100 * time.Millisecond) }
	config.Clients = 20_000
	config.Warmup, config.After = 10*time.Second, 10*time.Second
	result, err := Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if v := result.Reps[0].Verdict; v.Recovered {
		t.Errorf("%d clients of a server for 1,000: %v, with %v requests a second before, want collapsed", config.Clients, v, v.Before)
	}
}
