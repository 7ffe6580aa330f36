package plan

import (
	"math"
	"time"
)

// RetryCost returns ln(from)/ln(to): how many times the retries in one time a
// change of factor costs, in the limit of a long time. From 2 to 1.1 it is 7.27.
// Over a shorter time it costs less; [RetryCostAt] says how much.
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

// RetryCostAt returns how many times the retries within elapsed the change from
// one schedule to another costs: to.Retries(elapsed)/from.Retries(elapsed). With a
// base of 1 s the change of factor from 2 to 1.1 costs 4.86 times the retries
// within 1000 s, where [RetryCost] is 7.27.
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
