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

// jitterThenCap has the order that the package warns of.
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
				t.Errorf("%s(%v, %v): %s", name, base, 100*base, strings.Join(texts(w), "; "))
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
	if diff := cmp.Diff([]plan.Warning(nil), p.Warnings()); diff != "" {
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

// Two draws with different delays share none: once a share of one half was called an atom.
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
