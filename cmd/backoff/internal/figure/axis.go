package figure

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/digits"
)

// A Quantity is the kind of an axis: it decides how far apart the marks are, and what they
// are called.
type Quantity int

const (
	Durations Quantity = iota // in seconds
	Rates                     // per second
	Counts                    // whole numbers
)

// Step returns the smallest round number that goes into most less than count times.
func (q Quantity) Step(most float64, count int) float64 {
	if q == Durations {
		return RoundStep(digits.FromSeconds(most), count).Seconds()
	}
	if q == Counts && most < float64(count) {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(most/float64(count))))
	for _, n := range []float64{1, 2, 5} {
		if most/(n*unit) < float64(count)*(1-1e-9) {
			return n * unit
		}
	}
	return 10 * unit
}

// Label returns the name of a mark.
func (q Quantity) Label(value float64) string {
	if q == Durations {
		return digits.Exact(digits.FromSeconds(value))
	}
	return digits.Grouped(digits.Significant(value, 12)) // rounding moves a mark away from a whole number of steps
}

// Marks returns the values to name on a logarithmic axis from lo to hi, and those to name
// if the first are too few.
func (q Quantity) Marks(lo, hi float64) (coarse, fine []float64) {
	within := func(value float64) bool { return value >= lo && value <= hi }
	if q == Durations {
		for _, d := range logMarks {
			if within(d.Seconds()) {
				coarse = append(coarse, d.Seconds())
			}
		}
		for _, d := range fineMarks {
			if within(d.Seconds()) {
				fine = append(fine, d.Seconds())
			}
		}
		return coarse, fine
	}
	for exponent := math.Floor(math.Log10(lo)); exponent <= math.Log10(hi); exponent++ {
		for _, n := range []string{"1", "2", "5"} {
			value, _ := strconv.ParseFloat(fmt.Sprintf("%se%.0f", n, exponent), 64) // is a number
			if !within(value) {
				continue
			}
			if n == "1" {
				coarse = append(coarse, value)
			}
			fine = append(fine, value)
		}
	}
	return coarse, fine
}

// roundSteps are the distances between marks on a linear axis of durations, in rising
// order: 1, 2, 5, 10, ... of a unit, and 15 and 30 where 60 are the next unit.
var roundSteps = roundDurations(1, 2, 5, 10, 15, 20, 30)

// fineMarks are the durations to name on a logarithmic axis of few decades, in rising
// order. Neighbours differ by a factor of 2 to 3.
var fineMarks = roundDurations(1, 2, 5, 10, 30)

// roundDurations returns 1, 2, 5, 10, ... of each unit, with sixtieths of the next unit for
// seconds and minutes.
func roundDurations(sixtieths ...time.Duration) []time.Duration {
	var all []time.Duration
	for unit := time.Nanosecond; unit < time.Second; unit *= 10 {
		all = append(all, unit, 2*unit, 5*unit)
	}
	for _, unit := range []time.Duration{time.Second, time.Minute} {
		for _, n := range sixtieths {
			all = append(all, n*unit)
		}
	}
	for unit := time.Hour; ; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if unit > backoff.NoLimit/n {
				return all
			}
			all = append(all, n*unit)
		}
	}
}

// RoundStep returns the smallest round step that goes into most less than count times,
// where count is at least 2.
func RoundStep(most time.Duration, count int) time.Duration {
	i := 0
	for most/roundSteps[i] >= time.Duration(count) {
		i++
	}
	return roundSteps[i]
}

// logMarks are the durations to name on a logarithmic axis, in rising order: the
// powers of ten up to 10 s, then 1 m, 10 m, 1 h, 10 h, 100 h, ...
var logMarks = func() []time.Duration {
	var marks []time.Duration
	for d := time.Nanosecond; d <= 10*time.Second; d *= 10 {
		marks = append(marks, d)
	}
	marks = append(marks, time.Minute, 10*time.Minute)
	for d := time.Hour; ; d *= 10 {
		marks = append(marks, d)
		if d > backoff.NoLimit/10 {
			return marks
		}
	}
}()

// CountStep returns the smallest of 1, 2, 5, 10, ... that goes into most less than count
// times: the distance between marks on an axis of retries.
func CountStep(most, count int) int {
	for unit := 1; ; unit *= 10 {
		for _, step := range []int{unit, 2 * unit, 5 * unit} {
			if most/step < count {
				return step
			}
		}
	}
}

// RetryMarks returns the retries to name on an axis from retry 1 to retry last, in rising
// order: 1, and the multiples of a round step that goes into last less than count times.
func RetryMarks(last, count int) []int {
	step := CountStep(last, count)
	marks := []int{1}
	for n := step; n <= last; n += step {
		if n > 1 {
			marks = append(marks, n)
		}
	}
	return marks
}
