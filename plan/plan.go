// Package plan predicts what a schedule will do, before you use it: how long it takes,
// how many retries fit into a deadline, what it does to a server, and which parameters it
// needs.
//
// Use [Of] for any schedule, random or not. It simulates clients that draw from the
// schedule, and the [Plan] that it returns answers these questions:
//
//	when does each retry come?                    Retries
//	how long does the whole take?                 Duration, LastRetry
//	how many attempts fit into a deadline?        Within
//	how many retries a second do clients send?    Load, Peak
//	how many retries come at once?                Arrivals
//	how many attempts does a request need?        Cost, Amplification
//	do clients wait for exactly the same delay?   Warnings, LargestAtom
//	what comes after the retries of this Plan?    End, LooksEndless, Until
//
// [Summarize] needs less memory, and returns the retries alone.
//
// Use [Geometric] if the delays are base, base·factor, base·factor², ... under a limit. It
// has a formula for each question, and finds the parameters that a requirement needs.
//
// # Retries, attempts and elapsed time
//
// In this package retries count from 1: retry n follows the n-th delay, which package
// backoff calls delay n−1, and is attempt n+1. So n delays are n retries and n+1 attempts.
// The elapsed time of retry n is the time from the start of the first attempt to the
// start of that retry.
//
// # The linear law
//
// In the schedule a, a·r, a·r², ... retry n comes at Tₙ = a·(rⁿ−1)/(r−1), and the delay
// that follows it is
//
//	a·rⁿ = a + (r−1)·Tₙ
//
// which does not contain n: the delay of a geometric schedule is a line in the elapsed
// time. Once T is large compared with a, each delay is the share r−1 of the elapsed time.
// This is how to choose the factor. A client that may notice a recovery late by a tenth of
// the outage, and no more, needs r = 1.1, and makes 7 times the retries of r = 2. [Geometric]
// has these formulas and their inverses, exact to the nanosecond, also for r = 1 and under
// a limit.
//
// Three of base (initial delay), factor (multiplier), retries n, elapsed and delay give the
// other two. The delay is the one that follows retry n, at elapsed:
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
// and base, factor, n and elapsed together give LimitForRetries(n, elapsed), the limit
// (max delay).
//
// # Atoms
//
// A delay that is drawn from an interval is hardly ever the same for two clients. If many
// clients draw the same delay, this delay is an atom of the distribution: the clients
// come back synchronized, as a thundering herd, which jitter should prevent. A cap after
// the jitter makes an atom, because every longer delay becomes the limit. A [Retry] has
// its largest [Atom], and [Plan.Warnings] describes it in a sentence:
//
//	retry 10: 80 % of clients wait exactly 10s: put the jitter after the cap
//
// # Bad arguments
//
// A question without an answer, such as which factor fits ten retries of 1 s into 5 s,
// returns an [*Error] with what came and what is wanted. An argument that is always wrong,
// such as a negative count, panics with a text of the same form.
//
// The formulas are those of the article "Exponential backoff における経過時間とリトライ間隔の関係"
// (the relation of elapsed time and retry interval in exponential backoff), on Qiita.
package plan

import (
	"iter"
	"time"
)

// A Plan is the result of [Of]. All its methods use the same draws, which are simulated
// clients.
type Plan struct {
	Draws     int       // how many clients were simulated; 1, which stands for all, if nothing is random
	Quantiles []float64 // the probabilities of the quantiles in each Stats
	Retries   []Retry   // retry 1, 2, ... n, or as many as some draw has
	Open      float64   // the share of draws that have more retries than these

	settings settings
	draws    []draw
}

// A Retry is one row of a [Plan].
type Retry struct {
	N       int     // counting from 1; it is attempt N+1
	Share   float64 // of the draws that have this retry, in (0, 1]
	Delay   Stats   // the delay before this retry, in the draws that have it
	Elapsed Stats   // the time from the start of the first attempt to this retry's
	Atom    Atom    // the most frequent delay; the zero Atom if it is frequent by chance
}

// Of simulates clients, each with a schedule of its own from newSchedule, and returns the
// Plan of their first n delays:
//
//	plan.Of(func(seed uint64) iter.Seq[time.Duration] {
//		return backoff.FullJitter(100*time.Millisecond, 10*time.Second, backoff.WithSeed(seed))
//	}, 20)
//
// Use it when you want numbers about a schedule that has no formula, which is any schedule
// with jitter. For the geometric schedule without jitter use [Geometric].
//
// Of calls newSchedule once for each draw, with a different seed, from several goroutines
// at once. It makes the first draws one after the other, until one differs from the first.
// If none differs, nothing seems to be random, and Of stops: the Plan has one draw, which
// stands for all, and [Plan.Random] is false. Of compares as many draws as have a million
// delays in all, and at least 100: all 10,000 draws of up to 100 delays, and 1,000 draws of
// 1,000 delays. So a schedule that differs for one client in a thousand, after 1,000 equal
// delays, is taken to be exact once in three times.
//
// If the schedule depends on nothing but the seed, the Plan is the same on any number of
// processors and on every GOARCH. A negative delay counts as 0.
//
// If nothing is random, every value is exact. Otherwise min and max are those of the draws
// and not bounds: one more client lies beyond the max of k draws with a probability of
// 1/(k+1).
//
// Of draws one delay more than n, to find out whether the schedule ends there. A Plan keeps
// 8 bytes for each delay drawn and 32 for each draw, about 20 MB for 100,000 draws of 20;
// Of itself needs twice as much. Use [Summarize] if that is too much. The Plan keeps
// newSchedule, for [Plan.Until].
//
// It panics if newSchedule is nil or returns nil, or if n < 0. If newSchedule or its
// schedule ends the goroutine, by a panic or [runtime.Goexit], Of ends the caller's in the
// same way.
func Of(newSchedule func(seed uint64) iter.Seq[time.Duration], n int, opts ...Option) *Plan {
	if newSchedule == nil {
		reject("Of", "newSchedule", "nil", "a function")
	}
	checkNonNegative("Of", "n", n)
	s := newSettings(opts)
	s.newSchedule = newSchedule
	return newPlan(n, s, s.lead(n))
}

// newPlan returns the Plan of all draws, of which l has the first.
func newPlan(n int, s settings, l lead) *Plan {
	draws, delays := s.rows(n, l)
	elapsed := make([][]time.Duration, len(draws))
	for i, d := range draws {
		elapsed[i] = d.elapsed
	}
	p := &Plan{
		Draws:     len(draws),
		Quantiles: s.quantiles,
		Retries:   s.retries(0, delays, elapsed),
		settings:  s,
		draws:     draws,
	}
	p.Open = p.open()
	return p
}

// retries returns retry before+1 and those that follow. Each draw has a row of delays and a
// row of elapsed times, which begin there.
func (s settings) retries(before int, delays, elapsed [][]time.Duration) []Retry {
	retries := make([]Retry, longestOf(delays))
	// Two columns for each retry, the delays and the elapsed times.
	parallel(2*len(retries), func() func(int) {
		var sorter sorter
		return func(i int) {
			r, k := &retries[i/2], i/2
			if i%2 == 1 {
				r.Elapsed = newStats(sorter.column(elapsed, k), s.quantiles)
				return
			}
			column := sorter.column(delays, k)
			r.N, r.Share = before+k+1, share(len(column), len(delays))
			r.Delay = newStats(column, s.quantiles)
			r.Atom = findAtom(column)
			if len(delays) == 1 { // It stands for all clients.
				r.Atom = Atom{Delay: column[0], Share: 1}
			}
		}
	})
	return retries
}

// open returns the share of the draws that go on.
func (p *Plan) open() float64 {
	return openShare(p.Draws, func(i int) bool { return p.draws[i].more })
}

// openShare returns the share of the draws for which more is true.
func openShare(draws int, more func(i int) bool) float64 {
	open := 0
	for i := range draws {
		if more(i) {
			open++
		}
	}
	return share(open, draws)
}

func longestOf(rows [][]time.Duration) int {
	n := 0
	for _, row := range rows {
		n = max(n, len(row))
	}
	return n
}

func share(part, whole int) float64 { return float64(part) / float64(whole) }
