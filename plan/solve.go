package plan

import (
	"fmt"
	"math"
	"math/big"
	"time"

	"example.com/backoff/internal/wide"
)

// largest returns the largest x in [lo, hi) that fits. It requires that lo fits, hi does not,
// and nothing above an x that does not fit.
func largest(lo, hi uint64, fits func(uint64) bool) uint64 {
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		if fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// tooShort and tooLong return the error about an elapsed time that no parameter reaches, with
// the nearest time that one reaches.
func tooShort(question string, elapsed time.Duration, shortest value, why string) error {
	if !shortest.roundsTo(math.MaxInt64) {
		return impossible(question, "elapsed", elapsed, "more than a time.Duration holds: "+why)
	}
	return impossible(question, "elapsed", elapsed, fmt.Sprintf(">= %v: %s", shortest.duration(), why))
}

func tooLong(question string, elapsed time.Duration, longest value, why string) error {
	return impossible(question, "elapsed", elapsed, fmt.Sprintf("<= %v: %s", longest.duration(), why))
}

// nearestFactor returns the float64 nearest to a root in [1, most), and the even one if two
// are as near. Compare returns −1 if r is less than the root, 0 if it is equal and +1 if it
// is greater; most is greater.
func nearestFactor(most float64, compare func(r wide.Number) int) float64 {
	// The bits of positive numbers are in the order of the numbers.
	bits := largest(math.Float64bits(1), math.Float64bits(most), func(bits uint64) bool {
		return compare(wide.Of(math.Float64frombits(bits))) <= 0
	})
	below, above := math.Float64frombits(bits), math.Float64frombits(bits+1)
	if compare(wide.Of(below)) == 0 {
		return below
	}
	switch c := compare(wide.Number{Hi: below, Lo: (above - below) / 2}); {
	case c < 0 || c == 0 && bits&1 == 1:
		return above
	default:
		return below
	}
}

// nearestQuotient returns the float64 nearest to 1 + a/b for b > 0.
func nearestQuotient(a, b time.Duration) float64 {
	sum := new(big.Int).Add(big.NewInt(int64(a)), big.NewInt(int64(b)))
	f, _ := new(big.Rat).SetFrac(sum, big.NewInt(int64(b))).Float64()
	return f
}
