package plan

import (
	"fmt"
	"math"
	"time"
)

// largest returns the largest x in [lo, hi) for which fits holds, if it holds of
// lo, not of hi, and of nothing above an x of which it does not.
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

// tooShort and tooLong are about an elapsed time that no parameter reaches, and
// the nearest one that a parameter does.
func tooShort(question string, elapsed time.Duration, least value, why string) error {
	if !least.roundsTo(math.MaxInt64) {
		return impossible(question, "elapsed", elapsed, "more than a time.Duration holds: "+why)
	}
	return impossible(question, "elapsed", elapsed, fmt.Sprintf(">= %v: %s", least.duration(), why))
}

func tooLong(question string, elapsed time.Duration, most value, why string) error {
	return impossible(question, "elapsed", elapsed, fmt.Sprintf("<= %v: %s", most.duration(), why))
}
