package plan

import (
	"math"
	"time"
)

// An Atom is a delay that many clients share to the nanosecond.
type Atom struct {
	Delay time.Duration
	Share float64 // of the draws that have this retry, in [0, 1]; 0 if there is no atom
	Next  float64 // the share of the second most frequent delay; near Share if delays are coarse
}

// findAtom returns the atom of a sorted column that is not empty: the most frequent value,
// if its draws are too many to be equal by chance.
func findAtom(column []time.Duration) Atom {
	begin, end, next := 0, 0, 0
	for i := 0; i < len(column); {
		j := i + 1
		for j < len(column) && column[j] == column[i] {
			j++
		}
		if j-i > end-begin {
			begin, end, next = i, j, end-begin
		} else {
			next = max(next, j-i)
		}
		i = j
	}
	a := Atom{column[begin], share(end-begin, len(column)), share(next, len(column))}
	if byChance(column, begin, end) {
		return Atom{}
	}
	return a
}

// byChance reports whether the draws [begin, end) of a sorted column, which share one
// value, may be equal because draws are dense there: between 0 and 100 ns there are only
// 101 values.
//
// The density is that of the nearest other draws, on the denser side and doubled, to be
// safe; it is taken over as many draws as share the value, and at least 64. If λ draws are
// expected on a value, there are c or more with a probability of at most
// exp(c − λ − c·ln(c/λ)), Chernoff's bound for a Poisson variate. That must be below
// e⁻²⁰ = 2·10⁻⁹ for all values together.
func byChance(column []time.Duration, begin, end int) bool {
	count := end - begin
	if count < 2 {
		return true // one draw shares its value with no other
	}
	near := max(64, count)
	low, high := max(0, begin-near), min(len(column), end+near)
	at, density := column[begin], 0.0
	if low < begin {
		density = float64(begin-low) / float64(at-column[low])
	}
	if end < high {
		density = max(density, float64(high-end)/float64(column[high-1]-at))
	}
	c, expected := float64(count), 2*density
	if expected == 0 {
		return false // there is no other value
	}
	if c <= expected {
		return true
	}
	return float64(c*math.Log(c/expected))-c+expected < math.Log(float64(len(column)))+20
}
