package backofftest

import (
	"iter"
	"runtime/debug"
	"time"
)

// How many seeds from 0 are tried: a few in depth, and many as clients.
const (
	seeds   = 8
	clients = 1000
)

// A subject is a schedule under check, or a stage over one of the sources.
type subject struct {
	config
	name        string // of the caller's function, with a verb for the seed
	newSchedule func(seed uint64) iter.Seq[time.Duration]

	newStage func(src iter.Seq[time.Duration], seed uint64) iter.Seq[time.Duration]
	source   source

	known, last []reading // by seed: the reading that has most, and the last one
}

func newSubject(function string, newSchedule func(seed uint64) iter.Seq[time.Duration], opts []Option) *subject {
	if newSchedule == nil {
		reject(function, "newSchedule", "nil", "a function")
	}
	return &subject{
		config:      newConfig(function, opts, false),
		name:        "newSchedule(%d)",
		newSchedule: newSchedule,
		known:       make([]reading, seeds),
		last:        make([]reading, seeds),
	}
}

// build returns the schedule for a seed.
func (s *subject) build(seed uint64) (seq iter.Seq[time.Duration], bad *breach) {
	defer func() {
		if p := recover(); p != nil {
			bad = broken(-1, s.name+" panicked: %v", seed, p)
			bad.stack = debug.Stack()
		}
	}()
	seq = s.newSchedule(seed)
	if seq == nil {
		bad = broken(-1, s.name+" returned nil, want a schedule", seed)
	}
	return seq, bad
}

// read builds the schedule for a seed and ranges over n delays of it.
func (s *subject) read(seed uint64, n int) (reading, *breach) {
	seq, bad := s.build(seed)
	if bad != nil {
		return reading{}, bad
	}
	return loop{n: n}.over(seq)
}

// smallest is the function smallest with a new schedule for each seed.
func (s *subject) smallest(lo, hi uint64, check func(seed uint64, seq iter.Seq[time.Duration]) *breach) *breach {
	return smallest(lo, hi, func(seed uint64) *breach {
		seq, bad := s.build(seed)
		if bad == nil {
			bad = check(seed, seq)
		}
		return bad
	})
}

// onSource adds the source to a breach.
func (s *subject) onSource(bad *breach) *breach {
	if s.newStage == nil {
		return bad
	}
	return bad.note("the source is %s", s.source.name)
}

// A source is a schedule over which a stage is checked.
type source struct {
	name   string
	delays iter.Seq[time.Duration]
	length int // -1: endless
}

// sources returns all sources, the shortest first and the one that grows last.
func sources() []source {
	finite := func(delays ...time.Duration) source {
		name := "empty"
		for i, d := range delays {
			if i == 0 {
				name = d.String()
			} else {
				name += ", " + d.String()
			}
		}
		return source{name, func(yield func(time.Duration) bool) {
			for _, d := range delays {
				if !yield(d) {
					return
				}
			}
		}, len(delays)}
	}
	return []source{
		finite(),
		finite(time.Second),
		finite(time.Second, 2*time.Second, 4*time.Second),
		{"0s, 0s, 0s, ...", func(yield func(time.Duration) bool) {
			for {
				if !yield(0) {
					return
				}
			}
		}, -1},
		{"1s, 2s, 4s, ...", func(yield func(time.Duration) bool) {
			d := time.Second
			for {
				if !yield(d) {
					return
				}
				d += min(d, largest-d)
			}
		}, -1},
	}
}

const largest time.Duration = 1<<63 - 1

// newStages returns a stage over each source as subjects.
func newStages(function string, newStage func(src iter.Seq[time.Duration], seed uint64) iter.Seq[time.Duration], opts []Option) []*subject {
	if newStage == nil {
		reject(function, "newStage", "nil", "a function")
	}
	c := newConfig(function, opts, true)
	var subjects []*subject
	all := sources()
	for i, src := range all {
		s := &subject{
			config:   c,
			name:     "newStage(src, %d)",
			newStage: newStage,
			source:   src,
			known:    make([]reading, seeds),
			last:     make([]reading, seeds),
		}
		s.newSchedule = func(seed uint64) iter.Seq[time.Duration] { return newStage(src.delays, seed) }
		if i < len(all)-1 {
			s.counted, s.reaches, s.spread = false, 0, false
		}
		if c.keepsLength && src.length >= 0 {
			s.counted, s.delays = true, src.length
		}
		subjects = append(subjects, s)
	}
	return subjects
}
