package overload

import (
	"math"
	"strings"
	"testing"
	"time"

	"example.com/backoff/internal/ending"
	"github.com/google/go-cmp/cmp"
)

// stopOf1s is a run with a stop of 1 s after 3 s, as far as Judge reads it.
func stopOf1s(after time.Duration) Config {
	return Config{Warmup: 3 * time.Second, Trigger: Trigger{For: time.Second}, After: after}
}

// A hundred requests a second are answered before a stop of 1 s. Then 72 are enough
// for one second, and 408 for five: 90 % less two standard deviations.
func TestJudge(t *testing.T) {
	for _, test := range []struct {
		name  string
		after []int64 // answered in each second after the stop
		want  time.Duration
	}{
		{"at once", []int64{90, 90, 90, 90, 90, 90, 90, 90, 90}, 0},
		{"just enough", []int64{71, 72, 84, 84, 84, 84, 82, 82, 81}, time.Second},
		{"one too few in five seconds", []int64{71, 72, 84, 84, 84, 83, 82, 83, 82}, 2 * time.Second},
		{"late", []int64{0, 0, 0, 0, 71, 72, 90, 90, 90}, -1},
		{"a burst makes up for what follows", []int64{0, 500, 0, 0, 0, 0, 90, 90, 90}, time.Second},
		{"a burst is no beginning", []int64{0, 71, 500, 0, 0, 0, 90, 90, 90}, 2 * time.Second},
		{"not for five seconds", []int64{0, 0, 0, 0, 0, 100, 100, 100, 100}, -1},
		{"only for a while", []int64{100, 100, 100, 100, 100, 100, 70, 70, 70}, -1},
		{"never", []int64{0, 0, 0, 0, 0, 0, 0, 0, 0}, -1},
	} {
		seconds := []Second{{OK: 7}, {OK: 100}, {OK: 100}, {Open: 5}}
		for _, ok := range test.after {
			seconds = append(seconds, Second{OK: ok})
		}
		want := Verdict{Recovered: test.want >= 0, After: max(test.want, 0), Before: 100, PeakOpen: 5}
		got := Judge(seconds, stopOf1s(9*time.Second))
		got.End = 0
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// The peak is that of the seconds, and of what is open at their ends where they have none.
func TestJudgePeak(t *testing.T) {
	for _, test := range []struct{ open, peak, want int64 }{{5, 3, 5}, {5, 0, 5}, {5, 9, 9}} {
		seconds := make([]Second, 13)
		seconds[3] = Second{Open: test.open, PeakOpen: test.peak}
		if got := Judge(seconds, stopOf1s(9*time.Second)).PeakOpen; got != test.want {
			t.Errorf("%d open and a peak of %d: PeakOpen %d, want %d", test.open, test.peak, got, test.want)
		}
	}
}

// A run may be longer than its whole seconds. Judge needs and reads no more than those.
func TestJudgeWholeSeconds(t *testing.T) {
	var seconds []Second
	for _, ok := range []int64{7, 100, 100, 0, 90, 90, 90, 90, 90, 90, 90, 90} {
		seconds = append(seconds, Second{OK: ok})
	}
	want := Verdict{Recovered: true, Before: 100, End: 90}
	for _, after := range []time.Duration{8 * time.Second, 8500 * time.Millisecond, 9*time.Second - 1} {
		if diff := cmp.Diff(want, Judge(seconds, stopOf1s(after))); diff != "" {
			t.Errorf("%v after the stop, 12 seconds (-want +got):\n%s", after, diff)
		}
	}
}

// A server without goodput before or after has not recovered, and a run has as many seconds
// as it is long.
func TestJudgeNothing(t *testing.T) {
	seconds := make([]Second, 13)
	if v := Judge(seconds, stopOf1s(9*time.Second)); v.Recovered {
		t.Errorf("judged as %v", v)
	}
	seconds[2].OK = 1 // so few before that none after could be chance
	if v := Judge(seconds, stopOf1s(9*time.Second)); v.Recovered {
		t.Errorf("judged as %v", v)
	}
	for _, test := range []struct {
		name   string
		config Config
	}{
		{"a short warm-up", Config{Warmup: 2*time.Second - 1, After: 9 * time.Second}},
		{"a trigger of less than nothing", Config{Warmup: 4 * time.Second, Trigger: Trigger{For: -1}, After: 9 * time.Second}},
		{"a short time after the trigger", Config{Warmup: 3 * time.Second, After: 5*time.Second - 1}},
		{"an endless warm-up", Config{Warmup: math.MaxInt64, After: 9 * time.Second}},
		{"an endless trigger", Config{Warmup: 4 * time.Second, Trigger: Trigger{For: math.MaxInt64}, After: 9 * time.Second}},
		{"an endless time after the trigger", Config{Warmup: 4 * time.Second, After: math.MaxInt64}},
		{"more seconds than an int has on 32 bits", Config{Warmup: 4 * time.Second, After: 9*time.Second + 1<<32*time.Second}},
		{"a trigger of as many", Config{Warmup: 4 * time.Second, Trigger: Trigger{For: 1 << 32 * time.Second}, After: 9 * time.Second}},
	} {
		if got := ending.Of(func() { Judge(seconds, test.config) }); !strings.HasPrefix(got, "panic: overload: Judge: 13 seconds of ") {
			t.Errorf("%s: got %s, want a panic", test.name, got)
		}
	}
	const want = "overload: Judge: 13 seconds of 3s, 1s and 10s, want as many as those have, at least 2s, 0s and 5s"
	defer func() {
		if got := recover(); got != want {
			t.Errorf("panics with %v, want %s", got, want)
		}
	}()
	Judge(seconds, stopOf1s(10*time.Second))
}
