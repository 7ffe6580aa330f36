package overload

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
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

// writeJSON writes every repetition, without its seconds where only the verdict
// is wanted.
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
						s.Open, s.Queued, json.Number(digits.Milliseconds(s.Latency)), json.Number(digits.Milliseconds(s.Seen)),
					})
				}
			}
			j.Repetitions = append(j.Repetitions, rep)
		}
		objects = append(objects, j)
	}
	return table.WriteIndented(w, objects)
}

// triggerWords say what each trigger is, and what comes after it.
var triggerWords = map[overload.TriggerKind]struct{ state, end string }{
	overload.Stop:     {"the server is stopped", "the resume"},
	overload.SlowDown: {"the server is slower", "the slow-down"},
	overload.Spike:    {"more operations begin", "the spike"},
}

// writeTable writes the verdicts first, and then the figures behind them.
func (f *flags) writeTable(w io.Writer, config overload.Config, all []seconds.Series) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n", f.setting(config))
	for i, s := range all {
		fmt.Fprintf(out, "\n%s  %s\n", table.Letter(i), s.Name)
		indent := strings.Repeat(" ", len(table.Letter(i))+2)
		fmt.Fprintf(out, "%s%s: %.1f requests a second answered in time at the end, %.1f before\n", indent,
			verdictInWords(s, config.Trigger),
			s.Mean(func(r overload.Rep) float64 { return r.Verdict.End }),
			s.Mean(func(r overload.Rep) float64 { return r.Verdict.Before }))
	}
	if f.verdict {
		return out.Flush()
	}

	fmt.Fprintf(out, "\n")
	var t table.Table
	head := []string{""}
	for i := range all {
		head = append(head, table.Letter(i))
	}
	t.Left = true
	t.Add(head...)
	row := func(name string, of func(overload.Rep) float64, text func(float64) string) {
		cells := []string{name}
		for _, s := range all {
			cells = append(cells, text(s.Mean(of)))
		}
		t.Add(cells...)
	}
	number := func(x float64) string { return digits.Grouped(strconv.FormatFloat(x, 'f', 0, 64)) }
	ratio := func(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
	total := func(of func(overload.Second) int64) func(overload.Rep) float64 {
		return func(r overload.Rep) float64 { return float64(of(overload.Total(r.Seconds))) }
	}
	row("open requests, at most", func(r overload.Rep) float64 { return float64(r.Verdict.PeakOpen) }, number)
	row("latency, at most", func(r overload.Rep) float64 { return overload.Total(r.Seconds).Latency.Seconds() }, func(x float64) string {
		if x >= maxLatency.Seconds() {
			return "> " + digits.Approximate(maxLatency.Seconds())
		}
		return digits.Approximate(x)
	})
	row("first tries", total(func(s overload.Second) int64 { return s.First }), number)
	row("retries", total(func(s overload.Second) int64 { return s.Retries }), number)
	row("requests for each first try", func(r overload.Rep) float64 {
		t := overload.Total(r.Seconds)
		return float64(t.First+t.Retries) / float64(max(t.First, 1))
	}, ratio)
	row("answered in time", total(func(s overload.Second) int64 { return s.OK }), number)
	row("abandoned", total(func(s overload.Second) int64 { return s.Timeouts }), number)
	row("served for nobody", total(func(s overload.Second) int64 { return s.Wasted }), number)
	row("answered by an error", total(func(s overload.Second) int64 { return s.Refused }), number)
	row("given up, schedule ended", total(func(s overload.Second) int64 { return s.GaveUp }), number)
	row("given up, budget spent", total(func(s overload.Second) int64 { return s.Denied }), number)
	t.Write(out)
	if f.Reps > 1 {
		fmt.Fprintf(out, "\nMeans of %d repetitions.\n", f.Reps)
	}
	return out.Flush()
}

// maxLatency is beyond what any client waits for; how far does not matter.
const maxLatency = 24 * time.Hour

// setting says in sentences what the experiment was.
func (f *flags) setting(c overload.Config) string {
	var b strings.Builder
	if c.Rate > 0 {
		fmt.Fprintf(&b, "%s operations a second", digits.Grouped(digits.Shortest(c.Rate)))
	} else {
		fmt.Fprintf(&b, "%s clients that think for %s", digits.Grouped(strconv.Itoa(c.Clients)), digits.Exact(c.Think))
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
		b.WriteString(", decided when it opens")
	}
	fmt.Fprintf(&b, "; queue %d; abandoned requests are ", c.Queue)
	if c.Abandoned == overload.Drop {
		b.WriteString("dropped")
	} else {
		b.WriteString("kept")
	}
	if c.Failures > 0 {
		fmt.Fprintf(&b, "; %s of the requests fail", digits.Shortest(c.Failures))
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

// verdictInWords says how the repetitions ended.
func verdictInWords(s seconds.Series, t overload.Trigger) string {
	var after []time.Duration
	for _, r := range s.Reps {
		if r.Verdict.Recovered {
			after = append(after, r.Verdict.After)
		}
	}
	end := triggerWords[t.Kind].end
	n := len(s.Reps)
	switch {
	case s.Mean(func(r overload.Rep) float64 { return r.Verdict.Before }) == 0:
		return "too much from the start"
	case t.For == 0 && n == 1 && len(after) == 1:
		return "held up"
	case t.For == 0 && n > 1:
		return fmt.Sprintf("held up in %d of %d repetitions", len(after), n)
	case n == 1 && len(after) == 1:
		return fmt.Sprintf("recovered %s", since(after[0], end))
	case n == 1:
		return "collapsed"
	case len(after) == 0:
		return fmt.Sprintf("collapsed in all of %d repetitions", n)
	}
	slices.Sort(after)
	v := seconds.SpreadOf(after)
	text := fmt.Sprintf("recovered in %d of %d repetitions", len(after), n)
	if len(after) == n {
		text = fmt.Sprintf("recovered in all of %d repetitions", n)
	}
	if v.Max == v.Min {
		return fmt.Sprintf("%s, %s", text, since(v.Max, end))
	}
	return fmt.Sprintf("%s, %s in the median, %s after it at most", text, since(v.Median, end), digits.Exact(v.Max))
}

// since says how long after a trigger's end something was.
func since(d time.Duration, end string) string {
	if d == 0 {
		return "with " + end
	}
	return digits.Exact(d) + " after " + end
}
