// Package retryafter reads the Retry-After header of a response. It does not import
// package net/http, so that its callers need not.
package retryafter

import (
	"math/rand/v2"
	"strings"
	"time"

	"example.com/backoff"
)

// Parse returns the wait that a header asks for in Retry-After, at most NoLimit. The wait is
// 0 if there is no Retry-After, if it cannot be parsed, or if its date has passed.
//
// The value is a number of seconds in digits, or a date. A date is compared with the
// header's own Date, because the clocks of the server and the client may differ, and with
// now if there is no Date that can be parsed. Because a date has a grain of 1 s, Parse adds
// up to 1 s at random to its wait, so that clients do not come back together.
func Parse[H ~map[string][]string](h H, now time.Time) time.Duration {
	value := get(h, "Retry-After")
	if value == "" {
		return 0
	}
	if seconds, ok := digits(value); ok {
		return seconds
	}
	date, ok := parseTime(value)
	if !ok {
		return 0
	}
	if sent, ok := parseTime(get(h, "Date")); ok {
		now = sent
	}
	d := date.Sub(now) // saturates
	if d <= 0 {
		return 0
	}
	jitter := time.Duration(rand.Int64N(int64(time.Second)))
	return d + min(jitter, backoff.NoLimit-d)
}

// get returns the first value of a canonical key, without the white space around it.
func get(h map[string][]string, key string) string {
	if v := h[key]; len(v) > 0 {
		return strings.TrimSpace(v[0])
	}
	return ""
}

// formats are those of RFC 9110, section 5.6.7, and of ParseTime of package net/http.
var formats = []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC}

func parseTime(text string) (t time.Time, ok bool) {
	for _, f := range formats {
		if t, err := time.Parse(f, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// digits returns a number of seconds, at most NoLimit. ok is false if value has anything
// else than digits.
func digits(value string) (d time.Duration, ok bool) {
	const limit = int64(backoff.NoLimit / time.Second)
	var seconds int64
	for _, c := range []byte(value) {
		if c < '0' || c > '9' {
			return 0, false
		}
		seconds = min(10*seconds+int64(c-'0'), limit+1) // stays there, and 10 times that fits
	}
	if seconds > limit {
		return backoff.NoLimit, true
	}
	return time.Duration(seconds) * time.Second, true
}
