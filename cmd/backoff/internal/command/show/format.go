package show

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/plan"
)

// writeCSV writes a line for each retry of each schedule.
func writeCSV(w io.Writer, samples []sample) error {
	out := csv.NewWriter(w)
	lines := [][]string{{
		"expression", "retry", "reached",
		"delay_least", "delay_median", "delay_most",
		"elapsed_least", "elapsed_median", "elapsed_most",
	}}
	for _, s := range samples {
		for _, r := range s.plan.Retries {
			lines = append(lines, []string{
				s.expr.String(), strconv.Itoa(r.N), digits.Shortest(r.Share),
				digits.Seconds(r.Delay.Min), digits.Seconds(median(r.Delay)), digits.Seconds(r.Delay.Max),
				digits.Seconds(r.Elapsed.Min), digits.Seconds(median(r.Elapsed)), digits.Seconds(r.Elapsed.Max),
			})
		}
	}
	return out.WriteAll(lines)
}

// writeJSON writes an array with an object for each schedule.
func writeJSON(w io.Writer, samples []sample) error {
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
	number := func(s plan.Stats) jsonSpread {
		return jsonSpread{
			json.Number(digits.Seconds(s.Min)), json.Number(digits.Seconds(median(s))), json.Number(digits.Seconds(s.Max)),
		}
	}
	schedules := []jsonSchedule{}
	for _, s := range samples {
		schedule := jsonSchedule{s.expr.String(), s.expr.Random(), s.draws, s.seed, s.plan.End() != plan.Ends, []jsonRetry{}}
		for _, r := range s.plan.Retries {
			schedule.Retries = append(schedule.Retries, jsonRetry{r.N, r.Share, number(r.Delay), number(r.Elapsed)})
		}
		schedules = append(schedules, schedule)
	}
	return table.WriteIndented(w, schedules)
}
