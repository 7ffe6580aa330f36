// Package plan answers, before a schedule is used, what it will do: how long it
// takes, how many retries fit, which parameters to choose, whom it hurts.
//
// # Retries, attempts and elapsed time
//
// Here retries count from 1, as in the sentence "retry 1 is the first": retry n
// follows the n-th delay, which package backoff calls delay n−1, and is attempt
// n+1. So n delays are n retries are n+1 attempts. The elapsed time of retry n is
// the time from the start of the first attempt to the start of that retry.
//
// # The linear law
//
// Of the schedule a, a·r, a·r², ... retry n comes at Tₙ = a·(rⁿ−1)/(r−1), and
// the delay that follows it is
//
//	a·rⁿ = a + (r−1)·Tₙ
//
// which has no n in it: the delay is a straight line in the time gone by. After a
// short while a is nothing beside T, and the delay is the share r−1 of all the
// time before. So the factor is not a matter of taste. Whoever accepts to notice
// a recovery late by at most a tenth of the outage wants r = 1.1, and pays 7 times
// the retries of r = 2 for it. [Geometric] has these formulas and their inverses,
// exact to the nanosecond, for r = 1 and under a limit too.
//
// Three of base, factor, retries n, elapsed and delay give the other two, where the
// delay is the one that follows:
//
//	base, factor, n          Elapsed(n), DelayAfter(n)
//	base, factor, elapsed    Retries(elapsed), DelayAt(elapsed)
//	base, factor, delay      RetriesAtDelay(delay), ElapsedAtDelay(delay)
//	base, n, elapsed         FactorForRetries(n, elapsed)
//	base, n, delay           FactorForDelay(n, delay)
//	base, elapsed, delay     FactorForDelayAt(elapsed, delay)
//	factor, n, elapsed       BaseForRetries(n, elapsed)
//	factor, n, delay         BaseForDelay(n, delay)
//	factor, elapsed, delay   BaseForDelayAt(elapsed, delay)
//	n, elapsed, delay        FactorAndBase(n, elapsed, delay)
//
// and base, factor, n and elapsed together give LimitForRetries(n, elapsed).
//
// # Any schedule
//
// [Of] draws from a schedule of any kind, ten thousand times unless told otherwise,
// and gives for each retry the min, mean, quantiles and max of the delay and of the
// elapsed time. [Plan.Within] says how many attempts fit within a deadline,
// [Plan.Load] and [Plan.Peak] what many clients that fail together do to the server,
// [Plan.Cost] how many attempts a request makes. [Plan.Until] looks at more retries
// where a question needs them.
//
// # Atoms
//
// A delay that is drawn from an interval is hardly ever the same for two clients.
// Where many clients draw one and the same delay, that delay is an atom of the
// distribution, and these clients come back together, which is what jitter is
// there to prevent. A cap after the jitter makes one: all that was drawn beyond
// the limit becomes the limit. A [Retry] has its largest [Atom], and
// [Plan.Warnings] says it in a sentence:
//
//	retry 10: 80 % of clients wait exactly 10s: put the jitter after the cap
//
// # Bad arguments
//
// A question that has no answer, such as which factor brings ten retries of 1 s
// into 5 s, returns an [*Error] that says what came and what is wanted. An argument
// that no question can have, such as a negative count, panics with such a text.
//
// The formulas are those of the article "Exponential backoff における経過時間とリトライ間隔の関係"
// (the relation of elapsed time and retry interval in exponential backoff), on Qiita.
package plan

import (
	"iter"
	"time"
)

// A Plan is what [Of] found out about a schedule. Its methods use the same draws.
type Plan struct {
	Draws     int       // how many clients were simulated; one stands for all if nothing is random
	Quantiles []float64 // the probabilities of the quantiles in each Stats
	Retries   []Retry   // retry 1, 2, ... n, or as many as some draw has
	Open      float64   // the share of draws that go on after retry n

	settings settings
	draws    []draw
}

// A Retry is one row of a [Plan].
type Retry struct {
	N       int     // counting from 1; it is attempt N+1
	Share   float64 // of the draws: how many have this retry at all, in (0, 1]
	Delay   Stats   // the delay before this retry, of the draws that have it
	Elapsed Stats   // the time from the start of the first attempt to this retry's
	Atom    Atom    // the most frequent delay, unless chance explains it; then the zero Atom
}

// Of draws from the schedules that newSchedule returns, the first n delays of each,
// and tells what they are:
//
//	plan.Of(func(seed uint64) iter.Seq[time.Duration] {
//		return backoff.FullJitter(100*time.Millisecond, 10*time.Second, backoff.WithSeed(seed))
//	}, 20)
//
// It calls newSchedule once for each draw, with a seed of its own, from several
// goroutines at once, but for the first draws: those it makes one after the other,
// until one differs from the first. If none of them does, nothing is random, as far
// as can be seen, and Of stops: the Plan has one draw, which stands for all, and
// [Plan.Random] is false. Of compares as many draws as have a million delays
// together, and at least 100: all 10,000 of up to 100 delays, 1,000 of 1,000. So
// a schedule that differs for one client in a thousand, after 1,000 delays that are
// alike, is taken to be exact once in three times.
//
// If what newSchedule returns depends on the seed alone, so does the Plan, however
// many processors share the work, and on every GOARCH. A negative delay counts as 0.
//
// Of a schedule that is not random every value is exact. Of a random one min and
// max are those of the draws and not bounds: one more client lies beyond the max of
// k draws with a probability of 1/(k+1).
//
// It looks at one delay more than n, to see whether the schedule ends there. A
// Plan keeps 8 bytes for each delay drawn and 32 for each draw, about 20 MB for
// 100,000 draws of 20; Of itself needs twice as much. It keeps newSchedule, for
// [Plan.Until].
//
// It panics if newSchedule is nil or returns nil, or if n < 0. What newSchedule or
// its schedule does to end its goroutine, a panic or [runtime.Goexit], Of does to
// the caller's.
func Of(newSchedule func(seed uint64) iter.Seq[time.Duration], n int, opts ...Option) *Plan {
	if newSchedule == nil {
		reject("Of", "newSchedule", "nil", "a function")
	}
	checkNonNegative("Of", "n", n)
	s := newSettings(opts)
	s.newSchedule = newSchedule
	return newPlan(n, s, s.lead(n))
}

// newPlan returns the Plan of what follows from the first draws.
func newPlan(n int, s settings, l lead) *Plan {
	draws, delays := s.rows(n, l)
	p := &Plan{
		Draws:     len(draws),
		Quantiles: s.quantiles,
		Retries:   make([]Retry, longestOf(delays)),
		settings:  s,
		draws:     draws,
	}
	p.Open = p.open()

	// Two columns for each retry, the delays and the elapsed times.
	parallel(2*len(p.Retries), func() func(int) {
		var sorter sorter
		return func(i int) {
			r, k := &p.Retries[i/2], i/2
			if i%2 == 0 {
				column := sorter.column(len(draws), func(i int) []time.Duration { return delays[i] }, k)
				r.N, r.Share = k+1, share(len(column), p.Draws)
				r.Delay = newStats(column, s.quantiles)
				r.Atom = findAtom(column)
				if !p.Random() {
					r.Atom = Atom{Delay: column[0], Share: 1}
				}
			} else {
				column := sorter.column(len(draws), func(i int) []time.Duration { return draws[i].elapsed }, k)
				r.Elapsed = newStats(column, s.quantiles)
			}
		}
	})
	return p
}

// open returns the share of the draws that go on.
func (p *Plan) open() float64 {
	open := 0
	for _, d := range p.draws {
		if d.more {
			open++
		}
	}
	return share(open, p.Draws)
}

func longestOf(rows [][]time.Duration) int {
	n := 0
	for _, row := range rows {
		n = max(n, len(row))
	}
	return n
}

func share(part, whole int) float64 { return float64(part) / float64(whole) }
