package backoff

import (
	"math/bits"
	"math/rand/v2"
)

// A random is the generator of random numbers of one range. The range holds it as a
// value, because a direct call of a generator on the stack takes less time than a call
// of an interface or of the top-level functions of math/rand/v2, and allocates nothing.
type random struct {
	pcg   rand.PCG
	src   rand.Source // from WithSource, in place of pcg
	isSrc bool
}

// newRandom returns the random numbers that opts choose.
func newRandom(opts []Option) (r random) {
	var from Option
	stream := uint64(0)
	for _, o := range opts {
		switch o.kind {
		case isStream:
			stream = o.number
		case isSeed, isSource:
			from = o
		}
	}
	switch from.kind {
	case isSeed:
		r.pcg.Seed(from.number, stream)
	case isSource:
		r.src, r.isSrc = from.newSource(), true
		if r.src == nil {
			panic("backoff: WithSource: newSource returned nil, want a source")
		}
	default:
		r.pcg.Seed(rand.Uint64(), rand.Uint64())
	}
	return r
}

// uint64 returns 64 random bits.
func (r *random) uint64() uint64 {
	if r.isSrc {
		return r.src.Uint64()
	}
	return r.pcg.Uint64()
}

// below returns a number that is uniform over the half-open interval [0, n), for n > 0.
// Its argument x is the next number of r.pcg:
//
//	r.below(r.pcg.Uint64(), n)
//
// The compiler inlines both calls. It would not inline a function that did the work of
// both, nor below if it were any larger. If r has a source of its own, below draws from
// that one and x is wasted.
//
// The result is the high word of x·n. If the low word is one of the few that would
// favour some numbers, below draws again. It is D. Lemire, "Fast Random Integer
// Generation in an Interval", ACM Trans. Model. Comput. Simul. 29 (2019).
func (r *random) below(x, n uint64) (word uint64) {
	word, rest := bits.Mul64(x, n)
	if rest < n || r.isSrc { // rest < n: n in 2⁶⁴ times
		return r.belowExactly(x, n)
	}
	return
}

// belowExactly does all of the work of below.
func (r *random) belowExactly(x, n uint64) uint64 {
	if r.isSrc {
		x = r.src.Uint64()
	}
	word, rest := bits.Mul64(x, n)
	for rest < -n%n {
		word, rest = bits.Mul64(r.uint64(), n)
	}
	return word
}
