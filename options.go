package backoff

import "math/rand/v2"

// An Option sets where a random schedule takes its random numbers from. Most callers
// need none: each range then starts a generator of its own, a [rand.PCG], from two
// numbers of the top-level functions of [math/rand/v2]. No two ranges share a generator,
// and nobody can predict where one starts. The delays are no secrets: from enough of them
// the next ones can be computed. If two options set the same thing, the last one wins. The
// zero Option sets nothing.
//
// A schedule reads its options when a range begins, so do not change a slice that was
// passed as opts...
type Option struct {
	kind      optionKind
	number    uint64 // the seed or the stream
	newSource func() rand.Source
}

// An optionKind says what an option sets. The zero value is nothing.
type optionKind uint8

const (
	isSeed optionKind = iota + 1
	isStream
	isSource
)

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
	return Option{kind: isSeed, number: seed}
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
	return Option{kind: isStream, number: n}
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
	return Option{kind: isSource, newSource: newSource}
}
