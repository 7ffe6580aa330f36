package overload

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/screen"
	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/sim/overload"
)

// writeVerdictCSV writes a line for each repetition of each schedule.
func writeVerdictCSV(w io.Writer, all []seconds.Series) error {
	lines := [][]string{{"schedule", "seed", "verdict", "recovered_after_s", "peak_open"}}
	for _, s := range all {
		for _, r := range s.Reps {
			after := ""
			if r.Verdict.Recovered {
				after = digits.Seconds(r.Verdict.After)
			}
			lines = append(lines, []string{
				s.Name, strconv.FormatUint(r.Seed, 10), verdictWord(r.Verdict), after,
				strconv.FormatInt(r.Verdict.PeakOpen, 10),
			})
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

func verdictWord(v overload.Verdict) string {
	if v.Recovered {
		return "recovered"
	}
	return "collapsed"
}

// writeJSON writes every repetition, without its seconds if only the verdict is wanted.
func writeJSON(w io.Writer, all []seconds.Series, verdict bool) error {
	type jsonSecond struct {
		T         int         `json:"t_s"`
		First     int64       `json:"first"`
		Retries   int64       `json:"retries"`
		OK        int64       `json:"ok"`
		Timeouts  int64       `json:"timeouts"`
		Refused   int64       `json:"refused"`
		GaveUp    int64       `json:"gave_up"`
		Denied    int64       `json:"denied"`
		Wasted    int64       `json:"wasted"`
		Open      int64       `json:"open"`
		Queued    int64       `json:"queued"`
		LatencyMS json.Number `json:"latency_ms"`
		SeenMS    json.Number `json:"seen_ms"`
		PeakOpen  int64       `json:"peak_open"`
	}
	type jsonRep struct {
		Seed          uint64       `json:"seed"`
		Verdict       string       `json:"verdict"`
		RecoveredS    *json.Number `json:"recovered_after_s"`
		GoodputBefore float64      `json:"goodput_before"`
		GoodputEnd    float64      `json:"goodput_end"`
		PeakOpen      int64        `json:"peak_open"`
		Seconds       []jsonSecond `json:"seconds,omitempty"`
	}
	type jsonSeries struct {
		Schedule    string    `json:"schedule"`
		Repetitions []jsonRep `json:"repetitions"`
	}
	var objects []jsonSeries
	for _, s := range all {
		j := jsonSeries{s.Name, nil}
		for _, r := range s.Reps {
			v := r.Verdict
			rep := jsonRep{
				Seed: r.Seed, Verdict: verdictWord(v),
				GoodputBefore: v.Before, GoodputEnd: v.End, PeakOpen: v.PeakOpen,
			}
			if v.Recovered {
				rep.RecoveredS = new(json.Number(digits.Seconds(v.After)))
			}
			for i, s := range r.Seconds {
				if !verdict {
					rep.Seconds = append(rep.Seconds, jsonSecond{
						i, s.First, s.Retries, s.OK, s.Timeouts, s.Refused, s.GaveUp, s.Denied, s.Wasted,
						s.Open, s.Queued, json.Number(digits.Milliseconds(s.Latency)), json.Number(digits.Milliseconds(s.Seen)), s.PeakOpen,
					})
				}
			}
			j.Repetitions = append(j.Repetitions, rep)
		}
		objects = append(objects, j)
	}
	return table.WriteIndented(w, objects)
}

// triggerWords are the words for each trigger and for its end.
var triggerWords = map[overload.TriggerKind]struct{ state, end string }{
	overload.Stop:     {"the server is stopped", "the resume"},
	overload.SlowDown: {"the server is slower", "the slow-down"},
	overload.Spike:    {"more operations begin", "the spike"},
}

// writeTable writes what the experiment was, and the numbers behind the verdicts.
func (f *flags) writeTable(w io.Writer, config overload.Config, all []seconds.Series) error {
	out := screen.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n", f.setting(config))
	if f.verdict {
		return out.Flush()
	}
	var t table.Table
	head := []string{""}
	for i := range all {
		head = append(head, table.Letter(i))
	}
	t.Left = true
	t.Add(head...)
	// A row of zeros is left out, unless it is of goodput.
	row := func(name string, of func(overload.Rep) float64, text func(float64) string) {
		cells, zero := []string{name}, !strings.HasPrefix(name, "goodput")
		for _, s := range all {
			mean := s.Mean(of)
			zero = zero && mean == 0
			cells = append(cells, text(mean))
		}
		if !zero {
			t.Add(cells...)
		}
	}
	fixed := func(decimals int) func(float64) string {
		return func(x float64) string { return strconv.FormatFloat(x, 'f', decimals, 64) }
	}
	total := func(of func(overload.Second) int64) func(overload.Rep) float64 {
		return func(r overload.Rep) float64 { return float64(of(overload.Total(r.Seconds))) }
	}
	row("goodput before, a second", func(r overload.Rep) float64 { return r.Verdict.Before }, fixed(1))
	row("goodput at the end, a second", func(r overload.Rep) float64 { return r.Verdict.End }, fixed(1))
	row("max open requests", func(r overload.Rep) float64 { return float64(r.Verdict.PeakOpen) }, number)
	row("latency with that many", func(r overload.Rep) float64 { return maxLatency(config, r).Seconds() }, func(x float64) string {
		if x >= longLatency.Seconds() {
			return "> " + digits.Approximate(longLatency.Seconds())
		}
		return digits.Approximate(x)
	})
	row("operations", total(func(s overload.Second) int64 { return s.First }), number)
	row("retries", total(func(s overload.Second) int64 { return s.Retries }), number)
	row("requests for each operation", func(r overload.Rep) float64 {
		t := overload.Total(r.Seconds)
		return float64(t.First+t.Retries) / float64(max(t.First, 1))
	}, fixed(2))
	row("answered in time", total(func(s overload.Second) int64 { return s.OK }), number)
	row("timed out", total(func(s overload.Second) int64 { return s.Timeouts }), number)
	row("wasted work: served after that", total(func(s overload.Second) int64 { return s.Wasted }), number)
	row("error responses", total(func(s overload.Second) int64 { return s.Refused }), number)
	row("given up, schedule ended", total(func(s overload.Second) int64 { return s.GaveUp }), number)
	row("given up, budget spent", total(func(s overload.Second) int64 { return s.Denied }), number)
	t.Write(out)
	if f.Reps > 1 {
		fmt.Fprintf(out, "\nMeans of %d repetitions.\n", f.Reps)
	}
	return out.Flush()
}

// number returns x as a whole number with a comma at each thousand.
func number(x float64) string { return digits.Grouped(strconv.FormatFloat(x, 'f', 0, 64)) }

// longLatency is longer than any client waits; how much longer does not matter.
const longLatency = 24 * time.Hour

// maxLatency returns the longest latency of a repetition: that with the most requests open,
// by the law of config.
func maxLatency(config overload.Config, r overload.Rep) (longest time.Duration) {
	slowFrom, slowTo := config.Warmup, config.Warmup+config.Trigger.For
	for i, s := range r.Seconds {
		latency := config.Latency.At(int(s.PeakOpen))
		began := time.Duration(i) * time.Second
		if config.Trigger.Kind == overload.SlowDown && began < slowTo && began+time.Second > slowFrom {
			latency = digits.FromSeconds(latency.Seconds() * config.Trigger.Factor)
		}
		longest = max(longest, latency)
	}
	return longest
}

// setting describes the experiment in sentences.
func (f *flags) setting(c overload.Config) string {
	var b strings.Builder
	if c.Rate > 0 {
		fmt.Fprintf(&b, "%s operations a second", digits.Grouped(digits.Shortest(c.Rate)))
	} else {
		think := "think"
		if c.Clients == 1 {
			think = "thinks"
		}
		fmt.Fprintf(&b, "%s that %s for %s", digits.Count(c.Clients, "client"), think, digits.Exact(c.Think))
	}
	if c.Network > 0 {
		fmt.Fprintf(&b, ", %s to the server and %[1]s back", digits.Exact(c.Network))
	}
	fmt.Fprintf(&b, ", timeout %s", digits.Exact(c.Timeout))
	if c.Budget != nil {
		fmt.Fprintf(&b, ", budget %s in %s", f.scenario.budget.String(), processes(c.Processes))
	}
	b.WriteString(".\nLatency ")
	switch l := c.Latency.(type) {
	case overload.ExponentialLatency:
		fmt.Fprintf(&b, "%s up to %d open requests, then ×%s for every %s", digits.Exact(l.Base), l.Limit, digits.Shortest(l.Factor), digits.Shortest(l.Scale))
	case overload.LinearLatency:
		fmt.Fprintf(&b, "%s and %s for each open request", digits.Exact(l.Base), digits.Exact(l.PerOpen))
	}
	if c.Poll == 0 {
		b.WriteString(", fixed when it opens")
	}
	if capacity := c.Latency.Capacity(); !math.IsInf(capacity, 1) {
		fmt.Fprintf(&b, ", a capacity of %s requests a second", digits.About(capacity))
	}
	fmt.Fprintf(&b, "; queue %d; abandoned requests are ", c.Queue)
	if c.Abandoned == overload.Cancel {
		b.WriteString("cancelled")
	} else {
		b.WriteString("kept")
	}
	if c.Failures > 0 {
		fmt.Fprintf(&b, "; %s of the requests get an error response", digits.Percent(c.Failures))
	}
	b.WriteString(".\n")
	switch t := c.Trigger; {
	case t.For == 0:
		fmt.Fprintf(&b, "No trigger after %s", digits.Exact(c.Warmup))
	case t.Kind == overload.Stop:
		fmt.Fprintf(&b, "After %s the server is stopped for %s", digits.Exact(c.Warmup), digits.Exact(t.For))
	case t.Kind == overload.SlowDown:
		fmt.Fprintf(&b, "After %s the server takes %s times as long for %s", digits.Exact(c.Warmup), digits.Shortest(t.Factor), digits.Exact(t.For))
	default:
		fmt.Fprintf(&b, "After %s there are %s times as many operations for %s", digits.Exact(c.Warmup), digits.Shortest(t.Factor), digits.Exact(t.For))
	}
	fmt.Fprintf(&b, "; the end is %s later. %s, seed %d.", digits.Exact(c.After), digits.Count(f.Reps, "repetition"), f.Seed)
	return b.String()
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}
