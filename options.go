package backoff

import (
	"math/bits"
	"math/rand/v2"
)

// An Option says where a random schedule takes its random numbers from. Without
// one it uses the top-level functions of [math/rand/v2]: unpredictable, and safe
// for any number of goroutines. Where two options set one thing the last counts,
// and the zero Option sets nothing.
//
// A schedule reads its options when a range begins: a slice passed as opts...
// must stay as it is.
type Option struct {
	newSource func(stream uint64) rand.Source
	stream    uint64
	isStream  bool
}

// WithSeed makes a schedule replayable: every range over it starts a fresh
// generator, a [rand.PCG], from seed, and so gives the same delays. Different
// seeds, neighbours too, give independent delays.
//
// Two schedules with one seed draw the same numbers. Where they are stages of
// one schedule, tell them apart by [WithStream].
func WithSeed(seed uint64) Option {
	return Option{newSource: func(stream uint64) rand.Source { return rand.NewPCG(seed, stream) }}
}

// WithStream chooses the n-th of the independent sequences that one seed
// stands for. It is 0 unless set. A schedule that is random in two places under
// one seed needs two streams, or both places draw the same numbers:
//
//	delays := backoff.FullJitter(base, limit, backoff.WithSeed(seed))
//	delays = backoff.Spread(delays, 0.1, backoff.WithSeed(seed), backoff.WithStream(1))
//
// It does nothing to a schedule without a seed, nor to one [WithSource].
func WithStream(n uint64) Option {
	return Option{stream: n, isStream: true}
}

// WithSource makes every range over a schedule draw from a source of its own,
// which newSource returns when the range begins. If newSource may be called by
// several goroutines at once and returns a fresh source each time, the schedule
// keeps the contract; it replays if these sources are all alike.
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
// in so many words: as a function this is too large to be inlined, and a Source
// that wraps the top-level functions, like a function value, adds a call to each
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

// below makes of 64 random bits a number that is uniform over the half-open
// interval [0, n), for n > 0: the high word of x·n. Where the low word is one of
// the few that would favour some numbers it draws again from src.
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

// belowExactly is all of below, which without it is small enough to be inlined.
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
