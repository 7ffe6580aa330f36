package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/backoff"
)

// falseAlarm is the most that one comparison may err by, calling different what
// is not. The tests make fewer than 1000 of them in all, so that all together
// they err less than once in 10⁹ runs.
const falseAlarm = 1e-12

// ours is how many draws of a schedule the real client's are compared with.
const ours = 50_000

// differences says where the delays of a real client are not those of its
// schedule. Each row holds the delays of one failed operation, all of them if
// complete, and otherwise as many as the other rows. Beyond the bounds no delay
// may lie by more than slack, which is for rounding. Of a random schedule the
// distribution of each delay, of each elapsed time and of the number of retries
// must be the same; of any other the bounds are all there is to a delay.
func differences(c client, rows [][]time.Duration, complete bool, slack time.Duration) []string {
	n := 0
	for _, r := range rows {
		n = max(n, len(r))
	}
	if n == 0 {
		return []string{"the client did not retry"}
	}
	bounds := boundsOf(c.schedule, n+1)
	if longest := slices.IndexFunc(bounds, func(b span[time.Duration]) bool { return b.least > b.greatest }); longest >= 0 {
		bounds = bounds[:longest] // the schedule ends there
	}
	if n > len(bounds) {
		return []string{fmt.Sprintf("the client retries %d times, the schedule has %d delays", n, len(bounds))}
	}
	var all []string
	for i, r := range rows {
		for j, d := range r {
			if b := bounds[j]; d < b.least-slack || d > b.greatest+slack {
				all = append(all, fmt.Sprintf("operation %d: delay %d is %v, not in [%v, %v]", i, j, d, b.least, b.greatest))
			}
		}
	}
	if len(all) > 0 {
		return all[:min(len(all), 5)]
	}
	if !c.random() {
		for i, r := range rows {
			if complete && len(r) != len(bounds) || len(r) != n {
				all = append(all, fmt.Sprintf("operation %d retries %d times, want %d", i, len(r), len(bounds)))
			}
		}
		return all
	}

	// The delays must come near their bounds too, which are those of uniform
	// distributions: that none of k draws lies in a share q of the interval has
	// the probability (1−q)ᵏ < exp(−q·k).
	for j := range n {
		column := columnOf(rows, delayAt(j))
		if len(column) < len(rows) || c.telescopes() {
			continue
		}
		b := bounds[j]
		near := slack + time.Duration(float64(b.greatest-b.least)*math.Log(1/falseAlarm)/float64(len(rows)))
		if least, greatest := column[0], column[len(column)-1]; least > b.least+near || greatest < b.greatest-near {
			all = append(all, fmt.Sprintf("delay %d is always in [%v, %v], want nearly all of [%v, %v]", j, least, greatest, b.least, b.greatest))
		}
	}

	mine := make([][]time.Duration, ours)
	for i := range mine {
		seq := c.schedule(backoff.WithSeed(uint64(i + 1)))
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

// telescopes reports whether a delay depends on the one before it, so that it is
// rarely near its bounds.
func (c client) telescopes() bool { return strings.HasPrefix(c.text, "smooth-jitter") }

// delayAt returns a function that returns delay j of a row, if there is one.
func delayAt(j int) func([]time.Duration) (time.Duration, bool) {
	return func(r []time.Duration) (time.Duration, bool) {
		if j >= len(r) {
			return 0, false
		}
		return r[j], true
	}
}

// columnOf returns the sorted values of the rows that have one.
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

// allowed returns the distance that the distribution of n draws keeps to the true
// one but for a chance of falseAlarm: ε with 2·exp(−2·n·ε²) = falseAlarm, which is
// the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant.
func allowed(n int) float64 {
	if n == 0 {
		return 1
	}
	return math.Sqrt(math.Log(2/falseAlarm) / (2 * float64(n)))
}

// distance returns the greatest difference of two distribution functions, of
// sorted draws (Kolmogorov and Smirnov). Values no further apart than slack may
// change places, where both functions step: it is then the distance at the far
// end of the step.
func distance(a, b []time.Duration, slack time.Duration) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 1
	}
	greatest := 0.0
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
		greatest = max(greatest, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return greatest
}

// TestDifferences shows that the comparison accepts a client that draws from its
// schedule and refuses each of others that are a little off.
func TestDifferences(t *testing.T) {
	rows := func(text string, n int) [][]time.Duration {
		all := make([][]time.Duration, n)
		for i := range all {
			// Seeds that differences does not use.
			all[i] = slices.Collect(client{text: text}.schedule(backoff.WithSeed(1<<32 + uint64(i))))
		}
		return all
	}
	const random = 20_000
	c := client{text: "exponential(500ms, 1.5) | cap(1m) | spread(0.5) | within(15m)"}
	if d := differences(c, rows(c.text, random), true, 10); d != nil {
		t.Errorf("the schedule itself is refused: %q", d)
	}
	for _, other := range []string{
		"list()",
		"exponential(500ms, 1.5) | cap(1m) | spread(0.51) | within(15m)",
		"exponential(500ms, 1.5) | cap(1m) | spread(0.49) | within(15m)",
		"exponential(500ms, 1.5) | cap(61s) | spread(0.5) | within(15m)",
		"exponential(500ms, 1.4) | cap(1m) | spread(0.5) | within(15m)",
		"exponential(500ms, 1.5) | cap(1m) | spread(0.5) | within(14m30s)",
		"exponential(500ms, 1.5) | cap(1m) | spread(0.5) | take(24)",
		"exponential(500ms, 1.5) | spread(0.5) | cap(1m) | within(15m)",
	} {
		if differences(c, rows(other, random), true, 10) == nil {
			t.Errorf("%s passes for %s", other, c.text)
		}
	}

	c = client{text: "uniform(1s, 2s) | take(3)"}
	for _, other := range []string{"uniform(1s, 2s) | take(2)", "uniform(1s, 2s) | take(4)"} {
		if differences(c, rows(other, random), true, 10) == nil {
			t.Errorf("%s passes for %s", other, c.text)
		}
	}

	c = client{text: "constant(1s) | take(3)"}
	if d := differences(c, rows(c.text, 1), true, 0); d != nil {
		t.Errorf("the schedule itself is refused: %q", d)
	}
	for _, other := range []string{"constant(1s) | take(2)", "constant(1s) | take(4)", "constant(1000000001ns) | take(3)"} {
		if differences(c, rows(other, 1), true, 0) == nil {
			t.Errorf("%s passes for %s", other, c.text)
		}
	}
}
