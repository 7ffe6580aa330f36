// Package digits writes durations and numbers: rounded for people, and exactly for programs.
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

// Percent returns a share in [0, 1] to three digits. Only 1 is 100 %.
func Percent(share float64) string {
	text := Significant(100*share, 3)
	if share < 1 && text == "100" {
		return "more than 99.9 %"
	}
	return text + " %"
}

// Quantile returns the name of a quantile in columns and keys: p5, p50, p99.9. It has all
// digits of the probability, so that two quantiles never share a name.
func Quantile(probability float64) string {
	whole, fraction, _ := strings.Cut(Shortest(probability), ".")
	fraction += "00" // to move the point by two places
	percent := strings.TrimLeft(whole+fraction[:2], "0") + "." + fraction[2:]
	percent = strings.TrimSuffix(strings.TrimRight(percent, "0"), ".")
	if percent == "" || percent[0] == '.' {
		percent = "0" + percent
	}
	return "p" + percent
}

// About returns x >= 0 to three digits, with commas.
func About(x float64) string { return Grouped(Significant(x, 3)) }

// ToSignificant rounds x to n significant digits.
func ToSignificant(x float64, n int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', n, 64), 64)
	if err != nil { // infinite
		return x
	}
	return rounded
}

// Significant returns x to n significant digits. Further digits before the point are zeros.
func Significant(x float64, n int) string {
	rounded := ToSignificant(x, n)
	if rounded != 0 && math.Abs(rounded) < 1e-4 {
		return strconv.FormatFloat(rounded, 'g', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// Brief returns d to three digits.
func Brief(d time.Duration) string { return Exact(Three(d)) }

// Three returns d to three digits. NoLimit, which may stand for any longer delay, stays as
// it is.
func Three(d time.Duration) time.Duration {
	if d == backoff.NoLimit {
		return d
	}
	return d.Round(Unit(d, 3))
}

// ThreeDigits is Brief with zeros as digits below a minute: 1.60s. Nanoseconds have no
// fractions.
func ThreeDigits(d time.Duration) string {
	d = Three(d)
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d < unit.of || d >= time.Minute {
			continue
		}
		decimals := 2
		for whole := d / unit.of; whole >= 10; whole /= 10 {
			decimals--
		}
		return strconv.FormatFloat(float64(d)/float64(unit.of), 'f', decimals, 64) + unit.name
	}
	return Exact(d)
}

// Approximate returns seconds to two digits, in one unit: 1.7m. A year has 8766 h.
func Approximate(seconds float64) string {
	units := []struct {
		seconds float64
		name    string
	}{{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}, {60, "m"}, {3600, "h"}, {8766 * 3600, "y"}}
	for {
		unit := units[0]
		n := seconds / unit.seconds
		digit := 0.1 // the second one
		if n >= 9.95 {
			digit = math.Pow(10, math.Floor(math.Log10(n)+1e-9)-1)
		}
		n = math.Round(n/digit) * digit
		units = units[1:]
		// The unit is that of the rounded number: 59.9 s are 1m and not 60s.
		if len(units) == 0 || n*unit.seconds < units[0].seconds*(1-1e-9) {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0") + unit.name
		}
	}
}

// FromSeconds returns the duration nearest to f seconds, or the largest one if that is
// less.
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

// Shortest returns x as the shortest decimal number that parses to x.
func Shortest(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Count returns a number of things in words: 1 delay, 2 delays, 1,000 retries.
func Count(n int, what string) string {
	number := Grouped(strconv.Itoa(n))
	switch {
	case n == 1:
		return number + " " + what
	case what == "retry":
		return number + " retries"
	}
	return number + " " + what + "s"
}

// SameDigits returns the statistics of one thing, each with three digits. If there are
// several and all are the same, nothing is random, and they are exact.
func SameDigits(durations ...time.Duration) []string {
	write := ThreeDigits
	if len(durations) > 1 && slices.Min(durations) == slices.Max(durations) {
		write = Exact
	}
	cells := make([]string, len(durations))
	for i, d := range durations {
		cells[i] = write(d)
	}
	return cells
}

// Unit returns the unit of the n-th digit of d.
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

// Exact returns d to the nanosecond, and the largest duration in words, since it may stand
// for any longer one.
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
