package plan_test

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/plan"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// counted counts the calls of a function that makes schedules.
func counted(newSchedule func(uint64) seq) (counting func(uint64) seq, calls *atomic.Int64) {
	calls = new(atomic.Int64)
	return func(seed uint64) seq {
		calls.Add(1)
		return newSchedule(seed)
	}, calls
}

// rarely differs from a constant schedule, at retry n, for one seed in this many.
func rarely(n int, one uint64) func(uint64) seq {
	return func(seed uint64) seq {
		last := s
		if seed%one == 0 {
			last = 2 * s
		}
		return backoff.Concat(backoff.Take(backoff.Constant(s), n-1), of(last))
	}
}

func TestOfFindsOutWhatIsRandom(t *testing.T) {
	for _, tt := range []struct {
		name     string
		schedule func(uint64) seq
		n, draws int
		random   bool
		calls    int64
	}{
		{"constant", always(backoff.Constant(s)), 12, 10_000, false, 10_000},
		{"of 1,000 delays", always(backoff.Constant(s)), 1000, 10_000, false, 1 << 20 / 1001},
		{"of 100,000 delays", always(backoff.Constant(s)), 100_000, 10_000, false, 100},
		{"of 100,000 delays, few draws", always(backoff.Constant(s)), 100_000, 10, false, 10},
		{"no delays", always(of()), 5, 10_000, false, 10_000},
		{"full jitter", fullJitter, 12, 1000, true, 1000},
		{"one in a hundred", rarely(12, 100), 12, 10_000, true, 10_000},
		{"one in a hundred, after the last retry", rarely(12, 100), 11, 10_000, false, 10_000},
		{"only the length", func(seed uint64) seq { return backoff.Take(backoff.Constant(s), int(seed%2)) }, 5, 1000, true, 1000},
		{"only that it goes on", func(seed uint64) seq { return backoff.Take(backoff.Constant(s), 5+int(seed%2)) }, 5, 1000, true, 1000},
		{"only whether there is one", func(seed uint64) seq { return backoff.Take(backoff.Constant(s), int(seed%2)) }, 0, 1000, true, 1000},
		{"a shorter one first", func(seed uint64) seq { return backoff.Take(backoff.Constant(0), int(seed%3)) }, 5, 1000, true, 1000},
	} {
		schedule, calls := counted(tt.schedule)
		p := plan.Of(schedule, tt.n, plan.Draws(tt.draws))
		want := 1
		if tt.random {
			want = tt.draws
		}
		if p.Random() != tt.random || p.Draws != want || calls.Load() != tt.calls {
			t.Errorf("%s: random %v, %d draws, %d calls, want %v, %d, %d", tt.name, p.Random(), p.Draws, calls.Load(), tt.random, want, tt.calls)
		}
	}
}

// Every draw counts once, as what it is: those that are alike before the first that differs,
// that one, and the rare ones after it.
func TestOfCountsTheFirstDraws(t *testing.T) {
	const draws, one = 5000, 500
	for seed := range uint64(5) {
		var lock sync.Mutex
		rare, calls := 0, 0
		p := plan.Of(func(seed uint64) seq {
			lock.Lock()
			defer lock.Unlock()
			calls++
			if seed%one == 0 {
				rare++
			}
			return rarely(3, one)(seed)
		}, 5, plan.Draws(draws), plan.Seed(seed), plan.Quantiles(0, 1))
		if calls != draws || rare == 0 {
			t.Fatalf("seed %d: %d calls, %d of them rare, want %d and some", seed, calls, rare, draws)
		}
		extra := s * time.Duration(rare) / draws // of the mean: a rare client waits a second longer
		want := plan.Stats{Min: s, Mean: s + extra, Max: 2 * s, Quantiles: []time.Duration{s, 2 * s}}
		if diff := cmp.Diff(want, p.Retries[2].Delay); diff != "" {
			t.Errorf("seed %d: %d of %d are rare (-want +got):\n%s", seed, rare, draws, diff)
		}
		if got, want := p.Within(3*s).AtLeast, []float64{1, 1, 1, 1, 1 - float64(rare)/draws}; !cmp.Equal(want, got) {
			t.Errorf("seed %d: the shares within 3s are %v, want %v", seed, got, want)
		}
	}
}

// lengths is a schedule of random delays and random length.
func lengths(seed uint64) seq {
	return backoff.Take(backoff.FullJitter(100*ms, 10*s, backoff.WithSeed(seed)), 3+int(seed%30))
}

func TestFirstIsOfFewer(t *testing.T) {
	head := func(seed uint64) seq { return backoff.Concat(of(s, s), fullJitter(seed)) }
	rapid.Check(t, func(t *rapid.T) {
		schedule := rapid.SampledFrom([]func(uint64) seq{lengths, fullJitter, head, always(of(1, 2, 3)), always(backoff.Constant(s))}).Draw(t, "schedule")
		n, more := rapid.IntRange(0, 20).Draw(t, "n"), rapid.IntRange(0, 20).Draw(t, "more")
		opts := []plan.Option{plan.Draws(300), plan.AttemptTime(time.Duration(rapid.IntRange(0, 3).Draw(t, "attempt")))}
		got, want := plan.Of(schedule, n+more, opts...).First(n), plan.Of(schedule, n, opts...)
		if diff := cmp.Diff(export(want), export(got)); diff != "" {
			t.Errorf("the first %d of %d (-want +got):\n%s", n, n+more, diff)
		}
		if got.Draws != want.Draws || got.Complete() != want.Complete() || got.Cost(0.5) != want.Cost(0.5) ||
			!cmp.Equal(got.Duration(), want.Duration()) || !cmp.Equal(got.Warnings(), want.Warnings()) {
			t.Errorf("the first %d of %d differ", n, n+more)
		}
	})
}

// The last retry of a draw begins when its last attempt does.
func TestLastRetry(t *testing.T) {
	for _, schedule := range []func(uint64) seq{lengths, always(of(1, 2, 3)), always(of())} {
		p := plan.Of(schedule, 40, plan.Draws(300), plan.AttemptTime(7))
		got, whole := p.LastRetry(), p.Duration()
		want := plan.Stats{Min: whole.Min - 7, Mean: whole.Mean - 7, Max: whole.Max - 7}
		for _, q := range whole.Quantiles {
			want.Quantiles = append(want.Quantiles, q-7)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the last retry comes (-want +got):\n%s", diff)
		}
		if n := len(p.Retries); n > 0 && got.Max < p.Retries[n-1].Elapsed.Max {
			t.Errorf("the last retry comes at %v at most, and retry %d at %v", got.Max, n, p.Retries[n-1].Elapsed.Max)
		}
	}
}

func TestUntil(t *testing.T) {
	p := plan.Of(fullJitter, 3, plan.Draws(500))
	q := p.UntilDeadline(time.Minute)
	if q.Within(time.Minute).Open > 0 || len(q.Retries) != 48 {
		t.Errorf("%d retries for a minute, of which %v are not enough, want 48 and 0", len(q.Retries), q.Within(time.Minute).Open)
	}
	if diff := cmp.Diff(p.Retries, q.Retries[:3]); diff != "" {
		t.Errorf("the first retries have changed (-want +got):\n%s", diff)
	}
	if q.UntilDeadline(time.Minute) != q {
		t.Error("what is enough is not what comes back")
	}
	if c := p.UntilComplete(5 * time.Minute); c.Complete() < 5*time.Minute {
		t.Errorf("complete until %v, want 5 min", c.Complete())
	}
	if c := p.UntilCutOff(0.5, 1e-6).Cost(0.5); !(c.CutOff <= 1e-6 && c.CutOff > 0) {
		t.Errorf("a request is cut off with probability %v, want 1e-6 at most", c.CutOff)
	}
	if got := plan.Of(lengths, 2, plan.Draws(50)).UntilDeadline(backoff.NoLimit); got.Open > 0 || len(got.Retries) != 32 {
		t.Errorf("%d retries, and %v go on, want 32 and none", len(got.Retries), got.Open)
	}
	if got := plan.Of(fullJitter, 0, plan.Draws(50)).UntilDeadline(time.Second); got.Within(time.Second).Open > 0 {
		t.Error("from no retries on nothing is drawn")
	}
	if got := len(plan.Of(always(backoff.Constant(0)), 7).UntilDeadline(0).Retries); got != plan.MostRetries {
		t.Errorf("%d retries of an endless schedule, want %d", got, plan.MostRetries)
	}
	many := plan.Of(fullJitter, 1, plan.Draws(1_000_000))
	if got := []int{many.Deepest(), p.Deepest(), plan.Of(always(of(1)), 1).Deepest()}; !slices.Equal(got, []int{20, 40_000, plan.MostRetries}) {
		t.Errorf("the most retries of a million draws, of 500 and of an exact schedule are %v, want 20, 40,000 and 100,000", got)
	}
	some := plan.Of(fullJitter, 1, plan.Draws(10_000))
	if got := len(some.Until(func(p *plan.Plan) bool { return len(p.Retries) > 4 }).Retries); got != 16 {
		t.Errorf("four times as many until there are 5 are %d, want 16", got)
	}
}

// A schedule that is random only after many retries must not be drawn ten thousand times.
func TestUntilStopsBeforeItIsTooMuch(t *testing.T) {
	late := func(seed uint64) seq {
		return backoff.Concat(backoff.Take(backoff.Constant(0), 30_000), fullJitter(seed))
	}
	p := plan.Of(late, 4).UntilDeadline(0)
	if len(p.Retries) != 4*4*4*4*4*4*4 || p.Random() {
		t.Errorf("%d retries, random %v, want 16384 that are not", len(p.Retries), p.Random())
	}
}

// If there are more retries, fewer draws are compared, and these would miss the one draw in
// thousands that differs.
func TestUntilKeepsWhatIsRare(t *testing.T) {
	rare := func(seed uint64) seq {
		first := s
		if seed%5000 == 7 {
			first = 2 * s
		}
		return backoff.Concat(of(first), backoff.Take(backoff.Constant(s), 50_000))
	}
	p := plan.Of(rare, 12)
	if !p.Random() {
		t.Fatal("no draw differs: the test wants another seed")
	}
	q := p.UntilDeadline(49_000 * s)
	if diff := cmp.Diff(p.Retries, q.Retries[:12]); diff != "" || !q.Random() {
		t.Errorf("random %v; the first retries (-want +got):\n%s", q.Random(), diff)
	}
}

func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		name     string
		p        *plan.Plan
		end      plan.End
		uneven   bool
		endless  bool
		complete time.Duration
		most     time.Duration
	}{
		{"endless", plan.Of(always(backoff.Constant(s)), 3, plan.AttemptTime(ms)), plan.GoesOn, false, true, 3*s + 3*ms, 3*s + 4*ms},
		{"ends", plan.Of(always(of(s, s)), 3, plan.AttemptTime(ms)), plan.Ends, false, false, backoff.NoLimit, 2*s + 3*ms},
		{"ends much later", plan.Of(always(backoff.Take(backoff.Constant(s), plan.MostRetries)), 3), plan.GoesOn, false, false, 3 * s, 3 * s},
		{"empty", plan.Of(always(of()), 3, plan.AttemptTime(ms)), plan.Ends, false, false, backoff.NoLimit, ms},
		{"some", plan.Of(func(seed uint64) seq { return backoff.Take(backoff.Constant(s), 2+2*int(seed%2)) }, 3), plan.MayGoOn, true, false, 3 * s, 3 * s},
		{"uneven", plan.Of(func(seed uint64) seq { return backoff.Take(backoff.Constant(s), 2+int(seed%2)) }, 5), plan.Ends, true, false, backoff.NoLimit, 3 * s},
		{"forever", plan.Of(always(of(backoff.NoLimit)), 1, plan.AttemptTime(ms)), plan.Ends, false, false, backoff.NoLimit, backoff.NoLimit},
	} {
		if got := tt.p.End(); got != tt.end {
			t.Errorf("%s: it %v, want %v", tt.name, got, tt.end)
		}
		if tt.p.Uneven() != tt.uneven || tt.p.LooksEndless() != tt.endless || tt.p.Complete() != tt.complete || tt.p.Duration().Max != tt.most {
			t.Errorf("%s: uneven %v, endless %v, complete until %v, takes %v, want %v, %v, %v, %v", tt.name,
				tt.p.Uneven(), tt.p.LooksEndless(), tt.p.Complete(), tt.p.Duration().Max, tt.uneven, tt.endless, tt.complete, tt.most)
		}
	}
}

// The draw that takes longest need not have the most retries.
func TestDurationIsOfAllDraws(t *testing.T) {
	p := plan.Of(func(seed uint64) seq {
		if seed%2 == 0 {
			return of(10 * s)
		}
		return of(s, s)
	}, 5, plan.AttemptTime(s))
	if got := p.Duration(); got.Min != 5*s || got.Max != 12*s || math.Abs(got.Mean.Seconds()-8.5) > 0.2 {
		t.Errorf("the whole takes %+v, want 5 s or 12 s", got)
	}
}

func TestLargestAtom(t *testing.T) {
	if atom, retry := plan.Of(jitterThenCap(backoff.Jitter, 1), 10).LargestAtom(); retry != 10 || atom.Delay != 10*s || atom.Share < 0.7 {
		t.Errorf("retry %d has %v, want retry 10 with 10 s", retry, atom)
	}
	if atom, retry := plan.Of(fullJitter, 10).LargestAtom(); retry != 0 || atom.Share != 0 {
		t.Errorf("full jitter has %v at retry %d", atom, retry)
	}
	if atom, retry := plan.Of(always(of(2, 1)), 10).LargestAtom(); retry != 1 || atom != (plan.Atom{Delay: 2, Share: 1}) {
		t.Errorf("an exact schedule has %v at retry %d", atom, retry)
	}
}

func TestFitForAShare(t *testing.T) {
	f := plan.Fit{Min: 1, Max: 3, AtLeast: []float64{1, 1, 0.95, 0.4}}
	for share, want := range map[float64]int{0: 3, 0.4: 3, 0.5: 2, 0.95: 2, 0.951: 1, 1: 1} {
		if got := f.AttemptsFor(share); got != want {
			t.Errorf("%d attempts fit for %v, want %d", got, share, want)
		}
	}
	if got := []float64{f.Share(0), f.Share(3), f.Share(4)}; !slices.Equal(got, []float64{1, 0.4, 0}) {
		t.Errorf("the shares are %v", got)
	}
	if got := (plan.Fit{AtLeast: []float64{1}}).AttemptsFor(0.95); got != 0 {
		t.Errorf("where none fits, %d fit", got)
	}
}

func TestCost(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    *plan.Plan
		fail float64
		want plan.Cost
	}{
		{"ends", plan.Of(always(of(1, 1, 1)), 5), 0.5, plan.Cost{1.875, 1.875, 0.9375, 0.9375, 0}},
		{"goes on", plan.Of(always(backoff.Constant(1)), 3), 0.5, plan.Cost{1.875, 2, 0.9375, 1, 1. / 16}},
		{"all fail", plan.Of(always(backoff.Constant(1)), 3), 1, plan.Cost{4, math.Inf(1), 0, 0, 1}},
		{"none fails", plan.Of(always(backoff.Constant(1)), 3), 0, plan.Cost{1, 1, 1, 1, 0}},
		{"no retries", plan.Of(always(backoff.Constant(1)), 0), 0.5, plan.Cost{1, 2, 0.5, 1, 0.5}},
	} {
		if got := tt.p.Cost(tt.fail); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	// Once cut off below 10⁻⁶ without a word: 7 of 22 retries were drawn.
	p := plan.Of(always(backoff.Take(backoff.Constant(s), 22)), 7)
	c, whole := p.Cost(0.1), p.UntilCutOff(0.1, 0).Cost(0.1)
	if math.Abs(c.CutOff-1e-8) > 1e-20 || whole.CutOff != 0 || !(c.Attempts <= whole.Attempts && whole.Attempts <= c.MostAttempts) {
		t.Errorf("7 retries: %+v, all 22: %+v", c, whole)
	}
}

// A Cost of more retries lies within the bounds of one of fewer retries.
func TestCostIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		fail := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Just(1.0)).Draw(t, "fail")
		few, all := plan.Of(lengths, n, plan.Draws(50)).Cost(fail), plan.Of(lengths, 50, plan.Draws(50)).Cost(fail)
		const slack = 1 + 1e-12
		if few.Attempts > all.Attempts*slack || all.Attempts > few.MostAttempts*slack ||
			few.Success > all.Success*slack || all.Success > few.MostSuccess*slack || all.CutOff != 0 {
			t.Errorf("after %d retries %+v, in the end %+v", n, few, all)
		}
	})
}

func TestEndsPanics(t *testing.T) {
	p := plan.Of(always(of(1)), 1)
	for _, tt := range []struct {
		call func()
		want string
	}{
		{func() { p.First(-1) }, "plan: First: n is -1, want >= 0"},
		{func() { p.UntilDeadline(-1) }, "plan: UntilDeadline: deadline is -1ns, want >= 0"},
		{func() { p.UntilComplete(-1) }, "plan: UntilComplete: until is -1ns, want >= 0"},
		{func() { p.UntilCutOff(2, 0) }, "plan: UntilCutOff: fail is 2, want a value in [0, 1]"},
		{func() { p.UntilCutOff(0, 2) }, "plan: UntilCutOff: share is 2, want a value in [0, 1]"},
		{func() { p.Cost(2) }, "plan: Cost: fail is 2, want a value in [0, 1]"},
		{func() { plan.Fit{}.Share(-1) }, "plan: Share: attempts is -1, want >= 0"},
		{func() { plan.Fit{}.AttemptsFor(-1) }, "plan: AttemptsFor: share is -1, want a value in [0, 1]"},
	} {
		if got := panicOf(tt.call); got != tt.want {
			t.Errorf("got  %v\nwant %s", got, tt.want)
		}
	}
}

// BenchmarkOfExact measures how long it takes to find out that nothing is random.
func BenchmarkOfExact(b *testing.B) {
	for _, n := range []int{12, 1000, plan.MostRetries} {
		b.Run(fmt.Sprintf("retries=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				plan.Of(func(uint64) iter.Seq[time.Duration] { return backoff.Exponential(time.Second, 1.1) }, n)
			}
		})
	}
}
