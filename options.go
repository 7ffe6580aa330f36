package backoff

import (
	"math/bits"
	"math/rand/v2"
)

// An Option sets where a random schedule takes its random numbers from. Most callers
// need none: a schedule then uses the top-level functions of [math/rand/v2], which are
// unpredictable and safe for any number of goroutines. If two options set the same
// thing, the last one wins. The zero Option sets nothing.
//
// A schedule reads its options when a range begins, so do not change a slice that was
// passed as opts...
type Option struct {
	newSource func(stream uint64) rand.Source
	stream    uint64
	isStream  bool
}

// WithSeed makes a schedule replayable: every range over it starts a fresh
// generator, a [rand.PCG], from seed, and so gives the same delays. Different
// seeds give independent delays, also neighbouring seeds such as 1 and 2.
//
// Use WithSeed in tests and simulations, and wherever the delays of one client must be
// reproducible. Give each client a seed of its own: under one seed all clients wait
// for the same delays, which is what jitter should prevent.
//
// The same seed gives the same delays on every GOARCH and with every version of Go.
//
// Two schedules with one seed draw the same numbers. If both are part of one schedule,
// tell them apart by [WithStream].
func WithSeed(seed uint64) Option {
	return Option{newSource: func(stream uint64) rand.Source { return rand.NewPCG(seed, stream) }}
}

// WithStream chooses the n-th of the independent sequences of random numbers that one
// seed has. The default is 0.
//
// Use WithStream for a schedule that is random in two places under one seed. Without
// it both places draw the same numbers:
//
//	delays := backoff.FullJitter(base, limit, backoff.WithSeed(seed))
//	delays = backoff.Spread(delays, 0.1, backoff.WithSeed(seed), backoff.WithStream(1))
//
// It changes nothing without a seed, nor with [WithSource].
func WithStream(n uint64) Option {
	return Option{stream: n, isStream: true}
}

// WithSource makes every range over a schedule draw from a source of its own. It calls
// newSource when a range begins.
//
// Use WithSource for a generator of your own, such as a [rand.ChaCha8], or for a source
// in a test that draws the ends of intervals. The schedule keeps the contract if any
// number of goroutines may call newSource at once and each call returns a fresh source.
// It replays if all these sources give the same numbers.
//
// It panics if newSource is nil, and a range panics if newSource returns nil.
func WithSource(newSource func() rand.Source) Option {
	checkNewSource(newSource)
	return Option{newSource: func(uint64) rand.Source {
		src := newSource()
		if src == nil { // which would stand for the top-level functions, and never replay
			panic("backoff: WithSource: newSource returned nil, want a source")
		}
		return src
	}}
}

// sourceOf returns the source of one range, nil for the top-level functions.
//
// A range draws 64 random bits by
//
//	var x uint64
//	if src == nil {
//		x = rand.Uint64()
//	} else {
//		x = src.Uint64()
//	}
//
// which every generator repeats: as a function it is too large to be inlined, and a
// Source that wraps the top-level functions, like a function value, adds a call to each
// delay, a fifth of its cost.
func sourceOf(opts []Option) rand.Source {
	var newSource func(uint64) rand.Source
	stream := uint64(0)
	for _, o := range opts {
		if o.newSource != nil {
			newSource = o.newSource
		}
		if o.isStream {
			stream = o.stream
		}
	}
	if newSource == nil {
		return nil
	}
	return newSource(stream)
}

// below turns 64 random bits into a number that is uniform over the half-open
// interval [0, n), for n > 0: the high word of x·n. If the low word is one of the few
// that would favour some numbers, it draws again from src.
//
// It is D. Lemire, "Fast Random Integer Generation in an Interval", ACM Trans.
// Model. Comput. Simul. 29 (2019).
func below(n, x uint64, src rand.Source) uint64 {
	word, rest := bits.Mul64(x, n)
	if rest < n { // n in 2⁶⁴ times
		return belowExactly(n, x, src)
	}
	return word
}

// belowExactly does all of the work of below, which is small enough to be inlined
// without it.
func belowExactly(n, x uint64, src rand.Source) uint64 {
	word, rest := bits.Mul64(x, n)
	for rest < -n%n {
		if src == nil {
			x = rand.Uint64()
		} else {
			x = src.Uint64()
		}
		word, rest = bits.Mul64(x, n)
	}
	return word
}
