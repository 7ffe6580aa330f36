package plan

import (
	"math"
	"time"
)

// RetryCost returns ln(from)/ln(to): by how much a change of the factor multiplies the
// retries within the same time, in the limit of a long time. From 2 to 1.1 it is 7.27.
// Within a shorter time it is less; use [RetryCostAt] for that.
//
// It returns an [*Error] unless both factors are finite and > 1: with a factor of
// 1 the retries grow with the time itself and not with its logarithm.
func RetryCost(from, to float64) (float64, error) {
	for _, f := range []struct {
		name   string
		factor float64
	}{{"from", from}, {"to", to}} {
		if !(f.factor > 1 && f.factor <= math.MaxFloat64) {
			return 0, impossible("RetryCost", f.name, f.factor, "a finite value > 1")
		}
	}
	return logOf(from).Over(logOf(to)).Hi, nil
}

// RetryCostAt returns by how much the change from one schedule to another multiplies the
// retries within elapsed: to.Retries(elapsed)/from.Retries(elapsed). With a base of 1 s,
// the change of factor from 2 to 1.1 costs 4.86 times the retries within 1000 s;
// [RetryCost] is 7.27.
//
// It returns an [*Error] if elapsed <= 0 or one of the schedules is invalid.
func RetryCostAt(elapsed time.Duration, from, to Geometric) (float64, error) {
	if elapsed <= 0 {
		return 0, impossible("RetryCostAt", "elapsed", elapsed, "> 0")
	}
	if err := from.Validate(); err != nil {
		return 0, err
	}
	if err := to.Validate(); err != nil {
		return 0, err
	}
	return to.Retries(elapsed) / from.Retries(elapsed), nil
}
