package run

import (
	"math"
	"strconv"
	"time"
)

// A span is a duration as a flag's value that may be a mere number, of seconds, as
// those of timeout and sleep are.
type span time.Duration

func (s *span) Type() string { return "duration" }

// String returns the empty text for no duration, which is no default to speak of.
func (s *span) String() string {
	if *s == 0 {
		return ""
	}
	return time.Duration(*s).String()
}

func (s *span) Set(text string) error {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		ns := math.Round(seconds * float64(time.Second))
		if !(math.Abs(ns) < math.MaxInt64) {
			return strconv.ErrRange
		}
		*s = span(ns)
		return nil
	}
	d, err := time.ParseDuration(text)
	*s = span(d)
	return err
}
