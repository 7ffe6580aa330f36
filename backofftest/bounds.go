package backofftest

import (
	"slices"
	"time"
)

// holds checks each delay of one reading, and then the conditions on all of them.
func (s *subject) holds(r reading) *breach {
	left := s.total
	for i, d := range r.delays {
		if bad := s.holdsAt(r.delays, i); bad != nil {
			if i > 0 && !s.monotone {
				bad.note("delay %d was %v", i-1, r.delays[i-1])
			}
			return bad
		}
		if s.totalled && d > left {
			return broken(i, "delay %d is %v, want a total of at most %v", i, d, s.total).
				note("the delays before it total %v", s.total-left)
		}
		left -= d
	}
	if s.counted && r.ended && len(r.delays) < s.delays {
		return broken(len(r.delays), "the schedule ends after %s, want %d", count(len(r.delays)), s.delays)
	}
	if !r.ended && len(r.delays) < s.checked() {
		return nil // the other checks need all delays
	}
	if !s.zeroTail {
		if bad := hotTail(r); bad != nil {
			return bad
		}
	}
	if s.reaches > 0 {
		return falls(r, s.reaches)
	}
	return nil
}

// holdsAt checks delay i.
func (s *subject) holdsAt(delays []time.Duration, i int) *breach {
	d := delays[i]
	switch {
	case d < 0:
		return broken(i, "delay %d is %v, want >= 0", i, d)
	case s.counted && i >= s.delays:
		return broken(i, "delay %d is %v, want no more than %s", i, d, count(s.delays))
	case s.between && (d < s.lo || d > s.hi):
		return broken(i, "delay %d is %v, want a value in [%v, %v]", i, d, s.lo, s.hi)
	case s.spread && d > s.limit:
		return broken(i, "delay %d is %v, want at most the limit, %v", i, d, s.limit)
	case s.monotone && i > 0 && d < delays[i-1]:
		return broken(i, "delay %d is %v, want at least %v, the delay before it", i, d, delays[i-1])
	}
	return nil
}

// hotTail returns a breach if a schedule waits at first and then no more.
func hotTail(r reading) *breach {
	n := len(r.delays)
	zeros := 0
	for zeros < n && r.delays[n-1-zeros] == 0 {
		zeros++
	}
	if zeros == n || zeros < 32 || zeros <= n/2 {
		return nil
	}
	from := n - zeros
	return broken(from, "delay %d and all after it are 0, a loop without a wait, see ZeroTail", from).
		note("delay %d was %v; of %s", from-1, r.delays[from-1], count(n))
}

// falls returns a breach if a reading falls short of a delay.
func falls(r reading, delay time.Duration) *breach {
	if len(r.delays) == 0 {
		return broken(0, "the schedule is empty, want a delay of at least %v", delay)
	}
	most := slices.Max(r.delays)
	if most >= delay {
		return nil
	}
	at := slices.Index(r.delays, most)
	return broken(at, "the largest delay is delay %d, %v, want one of at least %v", at, most, delay).
		note("of %s", count(len(r.delays)))
}
