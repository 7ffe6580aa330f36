package forecast

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/plan"
)

// WriteCSV writes a line for each retry of each schedule, or the load if clients are given.
func WriteCSV(w io.Writer, forecasts []Forecast, p *Params) error {
	if p.Asked["clients"] {
		return writeLoadCSV(w, forecasts)
	}
	head := []string{"expression", "retry", "reached"}
	for _, what := range []string{"delay", "elapsed"} {
		for _, name := range p.statNames() {
			head = append(head, what+"_"+name)
		}
	}
	lines := [][]string{append(head, "alike", "alike_delay", "fits")}
	for _, f := range forecasts {
		for i, r := range f.shown.Retries {
			line := []string{f.expr.String(), strconv.Itoa(r.N), digits.Shortest(r.Share)}
			for _, s := range []plan.Stats{r.Delay, r.Elapsed} {
				for _, d := range p.statValues(s) {
					line = append(line, digits.Seconds(d))
				}
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

// writeLoadCSV writes for each schedule a line for each bin of its load, and one for each
// time within which the most retries were counted.
func writeLoadCSV(w io.Writer, forecasts []Forecast) error {
	lines := [][]string{{"expression", "what", "at", "within", "retries", "error"}}
	for _, f := range forecasts {
		for i, rate := range f.load.PerSecond {
			at := time.Duration(i) * f.load.Bin
			lines = append(lines, []string{
				f.expr.String(), "bin", digits.Seconds(at), digits.Seconds(f.load.Bin),
				digits.Shortest(rate * f.load.Bin.Seconds()), "",
			})
		}
		for _, b := range f.load.most {
			lines = append(lines, []string{
				f.expr.String(), "most", digits.Seconds(b.At), digits.Seconds(b.Within),
				digits.Shortest(b.Retries), digits.Shortest(b.Error),
			})
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// statNames returns what columns and keys call a statistic.
func (p *Params) statNames() []string {
	names := []string{"min", "mean"}
	for _, q := range p.Quantiles {
		names = append(names, digits.Quantile(q))
	}
	return append(names, "max")
}

// statValues returns s in the order of its names. Its last quantile may be a median that
// was not asked for.
func (p *Params) statValues(s plan.Stats) []time.Duration {
	return slices.Concat([]time.Duration{s.Min, s.Mean}, s.Quantiles[:len(p.Quantiles)], []time.Duration{s.Max})
}

// jsonStats is an object of seconds by name. Package json sorts the keys of a map; these
// stay in the order of the columns.
type jsonStats struct {
	names  []string
	values []time.Duration
}

func (s jsonStats) MarshalJSON() ([]byte, error) {
	object := []byte{'{'}
	for i, name := range s.names {
		if i > 0 {
			object = append(object, ',')
		}
		object = fmt.Appendf(object, "%q:%s", name, digits.Seconds(s.values[i]))
	}
	return append(object, '}'), nil
}

// WriteJSON writes an array with an object for each schedule.
func WriteJSON(w io.Writer, forecasts []Forecast, p *Params) error {
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
		Min      int         `json:"min"`
		Mean     float64     `json:"mean"`
		Max      int         `json:"max"`
		AtLeast  []float64   `json:"at_least"`
		Open     float64     `json:"open"`
	}
	type jsonPeak struct {
		At        json.Number `json:"at"`
		Bin       json.Number `json:"bin"`
		PerSecond float64     `json:"per_second"`
		Error     float64     `json:"error"`
	}
	type jsonMost struct {
		Within  json.Number `json:"within"`
		At      json.Number `json:"at"`
		Retries float64     `json:"retries"`
		Error   float64     `json:"error"`
	}
	type jsonLoad struct {
		Clients   int         `json:"clients"`
		Bin       json.Number `json:"bin"`
		Most      []jsonMost  `json:"most"`
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
	seconds := func(d time.Duration) json.Number { return json.Number(digits.Seconds(d)) }
	stats := func(s plan.Stats) jsonStats {
		return jsonStats{p.statNames(), p.statValues(s)}
	}
	schedules := []jsonSchedule{}
	for _, f := range forecasts {
		s := jsonSchedule{
			Expression: f.expr.String(), Random: f.plan.Random(), Draws: f.plan.Draws, Seed: p.Seed,
			AttemptTime: seconds(p.AttemptTime), GoesOn: f.shown.End() != plan.Ends, Retries: []jsonRetry{},
			Warnings: []string{},
		}
		for _, w := range f.warnings() {
			s.Warnings = append(s.Warnings, w.String())
		}
		for _, r := range f.shown.Retries {
			retry := jsonRetry{Retry: r.N, Reached: r.Share, Delay: stats(r.Delay), Elapsed: stats(r.Elapsed)}
			if r.Atom.Share > 0 {
				retry.Alike = &jsonAtom{r.Atom.Share, seconds(r.Atom.Delay)}
			}
			s.Retries = append(s.Retries, retry)
		}
		if f.fit != nil {
			s.Within = &jsonWithin{
				seconds(p.Deadline), f.fit.Min, f.fit.Mean, f.fit.Max, f.fit.AtLeast, f.fit.Open,
			}
		}
		if f.load != nil {
			peak := f.load.peak
			s.Load = &jsonLoad{
				Clients: p.Clients, Bin: seconds(f.load.Bin), PerSecond: f.load.PerSecond,
				Peak: jsonPeak{seconds(peak.At), seconds(peak.Width), peak.PerSecond, peak.Error},
			}
			for _, b := range f.load.most {
				s.Load.Most = append(s.Load.Most, jsonMost{seconds(b.Within), seconds(b.At), b.Retries, b.Error})
			}
			if f.load.cut > 0 {
				s.Load.StopsAt = seconds(f.load.cut)
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
