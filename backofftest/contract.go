package backofftest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"
)

// contract checks everything that needs no test: the contract, and the options.
func (s *subject) contract() *breach {
	if bad := s.smallest(0, seeds, s.reusable); bad != nil {
		return s.onSource(bad)
	}
	return s.others()
}

// others checks everything except that the schedule is reusable, on which it relies.
func (s *subject) others() *breach {
	if bad := smallest(0, seeds, s.bounded); bad != nil {
		return s.onSource(bad)
	}
	for _, check := range []func(uint64, iter.Seq[time.Duration]) *breach{s.propagates, s.nested, s.inTurn, s.concurrent} {
		if bad := s.smallest(0, seeds, check); bad != nil {
			return s.onSource(bad)
		}
	}
	bad := smallest(seeds, clients, s.sampled)
	if bad == nil && s.spread {
		bad = s.spreads()
	}
	return s.onSource(bad)
}

// next records one more reading of the seed, and returns a breach if it differs from
// the readings before.
func (s *subject) next(seed uint64, r reading) (bad *breach) {
	if s.unseeded {
		bad = s.holds(r)
	} else if bad = differing(s.known[seed], r, s.last[seed].how()+", the next range", "state outlives a range"); bad != nil {
		if !s.fixed(seed, bad.at+1) {
			bad.text += ", or the seed does not fix the delays, see Unseeded"
		}
	}
	s.known[seed], s.last[seed] = longer(s.known[seed], r), r
	return bad
}

// same returns a breach if r differs from what is known of the seed.
func (s *subject) same(seed uint64, r reading, when, why string) *breach {
	if s.unseeded {
		return s.holds(r)
	}
	return differing(s.known[seed], r, when, why)
}

// reusable ranges again and again over one value: to delay 0, to delay 1 and so on,
// twice over all delays that are checked, and to random delays. It records what is
// known of the seed.
func (s *subject) reusable(seed uint64, seq iter.Seq[time.Duration]) *breach {
	var stops []int
	for n := range min(32, s.checked()) {
		stops = append(stops, n+1)
	}
	stops = append(stops, s.checked(), s.checked())
	random := rand.New(rand.NewPCG(seed, 0))
	for range 8 {
		stops = append(stops, 1+random.IntN(s.checked()))
	}
	stops = append(stops, 1)

	empty := 0
	for i, n := range stops {
		r, bad := loop{n: n}.over(seq)
		if bad == nil {
			bad = s.next(seed, r)
		}
		if bad != nil {
			return bad
		}
		if i > 0 && len(r.delays) == 0 {
			empty++
		}
	}
	if s.unseeded {
		if len(s.known[seed].delays) > 0 && empty == len(stops)-1 {
			return broken(0, "a range gave delays, and all %d after it gave none: state outlives a range", empty)
		}
		return nil
	}

	r, bad := s.read(seed, s.checked())
	if bad != nil {
		return bad
	}
	return differing(s.known[seed], r, fmt.Sprintf(s.name+", called again,", seed), "the seed does not fix the delays, see Unseeded")
}

// fixed reports whether the schedules that newSchedule returns for a seed begin with
// the same n delays. It only serves to explain a breach.
func (s *subject) fixed(seed uint64, n int) bool {
	a, badA := s.read(seed, n)
	b, badB := s.read(seed, n)
	_, _, _, differ := differ(a, b)
	return badA == nil && badB == nil && !differ
}

// bounded checks all that is known of the seed.
func (s *subject) bounded(seed uint64) *breach {
	return s.holds(s.known[seed])
}

// sampled checks the first delays of one more client.
func (s *subject) sampled(seed uint64) *breach {
	r, bad := s.read(seed, min(64, s.checked()))
	if bad != nil {
		return bad
	}
	return s.holds(r)
}

// propagates lets the loop's body panic, and ranges again.
func (s *subject) propagates(seed uint64, seq iter.Seq[time.Duration]) *breach {
	for _, n := range []int{0, 1, 2, 31} {
		if bad := swallows(seq, n); bad != nil {
			return bad
		}
		r, bad := loop{n: n + 2}.over(seq)
		if bad != nil {
			return bad.note("after a panic of the loop's body")
		}
		if bad := s.same(seed, r, "after a panic of the loop's body, the next range", "state outlives a range"); bad != nil {
			return bad
		}
	}
	return nil
}

// nested ranges over the schedule within the body of a loop over it.
func (s *subject) nested(seed uint64, seq iter.Seq[time.Duration]) *breach {
	for at := range 4 {
		var inner reading
		var innerBad *breach
		outer, bad := loop{n: at + 3, body: func(i int, _ time.Duration) bool {
			if i == at {
				inner, innerBad = loop{n: at + 2}.over(seq)
			}
			return innerBad == nil
		}}.over(seq)
		switch {
		case innerBad != nil:
			return innerBad.note("inside another range's body at delay %d", at)
		case bad != nil:
			return bad.note("with another range inside its body at delay %d", at)
		}
		const why = "ranges share state"
		if len(outer.delays) > at {
			if bad := s.same(seed, inner, fmt.Sprintf("a range inside another's body at delay %d", at), why); bad != nil {
				return bad
			}
		}
		if bad := s.same(seed, outer, fmt.Sprintf("a range with another inside its body at delay %d", at), why); bad != nil {
			return bad
		}
	}
	return nil
}

// inTurn advances two ranges in turn, one some delays ahead of the other.
func (s *subject) inTurn(seed uint64, seq iter.Seq[time.Duration]) (bad *breach) {
	defer func() {
		if p := recover(); p != nil {
			bad = broken(0, "of two ranges that advance in turn, one panicked: %v", p)
			bad.stack = debug.Stack()
		}
	}()
	for ahead := range 3 {
		var one, other pulled
		one.next, one.stop = iter.Pull(seq)
		defer one.stop()
		other.next, other.stop = iter.Pull(seq)
		defer other.stop()
		for range ahead {
			one.pull()
		}
		for range 8 {
			one.pull()
			other.pull()
		}
		for _, p := range []pulled{one, other} {
			if bad := s.same(seed, p.reading, "of two ranges that advance in turn, one", "ranges share state"); bad != nil {
				return bad
			}
		}
	}
	return nil
}

// pulled is a reading that advances by one delay at a time.
type pulled struct {
	reading
	next func() (time.Duration, bool)
	stop func()
}

func (p *pulled) pull() {
	if d, ok := p.next(); ok {
		p.delays = append(p.delays, d)
	} else {
		p.ended = true
	}
}

// concurrent ranges in several goroutines at once.
func (s *subject) concurrent(seed uint64, seq iter.Seq[time.Duration]) *breach {
	found := make([]*breach, 8)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range found {
		all.Go(func() {
			<-start
			for range 4 {
				r, bad := loop{n: min(64, s.checked())}.over(seq)
				if bad != nil {
					bad.note("in one of 8 goroutines")
				} else {
					bad = s.same(seed, r, "of ranges in 8 goroutines, one", "ranges share state")
				}
				if bad != nil {
					found[i] = bad
					return
				}
			}
		})
	}
	close(start)
	all.Wait()
	var least *breach
	for _, bad := range found {
		if bad != nil && (least == nil || bad.at < least.at) {
			least = bad
		}
	}
	return least
}
