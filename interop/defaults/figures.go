package main

import (
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"example.com/backoff"
	"example.com/backoff/plan"
)

// figures are what the arithmetic says of a schedule.
type figures struct {
	plan     *plan.Plan // of as many retries as an hour may hold, without the rare ones
	endless  bool
	attempts span[int]             // until it gives up; meaningless if endless
	worst    time.Duration         // no delay is longer
	total    time.Duration         // the most until it gives up; meaningless if endless
	mean     time.Duration         // of the total
	bounds   []span[time.Duration] // of each delay of the plan
	minute   count
	hour     count
	first    float64 // the share of clients that share one delay before retry 1
	last     float64 // and before the last retry that was looked at
}

type span[T any] struct{ least, greatest T }

// A count says how many retries come within a time.
type count struct {
	mean    float64
	low, up int // one client in twenty has fewer, one in twenty more
}

// most is more delays than the longest of the schedules that end has.
const most = 100

// figure computes the figures of a client.
func figure(c client) figures {
	newSchedule := func(seed uint64) iter.Seq[time.Duration] { return c.schedule(backoff.WithSeed(seed)) }
	n, draws := most, 10_000
	if !c.random() {
		draws = 2 // they are alike, and everything is exact
	}
	p := plan.Of(newSchedule, n, plan.Draws(draws))
	for p.Open > 0 && p.Within(time.Hour).Open > 0 {
		n *= 2
		p = plan.Of(newSchedule, n, plan.Draws(draws))
	}
	if c.random() && p.Open == 0 && len(p.Retries) <= 30 {
		// Few delays: many draws, for the largest share of several alike is
		// the larger the fewer the draws.
		p = plan.Of(newSchedule, n, plan.Draws(100_000))
	}
	f := figures{
		plan:    p,
		endless: p.Open > 0,
		minute:  countOf(p.Within(time.Minute)),
		hour:    countOf(p.Within(time.Hour)),
	}
	mean := 0.0
	for _, r := range p.Retries {
		mean += float64(r.Share * float64(r.Delay.Mean))
	}
	// Of a retry that hardly any client has there are too few draws to say
	// what they share.
	for p.Retries[len(p.Retries)-1].Share < 0.01 {
		p.Retries = p.Retries[:len(p.Retries)-1]
	}
	f.first = p.Retries[0].Atom.Share
	f.last = p.Retries[len(p.Retries)-1].Atom.Share
	f.bounds = boundsOf(c.schedule, min(len(p.Retries), most))
	for _, b := range f.bounds {
		f.worst = max(f.worst, b.greatest)
	}
	if f.endless {
		return f
	}
	// Where the total is limited the shortest delays make the most attempts, and
	// the greatest total is that of neither.
	f.attempts = span[int]{math.MaxInt, 0}
	for _, x := range []uint64{lowest, highest} {
		attempts, total := 1, time.Duration(0)
		for d := range c.schedule(constantly(x)) {
			attempts, total = attempts+1, total+d
		}
		f.attempts = span[int]{min(f.attempts.least, attempts), max(f.attempts.greatest, attempts)}
		f.total = max(f.total, total)
	}
	f.mean = time.Duration(math.Round(mean))
	return f
}

func countOf(fit plan.Fit) count {
	c := count{mean: fit.Mean - 1, low: fit.Min - 1, up: fit.Min - 1}
	for attempts, share := range fit.AtLeast {
		if share >= 0.95 {
			c.low = attempts - 1
		}
		if share > 0.05 {
			c.up = attempts - 1
		}
	}
	return c
}

// What a source gives for ever, for a uniform delay to be the least or the
// greatest of its interval: the first is not 0, because an exact draw refuses 0
// for ever where the number of delays is no power of 2.
const (
	lowest  = 1
	highest = math.MaxUint64
)

// A steady source gives one number but for one draw, counted from 0.
type steady struct {
	number, other uint64
	at, drawn     int
}

func (s *steady) Uint64() uint64 {
	s.drawn++
	if s.drawn == s.at+1 {
		return s.other
	}
	return s.number
}

func constantly(x uint64) backoff.Option { return except(x, x, 0) }

// except makes a schedule draw x, but other at one place.
func except(x, other uint64, at int) backoff.Option {
	return backoff.WithSource(func() rand.Source { return &steady{number: x, other: other, at: at} })
}

// boundsOf returns the bounds of the first n delays. A delay is at its bound if
// all numbers before it are at theirs, or, where delays telescope, at the
// other's.
func boundsOf(schedule func(...backoff.Option) iter.Seq[time.Duration], n int) []span[time.Duration] {
	bounds := make([]span[time.Duration], n)
	for i := range bounds {
		bounds[i].least = backoff.NoLimit
	}
	look := func(o backoff.Option) {
		i := 0
		for d := range backoff.Take(schedule(o), n) {
			bounds[i].least = min(bounds[i].least, d)
			bounds[i].greatest = max(bounds[i].greatest, d)
			i++
		}
	}
	look(constantly(lowest))
	look(constantly(highest))
	for at := range n {
		look(except(lowest, highest, at))
		look(except(highest, lowest, at))
	}
	return bounds
}
