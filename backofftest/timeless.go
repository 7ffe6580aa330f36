package backofftest

import (
	"iter"
	"testing"
	"testing/synctest"
	"time"
)

const year = 365 * 24 * time.Hour

// timeless checks in bubbles that the schedule leaves no goroutine behind, that it is
// reusable, and that it neither sleeps nor reads a clock. It comes first, because
// outside of a bubble a schedule that sleeps would really sleep.
func (s *subject) timeless(t *testing.T) *breach {
	t.Helper()
	for _, check := range []func(t *testing.T, seed uint64) *breach{s.leaks, s.clockless} {
		bad := smallest(0, seeds, func(seed uint64) *breach { return check(t, seed) })
		if bad != nil {
			return s.onSource(bad)
		}
	}
	return nil
}

// bubble runs check in a bubble and returns what it found. The result clean is
// false if a goroutine stayed behind.
func bubble(t *testing.T, check func() *breach) (bad *breach, clean bool) {
	t.Helper()
	begun, done := false, false
	defer func() {
		// synctest panics if there is a deadlock. When check is done, that is a
		// deadlock of the goroutines that are left.
		switch p := recover(); {
		case p == nil || done:
		case begun:
			bad = broken(-1, "the schedule blocks forever")
		default:
			panic(p)
		}
	}()
	synctest.Test(t, func(*testing.T) {
		begun = true
		bad = check()
		done = true
	})
	return bad, true
}

// leaks builds the schedule and ranges over it, to its end or for some delays,
// in a bubble of its own each time.
func (s *subject) leaks(t *testing.T, seed uint64) *breach {
	t.Helper()
	bad, clean := bubble(t, func() *breach {
		_, bad := s.build(seed)
		return bad
	})
	if bad != nil {
		return bad
	}
	if !clean {
		return broken(-1, s.name+" leaves a goroutine behind, without a range", seed)
	}
	for n := 1; n <= 4; n++ {
		var r reading
		bad, clean := bubble(t, func() *breach {
			var bad *breach
			r, bad = s.read(seed, n)
			return bad
		})
		if bad == nil && !clean {
			bad = broken(len(r.delays)-1, "%s, a goroutine is left behind: is an iter.Pull not stopped?", r.how())
		}
		if bad == nil {
			bad = s.next(seed, r)
		}
		if bad != nil {
			return bad
		}
	}
	return nil
}

// clockless ranges at different times and with pauses between delays.
func (s *subject) clockless(t *testing.T, seed uint64) *breach {
	t.Helper()
	n := min(64, s.checked())
	bad, _ := bubble(t, func() *breach {
		seq, bad := s.build(seed)
		if bad != nil {
			return bad
		}
		r, bad := sleepless(seq, n)
		if bad == nil {
			bad = s.next(seed, r)
		}
		if bad == nil {
			bad = s.reusable(seed, seq) // otherwise a clock would get the blame
		}
		if bad == nil {
			_, bad = sleepless(seq, s.checked())
		}
		if bad == nil && s.unseeded {
			bad = expires(seq)
		}
		if bad != nil || s.unseeded {
			return bad
		}
		// A bubble begins in the year 2000, and its clock works until 2262.
		for _, pause := range []time.Duration{time.Millisecond, time.Second, time.Minute, time.Hour, 24 * time.Hour, year, 100 * year} {
			time.Sleep(pause)
			r, _ := loop{n: n}.over(seq)
			if bad := differing(s.known[seed], r, "the next range, "+pause.String()+" later,", clock); bad != nil {
				return bad
			}
			if pause > year {
				break
			}
			r, _ = loop{n: n, body: func(int, time.Duration) bool {
				time.Sleep(pause)
				return true
			}}.over(seq)
			if bad := differing(s.known[seed], r, "a range with "+pause.String()+" between delays", clock); bad != nil {
				return bad
			}
		}
		return nil
	})
	if bad != nil || s.unseeded {
		return bad
	}
	// The schedule may have been made earlier, outside of the bubble.
	r, bad := s.read(seed, n)
	if bad != nil {
		return bad
	}
	return differing(s.known[seed], r, "between the year 2000 and now a range", clock)
}

const clock = "the schedule reads a clock"

// sleepless ranges over up to n delays, and stops when time passes.
func sleepless(seq iter.Seq[time.Duration], n int) (reading, *breach) {
	start, at := time.Now(), -1
	r, bad := loop{n: n, body: func(i int, _ time.Duration) bool {
		at = i
		return time.Since(start) == 0
	}}.over(seq)
	if slept := time.Since(start); slept > 0 {
		return r, broken(at, "%v passed in a range that broke at delay %d: the schedule sleeps", slept, at)
	}
	return r, bad
}

// expires finds a clock even if no two ranges need be equal: all of them have delays at
// first, and none has any later. Chance alone does that once in 2¹⁶ times at most.
func expires(seq iter.Seq[time.Duration]) *breach {
	const ranges = 8
	empty := func() (n int) {
		for range ranges {
			if r, _ := (loop{n: 1}).over(seq); len(r.delays) == 0 {
				n++
			}
		}
		return n
	}
	if empty() > 0 {
		return nil
	}
	time.Sleep(100 * year)
	if empty() < ranges {
		return nil
	}
	return broken(0, "%d ranges have no delay 100 years later, and all had one: %s", ranges, clock)
}
