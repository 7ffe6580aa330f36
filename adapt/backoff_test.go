package adapt_test

import (
	"iter"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// TestBackOff: the delays come in order, −1 and stop follow the last one and stay, and
// Reset goes back to delay 0 from anywhere.
func TestBackOff(t *testing.T) {
	seq := backoff.Take(backoff.Exponential(time.Second, 2), 3)
	b := adapt.NewBackOff(seq)
	var got []time.Duration
	for range 5 {
		got = append(got, b.NextBackOff())
	}
	want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, -1, -1}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("NextBackOff (-want +got):\n%s", d)
	}

	type result struct {
		Delay time.Duration
		Stop  bool
	}
	next := func() result { d, stop := b.Next(); return result{d, stop} }
	if d := cmp.Diff(result{0, true}, next()); d != "" {
		t.Errorf("Next after the end (-want +got):\n%s", d)
	}
	b.Reset()
	if d := cmp.Diff([]result{{time.Second, false}, {2 * time.Second, false}}, []result{next(), next()}); d != "" {
		t.Errorf("Next after Reset (-want +got):\n%s", d)
	}
	b.Reset()
	b.Reset()
	if got := b.NextBackOff(); got != time.Second {
		t.Errorf("NextBackOff after two Resets is %v, want 1s", got)
	}
	if got := adapt.NewBackOff(backoff.Take(seq, 0)).NextBackOff(); got != -1 {
		t.Errorf("NextBackOff of the empty schedule is %v, want -1", got)
	}
}

// TestBackOffZero: a delay of 0 is a retry at once, and not the end.
func TestBackOffZero(t *testing.T) {
	b := adapt.NewBackOff(backoff.Concat(backoff.Take(backoff.Constant(0), 2), backoff.Take(backoff.Constant(1), 1)))
	for n, want := range []time.Duration{0, 0, 1, -1} {
		if got := b.NextBackOff(); got != want {
			t.Errorf("delay %d is %v, want %v", n, got, want)
		}
	}
}

// TestBackOffIsTheSchedule: any calls of NextBackOff, Next and Reset give the delays of
// the schedule, and two policies of one schedule do not move each other.
func TestBackOffIsTheSchedule(t *testing.T) { rapid.Check(t, testBackOffIsTheSchedule) }

func testBackOffIsTheSchedule(t *rapid.T) {
	delays := rapid.SliceOfN(rapid.Int64Range(0, 10), 0, 6).Draw(t, "delays")
	seq := func(yield func(time.Duration) bool) {
		for _, d := range delays {
			if !yield(time.Duration(d)) {
				return
			}
		}
	}
	var policies [2]*adapt.BackOff
	var at [2]int // the delay that comes next
	for i := range policies {
		policies[i] = adapt.NewBackOff(seq)
	}
	for range rapid.IntRange(1, 20).Draw(t, "calls") {
		i := rapid.IntRange(0, 1).Draw(t, "policy")
		want, stop := time.Duration(0), at[i] >= len(delays)
		if !stop {
			want = time.Duration(delays[at[i]])
		}
		switch rapid.SampledFrom([]string{"NextBackOff", "Next", "Reset"}).Draw(t, "call") {
		case "NextBackOff":
			if stop {
				want = -1
			}
			if got := policies[i].NextBackOff(); got != want {
				t.Fatalf("policy %d: delay %d is %v, want %v", i, at[i], got, want)
			}
			at[i]++
		case "Next":
			if got, ended := policies[i].Next(); got != want || ended != stop {
				t.Fatalf("policy %d: delay %d is %v, %v, want %v, %v", i, at[i], got, ended, want, stop)
			}
			at[i]++
		case "Reset":
			policies[i].Reset()
			at[i] = 0
		}
	}
}

// TestBackOffHoldsNothing: many live policies take 16 bytes each, no goroutine and no
// coroutine. With iter.Pull, each would hold one.
func TestBackOffHoldsNothing(t *testing.T) {
	const n = 100_000
	seq := backoff.FullJitter(100*time.Millisecond, 10*time.Second)
	policies := make([]*adapt.BackOff, n) // not part of what is measured
	adapt.NewBackOff(seq).NextBackOff()   // fills the pool

	memory := func() (bytes uint64) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	goroutines, before := runtime.NumGoroutine(), memory()
	for i := range policies {
		policies[i] = adapt.NewBackOff(seq)
		policies[i].NextBackOff()
		policies[i].NextBackOff()
	}
	each := float64(memory()-before) / n
	// Tests that ended may still return goroutines and memory.
	if more := runtime.NumGoroutine() - goroutines; more > 0 {
		t.Errorf("%d policies hold %d goroutines, want none", n, more)
	}
	t.Logf("%.1f bytes a policy", each)
	if each > 32 && each < 1<<40 { // a huge number is a negative one
		t.Errorf("a policy takes %.1f bytes, want at most 32", each)
	}

	const pulls = 100
	goroutines = runtime.NumGoroutine()
	for range pulls {
		next, stop := iter.Pull(seq)
		defer stop()
		next()
	}
	if more := runtime.NumGoroutine() - goroutines; more < pulls/2 {
		t.Errorf("%d coroutines count as %d goroutines: this test does not see coroutines", pulls, more)
	}
	runtime.KeepAlive(policies)
}

// TestBackOffReusesMemory: a call allocates what a range over the schedule does.
func TestBackOffReusesMemory(t *testing.T) {
	seq := backoff.Constant(time.Second)
	b := adapt.NewBackOff(seq)
	if got := testing.AllocsPerRun(100, func() { b.NextBackOff() }); got > 0.1 {
		t.Errorf("%v allocations a call, want 0", got)
	}
}

// TestBackOffDrawsNoFurther: a call draws up to its own delay, and the schedule's range
// ends with the call.
func TestBackOffDrawsNoFurther(t *testing.T) {
	drawn, open := 0, 0
	b := adapt.NewBackOff(func(yield func(time.Duration) bool) {
		open++
		defer func() { open-- }()
		for drawn = 1; yield(time.Duration(drawn)); drawn++ {
		}
	})
	for want := 1; want <= 5; want++ {
		if got := b.NextBackOff(); got != time.Duration(want) || drawn != want || open != 0 {
			t.Errorf("call %d: delay %d, %d drawn, %d ranges open, want delay %[1]d, %[1]d drawn, none open", want, got, drawn, open)
		}
	}
}

func TestNewBackOffPanics(t *testing.T) {
	defer func() {
		if got, want := recover(), any("adapt: NewBackOff: seq is nil, want a schedule"); got != want {
			t.Errorf("panic %v, want %v", got, want)
		}
	}()
	adapt.NewBackOff(nil)
}

// TestBackOffAndBack: FromBackOff and FromNext of a BackOff are its schedule.
func TestBackOffAndBack(t *testing.T) {
	want := slices.Collect(backoff.Take(backoff.Fibonacci(time.Second), 9))
	newBackOff := func() *adapt.BackOff { return adapt.NewBackOff(slices.Values(want)) }
	if d := cmp.Diff(want, slices.Collect(backoff.Take(adapt.FromBackOff(newBackOff), 20))); d != "" {
		t.Errorf("FromBackOff (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want, slices.Collect(backoff.Take(adapt.FromNext(newBackOff), 20))); d != "" {
		t.Errorf("FromNext (-want +got):\n%s", d)
	}
}
