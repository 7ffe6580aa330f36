package overload

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/sim/internal/engine"
	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestBadConfig(t *testing.T) {
	exponential := func(change func(*ExponentialLatency)) func(*Config) {
		return func(c *Config) {
			l := c.Latency.(ExponentialLatency)
			change(&l)
			c.Latency = l
		}
	}
	tests := []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Schedule = nil }, "Schedule is nil, want a function that returns a schedule"},
		{func(c *Config) { c.Latency = nil }, "Latency is nil, want an ExponentialLatency or a LinearLatency"},
		{exponential(func(l *ExponentialLatency) { l.Base = 0 }), "Latency.Base is 0s, want above 0"},
		{exponential(func(l *ExponentialLatency) { l.Limit = -1 }), "Latency.Limit is -1, want >= 0"},
		{exponential(func(l *ExponentialLatency) { l.Factor = math.NaN() }), "Latency.Factor is NaN, want a finite value >= 1"},
		{exponential(func(l *ExponentialLatency) { l.Scale = 0 }), "Latency.Scale is 0, want a finite value above 0"},
		{func(c *Config) { c.Latency = LinearLatency{0, 1} }, "Latency.Base is 0s, want above 0"},
		{func(c *Config) { c.Latency = LinearLatency{1, -1} }, "Latency.PerOpen is -1ns, want >= 0"},
		{func(c *Config) { c.Processes = 0 }, "Processes is 0, want 1 to 10000000"},
		{func(c *Config) { c.Clients = -1 }, "Clients is -1, want 0 to 10000000"},
		{func(c *Config) { c.Clients = 0 }, "Rate is 0, want either it or Clients, which is 0, to be 0"},
		{func(c *Config) { c.Rate = 40 }, "Rate is 40, want either it or Clients, which is 1000, to be 0"},
		{func(c *Config) { c.Rate = -1 }, "Rate is -1, want a value in [0, 1e9]"},
		{func(c *Config) { c.Rate = math.Inf(1) }, "Rate is +Inf, want a value in [0, 1e9]"},
		{func(c *Config) { c.Queue = -1 }, "Queue is -1, want 0 to 1000000000"},
		{func(c *Config) { c.Abandoned = 2 }, "Abandoned is 2, want 0 to 1"},
		{func(c *Config) { c.Trigger.Kind = 3 }, "Trigger.Kind is 3, want 0 to 2"},
		{func(c *Config) { c.Trigger.Factor = 0.5 }, "Trigger.Factor is 0.5, want a finite value >= 1"},
		{func(c *Config) { c.Trigger.For = -1 }, "Trigger.For is -1ns, want 0s to 1h0m0s"},
		{func(c *Config) { c.Think = -1 }, "Think is -1ns, want 0s to 24h0m0s"},
		{func(c *Config) { c.Timeout = 0 }, "Timeout is 0s, want 1ms to 1h0m0s"},
		{func(c *Config) { c.Network = 2 * time.Minute }, "Network is 2m0s, want 0s to 1m0s"},
		{func(c *Config) { c.Poll = 1 }, "Poll is 1ns, want 0 or 1µs to 1h0m0s"},
		{func(c *Config) { c.Accept = 2 * time.Second }, "Accept is 2s, want 0s to 1s"},
		{func(c *Config) { c.Reconnect = 0 }, "Reconnect is 0s, want 1ms to 1m0s"},
		{func(c *Config) { c.Failures = 1.5 }, "Failures is 1.5, want a value in [0, 1]"},
		{func(c *Config) { c.Warmup = time.Second }, "Warmup is 1s, want 2s to 1h0m0s"},
		{func(c *Config) { c.After = time.Second }, "After is 1s, want 5s to 1h0m0s"},
		{func(c *Config) { c.After = time.Hour }, "Warmup + Trigger.For + After is 1h0m35s, want at most 1h0m0s"},
		{func(c *Config) { c.Reps = 0 }, "Reps is 0, want 1 to 100000"},
		{func(c *Config) { c.Reps, c.After = 100_000, 1700*time.Millisecond+3*time.Minute }, "Reps × seconds is 21700000, want at most 20000000"},
		{func(c *Config) { c.Workers = 0 }, "Workers is 0, want >= 1"},
	}
	for _, test := range tests {
		config := Default()
		config.Schedule = fixed
		test.change(&config)
		_, err := Run(context.Background(), config)
		if want := "overload: " + test.want; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("%v is a %T, want an *Error", err, err)
		}
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct {
		value fmt.Stringer
		want  string
	}{
		{Keep, "keep"},
		{Cancel, "cancel"},
		{Drop, "cancel"},
		{Abandoned(2), "Abandoned(2)"},
		{Stop, "stop"},
		{SlowDown, "slow-down"},
		{Spike, "spike"},
		{TriggerKind(3), "TriggerKind(3)"},
	} {
		if got := test.value.String(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// The figures of one seed, on every GOARCH and with any number of workers.
func TestGolden(t *testing.T) {
	want := `
0 fixed: collapsed, 1026+2341: 301 2371 0 0 7, 31m40.315856535s 100.051794ms
0 article: collapsed, 1026+1832: 301 2051 0 0 7, 6m2.912764597s 100.051794ms
0 full jitter: collapsed, 1026+2436: 301 2463 0 0 7, 43m8.36003932s 100.051794ms
0 three tries: collapsed, 1179+1386: 301 1883 0 497 7, 2m19.927991989s 100.051794ms
1 fixed: recovered after 0s, 1344+964: 1333 821 144 0 0, 100ms 800.472005ms
1 article: recovered after 0s, 1319+930: 1307 790 142 0 0, 100ms 798.154406ms
1 full jitter: recovered after 0s, 1343+1000: 1333 852 148 0 0, 100ms 833.544774ms
1 three tries: recovered after 0s, 1330+792: 1169 820 127 155 0, 100ms 900.059636ms
2 fixed: recovered after 0s, 1818+0: 1809 0 0 0 0, 153ms 147.432819ms
2 article: recovered after 0s, 1818+0: 1809 0 0 0 0, 153ms 147.432819ms
2 full jitter: recovered after 0s, 1818+0: 1809 0 0 0 0, 153ms 147.432819ms
2 three tries: recovered after 0s, 1818+0: 1809 0 0 0 0, 153ms 147.432819ms
3 fixed: recovered after 0s, 1364+0: 1360 0 0 0 0, 1.39797644s 1.42777549s
3 article: recovered after 0s, 1364+0: 1360 0 0 0 0, 1.39797644s 1.42777549s
3 full jitter: recovered after 0s, 1364+0: 1360 0 0 0 0, 1.39797644s 1.42777549s
3 three tries: recovered after 0s, 1364+0: 1360 0 0 0 0, 1.39797644s 1.42777549s
4 fixed: recovered after 0s, 1270+996: 1184 997 0 0 128, 101.639635ms 1.673594852s
4 article: recovered after 0s, 1245+955: 1156 958 0 0 117, 100.980579ms 1.673594852s
4 full jitter: recovered after 0s, 1279+1033: 1198 1033 0 0 128, 100ms 1.673594852s
4 three tries: recovered after 0s, 1291+787: 1029 977 0 190 102, 100ms 1.673594852s
`
	got := "\n"
	change := []func(*Config){
		func(c *Config) {},
		func(c *Config) { c.Abandoned, c.Queue, c.Failures = Cancel, 128, 0.1 },
		func(c *Config) {
			c.Clients, c.Rate, c.Poll, c.Latency = 0, 100, 0, LinearLatency{100 * time.Millisecond, time.Millisecond}
			c.Trigger = Trigger{Spike, 3 * time.Second, 3}
		},
		func(c *Config) { c.Trigger = Trigger{SlowDown, 5 * time.Second, 10} },
		func(c *Config) { c.Abandoned, c.Queue, c.Network = Cancel, 128, 400*time.Millisecond },
	}
	for i, change := range change {
		for _, s := range schedules[:4] {
			config := Default()
			config.Schedule = s.delay
			config.Warmup, config.Trigger.For, config.After = 3*time.Second, 7*time.Second, 6*time.Second
			config.Reps = 3
			config.Workers = 1
			change(&config)
			result, err := Run(context.Background(), config)
			if err != nil {
				t.Fatal(err)
			}
			rep := result.Reps[2]
			total := Total(rep.Seconds)
			got += fmt.Sprintf("%d %s: %v, %d+%d: %d %d %d %d %d, %v %v\n", i, s.name, rep.Verdict, total.First, total.Retries,
				total.OK, total.Timeouts, total.Refused, total.GaveUp, total.Wasted, total.Latency, total.Seen)
			config.Workers = 3
			again, err := Run(context.Background(), config)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(result, again); diff != "" {
				t.Errorf("%d %s: 3 workers differ from 1 (-1 +3):\n%s", i, s.name, diff)
			}
			// Each repetition is that of its seed.
			config.Reps, config.Seed = 1, rep.Seed
			alone, err := Run(context.Background(), config)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(rep, alone.Reps[0]); diff != "" {
				t.Errorf("%d %s: seed %d alone differs (-among others +alone):\n%s", i, s.name, rep.Seed, diff)
			}
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, got)
	}
}

// The first repetition has the seed of the configuration; of no other does a
// configuration with another seed, the next one or that of a repetition, have the same.
func TestSeeds(t *testing.T) {
	seeds := func(seed uint64) (seeds []uint64) {
		config := Default()
		config.Schedule, config.Clients, config.Seed, config.Reps = fixed, 1, seed, 5
		result, err := Run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		for _, rep := range result.Reps {
			seeds = append(seeds, rep.Seed)
		}
		return seeds
	}
	want := []uint64{1, 8960415260573801, 5716367512733130, 4693948159010667, 3051044406330735}
	got := seeds(1)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("seeds of the repetitions under 1 (-want +got):\n%s", diff)
	}
	for _, other := range []uint64{2, got[1]} {
		for i, seed := range seeds(other) {
			if slices.Contains(got, seed) != (seed == got[1]) {
				t.Errorf("repetition %d under %d has the seed %d, which one under 1 has", i, other, seed)
			}
		}
	}
}

// Seeds of repetitions are exact where a number is a float64, as in many readers of JSON.
func TestSeedsInJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := Config{Seed: rapid.Uint64().Draw(t, "seed")}
		seed := config.seedOf(rapid.IntRange(1, 100_000).Draw(t, "rep"))
		if diff := gocmp.Diff(seed, uint64(float64(seed))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Latency saturates, never falls, and is that of the article.
func TestLatency(t *testing.T) {
	article := Default().Latency
	for _, test := range []struct {
		open int
		want time.Duration
	}{{0, 100}, {30, 100}, {31, 100}, {1000, 2345}, {1040, 2671}, {1599, 16458}, {1925, 47524}, {2231, 128580}} {
		got := article.At(test.open) / time.Millisecond
		if got != test.want {
			t.Errorf("latency with %d open is %d ms, want %d ms", test.open, got, test.want)
		}
	}
	for _, l := range []Latency{
		article,
		LinearLatency{time.Second, 10 * time.Millisecond},
		LinearLatency{math.MaxInt64, math.MaxInt64},
		ExponentialLatency{1, 0, 1, 5e-324},
		ExponentialLatency{math.MaxInt64, 0, math.MaxFloat64, 5e-324},
		ExponentialLatency{math.MaxInt64, 0, 1 + 1e-15, 1e300},
	} {
		before := time.Duration(0)
		for open := 0; open < 1<<30; open += 1 + open/50 {
			got := l.At(open)
			if got < before {
				t.Fatalf("%+v: %d with %d open, after %d with fewer", l, got, open, before)
			}
			before = got
		}
	}
	if got := article.At(7793); got != backoff.NoLimit {
		t.Errorf("latency with 7,793 open is %v, want NoLimit", got)
	}
	for _, test := range []struct {
		factor float64
		want   time.Duration
	}{{1, 1 << 62}, {1.5, 3 << 61}, {2, engine.Never}, {1e300, engine.Never}} {
		if got := slower(1<<62, test.factor); got != test.want {
			t.Errorf("%v times slower than 2^62 is %d, want %d", test.factor, got, test.want)
		}
	}
}

// Total adds what is counted and takes the maximum of the rest, in whatever order the seconds
// come.
func TestTotal(t *testing.T) {
	one := Second{First: 1, Retries: 2, OK: 3, Timeouts: 4, Refused: 5, GaveUp: 6, Denied: 7, Wasted: 8, Open: 9, Queued: 10, Latency: 11, Seen: 12, PeakOpen: 13}
	ten := Second{First: 10, Retries: 20, OK: 30, Timeouts: 40, Refused: 50, GaveUp: 60, Denied: 70, Wasted: 80, Open: 90, Queued: 100, Latency: 110, Seen: 120, PeakOpen: 130}
	want := Second{First: 11, Retries: 22, OK: 33, Timeouts: 44, Refused: 55, GaveUp: 66, Denied: 77, Wasted: 88, Open: 90, Queued: 100, Latency: 110, Seen: 120, PeakOpen: 130}
	for _, seconds := range [][]Second{{one, ten}, {ten, one}} {
		if diff := gocmp.Diff(want, Total(seconds)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestProgress(t *testing.T) {
	config := Default()
	config.Schedule, config.Clients, config.Reps, config.Workers = fixed, 10, 3, 2
	config.After = 20500 * time.Millisecond // 55.5 s in all, the last second a short one
	last := 0
	config.Progress = func(done, total int) {
		// Of two workers that are done at once one may speak for both.
		if total != 3*56 || done <= last {
			t.Errorf("progress %d of %d after %d, want more of 168", done, total, last)
		}
		last = done
	}
	result, err := Run(context.Background(), config)
	if err != nil || last != 168 || len(result.Reps[2].Seconds) != 56 {
		t.Errorf("%v after %d of 168, want no error and all", err, last)
	}
}

func TestEndedContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	config := Default()
	config.Reps, config.Workers = 1000, 2
	config.Schedule = func(seed uint64) iter.Seq[time.Duration] {
		cancel(cause)
		return fixed(seed)
	}
	seconds := 0
	config.Progress = func(int, int) { seconds++ }
	result, err := Run(ctx, config)
	if err != cause || result.Reps != nil || seconds > 100 {
		t.Errorf("got %v, %v after %d s, want the cause alone, soon", result, err, seconds)
	}
}

// A context that counts how often it is looked at, and ends at last.
type countedContext struct {
	context.Context
	looks, end int
}

func (c *countedContext) Err() error {
	c.looks++
	if c.looks >= c.end {
		return context.Canceled
	}
	return nil
}

// The context is looked at every 1,024 events, which of less than 48 µs each take less
// than 50 ms: also while the first clients are made, and where one look at the server's
// requests answers thousands of them.
func TestContextIsChecked(t *testing.T) {
	config := Default()
	config.Schedule = fixed
	config.Clients = 20_000
	config.Timeout = time.Minute
	config.Latency = LinearLatency{Base: 15 * time.Second}
	config.Think = time.Second
	config.Accept = 0
	for end := range 80 {
		ctx := &countedContext{Context: context.Background(), end: end + 1}
		w := newWorld(&config, 1)
		if w.run(ctx, func() {}) {
			t.Fatalf("ran to its end after %d looks", ctx.looks)
		}
		// At the end of a stop each of the phases may count one more.
		if least := int64(contextEvery * (end + 1)); w.events < least || w.events > least+ticks || ctx.looks != end+1 {
			t.Fatalf("%d events and %d looks, want %d to %d and %d", w.events, ctx.looks, least, least+ticks, end+1)
		}
	}
}

// Events allocate nothing: what memory a run takes does not grow with its length.
func TestNoAllocationPerEvent(t *testing.T) {
	delays := backoff.Constant(100 * time.Millisecond)
	config := Default()
	config.Schedule = func(uint64) iter.Seq[time.Duration] { return delays }
	config.Abandoned = Cancel
	allocations := func(after time.Duration) float64 {
		config.After = after
		return testing.AllocsPerRun(3, func() {
			newWorld(&config, 1).run(context.Background(), func() {})
		})
	}
	short, long := allocations(20*time.Second), allocations(220*time.Second)
	// 200 s more are 20,000 operations more, and 60,000 events.
	if long > short+200 {
		t.Errorf("%.0f allocations in 55 s, %.0f in 255 s; want at most 200 more", short, long)
	}
}

func BenchmarkRun(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
		for _, mode := range modes {
			b.Run(fmt.Sprintf("%s/clients=%d", mode.name, n), func(b *testing.B) {
				b.ReportAllocs()
				config := mode.config(n)
				requests, peak := 0.0, uint64(0)
				for b.Loop() {
					w := newWorld(&config, 1)
					w.run(b.Context(), func() { peak = max(peak, heapInUse()) })
					total := Total(w.stats.seconds)
					requests += float64(total.First + total.Retries)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/requests, "ns/request")
				b.ReportMetric(float64(peak)/1e6, "peak-MB")
			})
		}
	}
}

// heapInUse returns the bytes of the heap that are in use, garbage included.
func heapInUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}

// The same, by the plain version of the model.
func BenchmarkHeap(b *testing.B) {
	// Looking at every open request by itself, it takes half a minute for the collapse
	// of a thousand clients.
	for i, counts := range [][]int{{100}, {1000, 10_000}} {
		for _, n := range counts {
			mode := modes[i]
			b.Run(fmt.Sprintf("%s/clients=%d", mode.name, n), func(b *testing.B) {
				config := mode.config(n)
				requests := 0.0
				for b.Loop() {
					seconds, _ := runHeap(&config, 1)
					total := Total(seconds)
					requests += float64(total.First + total.Retries)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/requests, "ns/request")
			})
		}
	}
}

// A mode is a course that the published experiment takes.
type mode struct {
	name  string
	delay schedule
	queue int
}

var modes = []mode{{"collapsing", fixed, 4096}, {"recovering", article, 128}}

// config returns it for n clients, with a server that is n/1000 times as large.
func (m mode) config(n int) Config {
	config := scaled(n)
	config.Schedule = m.delay
	config.Queue = m.queue * n / 1000
	return config
}

func scaled(n int) Config {
	config := Default()
	config.Clients = n
	config.Latency = ExponentialLatency{Base: 100 * time.Millisecond, Limit: 30 * n / 1000, Factor: 1.05, Scale: 15 * float64(n) / 1000}
	config.Accept = 25 * time.Microsecond * 1000 / time.Duration(n)
	return config
}
