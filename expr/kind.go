package expr

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/backoff"
)

// A kind is a type of arguments. It reads them from a word and writes them.
type kind struct {
	want  string
	read  func(word string) (a arg, hint string) // hint is empty if the word is right
	write func(arg) string
}

// nests reports whether k is an expression, which the parser reads itself.
func (k *kind) nests() bool { return k.read == nil }

const (
	unlimited = "none"        // the text of NoLimit
	maxCount  = math.MaxInt32 // fits into an int on every GOARCH
)

var (
	duration = &kind{
		want:  "a duration >= 0",
		read:  func(word string) (arg, string) { return readDuration(word, "") },
		write: func(a arg) string { return FormatDuration(a.delay) },
	}
	bound = &kind{
		want: "a duration >= 0 or " + unlimited,
		read: func(word string) (arg, string) {
			if word == unlimited {
				return arg{delay: backoff.NoLimit}, ""
			}
			return readDuration(word, " or "+unlimited)
		},
		write: func(a arg) string {
			if a.delay == backoff.NoLimit {
				return unlimited
			}
			return FormatDuration(a.delay)
		},
	}
	atLeast0 = number("a finite number >= 0", 0, math.MaxFloat64)
	atLeast1 = number("a finite number >= 1", 1, math.MaxFloat64)
	share    = number("a number in [0, 1]", 0, 1)
	whole    = &kind{
		want: fmt.Sprintf("a whole number in [0, %d]", maxCount),
		read: func(word string) (arg, string) {
			n, err := strconv.ParseInt(word, 10, 64)
			if err != nil || n < 0 || n > maxCount {
				return arg{}, fmt.Sprintf("want a whole number in [0, %d]", maxCount)
			}
			return arg{count: int(n)}, ""
		},
		write: func(a arg) string { return strconv.Itoa(a.count) },
	}
	expression = &kind{want: "a schedule"}
)

// readDuration reads a duration. A hint adds instead, the alternative to a duration.
func readDuration(word, instead string) (arg, string) {
	d, err := time.ParseDuration(word)
	if err == nil && d >= 0 {
		return arg{delay: d}, ""
	}
	if meant, ok := meantDuration(word); ok && meant >= 0 {
		return arg{}, "did you mean " + FormatDuration(meant) + "?"
	} else if ok {
		return arg{}, "want a duration >= 0" + instead
	}
	example := "3s"
	if d, err := time.ParseDuration(word + "s"); err == nil { // the unit is missing
		if d >= 0 {
			example = word + "s"
		}
	} else if tooLong(word) {
		return arg{}, "want at most " + FormatDuration(backoff.NoLimit) + instead
	}
	return arg{}, "want a duration such as " + example + instead
}

// tooLong reports whether time.ParseDuration refuses word only because its numbers are too
// large.
func tooLong(word string) bool {
	_, err := time.ParseDuration(strings.Map(func(r rune) rune {
		if r >= '1' && r <= '9' {
			return '0'
		}
		return r
	}, word))
	return err == nil
}

// number returns the kind of the numbers in [lo, hi].
func number(want string, lo, hi float64) *kind {
	return &kind{
		want: want,
		read: func(word string) (arg, string) {
			f, err := strconv.ParseFloat(word, 64)
			// A range error comes with ±Inf, which no interval here has.
			if err != nil && !errors.Is(err, strconv.ErrRange) || !(f >= lo && f <= hi) {
				if percent, ok := meantPercent(word); ok && percent >= lo && percent <= hi {
					return arg{}, "did you mean " + formatNumber(percent) + "?"
				}
				return arg{}, "want " + want
			}
			return arg{number: f + 0}, "" // + 0: there is one zero
		},
		write: func(a arg) string { return formatNumber(a.number) },
	}
}

// FormatDuration returns the text of [time.Duration.String] without the units at its end
// that are zero: 1m, not 1m0s; 2h30m, not 2h30m0s. Zero is 0s. [time.ParseDuration] of the
// text returns d.
func FormatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// formatNumber returns the shortest text that [strconv.ParseFloat] reads as f. It has an
// exponent only if that is shorter.
func formatNumber(f float64) string {
	plain := strconv.FormatFloat(f, 'f', -1, 64)
	scientific := strconv.FormatFloat(f, 'e', -1, 64)
	if len(plain) <= len(scientific) {
		return plain
	}
	return scientific
}
