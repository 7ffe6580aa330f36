package adapt

import (
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff"
)

const never time.Duration = math.MaxInt64

// A limiterCall is one call of When at a moment since the limiter was made. If forget is
// true it is a call of Forget instead.
type limiterCall struct {
	at       time.Duration
	item     string
	want     time.Duration // delay
	requeues int           // after the call
	forget   bool
}

func TestRateLimiter(t *testing.T) {
	s := time.Second
	doubling := backoff.Exponential(s, 2)
	finite := slices.Values([]time.Duration{s, 0, 5 * s})
	for _, test := range []struct {
		name  string
		seq   iter.Seq[time.Duration]
		opts  []RateLimiterOption
		calls []limiterCall
	}{
		{"each failure at the promised moment", doubling, nil, []limiterCall{
			{at: 0, item: "a", want: s, requeues: 1},
			{at: s, item: "a", want: 2 * s, requeues: 2},
			{at: 3 * s, item: "a", want: 4 * s, requeues: 3},
			{at: 7 * s, item: "a", want: 8 * s, requeues: 4},
		}},
		{"an early failure gets the rest", doubling, nil, []limiterCall{
			{at: s, item: "a", want: s, requeues: 1},
			{at: s, item: "a", want: s, requeues: 2},
			{at: s + 1, item: "a", want: s - 1, requeues: 3},
			{at: 2*s - 1, item: "a", want: 1, requeues: 4},
			{at: 2 * s, item: "a", want: 2 * s, requeues: 5},
			{at: 3 * s, item: "a", want: s, requeues: 6},
		}},
		{"a late failure counts from now", doubling, nil, []limiterCall{
			{at: 0, item: "a", want: s, requeues: 1},
			{at: 1000 * s, item: "a", want: 2 * s, requeues: 2},
			{at: 1001 * s, item: "a", want: s, requeues: 3},
			{at: 1003 * s, item: "a", want: 4 * s, requeues: 4},
		}},
		{"items are apart", doubling, nil, []limiterCall{
			{at: 0, item: "a", want: s, requeues: 1},
			{at: 0, item: "b", want: s, requeues: 1},
			{at: s, item: "a", want: 2 * s, requeues: 2},
			{at: s, item: "", want: s, requeues: 1},
			{at: s, item: "b", want: 2 * s, requeues: 2},
		}},
		{"Forget", doubling, nil, []limiterCall{
			{at: 0, item: "a", forget: true},
			{at: 0, item: "a", want: s, requeues: 1},
			{at: 0, item: "b", want: s, requeues: 1},
			{at: s, item: "a", want: 2 * s, requeues: 2},
			{at: s, item: "b", want: 2 * s, requeues: 2},
			{at: 2 * s, item: "a", forget: true},
			{at: 2 * s, item: "a", want: s, requeues: 1},
			{at: 2 * s, item: "b", want: s, requeues: 3},
		}},
		{"the last delay is held", finite, nil, []limiterCall{
			{at: 0, item: "a", want: s, requeues: 1},
			{at: s, item: "a", want: 0, requeues: 2},
			{at: s, item: "a", want: 5 * s, requeues: 3},
			{at: 6 * s, item: "a", want: 5 * s, requeues: 4},
			{at: 11 * s, item: "a", want: 5 * s, requeues: 5},
			{at: 12 * s, item: "a", want: 4 * s, requeues: 6},
		}},
		{"an empty schedule", slices.Values([]time.Duration(nil)), nil, []limiterCall{
			{at: 0, item: "a", want: 0, requeues: 1},
			{at: 0, item: "a", want: 0, requeues: 2},
		}},
		{"negative delays are 0", slices.Values([]time.Duration{-s, s}), nil, []limiterCall{
			{at: s, item: "a", want: 0, requeues: 1},
			{at: s, item: "a", want: s, requeues: 2},
		}},
		{"no limit", backoff.Constant(backoff.NoLimit), nil, []limiterCall{
			{at: 0, item: "a", want: never, requeues: 1},
			{at: s, item: "a", want: never - s, requeues: 2},
			{at: s, item: "b", want: never, requeues: 1},
			{at: 3 * s, item: "b", want: never - 3*s, requeues: 2},
		}},
		{"CountEvery", finite, []RateLimiterOption{CountEvery()}, []limiterCall{
			{at: 0, item: "a", want: s, requeues: 1},
			{at: 0, item: "a", want: 0, requeues: 2},
			{at: 0, item: "a", want: 5 * s, requeues: 3},
			{at: s, item: "a", want: 5 * s, requeues: 4},
			{at: s, item: "a", forget: true},
			{at: s, item: "a", want: s, requeues: 1},
		}},
		{"ForgetAfter", doubling, []RateLimiterOption{ForgetAfter(s)}, []limiterCall{
			{at: 0, item: "a", want: s, requeues: 1},
			{at: 2*s - 1, item: "a", want: 2 * s, requeues: 2}, // promised 1 s − 1 ns ago
			{at: 5*s - 2, item: "a", want: 4 * s, requeues: 3},
			{at: 10*s - 2, item: "a", want: s, requeues: 1}, // promised 1 s ago
			{at: 11*s - 2, item: "a", want: 2 * s, requeues: 2},
		}},
		{"ForgetAfter counts from the promise and not from a failure", doubling, []RateLimiterOption{ForgetAfter(1)}, []limiterCall{
			{at: 0, item: "a", want: s, requeues: 1},
			{at: s - 1, item: "a", want: 1, requeues: 2},
			{at: s, item: "a", want: 2 * s, requeues: 3},
			{at: 3*s + 1, item: "a", want: s, requeues: 1},
		}},
		{"ForgetAfter forever", doubling, []RateLimiterOption{ForgetAfter(never)}, []limiterCall{
			{at: 0, item: "a", want: s, requeues: 1},
			{at: 1e6 * s, item: "a", want: 2 * s, requeues: 2},
		}},
		{"both, and none", doubling, []RateLimiterOption{CountEvery(), {}, ForgetAfter(s)}, []limiterCall{
			{at: 0, item: "a", want: s, requeues: 1},
			{at: 0, item: "a", want: 2 * s, requeues: 2},
			{at: 3*s - 1, item: "a", want: 4 * s, requeues: 3}, // promised 1 s − 1 ns ago
			{at: 8*s - 1, item: "a", want: s, requeues: 1},
		}},
		{"the last option wins", doubling, []RateLimiterOption{ForgetAfter(1), ForgetAfter(s)}, []limiterCall{
			{at: 0, item: "a", want: s, requeues: 1},
			{at: s + 2, item: "a", want: 2 * s, requeues: 2},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				l := NewRateLimiter[string](test.seq, test.opts...)
				for n, c := range test.calls {
					time.Sleep(c.at - time.Since(start))
					got := c
					if c.forget {
						l.Forget(c.item)
					} else {
						got.want = l.When(c.item)
					}
					got.requeues = l.NumRequeues(c.item)
					if diff := cmp.Diff(c, got, cmp.AllowUnexported(limiterCall{})); diff != "" {
						t.Errorf("call %d (-want +got):\n%s", n, diff)
					}
				}
			})
		})
	}
}

// NumRequeues does not count, does not make an entry, and sees what ForgetAfter has let
// go before its entry is dropped.
func TestRateLimiterOnlyLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewRateLimiter[string](backoff.Constant(time.Second), ForgetAfter(time.Second))
		l.When("a")
		for _, step := range []struct {
			item string
			want int
		}{{"a", 1}, {"a", 1}, {"b", 0}} {
			if got := l.NumRequeues(step.item); got != step.want {
				t.Errorf("NumRequeues(%q) is %d, want %d", step.item, got, step.want)
			}
		}
		time.Sleep(2*time.Second - 1)
		if got := l.NumRequeues("a"); got != 1 {
			t.Errorf("NumRequeues is %d 1 ns before ForgetAfter, want 1", got)
		}
		time.Sleep(time.Nanosecond)
		if got := l.NumRequeues("a"); got != 0 {
			t.Errorf("NumRequeues is %d after ForgetAfter, want 0", got)
		}
		if got := len(l.promises); got != 1 {
			t.Errorf("%d entries, want 1", got)
		}
	})
}

// A modelLimiter is the rules again, in the plainest form: a schedule is a list whose
// last delay repeats.
type modelLimiter struct {
	delays      []time.Duration
	every       bool
	forgetAfter time.Duration // 0: never
	items       map[int]*modelItem
}

type modelItem struct {
	requeues, advanced int
	promised           time.Duration
}

func (m *modelLimiter) item(key int, now time.Duration) *modelItem {
	i, ok := m.items[key]
	if !ok || m.forgetAfter > 0 && i.promised <= now-m.forgetAfter {
		i = &modelItem{promised: -1}
		m.items[key] = i
	}
	return i
}

func (m *modelLimiter) when(key int, now time.Duration) time.Duration {
	i := m.item(key, now)
	i.requeues++
	if !m.every && i.promised > now {
		return i.promised - now
	}
	d := time.Duration(0)
	if len(m.delays) > 0 {
		d = m.delays[min(i.advanced, len(m.delays)-1)]
	}
	i.advanced++
	i.promised = now + d
	if i.promised < now { // wrapped
		i.promised = never
	}
	return d
}

func TestRateLimiterAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, testRateLimiterAgainstModel) })
}

func testRateLimiterAgainstModel(t *rapid.T) {
	delay := rapid.OneOf(
		rapid.Just(time.Duration(0)), rapid.Just(never), rapid.Just(never-1),
		rapid.Map(rapid.IntRange(1, 9), func(n int) time.Duration { return time.Duration(n) }),
		rapid.Map(rapid.IntRange(1, 1e6), func(n int) time.Duration { return time.Duration(n) * time.Millisecond }),
	)
	m := &modelLimiter{items: map[int]*modelItem{}}
	m.delays = rapid.SliceOfN(delay, 0, 6).Draw(t, "delays")
	m.every = rapid.Bool().Draw(t, "every")
	var opts []RateLimiterOption
	if m.every {
		opts = append(opts, CountEvery())
	}
	if rapid.Bool().Draw(t, "forget") {
		m.forgetAfter = rapid.OneOf(
			rapid.SampledFrom([]time.Duration{1, 2, time.Second, never}),
			rapid.Map(rapid.IntRange(1, 1e6), func(n int) time.Duration { return time.Duration(n) * time.Millisecond }),
		).Draw(t, "forget after")
		opts = append(opts, ForgetAfter(m.forgetAfter))
	}
	start := time.Now()
	l := NewRateLimiter[int](slices.Values(m.delays), opts...)
	key := rapid.IntRange(0, 5)
	t.Repeat(map[string]func(*rapid.T){
		"when": func(t *rapid.T) {
			k, now := key.Draw(t, "key"), time.Since(start)
			if diff := cmp.Diff(m.when(k, now), l.When(k)); diff != "" {
				t.Fatalf("When(%d) at %v (-want +got):\n%s", k, now, diff)
			}
		},
		"forget": func(t *rapid.T) {
			k := key.Draw(t, "key")
			delete(m.items, k)
			l.Forget(k)
		},
		"wait": func(t *rapid.T) {
			time.Sleep(time.Duration(rapid.IntRange(0, 1e9).Draw(t, "µs")) * time.Microsecond)
		},
		// The moments at which the rules change, and 1 ns on each side.
		"wait until": func(t *rapid.T) {
			i := m.item(key.Draw(t, "key"), time.Since(start))
			at := i.promised + time.Duration(rapid.IntRange(-1, 1).Draw(t, "beside"))
			if m.forgetAfter < time.Hour && rapid.Bool().Draw(t, "forgotten") {
				at += m.forgetAfter
			}
			if wait := at - time.Since(start); i.promised < never/2 && wait < 100*time.Hour {
				time.Sleep(wait)
			}
		},
		"": func(t *rapid.T) {
			for k := range 6 {
				if diff := cmp.Diff(m.item(k, time.Since(start)).requeues, l.NumRequeues(k)); diff != "" {
					t.Fatalf("NumRequeues(%d) (-want +got):\n%s", k, diff)
				}
			}
			if len(l.promises) > 6 {
				t.Fatalf("%d entries of 6 items", len(l.promises))
			}
		},
	})
}

// Goroutines that fail at once advance an item once, and none of their failures is lost.
func TestRateLimiterAdvancesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ranges atomic.Int64
		delays := backoff.Exponential(time.Second, 2)
		l := NewRateLimiter[int](func(yield func(time.Duration) bool) {
			ranges.Add(1)
			delays(yield)
		})
		const items, goroutines, calls = 3, 8, 100
		for round := range 5 {
			want := time.Second << round
			var wg sync.WaitGroup
			for range goroutines {
				wg.Go(func() {
					for n := range calls * items {
						if got := l.When(n % items); got != want {
							t.Errorf("round %d: the delay is %v, want %v", round, got, want)
							return
						}
					}
				})
			}
			wg.Wait()
			if got, want := ranges.Load(), int64(items*(round+1)); got != want {
				t.Errorf("round %d: %d ranges over the schedule, want %d", round, got, want)
			}
			for item := range items {
				if got, want := l.NumRequeues(item), (round+1)*goroutines*calls; got != want {
					t.Errorf("round %d: item %d has %d failures, want %d", round, item, got, want)
				}
			}
			time.Sleep(want)
		}
	})
}

// With CountEvery goroutines share out the delays: none is given twice or left out. Forget
// and NumRequeues at the same time do no harm.
func TestRateLimiterCountsEvery(t *testing.T) {
	const goroutines, calls = 8, 100
	l := NewRateLimiter[string](backoff.Linear(0, 1), CountEvery(), ForgetAfter(time.Hour))
	got := make([][]time.Duration, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for range calls {
				got[g] = append(got[g], l.When("item"))
				other := fmt.Sprint(g)
				l.When(other)
				l.NumRequeues("item")
				l.Forget(other)
			}
		})
	}
	wg.Wait()
	want := make([]time.Duration, goroutines*calls)
	for n := range want {
		want[n] = time.Duration(n)
	}
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(slices.Concat(got...)))); diff != "" {
		t.Errorf("the delays, sorted (-want +got):\n%s", diff)
	}
}

// A new item comes each second and lives for as many seconds as there are live ones. The
// entries stay below 128, or twice the live ones.
func TestRateLimiterForgetsItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct{ live, want int }{{1, 128}, {2, 128}, {63, 128}, {64, 128}, {65, 130}, {1000, 2000}} {
			l := NewRateLimiter[int](backoff.Constant(0), ForgetAfter(time.Duration(test.live)*time.Second))
			most := 0
			for item := range 5 * test.want {
				l.When(item)
				most = max(most, len(l.promises))
				time.Sleep(time.Second)
			}
			if most != test.want {
				t.Errorf("%d live items: at most %d entries, want %d", test.live, most, test.want)
			}
		}
	})
}

// The entries of a burst go even if all later items are forgotten one by one, so that
// the number of entries does not grow.
func TestRateLimiterForgetsBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewRateLimiter[int](backoff.Constant(time.Second), ForgetAfter(time.Second))
		for item := range 10_000 {
			l.When(item)
		}
		time.Sleep(time.Hour)
		for item := range 20_000 {
			l.When(-1 - item)
			l.Forget(-1 - item)
		}
		if got := len(l.promises); got != 0 {
			t.Errorf("%d entries, want 0", got)
		}
	})
}

// Sweeps double the number of live items, so that they look at less than two entries for
// each. They drop none that lives.
func TestRateLimiterSweepsSeldom(t *testing.T) {
	l := NewRateLimiter[int](backoff.Constant(time.Hour), ForgetAfter(time.Hour))
	var swept []int
	for item := range 10_000 {
		before := l.limit
		l.When(item)
		if l.limit != before {
			swept = append(swept, item)
		}
	}
	if diff := cmp.Diff([]int{128, 258, 518, 1038, 2078, 4158, 8318}, swept); diff != "" {
		t.Errorf("the entries that sweeps looked at (-want +got):\n%s", diff)
	}
	if got := len(l.promises); got != 10_000 {
		t.Errorf("%d entries, want 10000", got)
	}

	short := NewRateLimiter[int](backoff.Constant(0), ForgetAfter(1))
	sweeps := 0
	for item := range 10_000 {
		before := short.size
		short.When(item)
		if short.size <= before {
			sweeps++
		}
	}
	if sweeps > 10_000/few {
		t.Errorf("%d sweeps of items that live for 1 ns, want one for every %d items", sweeps, few)
	}

	forever := NewRateLimiter[int](backoff.Constant(0))
	for item := range 10_000 {
		forever.When(item)
	}
	if forever.size != 0 || forever.limit != few {
		t.Error("without ForgetAfter there are sweeps")
	}
}

// After a burst of items that are gone, the memory of the burst is given back once as many
// items have come again. A map that only loses its entries would keep it.
func TestRateLimiterGivesMemoryBack(t *testing.T) {
	const burst = 100_000
	l := NewRateLimiter[int](backoff.Constant(0), ForgetAfter(time.Nanosecond))
	l.forgetAfter = time.Hour // for the burst
	before := heapInUse()
	for item := range burst {
		l.When(item)
	}
	full := heapInUse() - before
	l.forgetAfter = 1
	for item := range 2 * burst {
		l.When(-1 - item)
	}
	if rest := heapInUse() - before; rest > full/4 {
		t.Errorf("%d bytes of %d are left", rest, full)
	}
	runtime.KeepAlive(l)
}

// heapInUse returns how many bytes live objects have.
func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one may still find what a sync.Pool held
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestRateLimiterEntrySize(t *testing.T) {
	if got := unsafe.Sizeof(promise{}); got != 16 {
		t.Errorf("a promise has %d bytes, want 16", got)
	}
}

// Counters saturate: an item that has failed 2^31 times is where it was.
func TestRateLimiterCountersSaturate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		longest := 0
		l := NewRateLimiter[string](func(yield func(time.Duration) bool) {
			for n := 0; yield(1); n++ {
				longest = max(longest, n+1)
			}
		})
		l.promises["a"] = &promise{failures: math.MaxInt32 - 1, retry: last - 1}
		for _, want := range []int{last - 1, last, last} {
			longest = 0
			time.Sleep(time.Second)
			if got := l.When("a"); got != 1 {
				t.Errorf("the delay is %v, want 1ns", got)
			}
			l.When("a") // early
			if longest != want {
				t.Errorf("delay %d was drawn, want %d", longest, want)
			}
			if got := l.promises["a"].retry; got > last {
				t.Errorf("the next delay is %d, want at most %d", got, last)
			}
			if got := l.NumRequeues("a"); got != math.MaxInt32 {
				t.Errorf("%d failures, want %d", got, math.MaxInt32)
			}
		}
	})
}

func TestRateLimiterAllocations(t *testing.T) {
	type namespacedName struct{ Namespace, Name string }
	for _, test := range []struct {
		name string
		seq  iter.Seq[time.Duration]
		opts []RateLimiterOption
	}{
		{"early", backoff.Constant(time.Hour), nil},
		{"advancing", backoff.Constant(0), nil},
		{"advancing, ForgetAfter", backoff.Constant(0), []RateLimiterOption{ForgetAfter(time.Hour)}},
		{"advancing, CountEvery", backoff.Exponential(time.Second, 2), []RateLimiterOption{CountEvery()}},
		{"listed", slices.Values(List(backoff.Cap(backoff.Exponential(time.Second, 2), time.Minute), 7)), []RateLimiterOption{CountEvery()}},
	} {
		l := NewRateLimiter[namespacedName](test.seq, test.opts...)
		item := namespacedName{"default", "pod"}
		l.When(item)
		l.When(item)
		if got := testing.AllocsPerRun(200, func() { l.When(item) }); got != 0 {
			t.Errorf("%s: When allocates %v times, want 0", test.name, got)
		}
		if got := testing.AllocsPerRun(200, func() { l.NumRequeues(item) }); got != 0 {
			t.Errorf("%s: NumRequeues allocates %v times, want 0", test.name, got)
		}
		if got := testing.AllocsPerRun(200, func() { l.Forget(item); l.When(item) }); got != 1 {
			t.Errorf("%s: Forget and When allocate %v times, want 1: the new promise", test.name, got)
		}
	}
}

// A panic in the schedule reaches the caller. The call is not counted, other calls go on,
// and the yield of the broken range stays apart from later ones.
func TestRateLimiterSchedulePanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := ""
		var old func(time.Duration) bool
		l := NewRateLimiter[string](func(yield func(time.Duration) bool) {
			switch broken {
			case "panic":
				old = yield
				panic("broken")
			case "exit":
				old = yield
				runtime.Goexit()
			case "late":
				old(time.Hour)
			}
			_ = yield(time.Second) && yield(2*time.Second) && yield(4*time.Second)
		}, ForgetAfter(time.Hour))
		when := func(how, item string) (delay time.Duration, recovered any) {
			broken = how
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer func() { recovered = recover() }()
				delay = l.When(item)
			}()
			<-done
			return delay, recovered
		}
		for n, step := range []struct {
			how, item string
			wait      time.Duration
			delay     time.Duration
			recovered any
			requeues  int
		}{
			{"panic", "a", 0, 0, "broken", 0},
			{"", "a", 0, time.Second, nil, 1},
			{"panic", "a", 0, time.Second, nil, 2}, // early: no range
			{"panic", "a", time.Second, 0, "broken", 2},
			{"panic", "b", 0, 0, "broken", 0},
			{"panic", "c", 0, 0, "broken", 0}, // leaves no entry
			{"late", "a", 0, 2 * time.Second, nil, 3},
			{"exit", "a", 2 * time.Second, 0, nil, 3},
			{"late", "a", 0, 4 * time.Second, nil, 4},
			{"", "b", 0, time.Second, nil, 1},
		} {
			time.Sleep(step.wait)
			delay, recovered := when(step.how, step.item)
			if delay != step.delay || recovered != step.recovered {
				t.Errorf("step %d: When is %v and panics with %v, want %v and %v", n, delay, recovered, step.delay, step.recovered)
			}
			if got := l.NumRequeues(step.item); got != step.requeues {
				t.Errorf("step %d: %d failures, want %d", n, got, step.requeues)
			}
		}
		if got := len(l.promises); got != 2 {
			t.Errorf("%d entries, want 2", got)
		}
	})
}

// An item that cannot be a key panics as it does in a map, and the limiter stays usable.
func TestRateLimiterBadKey(t *testing.T) {
	l := NewRateLimiter[any](backoff.Constant(time.Second))
	for name, call := range map[string]func(){
		"When":        func() { l.When([]int{1}) },
		"Forget":      func() { l.Forget([]int{1}) },
		"NumRequeues": func() { l.NumRequeues([]int{1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of a slice does not panic", name)
				}
			}()
			call()
		}()
	}
	if got := l.When(1); got != time.Second {
		t.Errorf("the delay is %v, want 1s", got)
	}
}

func TestRateLimiterBadArguments(t *testing.T) {
	for _, test := range []struct {
		f    func()
		want string
	}{
		{func() { NewRateLimiter[int](nil) }, "adapt: NewRateLimiter: seq is nil, want a schedule"},
		{func() { ForgetAfter(0) }, "adapt: ForgetAfter: d is 0s, want > 0"},
		{func() { ForgetAfter(-1) }, "adapt: ForgetAfter: d is -1ns, want > 0"},
	} {
		func() {
			defer func() {
				if diff := cmp.Diff(any(test.want), recover()); diff != "" {
					t.Errorf("the panic (-want +got):\n%s", diff)
				}
			}()
			test.f()
		}()
	}
}
