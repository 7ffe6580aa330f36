package supervise

import (
	"encoding/json"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/process"
	"example.com/backoff/cmd/backoff/internal/table"
)

// writeReport writes the attempts and their result as a JSON object.
func (s *supervisor) writeReport(w io.Writer, status int, reason string) error {
	type jsonAttempt struct {
		Attempt  int          `json:"attempt"`
		Start    json.Number  `json:"start"`
		Elapsed  json.Number  `json:"elapsed"`
		Status   int          `json:"status"`
		Signal   string       `json:"signal,omitempty"`
		TimedOut bool         `json:"timed_out"`
		Error    string       `json:"error,omitempty"`
		Delay    *json.Number `json:"delay"`
	}
	report := struct {
		Command    []string      `json:"command"`
		Base64     [][]byte      `json:"command_base64,omitempty"`
		Expression string        `json:"expression"`
		Seed       uint64        `json:"seed"`
		Started    string        `json:"started"`
		Elapsed    json.Number   `json:"elapsed"`
		Status     int           `json:"status"`
		Reason     string        `json:"reason"`
		Attempts   []jsonAttempt `json:"attempts"`
	}{
		s.argv, inBytes(s.argv), s.Schedule.String(), s.Seed, s.started.Format(time.RFC3339Nano),
		json.Number(digits.Seconds(time.Since(s.started))), status, reason,
		[]jsonAttempt{},
	}
	for _, a := range s.attempts {
		j := jsonAttempt{
			Attempt: a.number, Start: json.Number(digits.Seconds(a.start)), Elapsed: json.Number(digits.Seconds(a.elapsed)),
			Status: a.ending.Status, TimedOut: a.timedOut,
		}
		if a.ending.Signal != nil {
			j.Signal = process.SignalName(a.ending.Signal)
		}
		if a.failure != nil {
			j.Error = a.failure.Error()
		}
		if a.retried {
			j.Delay = new(json.Number(digits.Seconds(a.delay)))
		}
		report.Attempts = append(report.Attempts, j)
	}
	return table.WriteIndented(w, report)
}

// inBytes returns the words of a command as bytes if one of them is no UTF-8, which is all
// that the texts of JSON can hold, and nil otherwise.
func inBytes(argv []string) (words [][]byte) {
	if !slices.ContainsFunc(argv, func(word string) bool { return !utf8.ValidString(word) }) {
		return nil
	}
	for _, word := range argv {
		words = append(words, []byte(word))
	}
	return words
}
