package show

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/cmd/backoff/internal/table"
)

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
				o.expr.String(), strconv.Itoa(i), digits.Shortest(r.reached),
				digits.Seconds(r.delay.Least), digits.Seconds(r.delay.Median), digits.Seconds(r.delay.Most),
				digits.Seconds(r.elapsed.Least), digits.Seconds(r.elapsed.Median), digits.Seconds(r.elapsed.Most),
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
	number := func(s seconds.Spread[time.Duration]) jsonSpread {
		return jsonSpread{
			json.Number(digits.Seconds(s.Least)), json.Number(digits.Seconds(s.Median)), json.Number(digits.Seconds(s.Most)),
		}
	}
	schedules := []jsonSchedule{}
	for _, o := range overviews {
		s := jsonSchedule{o.expr.String(), o.expr.Random(), o.draws, o.seed, o.goes != sampling.Ends, []jsonRetry{}}
		for i, r := range o.rows {
			s.Retries = append(s.Retries, jsonRetry{i, r.reached, number(r.delay), number(r.elapsed)})
		}
		schedules = append(schedules, s)
	}
	return table.WriteIndented(w, schedules)
}
