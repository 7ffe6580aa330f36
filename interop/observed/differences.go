package observed

import (
	"fmt"
	"math"
	"slices"
	"time"

	"example.com/backoff"
)

// falseAlarm is the probability that one comparison reports a difference by
// chance. The tests make fewer than 1000 comparisons, so fewer than one run in 10⁹
// fails without a reason.
const falseAlarm = 1e-12

// ours is the number of samples of a schedule that a client's delays are compared
// with.
const ours = 50_000

// Gaps runs an operation once, in virtual time if the caller is in a bubble of
// testing/synctest, and returns the times between its attempts.
func Gaps(operation func(attempt func())) []time.Duration {
	var at []time.Time
	operation(func() { at = append(at, time.Now()) })
	delays := make([]time.Duration, max(len(at)-1, 0))
	for i := range delays {
		delays[i] = at[i+1].Sub(at[i])
	}
	return delays
}

// Differences describes how the delays of a real client differ from its schedule;
// it returns nil if they agree. Each row holds the delays of one failed operation:
// all of them if complete, otherwise as many as every other row. No delay may lie
// beyond its bounds by more than slack, which allows for rounding. If the schedule
// is random, each delay, each elapsed time and the number of retries must have the
// same distribution; otherwise the bounds say everything about a delay.
func (s Schedule) Differences(rows [][]time.Duration, complete bool, slack time.Duration) []string {
	n := 0
	for _, r := range rows {
		n = max(n, len(r))
	}
	if n == 0 {
		return []string{"the client did not retry"}
	}
	bounds := s.Bounds(n + 1)
	if end := slices.IndexFunc(bounds, func(b Bounds) bool { return b.Min > b.Max }); end >= 0 {
		bounds = bounds[:end]
	}
	if n > len(bounds) {
		return []string{fmt.Sprintf("the client retries %d times, the schedule has %d delays", n, len(bounds))}
	}
	var all []string
	for i, r := range rows {
		for j, d := range r {
			if b := bounds[j]; d < b.Min-slack || d > b.Max+slack {
				all = append(all, fmt.Sprintf("operation %d: delay %d is %v, not in [%v, %v]", i, j, d, b.Min, b.Max))
			}
		}
	}
	if len(all) > 0 {
		return all[:min(len(all), 5)]
	}
	if !s.Random {
		for i, r := range rows {
			if complete && len(r) != len(bounds) || len(r) != n {
				all = append(all, fmt.Sprintf("operation %d retries %d times, want %d", i, len(r), len(bounds)))
			}
		}
		return all
	}

	// The delays must also come near their bounds, which are those of uniform
	// distributions: k draws all miss a share q of the interval with probability
	// (1−q)ᵏ < exp(−q·k).
	for j := range n {
		column := columnOf(rows, delayAt(j))
		if len(column) < len(rows) || s.Telescopes {
			continue
		}
		b := bounds[j]
		near := slack + time.Duration(float64(b.Max-b.Min)*math.Log(1/falseAlarm)/float64(len(rows)))
		if low, high := column[0], column[len(column)-1]; low > b.Min+near || high < b.Max-near {
			all = append(all, fmt.Sprintf("delay %d is always in [%v, %v], want nearly all of [%v, %v]", j, low, high, b.Min, b.Max))
		}
	}

	mine := make([][]time.Duration, ours)
	for i := range mine {
		seq := s.New(backoff.WithSeed(uint64(i + 1)))
		if !complete {
			seq = backoff.Take(seq, n)
		}
		mine[i] = slices.Collect(seq)
	}
	compare := func(what string, slack time.Duration, column func([]time.Duration) (time.Duration, bool)) {
		a, b := columnOf(rows, column), columnOf(mine, column)
		if len(a) == 0 && len(b) == 0 {
			return
		}
		if d, most := distance(a, b, slack), allowed(len(a))+allowed(len(b)); d > most {
			all = append(all, fmt.Sprintf("the distributions of %s differ by %.3f, more than %.3f", what, d, most))
		}
	}
	compare("the number of retries", 0, func(r []time.Duration) (time.Duration, bool) { return time.Duration(len(r)), true })
	for j := range n {
		compare(fmt.Sprintf("delay %d", j), slack, delayAt(j))
		compare(fmt.Sprintf("the sum of delays 0 to %d", j), slack, func(r []time.Duration) (time.Duration, bool) {
			if j >= len(r) {
				return 0, false
			}
			sum := time.Duration(0)
			for _, d := range r[:j+1] {
				sum += d
			}
			return sum, true
		})
	}
	return all
}

// delayAt returns a function that returns delay j of a row, if there is one.
func delayAt(j int) func([]time.Duration) (time.Duration, bool) {
	return func(r []time.Duration) (time.Duration, bool) {
		if j >= len(r) {
			return 0, false
		}
		return r[j], true
	}
}

// columnOf returns the values of the rows that have one, sorted.
func columnOf(rows [][]time.Duration, value func([]time.Duration) (time.Duration, bool)) []time.Duration {
	var column []time.Duration
	for _, r := range rows {
		if v, ok := value(r); ok {
			column = append(column, v)
		}
	}
	slices.Sort(column)
	return column
}

// allowed returns how far the distribution of n draws may lie from the true one;
// it lies further with probability falseAlarm. This is the ε of
// 2·exp(−2·n·ε²) = falseAlarm, the inequality of Dvoretzky, Kiefer and Wolfowitz
// with Massart's constant.
func allowed(n int) float64 {
	if n == 0 {
		return 1
	}
	return math.Sqrt(math.Log(2/falseAlarm) / (2 * float64(n)))
}

// distance returns the largest difference of two distribution functions, given by
// sorted draws (Kolmogorov and Smirnov). Draws that are at most slack apart count
// as one step of both functions; distance compares them after that step.
func distance(a, b []time.Duration, slack time.Duration) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 1
	}
	largest := 0.0
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		var x time.Duration
		switch {
		case i == len(a):
			x = b[j]
		case j == len(b):
			x = a[i]
		default:
			x = min(a[i], b[j])
		}
		for i < len(a) && a[i] <= x+slack {
			i++
		}
		for j < len(b) && b[j] <= x+slack {
			j++
		}
		largest = max(largest, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return largest
}
