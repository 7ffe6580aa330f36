// Package digits writes durations and numbers for reading, to a number of digits, and
// for programs, exactly.
package digits

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/backoff"
	"example.com/backoff/expr"
)

// Percent returns a share in [0, 1] to three digits, and never what is short of
// all as 100 %.
func Percent(share float64) string {
	text := Significant(100*share, 3)
	if share < 1 && text == "100" {
		return "more than 99.9 %"
	}
	return text + " %"
}

// Quantile returns the name of a quantile as columns and keys have it: p5, p50, p99.9.
func Quantile(probability float64) string { return "p" + Significant(100*probability, 12) }

// About returns a number >= 0 to three digits, with commas.
func About(x float64) string { return Grouped(Significant(x, 3)) }

// Significant returns x to n significant digits, and to all digits before the point,
// as zeros.
func Significant(x float64, n int) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', n, 64), 64)
	if err != nil { // infinite
		rounded = x
	}
	if rounded != 0 && math.Abs(rounded) < 1e-4 {
		return strconv.FormatFloat(rounded, 'g', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// Brief returns d to three digits.
func Brief(d time.Duration) string { return Exact(Three(d)) }

// Three returns d to three digits. NoLimit, which may stand for anything that is
// larger, stays what it is.
func Three(d time.Duration) time.Duration {
	if d == backoff.NoLimit {
		return d
	}
	return d.Round(Unit(d, 3))
}

// Approximate returns seconds to two digits, in one unit: 1.7m. A year has 8766 h.
func Approximate(seconds float64) string {
	unit, name := 1e-9, "ns"
	for _, larger := range []struct {
		seconds float64
		name    string
	}{{1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}, {60, "m"}, {3600, "h"}, {8766 * 3600, "y"}} {
		if seconds >= larger.seconds*(1-1e-9) {
			unit, name = larger.seconds, larger.name
		}
	}
	n := seconds / unit
	if n < 9.95 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0") + name
	}
	tens := math.Pow(10, math.Floor(math.Log10(n)+1e-9)-1)
	return fmt.Sprintf("%.0f", math.Round(n/tens)*tens) + name
}

// FromSeconds returns the duration nearest to f seconds, and the largest there is
// where that is more.
func FromSeconds(f float64) time.Duration {
	if ns := f * 1e9; ns < math.MaxInt64 {
		return time.Duration(math.Round(ns))
	}
	return math.MaxInt64
}

// Seconds returns d in seconds, as an exact decimal number: 1.5, 0.000000001.
func Seconds(d time.Duration) string {
	text := fmt.Sprintf("%d.%09d", d/time.Second, d%time.Second)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Milliseconds returns d >= 0 in milliseconds, as an exact decimal number.
func Milliseconds(d time.Duration) string {
	text := fmt.Sprintf("%d.%06d", d/time.Millisecond, d%time.Millisecond)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Shortest returns x as a decimal number that is x again when it is read.
func Shortest(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Count returns a number of things in words: 1 delay, 2 delays, 3 retries.
func Count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case what == "retry":
		return fmt.Sprintf("%d retries", n)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// SameDigits returns durations with one precision, three digits of the most: so
// a least of a few microseconds is 0s beside a most of seconds.
func SameDigits(durations ...time.Duration) []string {
	unit := Unit(slices.Max(durations), 3)
	cells := make([]string, len(durations))
	for i, d := range durations {
		cells[i] = Rounded(d, unit)
	}
	return cells
}

// Unit returns what one counts at the n-th digit of d.
func Unit(d time.Duration, n int) time.Duration {
	unit := time.Duration(1)
	for range n {
		d /= 10
	}
	for ; d > 0; d /= 10 {
		unit *= 10
	}
	return unit
}

// Rounded returns d to the nearest multiple of unit.
func Rounded(d, unit time.Duration) string {
	if d == backoff.NoLimit {
		return Exact(d)
	}
	return Exact(d.Round(unit))
}

// Exact returns d to the last nanosecond, and the largest there is, which may
// stand for any that is larger, in words.
func Exact(d time.Duration) string {
	if d == backoff.NoLimit {
		return "≥ 292 years"
	}
	return expr.FormatDuration(d)
}

// Grouped returns a decimal number with a comma at each thousand before its point.
func Grouped(number string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return whole
}
