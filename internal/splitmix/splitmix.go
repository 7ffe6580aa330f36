// Package splitmix has SplitMix64. This module uses it to make many unrelated seeds from
// one seed, and for the random numbers of its simulated clients.
//
// It is the generator of G. L. Steele, D. Lea and C. H. Flood, [Fast Splittable
// Pseudorandom Number Generators], OOPSLA 2014. A generator is a number of 64 bits,
// to which each random number adds [Step]; [Mix] of it is the random number.
//
// [Fast Splittable Pseudorandom Number Generators]: https://doi.org/10.1145/2660193.2660195
package splitmix

// Step is 2⁶⁴ divided by the golden ratio, to the nearest odd number.
const Step = 0x9e3779b97f4a7c15

// Mix returns the random number of the state z. It is a bijection: different states
// give different numbers.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// At returns random number n, counting from 0, of the generator that starts at seed.
// The numbers of one seed are all different and look unrelated, so that each can be a
// seed itself.
func At(seed, n uint64) uint64 {
	return Mix(seed + Step*(n+1))
}
