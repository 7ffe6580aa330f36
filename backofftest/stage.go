package backofftest

import (
	"iter"
	"sync/atomic"
	"time"
)

// lazy checks how a stage draws from its source.
func (s *subject) lazy() *breach {
	return s.onSource(smallest(0, seeds, s.draws))
}

// A probe counts how a stage draws from its source.
type probe struct {
	drawn atomic.Int64 // delays given
	open  atomic.Int64 // ranges that have begun and not ended
}

func (p *probe) watch(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		p.open.Add(1)
		defer p.open.Add(-1)
		for d := range seq {
			p.drawn.Add(1)
			if !yield(d) {
				return
			}
		}
	}
}

// draws breaks at delay 0, at delay 1 and so on, and counts the delays drawn.
func (s *subject) draws(seed uint64) *breach {
	for n := 1; n <= min(32, s.checked()); n++ {
		r, bad := s.drawn(seed, n)
		if bad == nil {
			bad = s.next(seed, r)
		}
		if bad != nil {
			return bad
		}
		if r.ended {
			break
		}
	}
	return nil
}

// drawn builds the stage again, over a probe, and breaks at delay n−1.
func (s *subject) drawn(seed uint64, n int) (r reading, bad *breach) {
	var p probe
	probed := *s
	probed.newSchedule = func(seed uint64) iter.Seq[time.Duration] {
		return s.newStage(p.watch(s.source.delays), seed)
	}
	seq, bad := probed.build(seed)
	if bad != nil {
		return r, bad
	}
	if drawn := p.drawn.Load(); drawn > 0 {
		return r, broken(-1, "newStage drew %s from its source before there was a range", count(drawn))
	}

	var atYield int64
	var early *breach
	r, bad = loop{n: n, body: func(i int, _ time.Duration) bool {
		atYield = p.drawn.Load()
		if most := int64(i + 1 + s.extra); atYield > most {
			early = broken(i, "delay %d came when %d delays had been drawn, want at most %d", i, atYield, most)
		}
		return early == nil
	}}.over(seq)
	if early != nil {
		return r, early
	}
	if bad != nil {
		return r, bad
	}

	given, drawn := len(r.delays), p.drawn.Load()
	const open = "a range over the source is not over after "
	switch most := int64(given + s.extra); {
	case !r.ended && drawn > atYield:
		bad = broken(n-1, "after the loop broke at delay %d the stage drew %d more of its source", n-1, drawn-atYield)
	case r.ended && drawn > most:
		bad = broken(given, "to give %s the stage drew %d, want at most %d", count(given), drawn, most)
	case p.open.Load() > 0 && r.ended:
		bad = broken(given, open+"the range over the stage: is an iter.Pull not stopped?")
	case p.open.Load() > 0:
		bad = broken(n-1, open+"the loop broke at delay %d: is an iter.Pull not stopped?", n-1)
	}
	return r, bad
}
