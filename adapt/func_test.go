package adapt_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/internal/samples"
	"example.com/backoff/internal/splitmix"
)

// last is the largest index of a delay that package adapt draws.
const last = 1<<20 - 1

// counting is the endless schedule 0, 1, 2, ... ns.
var counting = backoff.Linear(0, 1)

func TestFunc(t *testing.T) {
	for _, row := range []struct {
		name  string
		seq   iter.Seq[time.Duration]
		retry int
		want  time.Duration
	}{
		{"the first", list(3, 5, 7), 0, 3},
		{"the second", list(3, 5, 7), 1, 5},
		{"the last", list(3, 5, 7), 2, 7},
		{"after the last", list(3, 5, 7), 3, 7},
		{"long after the last", list(3, 5, 7), math.MaxInt, 7},
		{"below 0", list(3, 5, 7), -1, 3},
		{"far below 0", list(3, 5, 7), math.MinInt, 3},
		{"empty", list(), 0, 0},
		{"empty, later", list(), 5, 0},
		{"a negative delay", list(3, -5, 7), 1, 0},
		{"a negative last delay", list(3, -5), 9, 0},
		{"an endless schedule", counting, 1000, 1000},
		{"the last that is drawn", counting, last, last},
		{"after the last that is drawn", counting, last + 1, last},
		{"the largest number", counting, math.MaxInt, last},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := adapt.Func(row.seq)(row.retry); got != row.want {
				t.Errorf("delay %d, want %d", got, row.want)
			}
		})
	}
}

// The difference of two ints does not fit in one, and on a 32-bit architecture even that of
// small numbers.
func TestFuncFrom(t *testing.T) {
	numbers := []int{
		math.MinInt, math.MinInt + 1, math.MinInt32, -last, -1, 0, 1, 2, math.MaxInt32, math.MaxInt - 1, math.MaxInt,
	}
	for _, first := range numbers {
		delay := adapt.FuncFrom(first, counting)
		for _, retry := range numbers {
			want := time.Duration(0)
			if retry > first {
				want = time.Duration(min(uint(retry)-uint(first), last))
			}
			if got := delay(retry); got != want {
				t.Errorf("FuncFrom(%d, seq)(%d) = %d, want %d", first, retry, got, want)
			}
		}
	}
}

func TestFuncRefuses(t *testing.T) {
	keyed := adapt.Keyed(func(uint64) iter.Seq[time.Duration] { return nil })
	for want, f := range map[string]func(){
		"adapt: Func: seq is nil, want a schedule":                   func() { adapt.Func(nil) },
		"adapt: FuncFrom: seq is nil, want a schedule":               func() { adapt.FuncFrom(1, nil) },
		"adapt: Keyed: newSeq is nil, want a function":               func() { adapt.Keyed(nil) },
		"adapt: Keyed: the result of newSeq is nil, want a schedule": func() { keyed("job", 0) },
	} {
		if got := panicOf(f); got != any(want) {
			t.Errorf("panic %v, want %v", got, want)
		}
	}
}

// A drawn is a random schedule with the text of how to make it. It replays.
type drawn struct {
	text string
	seq  iter.Seq[time.Duration]
}

func (d drawn) String() string { return d.text }

// schedules draws a sample of package backoff, with a seed, and up to two stages on it.
func schedules() *rapid.Generator[drawn] {
	return rapid.Custom(func(t *rapid.T) drawn {
		all := samples.All()
		sample := rapid.SampledFrom(all).Draw(t, "sample")
		seed := rapid.Uint64().Draw(t, "seed")
		d := drawn{sample.Text, sample.Delays(backoff.WithSeed(seed))}
		stages := slices.DeleteFunc(all, func(s samples.Sample) bool { return !s.IsStage() })
		for i := range rapid.IntRange(0, 2).Draw(t, "stages") {
			stage := rapid.SampledFrom(stages).Draw(t, "stage")
			d.text += " | " + stage.Text
			d.seq = stage.Stage(d.seq, backoff.WithSeed(seed+uint64(i)+1))
		}
		if n := rapid.IntRange(-1, 9).Draw(t, "length"); n >= 0 {
			d.text += fmt.Sprintf(" | take(%d)", n)
			d.seq = backoff.Take(d.seq, n)
		}
		d.text = fmt.Sprintf("%s, seed %d", d.text, seed)
		return d
	})
}

// TestLookingNeverMoves calls the functions in any order and as often as it likes. The
// delay of a retry depends on its number alone, and is the one of backoff.At.
func TestLookingNeverMoves(t *testing.T) { rapid.Check(t, testLookingNeverMoves) }

func testLookingNeverMoves(t *rapid.T) {
	d := schedules().Draw(t, "schedule")
	first := rapid.IntRange(-3, 3).Draw(t, "first")
	now := time.Unix(rapid.Int64Range(0, 1<<40).Draw(t, "now"), 0)
	want := func(n int) time.Duration {
		delay, ok := backoff.At(d.seq, max(n, 0))
		if !ok {
			for delay = range d.seq {
			}
		}
		return delay
	}
	zeroBased, anyBased := adapt.Func(d.seq), adapt.FuncFrom(first, d.seq)
	keyed := adapt.Keyed(func(uint64) iter.Seq[time.Duration] { return d.seq })
	aws, asynq := adapt.BackoffDelayFrom(first, d.seq), adapt.RetryDelay[int](d.seq)
	functions := map[string]func(n int) time.Duration{
		"Func":     zeroBased,
		"FuncFrom": func(n int) time.Duration { return anyBased(first + n) },
		"Keyed":    func(n int) time.Duration { return keyed("job", n) },
		"Time":     func(n int) time.Duration { return adapt.Time(d.seq, n, now).Sub(now) },
		"BackoffDelayFrom": func(n int) time.Duration {
			delay, _ := aws.BackoffDelay(first+n, nil)
			return delay
		},
		"RetryDelay": func(n int) time.Duration { return asynq(n, nil, 0) },
	}
	names := []string{"Func", "FuncFrom", "Keyed", "Time", "BackoffDelayFrom", "RetryDelay"}
	for range rapid.IntRange(1, 30).Draw(t, "calls") {
		name := rapid.SampledFrom(names).Draw(t, "function")
		n := rapid.IntRange(-2, 20).Draw(t, "n")
		if got := functions[name](n); got != want(n) {
			t.Fatalf("%s: delay %d of %v is %d, want %d", name, n, d, got, want(n))
		}
		whole := min((int64(want(n)/time.Second) + min(1, int64(want(n)%time.Second))), math.MaxInt32)
		if got := adapt.Seconds(d.seq, n, 0, math.MaxInt32); int64(got) != whole {
			t.Fatalf("Seconds: delay %d of %v is %d, want %d", n, d, got, whole)
		}
	}
}

// TestLazy counts the delays that a call draws.
func TestLazy(t *testing.T) {
	count := 0
	seq := backoff.Map(counting, func(d time.Duration) time.Duration { count++; return d })
	keyed := adapt.Keyed(func(uint64) iter.Seq[time.Duration] { return seq })
	for _, row := range []struct {
		name string
		want int
		f    func()
	}{
		{"Func", 0, func() { adapt.Func(seq) }},
		{"Func, retry 0", 1, func() { adapt.Func(seq)(0) }},
		{"Func, retry −1", 1, func() { adapt.Func(seq)(-1) }},
		{"Func, retry 7", 8, func() { adapt.Func(seq)(7) }},
		{"Func, retry math.MaxInt", last + 1, func() { adapt.Func(seq)(math.MaxInt) }},
		{"FuncFrom, retry 0", 1, func() { adapt.FuncFrom(5, seq)(5) }},
		{"Keyed, retry 7", 8, func() { keyed("job", 7) }},
		{"Seconds, retry 7", 8, func() { adapt.Seconds(seq, 7, 0, 9) }},
		{"Time, retry 7", 8, func() { adapt.Time(seq, 7, time.Time{}) }},
		{"List of none", 0, func() { adapt.List(seq, 0) }},
		{"List of 7", 7, func() { adapt.List(seq, 7) }},
	} {
		count = 0
		row.f()
		if count != row.want {
			t.Errorf("%s: %d delays drawn, want %d", row.name, count, row.want)
		}
	}
}

func TestConcurrent(t *testing.T) {
	delay := adapt.Func(counting)
	keyed := adapt.Keyed(func(uint64) iter.Seq[time.Duration] { return counting })
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				n := (i*7 + g) % 50
				if got := delay(n); got != time.Duration(n) {
					t.Errorf("Func: delay %d is %d", n, got)
				}
				if got := keyed("job", n); got != time.Duration(n) {
					t.Errorf("Keyed: delay %d is %d", n, got)
				}
			}
		})
	}
	wg.Wait()
}

// A schedule may use the functions itself, even those of itself.
func TestScheduleThatCallsFunc(t *testing.T) {
	var delay func(int) time.Duration
	delay = adapt.Func(func(yield func(time.Duration) bool) {
		for n := 0; ; n++ {
			d := time.Duration(1)
			if n > 0 {
				d = 2 * delay(n-1)
			}
			if !yield(d) {
				return
			}
		}
	})
	for n := range 8 {
		if got := delay(n); got != 1<<n {
			t.Errorf("delay %d is %d, want %d", n, got, 1<<n)
		}
	}
}

// A schedule that breaks the rules does not spoil another one's delays.
func TestBrokenSchedules(t *testing.T) {
	errBroken := errors.New("broken")
	const over = "adapt: the schedule called yield after its range was over"
	for _, row := range []struct {
		name string
		seq  iter.Seq[time.Duration]
		want any // what the call panics with
	}{
		{"panics at once", func(func(time.Duration) bool) { panic(errBroken) }, errBroken},
		{"panics later", func(yield func(time.Duration) bool) { yield(1); panic(errBroken) }, errBroken},
		{"goes on after the end", func(yield func(time.Duration) bool) {
			for yield(1) {
			}
			yield(2)
		}, over},
		{"recovers the panic of that", func(yield func(time.Duration) bool) {
			defer func() { _ = recover() }()
			for yield(1) {
			}
			yield(2)
		}, over},
		{"exits its goroutine", func(func(time.Duration) bool) { runtime.Goexit() }, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got any
			var wg sync.WaitGroup
			wg.Go(func() { got = panicOf(func() { adapt.Func(row.seq)(1) }) })
			wg.Wait()
			if got != row.want {
				t.Errorf("panic %v, want %v", got, row.want)
			}
			for n := range 20 {
				if got := adapt.Func(counting)(n); got != time.Duration(n) {
					t.Errorf("then delay %d of another schedule is %d", n, got)
				}
			}
		})
	}
}

// A schedule that calls yield when its range is over is told so, unless the drawing has a
// new range by then.
func TestYieldThatIsKept(t *testing.T) {
	var late func(time.Duration) bool
	adapt.Func(func(yield func(time.Duration) bool) { late = yield; yield(1) })(1)
	const want = "adapt: the schedule called yield after its range was over"
	if got := panicOf(func() { late(7) }); got != any(want) {
		t.Errorf("panic %v, want %v", got, want)
	}
}

// A range that a panic ended has nothing in common with a later one, even if the schedule
// kept its yield.
func TestYieldThatIsKeptAfterPanic(t *testing.T) {
	var late func(time.Duration) bool
	panicOf(func() {
		adapt.Func(func(yield func(time.Duration) bool) { late = yield; panic("broken") })(0)
	})
	got := adapt.Func(func(yield func(time.Duration) bool) { late(9); yield(1) })(0)
	if got != 1 {
		t.Errorf("delay %d, want 1", got)
	}
}

// An empty schedule has no delay, whatever the call before it found.
func TestEmptyAfterAnother(t *testing.T) {
	adapt.Func(counting)(0)
	if got := adapt.NewBackOff(list()).NextBackOff(); got != -1 {
		t.Errorf("NextBackOff of an empty schedule is %v, want -1", got)
	}
}

// TestKeyedSeeds has the seeds of some keys, and the delays that they give. They never
// change. The seeds are the published FNV-1a values of the keys, mixed.
func TestKeyedSeeds(t *testing.T) {
	for _, row := range []struct {
		key   string
		fnv   uint64
		seed  uint64
		paths []time.Duration
	}{
		{"", 0xcbf29ce484222325, 0xf52a15e9a9b5e89b, []time.Duration{57166810, 125192503, 125585192, 478155239}},
		{"a", 0xaf63dc4c8601ec8c, 0x02c0bdbf481420f8, []time.Duration{27000868, 197880352, 93451530, 390713027}},
		{"Zürich", 0x0ef841596f67fdc0, 0xc65e9341af283a5d, []time.Duration{41125274, 168884355, 264351148, 415736248}},
		{"foobar", 0x85944171f73967e8, 0x404da9e3b74078c2, []time.Duration{9194027, 56574201, 395300184, 518421867}},
		{"job-1", 0xf2c2e8802008f4f6, 0xfed2e199023f9450, []time.Duration{98488312, 93117941, 339281300, 642697219}},
		{"job-2", 0xf2c2e7802008f343, 0xd510f22fb94c22e2, []time.Duration{74740674, 54038474, 24799184, 457947899}},
		{"3f2b8c1e-5a7d-4e0f-9b6a-1c2d3e4f5a6b", 0xe3055cdc9a48ddd5, 0xd2a4917fc4a350e1, []time.Duration{68699080, 91095821, 366297157, 409097399}},
	} {
		if got := splitmix.Mix(row.fnv); got != row.seed {
			t.Errorf("the seed of %q in this table is %#x, want %#x", row.key, row.seed, got)
		}
		var seed uint64
		delay := adapt.Keyed(func(s uint64) iter.Seq[time.Duration] {
			seed = s
			return backoff.FullJitter(100*ms, 10*time.Second, backoff.WithSeed(s))
		})
		var paths []time.Duration
		for n := range 4 {
			paths = append(paths, delay(row.key, n))
		}
		if seed != row.seed {
			t.Errorf("the seed of %q is %#x, want %#x", row.key, seed, row.seed)
		}
		if diff := cmp.Diff(row.paths, paths); diff != "" {
			t.Errorf("the delays of %q (-want +got):\n%s", row.key, diff)
		}
	}
}

// seedOf returns the seed that Keyed gives for a key.
func seedOf(key string) (seed uint64) {
	adapt.Keyed(func(s uint64) iter.Seq[time.Duration] { seed = s; return counting })(key, 0)
	return seed
}

func TestKeyedSeedIsMixedFNV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := string(rapid.SliceOf(rapid.Byte()).Draw(t, "key"))
		h := fnv.New64a()
		h.Write([]byte(key))
		if got, want := seedOf(key), splitmix.Mix(h.Sum64()); got != want {
			t.Fatalf("the seed of %q is %#x, want %#x", key, got, want)
		}
	})
}

// Keys that differ in one letter have paths of delays that are not correlated, and seeds
// that differ in half of their bits. With other keys either limit would be exceeded with a
// probability below 10⁻⁵, which is 4.5 standard deviations.
func TestSimilarKeys(t *testing.T) {
	const keys, retries = 1000, 8
	delay := adapt.Keyed(func(seed uint64) iter.Seq[time.Duration] {
		return backoff.Uniform(0, time.Second, backoff.WithSeed(seed))
	})
	var sum, bitsThatDiffer float64
	for k := range keys {
		prefix := strings.Repeat("job-", k%5) + fmt.Sprint(k)
		a, b := prefix+"a", prefix+"b"
		for n := range retries {
			// Uniform in [−1/2, 1/2], so the product has the standard deviation 1/12.
			sum += (delay(a, n).Seconds() - 0.5) * (delay(b, n).Seconds() - 0.5)
		}
		bitsThatDiffer += float64(bits.OnesCount64(seedOf(a) ^ seedOf(b)))
	}
	if z := sum * 12 / math.Sqrt(keys*retries); math.Abs(z) > 4.5 {
		t.Errorf("the delays are correlated: %.1f standard deviations from 0", z)
	}
	if z := (bitsThatDiffer - 32*keys) / (4 * math.Sqrt(keys)); math.Abs(z) > 4.5 {
		t.Errorf("%.1f bits of two seeds differ, want 32: %.1f standard deviations", bitsThatDiffer/keys, z)
	}
}

// TestAllocations compares a call with what one range over the schedule allocates. Under
// the race detector a sync.Pool forgets one of four, which AllocsPerRun rounds down.
func TestAllocations(t *testing.T) {
	for _, sample := range samples.All() {
		seq := sample.Delays()
		n := 0
		yield := func(time.Duration) bool { n++; return n < 8 }
		want := testing.AllocsPerRun(200, func() { n = 0; seq(yield) })
		delay := adapt.Func(seq)
		if got := testing.AllocsPerRun(200, func() { delay(7) }); got > want {
			t.Errorf("Func of %s allocates %v times, and a range %v", sample.Text, got, want)
		}
		if got := testing.AllocsPerRun(200, func() { adapt.Seconds(seq, 7, 0, 43200) }); got > want {
			t.Errorf("Seconds of %s allocates %v times, and a range %v", sample.Text, got, want)
		}
	}
	keyed := adapt.Keyed(func(uint64) iter.Seq[time.Duration] { return counting })
	delay := adapt.Func(counting)
	for name, f := range map[string]func(){
		"Func":  func() { delay(7) },
		"Keyed": func() { keyed("the ID of a job", 7) },
	} {
		if got := testing.AllocsPerRun(200, f); got > 0 {
			t.Errorf("%s allocates %v times, want 0", name, got)
		}
	}
}
