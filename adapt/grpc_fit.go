package adapt

import (
	"math"
	"strconv"
	"time"

	"example.com/backoff/internal/portable"
)

// A grpcPolicy has the numbers of a retryPolicy.
type grpcPolicy struct {
	retries        int
	initial, limit time.Duration
	multiplier     float64
}

// mean returns the mean delay of retry k, counting from 0, in nanoseconds.
func (p grpcPolicy) mean(k int) float64 {
	return min(float64(p.initial)*power(p.multiplier, k), float64(p.limit))
}

// power returns xᵏ. It multiplies, because math.Pow differs between architectures.
func power(x float64, k int) float64 {
	y := 1.0
	for range k {
		y *= x
	}
	return y
}

// grpcLongest is the longest backoff of a policy. gRPC computes 1.2 of it without a check
// for overflow.
const grpcLongest = math.MaxInt64 / time.Second * 5 / 6 * time.Second

// A band has the delays that a policy may have at retry k, counting from 0, so that it is
// close enough to the mean there.
type band struct {
	k         int
	low, high float64
}

// bands returns the band of each retry whose mean is not 0, for a relative error of at
// most worst. They are wider by what is not known of the mean.
func bands(retries []grpcRetry, worst float64) []band {
	var all []band
	for k, r := range retries {
		if m := r.mean(); m > 0 {
			all = append(all, band{k, max(float64(m*(1-worst))-r.unknown(), 1e-9), float64(m*(1+worst)) + r.unknown()})
		}
	}
	return all
}

// highestLow returns the smallest limit that reaches all bands.
func highestLow(bands []band) float64 {
	limit := 0.0
	for _, b := range bands {
		limit = max(limit, b.low)
	}
	return limit
}

// growth returns the logarithms to base 2 of the multipliers of all policies that stay
// within the bands, an interval. If low > high, there is none.
//
// A policy stays within if its initial backoff I, multiplier M and limit fulfil
//
//	I·Mᵏ >= low and limit >= low    for every band
//	I·Mᵏ <= high or limit <= high   for every band
//
// The smallest limit that is allowed, which is the largest low, leaves the most freedom.
// Then the bands with limit > high need I·Mʲ <= high(j). There is such an I if and only if
// low(i)/Mⁱ <= high(j)/Mʲ for each of these j and for every i.
func growth(bands []band) (low, high float64) {
	limit := highestLow(bands)
	low, high = math.Inf(-1), math.Inf(1)
	for _, j := range bands {
		if j.high >= limit {
			continue
		}
		for _, i := range bands {
			slope := (portable.Log2(j.high) - portable.Log2(i.low)) / float64(j.k-i.k)
			switch {
			case i.k < j.k:
				high = min(high, slope)
			case i.k > j.k:
				low = max(low, slope)
			}
		}
	}
	return low, high
}

// fitGRPC returns the policy whose largest relative error is the smallest, or larger by
// less than 0.001 if the numbers are rounder then. A mean of 0 does not count, because
// every backoff is infinitely more.
func fitGRPC(retries []grpcRetry) grpcPolicy {
	p := grpcPolicy{retries: len(retries), initial: 1, limit: 1, multiplier: 1}
	within := bands(retries, 0)
	if len(within) == 0 {
		return p
	}
	low, high := growth(within)
	if low > high {
		bad, good := 0.0, 1.0 // at 1 every policy with small delays is good enough
		for good-bad > 1e-5 {
			middle := (bad + good) / 2
			if l, h := growth(bands(retries, middle)); l <= h {
				good = middle
			} else {
				bad = middle
			}
		}
		low, high = growth(bands(retries, good+0.0004))
		within = bands(retries, good+0.0009) // so that the other numbers can be round, too
	}

	p.multiplier, p.initial, p.limit = policyWithin(within, multiplierOf(low, high))
	return p
}

// policyWithin returns a policy that stays within the bands. It has this multiplier, which
// growth allows, or 1 if a constant is enough.
func policyWithin(bands []band, m float64) (multiplier float64, initial, limit time.Duration) {
	lowest, highest := highestLow(bands), math.Inf(1) // of the limit
	low, high := 0.0, math.Inf(1)                     // of the initial backoff
	for _, b := range bands {
		growth := power(m, b.k)
		low = max(low, b.low/growth)
		if b.high < lowest {
			high = min(high, b.high/growth)
		} else {
			highest = min(highest, b.high)
		}
	}
	if math.IsInf(high, 1) { // The limit serves all.
		limit = backoffOf(roundest(lowest, highest))
		return 1, limit, limit
	}
	initial = backoffOf(roundest(low, high))

	longest := 0.0
	highest = math.Inf(1)
	for _, b := range bands {
		d := float64(initial) * power(m, b.k)
		longest = max(longest, d)
		if d > b.high && b.high >= lowest {
			highest = min(highest, b.high)
		}
	}
	if math.IsInf(highest, 1) { // No delay needs a limit.
		return m, initial, backoffOf(roundest(longest, longest+max(0.5, 1e-12*longest)))
	}
	return m, initial, backoffOf(roundest(lowest, highest))
}

// multiplierOf returns a round multiplier between 2^low and 2^high. Without one end it
// stays close to the other, and it is 1 without both.
func multiplierOf(low, high float64) float64 {
	switch {
	case math.IsInf(low, -1) && math.IsInf(high, 1):
		return 1
	case math.IsInf(low, -1):
		low = high - 0.001
	case math.IsInf(high, 1):
		high = low + 0.001
	}
	return roundest(portable.Exp2(low), portable.Exp2(high))
}

// backoffOf returns a backoff that gRPC accepts.
func backoffOf(ns float64) time.Duration {
	if ns >= float64(grpcLongest) {
		return grpcLongest
	}
	return max(time.Duration(math.Round(ns)), 1)
}

// roundest returns the number of the fewest digits in [low, high], and of several the one
// that is closest to the middle.
func roundest(low, high float64) float64 {
	middle := low + float64((high-low)/2)
	for digits := range 17 {
		x, _ := strconv.ParseFloat(strconv.FormatFloat(middle, 'e', digits, 64), 64)
		if low <= x && x <= high {
			return x
		}
	}
	return middle
}
