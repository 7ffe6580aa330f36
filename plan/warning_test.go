package plan_test

import (
	"sync/atomic"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/plan"
	"github.com/google/go-cmp/cmp"
)

// texts returns the sentences of warnings.
func texts(warnings []plan.Warning) []string {
	var all []string
	for _, w := range warnings {
		all = append(all, w.String())
	}
	return all
}

// pair has a delay of 0 with a probability of zero, and otherwise one of two that are 1 ns
// apart: lower, with the probability given.
func pair(zero float64, lower time.Duration, probability float64) func(uint64) seq {
	return func(seed uint64) seq {
		return backoff.Map(backoff.Uniform(0, s-1, backoff.WithSeed(seed)), func(d time.Duration) time.Duration {
			switch u := d.Seconds(); {
			case u < zero:
				return 0
			case u < zero+(1-zero)*probability:
				return lower
			}
			return lower + 1
		})
	}
}

// every has a delay of one hour for every n-th client, and a random one for the others.
func every(n int64) func(uint64) seq {
	var clients atomic.Int64
	return func(seed uint64) seq {
		if clients.Add(1)%n == 0 {
			return backoff.Constant(time.Hour)
		}
		return backoff.Uniform(0, 10*s, backoff.WithSeed(seed))
	}
}

func TestWarnings(t *testing.T) {
	random := func(seed uint64) seq { return backoff.FullJitter(100*ms, 10*s, backoff.WithSeed(seed)) }
	for _, tt := range []struct {
		name     string
		schedule func(seed uint64) seq
		n        int
		want     []string
	}{
		{"full jitter, then cap", jitterThenCap(backoff.Jitter, 1), 11, []string{
			"retry 8: 22 % of clients wait exactly 10s: put the jitter after the cap",
			"retry 9: 61 % of clients wait exactly 10s: put the jitter after the cap",
			"retry 10: 80 % of clients wait exactly 10s: put the jitter after the cap",
			"retry 11: 90 % of clients wait exactly 10s: put the jitter after the cap",
		}},
		{"±50 %, then cap", jitterThenCap(backoff.Spread, 0.5), 10, []string{
			"retry 8: 72 % of clients wait exactly 10s: put the jitter after the cap",
			"retry 9: all clients wait exactly 10s: put the jitter after the cap",
			"retry 10: all clients wait exactly 10s: put the jitter after the cap",
		}},
		{
			"jitter, then floor",
			func(seed uint64) seq { return backoff.Floor(random(seed), 50*ms) }, 2,
			[]string{
				"retry 1: 50 % of clients wait exactly 50ms: put the jitter after the lower bound",
				"retry 2: 25 % of clients wait exactly 50ms: put the jitter after the lower bound",
			},
		},
		{
			"first delay without jitter",
			func(seed uint64) seq { return backoff.NormalJitter(100*ms, 10*s, 2.7, 0.1, backoff.WithSeed(seed)) }, 3,
			[]string{
				"retry 1: all clients wait exactly 100ms: this delay has no jitter",
			},
		},
		{
			"last delay without jitter, and the longest",
			func(seed uint64) seq {
				return backoff.Concat(backoff.Take(backoff.Uniform(0, s, backoff.WithSeed(seed)), 2), of(16*s))
			}, 3,
			[]string{
				"retry 3: all clients wait exactly 16s: no jitter, or a cap after it",
			},
		},
		{
			"first retry at once",
			func(seed uint64) seq { return backoff.Concat(of(0), random(seed)) }, 3,
			[]string{
				"retry 1: all clients come back at once",
			},
		},
		{
			"capped under a later delay",
			func(seed uint64) seq {
				first := backoff.Take(backoff.Cap(backoff.Uniform(0, 2*s, backoff.WithSeed(seed)), s), 1)
				return backoff.Concat(first, backoff.Uniform(3*s, 4*s, backoff.WithSeed(seed), backoff.WithStream(1)))
			}, 2,
			[]string{
				"retry 1: 50 % of clients wait exactly 1s: put the jitter after the upper bound",
			},
		},
		{
			"an atom between",
			func(seed uint64) seq {
				return backoff.Map(backoff.Uniform(0, 100*ms, backoff.WithSeed(seed)), func(d time.Duration) time.Duration {
					if d >= 40*ms && d < 60*ms {
						return 50 * ms
					}
					return d
				})
			}, 1,
			[]string{"retry 1: 20 % of clients wait exactly 50ms"},
		},
		{
			"of three delays, 4:3:3",
			func(seed uint64) seq {
				return backoff.Map(backoff.Uniform(0, 10*s, backoff.WithSeed(seed)), func(d time.Duration) time.Duration {
					switch {
					case d < 4*s:
						return 3 * s
					case d < 7*s:
						return s
					}
					return 2 * s
				})
			}, 1,
			[]string{"retry 1: 40 % of clients wait exactly 3s: the delays are too few to keep clients apart"},
		},
		{
			"exponential", always(backoff.Exponential(s, 2)), 12,
			[]string{"no jitter: at every retry all clients wait for exactly the same delay"},
		},
		{
			"immediate", always(backoff.Constant(0)), 12,
			[]string{"no wait: at every retry all clients come back at once"},
		},
		{"none", always(of()), 20, nil},
		{"full jitter", random, 12, nil},
		{
			"less than a thousandth",
			func(seed uint64) seq {
				return backoff.Map(backoff.Uniform(0, 10*s, backoff.WithSeed(seed)), func(d time.Duration) time.Duration { return max(d, 5*ms) })
			}, 1, nil,
		},
		{
			"dense, and then nothing for an hour",
			func(seed uint64) seq {
				return backoff.Map(backoff.Uniform(0, 9, backoff.WithSeed(seed)), func(d time.Duration) time.Duration {
					switch {
					case d < 4:
						return 0
					case d < 9:
						return 1
					}
					return time.Hour
				})
			}, 1, nil,
		},
		{"a dense pair, most of it the lower one", pair(0, 0, 0.6), 1, nil},
		{"a dense pair, most of it the upper one", pair(0, 0, 0.4), 1, nil},
		{"nothing for an hour, and then a dense pair", pair(0.1, time.Hour, 0.6), 1, nil},
		{"exactly a thousandth", every(1000), 1, []string{
			"retry 1: 0.1 % of clients wait exactly 1h0m0s: put the jitter after the cap",
		}},
		{"one of a thousand and one", every(1001), 1, nil},
	} {
		if diff := cmp.Diff(tt.want, texts(plan.Of(tt.schedule, tt.n, plan.Draws(100_000)).Warnings())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestWarningSaysSmallAndLargeShares(t *testing.T) {
	rare := func(share float64) func(uint64) seq {
		return func(seed uint64) seq {
			return backoff.Map(backoff.Uniform(0, s, backoff.WithSeed(seed)), func(d time.Duration) time.Duration {
				if d.Seconds() < share {
					return 2 * s
				}
				return d
			})
		}
	}
	for _, tt := range []struct {
		share float64
		want  string
	}{
		{0.004, "retry 1: 0.4 % of clients wait exactly 2s: put the jitter after the cap"},
		{0.998, "retry 1: more than 99 % of clients wait exactly 2s: put the jitter after the cap"},
	} {
		got := texts(plan.Of(rare(tt.share), 1, plan.Draws(100_000)).Warnings())
		if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// A caller need not read the text.
func TestWarningSaysWhatMakesIt(t *testing.T) {
	capped := plan.Of(jitterThenCap(backoff.Jitter, 1), 10, plan.Draws(40_000))
	for _, tt := range []struct {
		name string
		got  []plan.Warning
		want plan.Warning
	}{
		{"jitter, then cap", capped.Warnings()[2:], plan.Warning{Retry: 10, Atom: capped.Retries[9].Atom, Advice: plan.JitterAfterCap}},
		{"nothing random", plan.Of(always(backoff.Constant(s)), 3).Warnings(), plan.Warning{Advice: plan.NoJitter}},
		{"nothing to wait for", plan.Of(always(backoff.Constant(0)), 3).Warnings(), plan.Warning{Advice: plan.NoWait}},
	} {
		if diff := cmp.Diff([]plan.Warning{tt.want}, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
