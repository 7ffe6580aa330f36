package adapt

import (
	"iter"
	"math"
	"math/bits"
	"slices"
	"time"
)

// Rungs is a ladder of delays: the few delays that stand for the many of a schedule. See
// [Ladder].
type Rungs struct {
	// Delays has the delay of each topic or queue, the shortest first.
	Delays []time.Duration
	// Retries has for each retry, counting from 0, the index in Delays of its rung.
	Retries []int
	// Error is the largest |rung − delay|/delay of these retries: 0.25 means that no retry
	// comes more than a quarter of its delay too early or too late. It is 1 if steps is 1
	// and only some of the delays are 0.
	Error float64
}

// Ladder returns the rungs, at most steps of them, that stay closest to the first n delays
// of seq, or to all if it has fewer. No other choice of at most steps rungs has a smaller
// largest error, and none with the same largest error has fewer rungs. If steps is at
// least the number of different delays, every delay is kept exactly:
//
//	Ladder(Exponential(1 s, 2), 6, 3) is 1.333333333s, 5.333333333s and 21.333333333s,
//	for the retries 0 and 1, 2 and 3, 4 and 5, with an error of 1/3
//
// Use Ladder for a broker that delays by the place of a message rather than by a time of
// its own, such as Kafka with one topic for each delay, or RabbitMQ with one queue for
// each time to live:
//
//  1. Create one topic for each of Delays.
//  2. When retry i is due, counting from 0, write the message to the topic of rung
//     Retries[i], with i+1 in a header and the time from which it waits, and commit the
//     offset of the message that failed. After the last of Retries give up, or stay on
//     its rung.
//  3. The consumer of a topic takes its first message, pauses until that has waited for
//     the topic's delay, and processes it or writes it back to the first topic.
//
// All messages of a topic wait equally long, so the first one is always the next one due.
// If they waited differently, a long delay would hold up the short ones behind it.
// RabbitMQ, which looks at the head of a queue alone, has the same trap.
//
// If seq is random, the ladder is that of one sample of it. Make it of the schedule
// without jitter, since a topic cannot tell messages apart. To spread the messages of a
// schedule with jitter over the rungs, draw the delay of each message and ask
// [Rungs.Rung].
//
// A group of retries with delays from a to b gets the rung 2ab/(a+b), which is too long
// for a and too short for b by the same share, (b−a)/(a+b). It is rounded to a whole
// nanosecond, and Error includes that. To round it to a unit u, such as the millisecond of
// RabbitMQ, adds at most u/(2·delay). Only a rung of 0 serves a delay of 0 at all.
//
// It panics if seq is nil, n < 0 or steps < 1.
func Ladder(seq iter.Seq[time.Duration], n, steps int) Rungs {
	checkSeq("Ladder", seq)
	checkCount("Ladder", "n", n, 0)
	checkCount("Ladder", "steps", steps, 1)
	delays := firstDelays(seq, n)
	return rungsOf(delays, closestRungs(slices.Sorted(slices.Values(delays)), steps))
}

// LadderWithin returns the fewest rungs that stay within an error, so that |rung − delay|
// is at most worst·delay for each of the first n delays of seq, or for all if it has
// fewer. Among as many rungs it returns those of [Ladder], whose Error may be smaller than
// worst. If worst is 0, every delay is kept exactly.
//
// Use LadderWithin to find out how many topics or queues a schedule needs. A geometric
// schedule of factor f needs one rung for two retries if worst is (f−1)/(f+1), which is
// 1/3 for doubling delays.
//
// It panics if seq is nil, n < 0, or worst is not in [0, 1).
func LadderWithin(seq iter.Seq[time.Duration], n int, worst float64) Rungs {
	checkSeq("LadderWithin", seq)
	checkCount("LadderWithin", "n", n, 0)
	if !(worst >= 0 && worst < 1) {
		reject("LadderWithin", "worst", worst, "a value in [0, 1)")
	}
	delays := firstDelays(seq, n)
	fewest := len(fewestRungs(slices.Sorted(slices.Values(delays)), worst))
	return rungsOf(delays, closestRungs(slices.Sorted(slices.Values(delays)), fewest))
}

// Rung returns the index in r.Delays of the rung that is closest to d, the longer one of
// two that are equally close, or −1 if there is none. A negative d counts as 0.
//
// Use Rung for a delay that is not one of those that the ladder was made of, such as one
// with jitter, or a server's Retry-After.
func (r Rungs) Rung(d time.Duration) int {
	i, _ := slices.BinarySearch(r.Delays, d)
	switch {
	case i == len(r.Delays):
		return i - 1
	case i > 0 && d-r.Delays[i-1] < r.Delays[i]-d:
		return i - 1
	default:
		return i
	}
}

// rungsOf returns the Rungs with a rung for each delay.
func rungsOf(delays, rungs []time.Duration) Rungs {
	r := Rungs{Delays: rungs, Retries: make([]int, len(delays))}
	for i, d := range delays {
		r.Retries[i] = r.Rung(d)
		r.Error = max(r.Error, rungError(rungs[r.Retries[i]], d))
	}
	return r
}

// closestRungs returns the rungs with the smallest error, at most steps of them. It looks
// for that error among all float64 in [0, 1], whose bits have the same order.
func closestRungs(sorted []time.Duration, steps int) []time.Duration {
	low, high := uint64(0), math.Float64bits(1) // at 1 a single rung is enough
	for low < high {
		middle := low + (high-low)/2
		if len(fewestRungs(sorted, math.Float64frombits(middle))) <= steps {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return fewestRungs(sorted, math.Float64frombits(high))
}

// fewestRungs returns the fewest rungs whose error is at most worst. Each serves all delays,
// from the shortest without a rung on, that one rung can serve.
func fewestRungs(sorted []time.Duration, worst float64) []time.Duration {
	rungs := []time.Duration{}
	for len(sorted) > 0 {
		n, rung := 1, sorted[0]
		for n < len(sorted) {
			r, e := rungBetween(sorted[0], sorted[n])
			if e > worst {
				break
			}
			n, rung = n+1, r
		}
		rungs, sorted = append(rungs, rung), sorted[n:]
	}
	return rungs
}

// rungBetween returns the best rung for delays from a to b, a <= b, and its error.
func rungBetween(a, b time.Duration) (rung time.Duration, worst float64) {
	if b == 0 {
		return 0, 0
	}
	high, low := bits.Mul64(2*uint64(a), uint64(b))
	whole, _ := bits.Div64(high, low, uint64(a)+uint64(b))
	short := time.Duration(whole)
	long := min(short+1, b)
	of := func(rung time.Duration) float64 { return max(rungError(rung, a), rungError(rung, b)) }
	if s, l := of(short), of(long); l < s {
		return long, l
	} else {
		return short, s
	}
}

// rungError returns the relative error of a rung that serves d, +Inf if only d is 0.
func rungError(rung, d time.Duration) float64 {
	if rung == d {
		return 0 // also if d is 0
	}
	return math.Abs(float64(rung-d)) / float64(d)
}
