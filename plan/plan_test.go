package plan_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/internal/ending"
	"example.com/backoff/plan"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type seq = iter.Seq[time.Duration]

// always ignores the seed.
func always(s seq) func(uint64) seq { return func(uint64) seq { return s } }

// of returns the schedule of these delays.
func of(delays ...time.Duration) seq { return slices.Values(delays) }

// exported has the results of a Plan, for comparison.
type exported struct {
	Retries []plan.Retry
	Open    float64
	Fit     plan.Fit
	Load    plan.Load
}

func export(p *plan.Plan) exported {
	return exported{p.Retries, p.Open, p.Within(20 * time.Second), p.Load(1000, time.Minute, time.Second)}
}

func TestOfExactSchedule(t *testing.T) {
	same := func(d time.Duration) plan.Stats {
		return plan.Stats{Min: d, Mean: d, Max: d, Quantiles: []time.Duration{d, d, d}}
	}
	row := func(n int, delay, elapsed time.Duration) plan.Retry {
		return plan.Retry{N: n, Share: 1, Delay: same(delay), Elapsed: same(elapsed), Atom: plan.Atom{Delay: delay, Share: 1}}
	}
	const long = backoff.NoLimit
	for _, tt := range []struct {
		name string
		seq  seq
		n    int
		opts []plan.Option
		want []plan.Retry
		open float64
	}{
		{
			"endless", backoff.Exponential(time.Second, 2), 3, nil,
			[]plan.Retry{row(1, 1e9, 1e9), row(2, 2e9, 3e9), row(3, 4e9, 7e9)},
			1,
		},
		{"ends", of(5, 3), 3, nil, []plan.Retry{row(1, 5, 5), row(2, 3, 8)}, 0},
		{"ends at n", of(5, 3), 2, nil, []plan.Retry{row(1, 5, 5), row(2, 3, 8)}, 0},
		{"two draws", of(5), 1, []plan.Option{plan.Draws(2)}, []plan.Retry{row(1, 5, 5)}, 0},
		{"attempts last", of(5, 3), 3, []plan.Option{plan.AttemptTime(100)}, []plan.Retry{row(1, 5, 105), row(2, 3, 208)}, 0},
		{"saturates", of(3, long, 1), 3, []plan.Option{plan.AttemptTime(1)}, []plan.Retry{row(1, 3, 4), row(2, long, long), row(3, 1, long)}, 0},
		{"zero", backoff.Constant(0), 2, nil, []plan.Retry{row(1, 0, 0), row(2, 0, 0)}, 1},
		{"negative", of(-5, 3), 2, nil, []plan.Retry{row(1, 0, 0), row(2, 3, 3)}, 0},
		{"no retries asked", backoff.Constant(1), 0, nil, []plan.Retry{}, 1},
		{"empty", of(), 5, nil, []plan.Retry{}, 0},
	} {
		p := plan.Of(always(tt.seq), tt.n, tt.opts...)
		if diff := cmp.Diff(tt.want, p.Retries); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if p.Open != tt.open {
			t.Errorf("%s: Open is %v, want %v", tt.name, p.Open, tt.open)
		}
		for _, r := range p.Retries {
			if !r.Delay.Exact() || !r.Elapsed.Exact() {
				t.Errorf("%s: retry %d is not exact", tt.name, r.N)
			}
		}
	}
}

// Every number against one computed the plain way from the same seeds, for a
// schedule of random delays and random length.
func TestOfIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(-1, 50), rapid.Int64Min(0)), 0, 6), 1, 9).Draw(t, "rows")
		n := rapid.IntRange(0, 7).Draw(t, "n")
		draws := rapid.OneOf(rapid.IntRange(2, 600), rapid.IntRange(500, 3000)).Draw(t, "draws")
		quantiles := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 4).Draw(t, "quantiles")
		attempt := time.Duration(rapid.Int64Range(0, 20).Draw(t, "attempt"))
		deadline := time.Duration(rapid.Int64Range(0, 200).Draw(t, "deadline"))
		const until, bin = 100, 7

		var mu sync.Mutex
		var drawn [][]int64
		p := plan.Of(func(seed uint64) seq {
			row := rows[seed%uint64(len(rows))]
			mu.Lock()
			drawn = append(drawn, row)
			mu.Unlock()
			return func(yield func(time.Duration) bool) {
				for _, d := range row {
					if !yield(time.Duration(d)) {
						return
					}
				}
			}
		}, n, plan.Draws(draws), plan.Quantiles(quantiles...), plan.AttemptTime(attempt), plan.Seed(rapid.Uint64().Draw(t, "seed")))
		if len(drawn) != draws {
			t.Fatalf("newSchedule was called %d times, want %d", len(drawn), draws)
		}

		sum := func(a, b int64) int64 { // saturating
			if a > math.MaxInt64-b {
				return math.MaxInt64
			}
			return a + b
		}
		delays, elapsed := make([][]float64, n), make([][]float64, n)
		var fits []int
		open, openFits := 0, 0
		load := make([]float64, (until+bin-1)/bin)
		complete := time.Duration(math.MaxInt64)
		for _, row := range drawn {
			at, fit := int64(0), 0
			if attempt <= deadline {
				fit = 1
			}
			for k, d := range row[:min(n, len(row))] {
				at = sum(sum(at, int64(attempt)), max(d, 0))
				delays[k] = append(delays[k], float64(max(d, 0)))
				elapsed[k] = append(elapsed[k], float64(at))
				if sum(at, int64(attempt)) <= int64(deadline) {
					fit++
				}
				if at < (until+bin-1)/bin*bin {
					load[at/bin]++
				}
			}
			if len(row) > n {
				open++
				complete = min(complete, time.Duration(at))
				if fit == n+1 {
					openFits++
				}
			}
			fits = append(fits, fit)
		}
		stats := func(name string, got plan.Stats, column []float64) {
			slices.Sort(column)
			mean := 0.0
			for _, x := range column {
				mean += x / float64(len(column))
			}
			if math.Abs(float64(got.Mean)-mean) > 1+1e-12*mean {
				t.Errorf("%s: mean is %d, want %g", name, got.Mean, mean)
			}
			if float64(got.Min) != column[0] || float64(got.Max) != column[len(column)-1] {
				t.Errorf("%s: least and greatest are %d, %d, want %g, %g", name, got.Min, got.Max, column[0], column[len(column)-1])
			}
			for i, q := range quantiles {
				if want := column[int(math.Round(q*float64(len(column)-1)))]; float64(got.Quantiles[i]) != want {
					t.Errorf("%s: quantile %v is %d, want %g", name, q, got.Quantiles[i], want)
				}
			}
		}
		for k, r := range p.Retries {
			if r.N != k+1 || r.Share != float64(len(delays[k]))/float64(draws) {
				t.Errorf("row %d is retry %d of a share of %v, want %d of %d draws", k, r.N, r.Share, len(delays[k]), draws)
			}
			stats(fmt.Sprintf("delay %d", r.N), r.Delay, delays[k])
			stats(fmt.Sprintf("elapsed %d", r.N), r.Elapsed, elapsed[k])
		}
		for k := len(p.Retries); k < n; k++ {
			if len(delays[k]) > 0 {
				t.Errorf("retry %d is missing, which %d draws have", k+1, len(delays[k]))
			}
		}
		if want := float64(open) / float64(draws); p.Open != want {
			t.Errorf("Open is %v, want %v", p.Open, want)
		}

		want := plan.Fit{Min: slices.Min(fits), Max: slices.Max(fits), Open: float64(openFits) / float64(draws)}
		for k := range want.Max + 1 {
			count := 0
			for _, fit := range fits {
				if fit >= k {
					count++
				}
			}
			want.AtLeast = append(want.AtLeast, float64(count)/float64(draws))
			if k > 0 {
				want.Mean += float64(count) / float64(draws)
			}
		}
		got := p.Within(deadline)
		if math.Abs(got.Mean-want.Mean) > 1e-9 {
			t.Errorf("Within: mean is %v, want %v", got.Mean, want.Mean)
		}
		got.Mean = want.Mean
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Within(%d) (-want +got):\n%s", deadline, diff)
		}

		l := p.Load(draws, until, bin) // as many clients as draws: the counts themselves
		if l.Complete != complete {
			t.Errorf("Load: complete until %d, want %d", l.Complete, complete)
		}
		for i, rate := range l.PerSecond {
			if got := rate * l.Bin.Seconds(); math.Abs(got-load[i]) > 1e-9 {
				t.Errorf("Load: bin %d has %v retries, want %v", i, got, load[i])
			}
		}
		if len(l.PerSecond) != len(load) {
			t.Errorf("Load has %d bins, want %d", len(l.PerSecond), len(load))
		}
	})
}

func TestOfIsTheSameOnAnyNumberOfProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	schedule := func(seed uint64) seq {
		s := backoff.DecorrelatedJitter(100*time.Millisecond, 10*time.Second, backoff.WithSeed(seed))
		return backoff.Take(s, int(seed%13))
	}
	var want exported
	for i, procs := range []int{1, 2, 7} {
		runtime.GOMAXPROCS(procs)
		got := export(plan.Of(schedule, 12, plan.Draws(3001)))
		if i == 0 {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("GOMAXPROCS %d (-1 +%d):\n%s", procs, procs, diff)
		}
	}
	if got := export(plan.Of(schedule, 12, plan.Draws(3001), plan.Seed(2))); cmp.Equal(want, got) {
		t.Error("another seed gives the same draws")
	}
}

// A seed's Plan is the same on every GOARCH and stays what it is.
func TestOfGolden(t *testing.T) {
	p := plan.Of(fullJitter, 3, plan.Draws(1000))
	got := fmt.Sprint(p.Retries[2])
	const want = "{3 1 {585.499µs 195.175879ms 399.763148ms [18.017902ms 195.777803ms 378.073201ms]} " +
		"{37.843009ms 345.005625ms 676.168161ms [146.145679ms 345.203693ms 570.644345ms]} {0s 0 0}}"
	if got != want {
		t.Errorf("retry 3 is\n%s, want\n%s", got, want)
	}
}

// The mean of k draws of U[0, e] is off e/2 by more than 5·e/√(12k) once in two
// million, a quantile q by more than 5·e·√(q(1−q)/k) likewise. 20 retries: less
// than once in 10,000 seeds.
func TestOfFullJitterIsUniform(t *testing.T) {
	const draws = 100_000
	p := plan.Of(fullJitter, 20, plan.Draws(draws), plan.Quantiles(0.1, 0.5, 0.9))
	total := 0.0
	variance := 0.0
	for _, r := range p.Retries {
		e := math.Min(10, 0.1*math.Pow(2, float64(r.N-1)))
		total += e / 2
		variance += e * e / 12
		near := func(what string, got time.Duration, want, deviation float64) {
			if math.Abs(got.Seconds()-want) > 5*deviation/math.Sqrt(draws) {
				t.Errorf("retry %d: %s is %v, want %v s", r.N, what, got, want)
			}
		}
		near("mean delay", r.Delay.Mean, e/2, e/math.Sqrt(12))
		near("mean elapsed", r.Elapsed.Mean, total, math.Sqrt(variance))
		for i, q := range p.Quantiles {
			near(fmt.Sprint("quantile ", q), r.Delay.Quantiles[i], q*e, e*math.Sqrt(q*(1-q)))
		}
	}
}

// Of draws n delays from a schedule, and one more to find out whether it goes on.
func TestOfIsLazy(t *testing.T) {
	var mu sync.Mutex
	most := 0
	plan.Of(func(uint64) seq {
		return func(yield func(time.Duration) bool) {
			n := 0
			for n++; yield(1); n++ {
			}
			mu.Lock()
			most = max(most, n)
			mu.Unlock()
		}
	}, 5, plan.Draws(10))
	if most != 6 {
		t.Errorf("%d delays were drawn, want 6", most)
	}
}

func TestOfGivesEachDrawASeed(t *testing.T) {
	var mu sync.Mutex
	seen := map[uint64]bool{}
	plan.Of(func(seed uint64) seq {
		mu.Lock()
		seen[seed] = true
		mu.Unlock()
		return of()
	}, 1, plan.Draws(5000))
	if len(seen) != 5000 {
		t.Errorf("%d seeds for 5000 draws", len(seen))
	}
}

func TestOfPanics(t *testing.T) {
	one := always(of(1))
	p := plan.Of(one, 1)
	for _, tt := range []struct {
		call func()
		want string
	}{
		{func() { plan.Of(nil, 1) }, "plan: Of: newSchedule is nil, want a function"},
		{func() { plan.Of(always(nil), 1) }, "plan: Of: newSchedule is a function that returns nil, want one that returns a schedule"},
		{func() { plan.Of(one, -1) }, "plan: Of: n is -1, want >= 0"},
		{func() { plan.Of(func(uint64) seq { panic("mine") }, 1) }, "mine"},
		{func() { plan.Draws(1) }, "plan: Draws: n is 1, want >= 2"},
		{func() { plan.Quantiles(0.5, 1.5) }, "plan: Quantiles: probability 1 is 1.5, want a value in [0, 1]"},
		{func() { plan.Quantiles(math.NaN()) }, "plan: Quantiles: probability 0 is NaN, want a value in [0, 1]"},
		{func() { plan.AttemptTime(-1) }, "plan: AttemptTime: d is -1ns, want >= 0"},
		{func() { p.Within(-1) }, "plan: Within: deadline is -1ns, want >= 0"},
		{func() { p.Load(-1, 1, 1) }, "plan: Load: clients is -1, want >= 0"},
		{func() { p.Load(1, 0, 1) }, "plan: Load: until is 0s, want > 0"},
		{func() { p.Load(1, 1, 0) }, "plan: Load: bin is 0s, want > 0"},
		{func() { p.Load(1, time.Hour, 1) }, "plan: Load: bin is 1ns, want at least until/16777216"},
		{func() { p.Peak(-1, 1, 1) }, "plan: Peak: clients is -1, want >= 0"},
		{func() { p.Peak(1, 0, 1) }, "plan: Peak: until is 0s, want > 0"},
		{func() { p.Amplification(2) }, "plan: Amplification: fail is 2, want a value in [0, 1]"},
		{func() { plan.Amplification(math.NaN(), 1) }, "plan: Amplification: fail is NaN, want a value in [0, 1]"},
		{func() { plan.Amplification(1, -1) }, "plan: Amplification: n is -1, want >= 0"},
	} {
		if got := panicOf(tt.call); got != tt.want {
			t.Errorf("got  %v\nwant %s", got, tt.want)
		}
	}
}

func TestWithin(t *testing.T) {
	doubling := always(backoff.Exponential(time.Second, 2))
	for _, tt := range []struct {
		name     string
		p        *plan.Plan
		deadline time.Duration
		want     plan.Fit
	}{
		{
			"between retries", plan.Of(doubling, 10), 5 * time.Second,
			plan.Fit{Min: 3, Max: 3, Mean: 3, AtLeast: []float64{1, 1, 1, 1}},
		},
		{
			"just at a retry", plan.Of(doubling, 10), 7 * time.Second,
			plan.Fit{Min: 4, Max: 4, Mean: 4, AtLeast: []float64{1, 1, 1, 1, 1}},
		},
		{
			"none but the first", plan.Of(doubling, 10), 0,
			plan.Fit{Min: 1, Max: 1, Mean: 1, AtLeast: []float64{1, 1}},
		},
		{
			"attempts last", plan.Of(doubling, 10, plan.AttemptTime(time.Second)), 5 * time.Second,
			plan.Fit{Min: 2, Max: 2, Mean: 2, AtLeast: []float64{1, 1, 1}},
		},
		{
			"not even the first ends", plan.Of(doubling, 10, plan.AttemptTime(time.Second)), time.Second - 1,
			plan.Fit{AtLeast: []float64{1}},
		},
		{
			"asked for too few", plan.Of(doubling, 2), time.Minute,
			plan.Fit{Min: 3, Max: 3, Mean: 3, AtLeast: []float64{1, 1, 1, 1}, Open: 1},
		},
		{
			"the schedule ends", plan.Of(always(of(1, 1)), 2), time.Minute,
			plan.Fit{Min: 3, Max: 3, Mean: 3, AtLeast: []float64{1, 1, 1, 1}},
		},
	} {
		if diff := cmp.Diff(tt.want, tt.p.Within(tt.deadline)); diff != "" {
			t.Errorf("%s: Within(%v) (-want +got):\n%s", tt.name, tt.deadline, diff)
		}
	}
}

// The whole retries that fit, by formula and by counting.
func TestWithinAgreesWithGeometric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := plan.Geometric{
			Base:   time.Duration(rapid.Int64Range(1e6, 1e9).Draw(t, "base")),
			Factor: rapid.SampledFrom([]float64{1, 2, 3}).Draw(t, "factor"), // whole: no delay is rounded
			Limit:  time.Duration(rapid.Int64Range(1e6, 1e11).Draw(t, "limit")),
		}
		deadline := time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "deadline"))
		want := g.RetriesWithin(deadline) + 1
		got := plan.Of(always(g.Schedule()), want, plan.Draws(2)).Within(deadline)
		if got.Min != want || got.Max != want {
			t.Errorf("Within(%d) is %+v, want %d attempts", deadline, got, want)
		}
	})
}

// Of jittered clients each retry by time t is counted in the load up to t.
func TestLoadSumsUpToTheRetries(t *testing.T) {
	const clients, until = 5000, 30 * time.Second
	p := plan.Of(fullJitter, 200)
	l := p.Load(clients, until, 100*time.Millisecond)
	sum := 0.0
	for _, rate := range l.PerSecond {
		sum += rate * l.Bin.Seconds()
	}
	// Within counts the first attempt and a retry at until itself.
	if want := clients * (p.Within(until-1).Mean - 1); math.Abs(sum-want) > 1e-9*want {
		t.Errorf("the load sums up to %v retries, want %v", sum, want)
	}
	if l.Complete < until {
		t.Errorf("200 retries are complete until %v, want %v", l.Complete, until)
	}
}

func TestLoadOfExactSchedule(t *testing.T) {
	l := plan.Of(always(backoff.Constant(time.Second)), 3).Load(100, 3500*time.Millisecond, 500*time.Millisecond)
	want := plan.Load{
		Bin:       500 * time.Millisecond,
		PerSecond: []float64{0, 0, 200, 0, 200, 0, 200},
		Complete:  3 * time.Second,
	}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if at, rate := l.Peak(); at != time.Second || rate != 200 {
		t.Errorf("the peak is %v at %v, want 200 at 1s", rate, at)
	}
	l = plan.Of(always(of(1)), 1).Load(1, 10, 10)
	if l.Complete != backoff.NoLimit {
		t.Errorf("of a schedule that ends the load is complete until %v, want NoLimit", l.Complete)
	}
	if got := plan.Of(always(backoff.Constant(1)), 0).Load(1, 10, 10).Complete; got != 0 {
		t.Errorf("without a retry the load is complete until %v, want 0", got)
	}
	if at, rate := (plan.Load{}).Peak(); at != 0 || rate != 0 {
		t.Errorf("the peak of nothing is %v at %v", rate, at)
	}
}

func TestAmplification(t *testing.T) {
	for _, tt := range []struct {
		fail              float64
		n                 int
		attempts, success float64
	}{
		{0.5, 0, 1, 0.5},
		{0.5, 3, 1.875, 0.9375},
		{0.5, plan.Endless, 2, 1},
		{0, 5, 1, 1},
		{0, plan.Endless, 1, 1},
		{1, 5, 6, 0},
		{1, plan.Endless, math.Inf(1), 0},
		{1, 999_999_999, 1e9, 0},
		{0.75, 1_000_000_000, 4, 1},
		{1 - 1.0/(1<<50), 1, 2 - 1.0/(1<<50), 1.0 / (1 << 49)}, // 1 − p² is all cancellation
		{5e-324, plan.Endless - 1, 1, 1},
	} {
		attempts, success := plan.Amplification(tt.fail, tt.n)
		if !(attempts == tt.attempts && math.Abs(success-tt.success) <= 1e-15*tt.success) {
			t.Errorf("Amplification(%v, %d) = %.17g, %.17g, want %v, %v", tt.fail, tt.n, attempts, success, tt.attempts, tt.success)
		}
	}
}

func TestAmplificationIsItsSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fail, n := rapid.Float64Range(0, 1).Draw(t, "fail"), rapid.IntRange(0, 1000).Draw(t, "n")
		sum, power := 0.0, 1.0
		for range n + 1 {
			sum += power
			power *= fail
		}
		attempts, success := plan.Amplification(fail, n)
		if math.Abs(attempts-sum) > 1e-12*sum || math.Abs(success-(1-power)) > 1e-12 {
			t.Errorf("got %v, %v, want %v, %v", attempts, success, sum, 1-power)
		}
	})
}

// The mean of the lengths' amplifications, and a simulation of the requests: the
// attempts of 100,000 requests have a standard deviation below 3, so that the
// mean is off by more than 5·3/√100,000 = 0.05 less than once in a million.
func TestPlanAmplification(t *testing.T) {
	lengths := func(seed uint64) seq { return backoff.Take(backoff.Constant(1), []int{1, 3}[seed%2]) }
	p := plan.Of(lengths, 10, plan.Draws(100_000))
	odd := p.Retries[2].Share // of the draws, those of length 3
	attempts, success := p.Amplification(0.5)
	if want := (1-odd)*1.5 + odd*1.875; math.Abs(attempts-want) > 1e-12 {
		t.Errorf("attempts are %v, want %v", attempts, want)
	}
	if want := (1-odd)*0.75 + odd*0.9375; math.Abs(success-want) > 1e-12 {
		t.Errorf("success is %v, want %v", success, want)
	}

	rng := rand.New(rand.NewPCG(1, 2))
	const requests = 100_000
	made := 0
	for i := range requests {
		made++
		for range lengths(uint64(i)) {
			if rng.Float64() >= 0.5 {
				break
			}
			made++
		}
	}
	if got := float64(made) / requests; math.Abs(got-attempts) > 0.05 {
		t.Errorf("simulated requests make %v attempts, want %v", got, attempts)
	}
	if attempts, success := plan.Of(always(of()), 3).Amplification(0.5); attempts != 1 || success != 0.5 {
		t.Errorf("without retries: %v, %v, want 1, 0.5", attempts, success)
	}
}

// If a schedule ends its goroutine, by a panic or an exit such as testing.T.FailNow, the
// goroutine of the caller ends too, so there is no Plan that lacks draws.
//
// The caller's goroutine makes the first draws, until two differ. Other goroutines meet a
// fault that comes late.
func TestOfEndsWithItsSchedule(t *testing.T) {
	late := func(fault func()) func(uint64) seq {
		var calls atomic.Int64
		return func(seed uint64) seq {
			if calls.Add(1) > 500 {
				fault()
			}
			return backoff.FullJitter(time.Second, time.Minute, backoff.WithSeed(seed))
		}
	}
	for _, test := range []struct {
		name        string
		newSchedule func(uint64) seq
		want        string
	}{
		{"panics", func(uint64) seq { panic("boom") }, "panic: boom"},
		{"panics in the range", func(uint64) seq { return func(func(time.Duration) bool) { panic("boom") } }, "panic: boom"},
		{"exits", func(uint64) seq { runtime.Goexit(); return nil }, "exit"},
		{"exits in the range", func(uint64) seq { return func(func(time.Duration) bool) { runtime.Goexit() } }, "exit"},
		{"panics late", late(func() { panic("boom") }), "panic: boom"},
		{"exits late", late(runtime.Goexit), "exit"},
	} {
		got := ending.Of(func() { plan.Of(test.newSchedule, 3) })
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("a schedule that %s (-want +got):\n%s", test.name, diff)
		}
	}
}

// The zero Option sets nothing, wherever it stands.
func TestZeroOption(t *testing.T) {
	jittered := func(seed uint64) seq { return backoff.FullJitter(time.Second, time.Minute, backoff.WithSeed(seed)) }
	want := plan.Of(jittered, 3, plan.Draws(20), plan.Seed(7))
	got := plan.Of(jittered, 3, plan.Option{}, plan.Draws(20), plan.Option{}, plan.Seed(7), plan.Option{})
	if diff := cmp.Diff(want.Retries, got.Retries); diff != "" || got.Draws != 20 {
		t.Errorf("of %d draws (-want +got):\n%s", got.Draws, diff)
	}
}
