package overload

import (
	"math"
	"math/bits"
	"time"

	"example.com/backoff/internal/portable"
	"example.com/backoff/sim/internal/engine"
)

// A Latency is the law by which a server slows down: how long it takes for a request as a
// function of the open requests, that one included. It is an [ExponentialLatency] or a
// [LinearLatency].
type Latency interface {
	// At returns the latency with open requests, and [example.com/backoff.NoLimit] if
	// it would be more. It never falls as open rises.
	At(open int) time.Duration

	// Capacity returns the supremum of n/At(n) over n >= 1, in requests a second, and
	// +Inf if there is none. That At is in whole nanoseconds, and NoLimit at most, does
	// not count. While n requests stay open, the server answers n/At(n) a second. So a
	// steady load below the capacity settles where it equals n/At(n), and under a
	// higher one the open requests rise without end. Three things make the capacity of a
	// run less: with a [Config.Poll] a request takes up to a Poll longer, only those n
	// count for which At(n) is within [Config.Timeout], and with a [Config.Accept] the
	// server accepts 1/Accept requests a second at most.
	Capacity() float64

	check() error
	rule() func(open int) time.Duration // At, with what open does not change done once
}

// An ExponentialLatency is Base until Limit requests are open, and then
// Base·Factor^((open − Limit)/Scale): of 100 ms, 30, 1.05 and 15 it is 100 ms for 30,
// 126 ms for 100, 2.3 s for 1,000 and a day for 4,233. Use it for a server that degrades:
// beyond its best load, more open requests mean fewer answers.
//
// Its capacity is at n = Scale/ln Factor open requests, or at Limit if that is more: 1,246
// requests a second at 307 open in the example.
//
// It is the server of A. Smirnov's article. There the multiplication wraps from 7,793
// open requests on, and the server then answers at once; here it saturates.
type ExponentialLatency struct {
	Base   time.Duration // above 0
	Limit  int           // >= 0
	Factor float64       // finite and >= 1
	Scale  float64       // finite and above 0
}

// At is [Latency.At].
func (l ExponentialLatency) At(open int) time.Duration { return l.rule()(open) }

func (l ExponentialLatency) rule() func(open int) time.Duration {
	beyond := l.beyondLimit()
	return func(open int) time.Duration {
		if open <= l.Limit || l.Factor == 1 {
			return l.Base
		}
		if ns := beyond(float64(open)); ns < math.MaxInt64 {
			return time.Duration(ns)
		}
		return engine.Never
	}
}

// beyondLimit is the formula for open >= Limit. Its nanoseconds are neither whole nor bounded,
// and open may be more than an int holds.
func (l ExponentialLatency) beyondLimit() func(open float64) float64 {
	doubling := portable.Log2(l.Factor)
	return func(open float64) float64 {
		x := (open - float64(l.Limit)) / l.Scale * doubling
		if x > 1000 { // where Exp2 ends
			return math.Inf(1)
		}
		return float64(l.Base) * portable.Exp2(x)
	}
}

// Capacity is [Latency.Capacity].
func (l ExponentialLatency) Capacity() float64 {
	// n·Factor^(−n/Scale) rises until Scale/ln Factor and falls from there on, so one of
	// its neighbours is best; below Limit, n/Base rises.
	best := math.Floor(max(l.Scale/(portable.Log2(l.Factor)*math.Ln2), float64(l.Limit)))
	if math.IsInf(best, 1) { // as with a Factor of 1
		return best
	}
	beyond := l.beyondLimit()
	return max(best/beyond(best), (best+1)/beyond(best+1)) * 1e9
}

func (l ExponentialLatency) check() error {
	switch {
	case l.Base <= 0:
		return reject("Latency.Base", l.Base, "above 0")
	case l.Limit < 0:
		return reject("Latency.Limit", l.Limit, ">= 0")
	case !(l.Factor >= 1 && l.Factor <= math.MaxFloat64):
		return reject("Latency.Factor", l.Factor, "a finite value >= 1")
	case !(l.Scale > 0 && l.Scale <= math.MaxFloat64):
		return reject("Latency.Scale", l.Scale, "a finite value above 0")
	}
	return nil
}

// A LinearLatency is Base + open·PerOpen. Use it for a server with a known capacity, which
// is 1/PerOpen: the server approaches that as more requests are open and never exceeds it.
// 500 requests a second are a PerOpen of 2 ms. Within a timeout t it answers
// (1 − Base/t)/PerOpen requests a second at most.
type LinearLatency struct {
	Base    time.Duration // above 0
	PerOpen time.Duration // >= 0
}

// At is [Latency.At].
func (l LinearLatency) At(open int) time.Duration {
	hi, lo := bits.Mul64(uint64(open), uint64(l.PerOpen))
	sum, carry := bits.Add64(lo, uint64(l.Base), 0)
	if hi > 0 || carry > 0 || sum > math.MaxInt64 {
		return engine.Never
	}
	return time.Duration(sum)
}

// Capacity is [Latency.Capacity].
func (l LinearLatency) Capacity() float64 { return 1 / l.PerOpen.Seconds() }

func (l LinearLatency) rule() func(open int) time.Duration { return l.At }

func (l LinearLatency) check() error {
	switch {
	case l.Base <= 0:
		return reject("Latency.Base", l.Base, "above 0")
	case l.PerOpen < 0:
		return reject("Latency.PerOpen", l.PerOpen, ">= 0")
	}
	return nil
}

// A slower server takes factor times as long as its latency, 1 outside of a SlowDown.
func slower(d time.Duration, factor float64) time.Duration {
	if factor == 1 {
		return d
	}
	if f := float64(d) * factor; f < math.MaxInt64 {
		return time.Duration(f)
	}
	return engine.Never
}
