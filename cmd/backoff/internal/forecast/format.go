package forecast

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/plan"
)

// WriteCSV writes a line for each retry of each schedule.
func WriteCSV(w io.Writer, forecasts []Forecast, p *Params) error {
	head := []string{"expression", "retry", "reached"}
	for _, what := range []string{"delay", "elapsed"} {
		head = append(head, what+"_least", what+"_mean")
		for _, q := range p.Quantiles {
			head = append(head, what+"_"+digits.Shortest(q))
		}
		head = append(head, what+"_greatest")
	}
	lines := [][]string{append(head, "alike", "alike_delay", "fits")}
	for _, f := range forecasts {
		for i, r := range f.shown.Retries {
			line := []string{f.expr.String(), strconv.Itoa(r.N), digits.Shortest(r.Share)}
			for _, s := range []plan.Stats{r.Delay, r.Elapsed} {
				line = append(line, digits.Seconds(s.Min), digits.Seconds(s.Mean))
				for j := range p.Quantiles {
					line = append(line, digits.Seconds(s.Quantiles[j]))
				}
				line = append(line, digits.Seconds(s.Max))
			}
			alike, fits := []string{"0", ""}, ""
			if r.Atom.Share > 0 {
				alike = []string{digits.Shortest(r.Atom.Share), digits.Seconds(r.Atom.Delay)}
			}
			if f.fit != nil {
				fits = digits.Shortest(f.fit.Share(i + 2))
			}
			lines = append(lines, append(append(line, alike...), fits))
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// WriteJSON writes an array with an object for each schedule.
func WriteJSON(w io.Writer, forecasts []Forecast, p *Params) error {
	type jsonQuantile struct {
		Probability float64     `json:"probability"`
		Value       json.Number `json:"value"`
	}
	type jsonStats struct {
		Least     json.Number    `json:"least"`
		Mean      json.Number    `json:"mean"`
		Greatest  json.Number    `json:"greatest"`
		Quantiles []jsonQuantile `json:"quantiles"`
	}
	type jsonAtom struct {
		Share float64     `json:"share"`
		Delay json.Number `json:"delay"`
	}
	type jsonRetry struct {
		Retry   int       `json:"retry"`
		Reached float64   `json:"reached"`
		Delay   jsonStats `json:"delay"`
		Elapsed jsonStats `json:"elapsed"`
		Alike   *jsonAtom `json:"alike,omitempty"`
	}
	type jsonWithin struct {
		Deadline json.Number `json:"deadline"`
		Least    int         `json:"least"`
		Mean     float64     `json:"mean"`
		Greatest int         `json:"greatest"`
		AtLeast  []float64   `json:"at_least"`
		Open     float64     `json:"open"`
	}
	type jsonPeak struct {
		At        json.Number `json:"at"`
		Bin       json.Number `json:"bin"`
		PerSecond float64     `json:"per_second"`
		Error     float64     `json:"error"`
	}
	type jsonLoad struct {
		Clients   int         `json:"clients"`
		Bin       json.Number `json:"bin"`
		Peak      jsonPeak    `json:"peak"`
		PerSecond []float64   `json:"per_second"`
		StopsAt   json.Number `json:"stops_at,omitempty"`
	}
	type jsonCost struct {
		Fail     float64  `json:"fail"`
		Attempts *float64 `json:"attempts"` // null where they do not end
		Success  float64  `json:"success"`
		Stopped  int      `json:"stopped_after,omitempty"`
	}
	type jsonSchedule struct {
		Expression  string      `json:"expression"`
		Random      bool        `json:"random"`
		Draws       int         `json:"draws"`
		Seed        uint64      `json:"seed"`
		AttemptTime json.Number `json:"attempt_time"`
		GoesOn      bool        `json:"goes_on"`
		Retries     []jsonRetry `json:"retries"`
		Within      *jsonWithin `json:"within,omitempty"`
		Load        *jsonLoad   `json:"load,omitempty"`
		Cost        *jsonCost   `json:"cost,omitempty"`
		Warnings    []string    `json:"warnings"`
	}
	number := func(d time.Duration) json.Number { return json.Number(digits.Seconds(d)) }
	stats := func(s plan.Stats) jsonStats {
		quantiles := []jsonQuantile{}
		for i, q := range p.Quantiles {
			quantiles = append(quantiles, jsonQuantile{q, number(s.Quantiles[i])})
		}
		return jsonStats{number(s.Min), number(s.Mean), number(s.Max), quantiles}
	}
	schedules := []jsonSchedule{}
	for _, f := range forecasts {
		s := jsonSchedule{
			Expression: f.expr.String(), Random: f.shown.Random(), Draws: f.shown.Draws, Seed: p.Seed,
			AttemptTime: number(p.AttemptTime), GoesOn: f.shown.End() != plan.Ends, Retries: []jsonRetry{},
			Warnings: f.warnings(),
		}
		for _, r := range f.shown.Retries {
			retry := jsonRetry{Retry: r.N, Reached: r.Share, Delay: stats(r.Delay), Elapsed: stats(r.Elapsed)}
			if r.Atom.Share > 0 {
				retry.Alike = &jsonAtom{r.Atom.Share, number(r.Atom.Delay)}
			}
			s.Retries = append(s.Retries, retry)
		}
		if f.fit != nil {
			s.Within = &jsonWithin{
				number(p.Deadline), f.fit.Min, f.fit.Mean, f.fit.Max, f.fit.AtLeast, f.fit.Open,
			}
		}
		if f.load != nil {
			s.Load = &jsonLoad{
				Clients: p.Clients, Bin: number(f.load.Bin), Peak: jsonPeak{number(f.peak.At), number(f.peak.Width), f.peak.PerSecond, f.peak.Error}, PerSecond: f.load.PerSecond,
			}
			if f.cut > 0 {
				s.Load.StopsAt = number(f.cut)
			}
		}
		if f.cost != nil {
			s.Cost = &jsonCost{Fail: p.Fail, Success: f.cost.success, Stopped: f.cost.stopped}
			if !math.IsInf(f.cost.attempts, 1) {
				s.Cost.Attempts = &f.cost.attempts
			}
		}
		schedules = append(schedules, s)
	}
	return table.WriteIndented(w, schedules)
}
