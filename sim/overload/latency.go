package overload

import (
	"math"
	"math/bits"
	"time"

	"example.com/backoff/internal/portable"
	"example.com/backoff/sim/internal/engine"
)

// A Latency says how long the server takes for a request, given how many are open,
// that one among them. It is an [ExponentialLatency] or a [LinearLatency].
type Latency interface {
	// At returns the latency with so many open requests, and
	// [example.com/backoff.NoLimit] where it would be more. It never falls as open
	// rises.
	At(open int) time.Duration

	check() error
	rule() func(open int) time.Duration // At, with what open does not change done once
}

// An ExponentialLatency is Base until Limit requests are open, and then
// Base·Factor^((open − Limit)/Scale): of 100 ms, 30, 1.05 and 15 it is 100 ms for 30,
// 126 ms for 100, 2.3 s for 1,000 and a day for 4,233.
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
	doubling := portable.Log2(l.Factor)
	return func(open int) time.Duration {
		if open <= l.Limit || doubling == 0 {
			return l.Base
		}
		x := float64(open-l.Limit) / l.Scale * doubling
		if !(x < 63) {
			return engine.Never
		}
		f := float64(l.Base) * portable.Exp2(x)
		if f >= math.MaxInt64 {
			return engine.Never
		}
		return time.Duration(f)
	}
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

// A LinearLatency is Base + open·PerOpen. So the server never does more than
// 1/PerOpen requests a second, and approaches that as more are open.
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
