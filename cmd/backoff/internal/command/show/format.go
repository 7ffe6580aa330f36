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
		"delay_min", "delay_p50", "delay_max",
		"elapsed_min", "elapsed_p50", "elapsed_max",
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
	type jsonStats struct {
		Min json.Number `json:"min"`
		P50 json.Number `json:"p50"`
		Max json.Number `json:"max"`
	}
	type jsonRetry struct {
		Retry   int       `json:"retry"`
		Reached float64   `json:"reached"`
		Delay   jsonStats `json:"delay"`
		Elapsed jsonStats `json:"elapsed"`
	}
	type jsonSchedule struct {
		Expression string      `json:"expression"`
		Random     bool        `json:"random"`
		Draws      int         `json:"draws"`
		Seed       uint64      `json:"seed"`
		GoesOn     bool        `json:"goes_on"`
		Retries    []jsonRetry `json:"retries"`
	}
	number := func(s plan.Stats) jsonStats {
		return jsonStats{
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
