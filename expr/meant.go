package expr

import (
	"strconv"
	"strings"
	"time"
)

// quotes are quotation marks.
const quotes = "\"'`“”„‘’«»"

// meantDuration returns the duration that a word probably means, also if time.ParseDuration
// refuses it: 5min, 2days, 1_000ms, 100MS, "1s", 100*time.Millisecond. It may be negative.
func meantDuration(word string) (time.Duration, bool) {
	word = strings.ToLower(strings.Trim(word, quotes))
	word = strings.NewReplacer("_", "", "−", "-", "*time.", "").Replace(word)
	d, err := time.ParseDuration(word)
	if err == nil {
		return d, true
	}
	digits := strings.LastIndexAny(word, "0123456789.") + 1
	number, unit := word[:digits], strings.TrimSuffix(word[digits:], "s")
	if n, err := strconv.ParseFloat(number, 64); err == nil && days[unit] > 0 {
		// Only 15 digits are right: 64.07 days are 5535647999999999 ns in float64.
		text := strconv.FormatFloat(n*days[unit]*float64(24*time.Hour), 'e', 14, 64)
		n, _ = strconv.ParseFloat(text, 64)
		number, unit = strconv.FormatFloat(n, 'f', 0, 64), "nano"
	}
	d, err = time.ParseDuration(number + units[unit])
	return d, err == nil && units[unit] != ""
}

// units maps other names of units to those of time.ParseDuration.
var units = map[string]string{
	"nano": "ns", "nanosecond": "ns", "nsec": "ns",
	"micro": "us", "microsecond": "us", "usec": "us",
	"milli": "ms", "millisecond": "ms", "msec": "ms",
	"sec": "s", "second": "s",
	"min": "m", "minute": "m",
	"hr": "h", "hour": "h",
}

// days has the units that are too long for time.ParseDuration.
var days = map[string]float64{"d": 1, "day": 1, "w": 7, "week": 7}

// meantPercent returns 0.5 for 50%.
func meantPercent(word string) (float64, bool) {
	number, ok := strings.CutSuffix(word, "%")
	percent, err := strconv.ParseFloat(number, 64)
	return percent / 100, ok && err == nil
}

// startsNumber reports whether a word begins like a number or a duration.
func startsNumber(word string) bool {
	word = strings.TrimLeft(word, "+-−.")
	return word != "" && word[0] >= '0' && word[0] <= '9'
}

// markLike returns the first character of a word that resembles a mark, its position, and
// the mark.
func markLike(word string) (at int, character, mark string) {
	for at, r := range word {
		if mark := markLikes[r]; mark != "" {
			return at, string(r), mark
		}
	}
	return 0, "", ""
}

var markLikes = map[rune]string{
	'[': "(", '{': "(", '（': "(",
	']': ")", '}': ")", '）': ")",
	';': ",", '，': ",", '；': ",", '、': ",",
	'¦': "|", '│': "|", '┃': "|", '｜': "|", '∣': "|", '❘': "|",
}
