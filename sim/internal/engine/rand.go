package engine

import (
	"math"
	"math/bits"

	"example.com/backoff/internal/portable"
	"example.com/backoff/internal/splitmix"
)

// A Rand is a generator of random numbers. It has eight bytes, so that each of a million
// clients can have its own, and the draws of a client depend neither on other clients nor on
// the order of events. Its numbers are equal on every GOARCH.
//
// It is SplitMix64. A copy of a Rand gives the same numbers. Only one goroutine may use a
// Rand at a time.
type Rand struct{ state uint64 }

// NewRand returns the generator that starts at seed. Take the seeds of several generators
// from [Seed] instead of 1, 2, 3, ...: all generators walk the same cycle of 2⁶⁴ numbers,
// and random starting points keep them apart.
func NewRand(seed uint64) Rand {
	return Rand{seed}
}

// Seed derives a seed from seed and a path: Seed(seed, 3, 0) for repetition 3, client 0.
// Step n of the path takes the n-th number of the generator at the seed so far. So
// different paths of one length give unrelated seeds. Two of them are equal with a
// probability of 2⁻⁶⁴.
func Seed(seed uint64, path ...uint64) uint64 {
	// This is splitmix.At written out, because the compiler would not inline Seed with calls.
	seed = splitmix.Mix(seed + splitmix.Step)
	for _, n := range path {
		seed = splitmix.Mix(seed + splitmix.Step*(n+1))
	}
	return seed
}

// Uint64 returns a uniform number of 64 bits.
func (r *Rand) Uint64() uint64 {
	r.state += splitmix.Step
	return splitmix.Mix(r.state)
}

// Uint64N returns a uniform number in the half-open interval [0, n), n > 0. It takes one
// number of 64 bits, so some results are more likely than others, by n in 2⁶⁴.
func (r *Rand) Uint64N(n uint64) uint64 {
	hi, _ := bits.Mul64(r.Uint64(), n)
	return hi
}

// Float64 returns a uniform number in the open interval (0, 1), one of 2⁵² evenly
// spaced ones.
func (r *Rand) Float64() float64 {
	return (float64(r.Uint64()>>12) + 0.5) / (1 << 52)
}

// Exp returns an exponentially distributed number of mean 1, from 1e-16 to 37.
func (r *Rand) Exp() float64 {
	return -portable.Log2(r.Float64()) * math.Ln2
}

// Normal returns a normally distributed number of mean 0 and variance 1.
//
// It is the ziggurat of G. Marsaglia and W. W. Tsang, [The Ziggurat Method for Generating
// Random Variables], J. Statistical Software 5 (2000). The layer and the place in it come
// from different bits, as J. A. Doornik recommends.
//
// [The Ziggurat Method for Generating Random Variables]: https://doi.org/10.18637/jss.v005.i08
func (r *Rand) Normal() float64 {
	u := r.Uint64()
	l, place := &ziggurat[u%layers], int64(u)>>11
	if place^place>>63 < l.inside {
		return float64(place) * l.step
	}
	return r.normalEdge(u)
}

// normalEdge finishes a draw that fell outside the part of its layer that lies wholly under
// the curve. That is one draw in a hundred.
func (r *Rand) normalEdge(u uint64) float64 {
	i, place := u%layers, int64(u)>>11
	x := float64(place) * ziggurat[i].step
	if i == 0 {
		for { // The tail beyond the base layer, by an exponential envelope.
			x := r.Exp() / tailStart
			if 2*r.Exp() > float64(x*x) {
				return math.Copysign(tailStart+x, float64(place))
			}
		}
	}
	top, bottom := ziggurat[i-1].height, ziggurat[i].height
	if bottom+float64(r.Float64()*(top-bottom)) < bell(x) {
		return x
	}
	return r.Normal()
}

const (
	layers    = 256
	tailStart = 3.6541528853610088   // end of the base layer's rectangle
	layerArea = 4.92867323399141e-03 // area of each layer; the base includes the tail
)

// A layer is a horizontal strip of the ziggurat.
type layer struct {
	inside int64   // the places below this one lie wholly under the curve
	step   float64 // distance of two places: a 2⁵²th of the width
	height float64 // height of the curve at the width, the strip's lower edge
}

var ziggurat = newZiggurat()

func newZiggurat() (z [layers]layer) {
	const places = 1 << 52
	width := layerArea / bell(tailStart) // as if the tail were part of a rectangle
	z[0] = layer{int64(tailStart / width * places), width / places, 1}
	x := tailStart
	for i := layers - 1; i > 0; i-- {
		height := bell(x)
		above := 0.0 // The top layer has none: all of it is edge.
		if i > 1 {
			above = math.Sqrt(-2 * math.Ln2 * portable.Log2(layerArea/x+height))
		}
		z[i] = layer{int64(above / x * places), x / places, height}
		x = above
	}
	return z
}

// bell returns e^(−x²/2).
func bell(x float64) float64 {
	return portable.Exp2(x * x * (-math.Log2E / 2))
}
