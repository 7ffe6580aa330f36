package load

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/live/load"
	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/sim/overload"
)

// writeCSV writes a line for each second of a run, and of the first run of the
// model.
func writeCSV(w io.Writer, o load.Result) error {
	runs := []seconds.Series{{Name: o.Expr.String(), Reps: []overload.Rep{{Seconds: o.Seconds}}}}
	if len(o.Model) > 0 {
		runs = append(runs, seconds.Series{Name: o.Expr.String() + " (model)", Reps: o.Model[:1]})
	}
	return seconds.WriteCSV(w, runs)
}

// runRows is how many lines a table of a run has, at most.
const runRows = 25

// writeTable writes a run for reading: counts a second, in spans of so many
// seconds that the table is not long.
func writeTable(w io.Writer, o load.Result) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n", o.Expr)
	var t table.Table
	if len(o.Model) > 0 {
		t.Add("", "", "", "", "", "", "", "", "model")
	}
	head := []string{"to", "first", "retries", "ok", "timeouts", "refused", "open", "latency"}
	if len(o.Model) > 0 {
		head = append(head, "ok", "open")
	}
	t.Add(head...)
	span := figure.CountStep(len(o.Seconds), runRows+1)
	for from := 0; from < len(o.Seconds); from += span {
		to := min(from+span, len(o.Seconds))
		sum := overload.Total(o.Seconds[from:to])
		end := o.Seconds[to-1]
		cells := []string{digits.Exact(min(time.Duration(to)*time.Second, o.Phases.Length()))}
		for _, count := range []int64{sum.First, sum.Retries, sum.OK, sum.Timeouts, sum.Refused} {
			cells = append(cells, perSecond(float64(count), to-from))
		}
		cells = append(cells, fmt.Sprint(end.Open), digits.Brief(end.Latency))
		if len(o.Model) > 0 {
			ok := modelSpread(o, func(seconds []overload.Second) float64 { return float64(overload.Total(seconds[from:to]).OK) })
			open := modelSpread(o, func(seconds []overload.Second) float64 { return float64(seconds[to-1].Open) })
			cells = append(cells, perSecond(ok.Median, to-from), fmt.Sprintf("%.0f", open.Median))
		}
		t.Add(cells...)
	}
	t.Write(out)
	fmt.Fprintf(out, "\nFirst, retries, ok, timeouts and refused are a second. Open and latency are of\nthe moment.\n")
	if o.Phases.Stop > 0 {
		fmt.Fprintf(out, "The server was stopped from %s to %s.\n", digits.Exact(o.Phases.Warmup), digits.Exact(o.Phases.Warmup+o.Phases.Stop))
	}
	fmt.Fprintf(out, "\n")
	writeVerdict(out, o)
	return out.Flush()
}

// writeVerdict says what became of the server, and in the model, and whether this
// machine was fit to tell.
func writeVerdict(out io.Writer, o load.Result) {
	fmt.Fprintf(out, "The server %s.\n", verdictText(o.Verdict))
	if len(o.Model) > 0 {
		fmt.Fprintf(out, "Of %d runs of the model %s.\n", len(o.Model), modelVerdict(o))
	}
	fmt.Fprintf(out, "Timers were up to %s late, in the worst second %s on average.\n",
		digits.Brief(o.LateMost), digits.Brief(o.LateMean))
}

// perSecond returns the mean of a count over so many seconds.
func perSecond(count float64, seconds int) string {
	return fmt.Sprintf("%.0f", count/float64(seconds))
}

// verdictText says what became of the server.
func verdictText(v overload.Verdict) string {
	return fmt.Sprintf("%s: %.0f requests a second answered in time before, %.0f at the end; %d open at most", v, v.Before, v.End, v.PeakOpen)
}

// modelVerdict says what became of it in the runs of the model.
func modelVerdict(o load.Result) string {
	var recovered []float64
	var peaks []float64
	for _, rep := range o.Model {
		peaks = append(peaks, float64(rep.Verdict.PeakOpen))
		if rep.Verdict.Recovered {
			recovered = append(recovered, rep.Verdict.After.Seconds())
		}
	}
	peak := seconds.SpreadOf(peaks)
	text := fmt.Sprintf("%d recovered", len(recovered))
	if len(recovered) > 0 {
		s := seconds.SpreadOf(recovered)
		text += fmt.Sprintf(", after %s to %s", digits.Exact(digits.FromSeconds(s.Min)), digits.Exact(digits.FromSeconds(s.Max)))
	}
	return text + fmt.Sprintf("; %.0f to %.0f open at most", peak.Min, peak.Max)
}

// modelSpread tells of what f makes of each run of the model, of which there is one
// at least.
func modelSpread(o load.Result, f func(seconds []overload.Second) float64) seconds.Spread[float64] {
	var values []float64
	for _, rep := range o.Model {
		values = append(values, f(rep.Seconds))
	}
	return seconds.SpreadOf(values)
}
