// Package seconds writes and draws the seconds of an overload, simulated or real.
package seconds

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/sim/overload"
)

// A Series is the repetitions of the experiment with one schedule.
type Series struct {
	Name string // the schedule's
	Reps []overload.Rep
}

// Curve returns the curve of a number that every second of a repetition has: its median
// over the repetitions, between min and max.
func Curve(name string, reps []overload.Rep, of func(overload.Second) int64) figure.Curve {
	c := figure.Curve{Name: name, Random: len(reps) > 1}
	for i := range reps[0].Seconds {
		values := make([]int64, len(reps))
		for j, r := range reps {
			values[j] = of(r.Seconds[i])
		}
		s := SpreadOf(values)
		c.Min = append(c.Min, float64(s.Min))
		c.Median = append(c.Median, float64(s.Median))
		c.Max = append(c.Max, float64(s.Max))
	}
	return c
}

// Recoveries returns how long the server took to recover, of each repetition in which it did.
func Recoveries(reps []overload.Rep) (after []time.Duration) {
	for _, r := range reps {
		if r.Verdict.Recovered {
			after = append(after, r.Verdict.After)
		}
	}
	return after
}

// After returns a time after an event in words.
func After(d time.Duration, event string) string {
	if d == 0 {
		return "right after " + event
	}
	return digits.Exact(d) + " after " + event
}

// WriteCSV writes a line for each second of each schedule.
func WriteCSV(w io.Writer, all []Series) error {
	lines := [][]string{{"schedule", "t_s", "first", "retries", "ok", "timeouts", "refused", "open", "latency_ms", "peak_open"}}
	for _, s := range all {
		for i := range s.Reps[0].Seconds {
			mean := func(of func(overload.Second) int64) string {
				return digits.Shortest(s.Mean(func(r overload.Rep) float64 { return float64(of(r.Seconds[i])) }))
			}
			latency := digits.Milliseconds(s.Reps[0].Seconds[i].Latency)
			if len(s.Reps) > 1 {
				latency = digits.Shortest(s.Mean(func(r overload.Rep) float64 { return float64(r.Seconds[i].Latency) }) / 1e6)
			}
			lines = append(lines, []string{
				s.Name, strconv.Itoa(i),
				mean(func(s overload.Second) int64 { return s.First }),
				mean(func(s overload.Second) int64 { return s.Retries }),
				mean(func(s overload.Second) int64 { return s.OK }),
				mean(func(s overload.Second) int64 { return s.Timeouts }),
				mean(func(s overload.Second) int64 { return s.Refused }),
				mean(func(s overload.Second) int64 { return s.Open }),
				latency,
				mean(func(s overload.Second) int64 { return s.PeakOpen }),
			})
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// Mean returns the mean of a number over the repetitions.
func (s Series) Mean(of func(overload.Rep) float64) float64 {
	sum := 0.0
	for _, r := range s.Reps {
		sum += of(r)
	}
	return sum / float64(len(s.Reps))
}
