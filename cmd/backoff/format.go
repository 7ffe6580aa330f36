package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// seconds returns d in seconds, as an exact decimal number: 1.5, 0.000000001.
func seconds(d time.Duration) string {
	text := fmt.Sprintf("%d.%09d", d/time.Second, d%time.Second)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// milliseconds returns d >= 0 in milliseconds, as an exact decimal number.
func milliseconds(d time.Duration) string {
	text := fmt.Sprintf("%d.%06d", d/time.Millisecond, d%time.Millisecond)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// writeCSV writes a line for each retry of each schedule.
func writeCSV(w io.Writer, overviews []overview) error {
	out := csv.NewWriter(w)
	lines := [][]string{{
		"expression", "retry", "reached",
		"delay_least", "delay_median", "delay_most",
		"elapsed_least", "elapsed_median", "elapsed_most",
	}}
	for _, o := range overviews {
		for i, r := range o.rows {
			lines = append(lines, []string{
				o.expr.String(), strconv.Itoa(i), shortest(r.reached),
				seconds(r.delay.least), seconds(r.delay.median), seconds(r.delay.most),
				seconds(r.elapsed.least), seconds(r.elapsed.median), seconds(r.elapsed.most),
			})
		}
	}
	return out.WriteAll(lines)
}

// writeJSON writes an array with an object for each schedule.
func writeJSON(w io.Writer, overviews []overview) error {
	type jsonSpread struct {
		Least  json.Number `json:"least"`
		Median json.Number `json:"median"`
		Most   json.Number `json:"most"`
	}
	type jsonRetry struct {
		Retry   int        `json:"retry"`
		Reached float64    `json:"reached"`
		Delay   jsonSpread `json:"delay"`
		Elapsed jsonSpread `json:"elapsed"`
	}
	type jsonSchedule struct {
		Expression string      `json:"expression"`
		Random     bool        `json:"random"`
		Draws      int         `json:"draws"`
		Seed       uint64      `json:"seed"`
		GoesOn     bool        `json:"goes_on"`
		Retries    []jsonRetry `json:"retries"`
	}
	number := func(s spread) jsonSpread {
		return jsonSpread{
			json.Number(seconds(s.least)), json.Number(seconds(s.median)), json.Number(seconds(s.most)),
		}
	}
	schedules := []jsonSchedule{}
	for _, o := range overviews {
		s := jsonSchedule{o.expr.String(), o.expr.Random(), o.draws, o.seed, o.goes != ends, []jsonRetry{}}
		for i, r := range o.rows {
			s.Retries = append(s.Retries, jsonRetry{i, r.reached, number(r.delay), number(r.elapsed)})
		}
		schedules = append(schedules, s)
	}
	return writeIndented(w, schedules)
}

// writeIndented writes a value as JSON, for reading too.
func writeIndented(w io.Writer, value any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(value)
}

// shortest returns x as a decimal number that is x again when it is read.
func shortest(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
