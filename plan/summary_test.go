package plan

import (
	"iter"
	"runtime"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/internal/ending"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A Summary is that of the Plan of the same draws, whatever number of retries it holds at a
// time.
func TestSummarizeIsOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := func(seed uint64) iter.Seq[time.Duration] {
			return backoff.Uniform(0, time.Second, backoff.WithSeed(seed))
		}
		lengths := rapid.SliceOfN(rapid.IntRange(0, 12), 1, 5).Draw(t, "lengths")
		schedule := rapid.SampledFrom([]func(uint64) iter.Seq[time.Duration]{
			random,
			func(uint64) iter.Seq[time.Duration] { return backoff.Exponential(time.Second, 1.5) },
			func(seed uint64) iter.Seq[time.Duration] {
				return backoff.Take(random(seed), lengths[seed%uint64(len(lengths))])
			},
			func(seed uint64) iter.Seq[time.Duration] {
				return backoff.Take(backoff.Constant(time.Second), lengths[seed%uint64(len(lengths))])
			},
			func(seed uint64) iter.Seq[time.Duration] {
				negative := func(yield func(time.Duration) bool) { yield(-1) }
				return backoff.Concat(negative, backoff.Take(random(seed), 3), backoff.Constant(backoff.NoLimit))
			},
		}).Draw(t, "schedule")
		n := rapid.IntRange(0, 20).Draw(t, "n")
		opts := []Option{
			Draws(rapid.IntRange(2, 40).Draw(t, "draws")), Seed(rapid.Uint64().Draw(t, "seed")),
			AttemptTime(time.Duration(rapid.IntRange(0, 1000).Draw(t, "attempt"))), Quantiles(0.1, 0.5),
		}
		p := Of(schedule, n, opts...)
		want := &Summary{p.Draws, p.Quantiles, p.Retries, p.Open, p.LastRetry()}
		if diff := cmp.Diff(want, Summarize(schedule, n, opts...)); diff != "" {
			t.Errorf("Summarize (-want +got):\n%s", diff)
		}
		got := p.settings.summarize(n, p.Draws, rapid.IntRange(1, 25).Draw(t, "at once"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("summarize (-want +got):\n%s", diff)
		}
		if got.End() != p.End() || got.Uneven() != p.Uneven() {
			t.Errorf("%v, uneven %v; want %v, %v", got.End(), got.Uneven(), p.End(), p.Uneven())
		}
	})
}

// Summarize holds a few million delays at a time, not those of all draws.
func TestSummarizeMemory(t *testing.T) {
	const draws, n = 800, 10_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Summarize(func(seed uint64) iter.Seq[time.Duration] {
		return backoff.Uniform(0, time.Second, backoff.WithSeed(seed))
	}, n, Draws(draws))
	runtime.ReadMemStats(&after)
	// It is 44 MB. A Plan keeps 64 MB, and needs as much again.
	if got := after.TotalAlloc - before.TotalAlloc; got > 60_000_000 {
		t.Errorf("%d bytes allocated for %d draws of %d delays, want at most 60 MB", got, draws, n)
	}
}

func TestSummarizeRefuses(t *testing.T) {
	for _, tt := range []struct {
		summarize func()
		want      string
	}{
		{func() { Summarize(nil, 1) }, "panic: plan: Summarize: newSchedule is nil, want a function"},
		{func() { Summarize(func(uint64) iter.Seq[time.Duration] { return backoff.Constant(0) }, -1) }, "panic: plan: Summarize: n is -1, want >= 0"},
	} {
		if got := ending.Of(tt.summarize); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
