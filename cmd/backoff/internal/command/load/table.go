package load

import (
	"fmt"
	"io"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/live/load"
	"example.com/backoff/cmd/backoff/internal/screen"
	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/sim/overload"
)

// writeCSV writes a line for each second of the run and of the model's first run.
func writeCSV(w io.Writer, o load.Result) error {
	runs := []seconds.Series{{Name: o.Expr.String(), Reps: []overload.Rep{{Seconds: o.Seconds}}}}
	if len(o.Model) > 0 {
		runs = append(runs, seconds.Series{Name: o.Expr.String() + " (model)", Reps: o.Model[:1]})
	}
	return seconds.WriteCSV(w, runs)
}

// runRows is how many lines the table of a run has, at most.
const runRows = 25

// counts are the columns of a table that are counts a second. One without any count is left
// out.
var counts = []struct {
	name string
	of   func(overload.Second) int64
}{
	{"initial", func(s overload.Second) int64 { return s.First }},
	{"retries", func(s overload.Second) int64 { return s.Retries }},
	{"in time", func(s overload.Second) int64 { return s.OK }},
	{"timed out", func(s overload.Second) int64 { return s.Timeouts }},
	{"errors", func(s overload.Second) int64 { return s.Refused }},
}

// writeTable writes a run for reading: counts a second, in spans of several seconds if there
// are many.
func writeTable(w io.Writer, o load.Result) error {
	out := screen.NewWriter(w)
	fmt.Fprintf(out.Whole(), "%s\n\n", o.Expr)
	var t table.Table
	head, all := []string{"until"}, overload.Total(o.Seconds)
	for _, c := range counts {
		if c.of(all) > 0 {
			head = append(head, c.name)
		}
	}
	head = append(head, "max open", "latency")
	if len(o.Model) > 0 {
		model := make([]string, len(head), len(head)+1)
		t.Add(append(model, "model")...)
		head = append(head, "in time", "max open")
	}
	t.Add(head...)
	span := figure.CountStep(len(o.Seconds), runRows+1)
	for from := 0; from < len(o.Seconds); from += span {
		to := min(from+span, len(o.Seconds))
		sum := overload.Total(o.Seconds[from:to])
		cells := []string{digits.Exact(min(time.Duration(to)*time.Second, o.Phases.Length()))}
		for _, c := range counts {
			if c.of(all) > 0 {
				cells = append(cells, perSecond(float64(c.of(sum)), to-from))
			}
		}
		cells = append(cells, fmt.Sprint(sum.PeakOpen), digits.Brief(o.Rules.Latency().At(int(sum.PeakOpen))))
		if len(o.Model) > 0 {
			total := func(of func(overload.Second) int64) float64 {
				return modelSpread(o, func(seconds []overload.Second) float64 { return float64(of(overload.Total(seconds[from:to]))) }).Median
			}
			ok := total(func(s overload.Second) int64 { return s.OK })
			open := total(func(s overload.Second) int64 { return s.PeakOpen })
			cells = append(cells, perSecond(ok, to-from), fmt.Sprintf("%.0f", open))
		}
		t.Add(cells...)
	}
	t.Write(out)
	fmt.Fprintf(out, "\nCounts are a second; max open is the most open requests at one time, and latency the server's with that many.\n")
	if o.Phases.Stop > 0 {
		fmt.Fprintf(out, "The server was stopped from %s to %s.\n", digits.Exact(o.Phases.Warmup), digits.Exact(o.Phases.Warmup+o.Phases.Stop))
	}
	fmt.Fprintf(out, "\n")
	writeVerdict(out, o)
	return out.Flush()
}

// writeVerdict writes whether the server recovered, in reality and in the model, and how late
// this machine was.
func writeVerdict(out io.Writer, o load.Result) {
	fmt.Fprintf(out, "The server %s.\n", verdictText(o))
	if len(o.Model) > 0 {
		fmt.Fprintf(out, "Of %d runs of the model %s.\n", len(o.Model), modelVerdict(o))
	}
	fmt.Fprintf(out, "Timers and the server's answers were up to %s late, timers in the worst second %s on average.\n",
		digits.Brief(o.LateMost), digits.Brief(o.LateMean))
	if o.Busy() {
		fmt.Fprintln(out, "This machine was too busy for a comparison with the model: run it again.")
	}
}

// perSecond returns the mean of a count over seconds.
func perSecond(count float64, seconds int) string {
	return fmt.Sprintf("%.0f", count/float64(seconds))
}

// verdictText returns the verdict on the server in words.
func verdictText(o load.Result) string {
	v := o.Verdict
	end, allowed := "collapsed", ""
	switch {
	case v.Recovered:
		end = "recovered " + seconds.After(v.After, "the resume")
		if v.End < 0.9*v.Before {
			allowed = " (90 % less two standard deviations)"
		}
	default:
		config := o.Phases.In(overload.Config{})
		if rep := (overload.Rep{Seconds: o.Seconds, Verdict: v}); seconds.Unfinished(rep, config) {
			end = "has not yet recovered, but " + seconds.ToFinish([]overload.Rep{rep}, config)
		}
	}
	return fmt.Sprintf("%s: %.0f requests a second answered in time before, %.0f at the end%s; max %d open", end, v.Before, v.End, allowed, v.PeakOpen)
}

// modelVerdict returns the verdicts on the runs of the model in words.
func modelVerdict(o load.Result) string {
	var peaks []float64
	for _, rep := range o.Model {
		peaks = append(peaks, float64(rep.Verdict.PeakOpen))
	}
	peak := seconds.SpreadOf(peaks)
	after := seconds.Recoveries(o.Model)
	text := fmt.Sprintf("%d recovered", len(after))
	if len(after) > 0 {
		s := seconds.SpreadOf(after)
		text += ", "
		if s.Min < s.Max {
			text += digits.Exact(s.Min) + " to "
		}
		text += seconds.After(s.Max, "the resume")
	}
	return text + fmt.Sprintf("; max %.0f to %.0f open", peak.Min, peak.Max)
}

// modelSpread returns the spread of f over the runs of the model, of which there is at
// least one.
func modelSpread(o load.Result, f func(seconds []overload.Second) float64) seconds.Spread[float64] {
	var values []float64
	for _, rep := range o.Model {
		values = append(values, f(rep.Seconds))
	}
	return seconds.SpreadOf(values)
}
