package plan_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/plan"
	"github.com/google/go-cmp/cmp"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

// jitterThenCap is the order that the package warns of.
func jitterThenCap(jitter func(seq, float64, ...backoff.Option) seq, fraction float64) func(uint64) seq {
	return func(seed uint64) seq {
		return backoff.Cap(jitter(backoff.Exponential(100*ms, 2), fraction, backoff.WithSeed(seed)), 10*s)
	}
}

// At retry n full jitter draws from [0, e], e = 100 ms·2ⁿ⁻¹, and the cap catches
// 1 − 10 s/e; ±50 % draws from [e/2, 3e/2] and it catches (3e/2 − 10 s)/e, or all.
// A share of 40,000 draws is off by more than 0.0125 less than once in a million.
func TestAtomsOfJitterBeforeCap(t *testing.T) {
	for _, tt := range []struct {
		name  string
		plan  *plan.Plan
		share func(e float64) float64
	}{
		{
			"full", plan.Of(jitterThenCap(backoff.Jitter, 1), 20, plan.Draws(40_000)),
			func(e float64) float64 { return 1 - 10/e },
		},
		{
			"±50 %", plan.Of(jitterThenCap(backoff.Spread, 0.5), 20, plan.Draws(40_000)),
			func(e float64) float64 { return (1.5*e - 10) / e },
		},
	} {
		for _, r := range tt.plan.Retries {
			want := min(1, max(0, tt.share(0.1*math.Pow(2, float64(r.N-1)))))
			if math.Abs(r.Atom.Share-want) > 0.0125 || (want > 0) != (r.Atom.Share > 0) {
				t.Errorf("%s: retry %d: the atom is %v, want %v", tt.name, r.N, r.Atom, want)
			}
			if want > 0 && r.Atom.Delay != 10*s {
				t.Errorf("%s: retry %d: the atom is at %v, want 10s", tt.name, r.N, r.Atom.Delay)
			}
		}
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
				"retry 1: 50 % of clients wait exactly 50ms: put the jitter after what bounds it from below",
				"retry 2: 25 % of clients wait exactly 50ms: put the jitter after what bounds it from below",
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
				"retry 1: 50 % of clients wait exactly 1s: put the jitter after what bounds it from above",
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
	} {
		if diff := cmp.Diff(tt.want, plan.Of(tt.schedule, tt.n, plan.Draws(100_000)).Warnings()); diff != "" {
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
		got := plan.Of(rare(tt.share), 1, plan.Draws(100_000)).Warnings()
		if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// The library's own jitters have no atom, for any base: nor where there are but a
// few nanoseconds to draw from, so that many clients meet without a cause.
func TestJitterHasNoAtom(t *testing.T) {
	for name, schedule := range map[string]func(base, limit time.Duration, opts ...backoff.Option) seq{
		"FullJitter":         backoff.FullJitter,
		"EqualJitter":        backoff.EqualJitter,
		"DecorrelatedJitter": backoff.DecorrelatedJitter,
		"SmoothJitter":       backoff.SmoothJitter,
	} {
		for _, base := range []time.Duration{100, time.Microsecond, 100 * ms, time.Hour} {
			p := plan.Of(func(seed uint64) seq { return schedule(base, 100*base, backoff.WithSeed(seed)) }, 20)
			if w := p.Warnings(); len(w) > 0 {
				t.Errorf("%s(%v, %v): %s", name, base, 100*base, strings.Join(w, "; "))
			}
			for _, r := range p.Retries {
				if r.Atom.Share > 0 {
					t.Errorf("%s(%v, %v): retry %d has %v, want no atom", name, base, 100*base, r.N, r.Atom)
				}
			}
		}
	}
}

// Many draws see an atom that is too small for a warning.
func TestAtomBelowAWarning(t *testing.T) {
	p := plan.Of(func(seed uint64) seq {
		return backoff.Map(backoff.Uniform(0, 10*s, backoff.WithSeed(seed)), func(d time.Duration) time.Duration { return max(d, 2*ms) })
	}, 1, plan.Draws(200_000))
	if a := p.Retries[0].Atom; a.Delay != 2*ms || math.Abs(a.Share-0.0002) > 0.0002 {
		t.Errorf("the atom is %v, want 0.02 %% at 2ms", a)
	}
	if diff := cmp.Diff([]string(nil), p.Warnings()); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// Few draws see a large atom and imagine none.
func TestAtomOfFewDraws(t *testing.T) {
	for _, draws := range []int{2, 3, 10, 30} {
		p := plan.Of(jitterThenCap(backoff.Jitter, 1), 20, plan.Draws(draws))
		if last := p.Retries[19].Atom; !(last.Share > 0.9 && last.Delay == 10*s) {
			t.Errorf("%d draws: the atom of retry 20 is %v, want nearly all at 10s", draws, last)
		}
		if slices.ContainsFunc(p.Retries[:7], func(r plan.Retry) bool { return r.Atom.Share > 0 }) {
			t.Errorf("%d draws: an atom before the cap is reached: %v", draws, p.Warnings())
		}
	}
}

// A retry that two draws have, with delays of their own, is shared by nobody: once
// a share of one half was called an atom.
func TestNoAtomOfOneDraw(t *testing.T) {
	p := plan.Of(func(seed uint64) seq {
		delays := backoff.Uniform(s, time.Hour, backoff.WithSeed(seed))
		return backoff.Within(delays, 90*time.Minute) // of random length
	}, 40, plan.Draws(1000))
	few := 0
	for _, r := range p.Retries {
		if r.Share <= 0.003 {
			few++
		}
		if r.Atom.Share != 0 {
			t.Errorf("retry %d, which %v of the draws have: the atom is %v, want none", r.N, r.Share, r.Atom)
		}
	}
	if few == 0 {
		t.Error("no retry is so rare that it asks the question")
	}
}
