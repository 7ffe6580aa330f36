package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"time"

	"example.com/backoff/sim/overload"
)

// writeRunCSV writes a line for each second of a run, and of the first run of the
// model.
func writeRunCSV(w io.Writer, o outcome) error {
	runs := []siege{{o.expr.String(), []overload.Rep{{Seconds: o.seconds}}}}
	if len(o.model) > 0 {
		runs = append(runs, siege{o.expr.String() + " (model)", o.model[:1]})
	}
	return writeOverloadCSV(w, runs)
}

// runRows is how many lines a table of a run has, at most.
const runRows = 25

// writeRunTable writes a run for reading: counts a second, in spans of so many
// seconds that the table is not long.
func writeRunTable(w io.Writer, o outcome) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n", o.expr)
	var t table
	if len(o.model) > 0 {
		t.add("", "", "", "", "", "", "", "", "model")
	}
	head := []string{"to", "first", "retries", "ok", "timeouts", "refused", "open", "latency"}
	if len(o.model) > 0 {
		head = append(head, "ok", "open")
	}
	t.add(head...)
	span := countStep(len(o.seconds), runRows+1)
	for from := 0; from < len(o.seconds); from += span {
		to := min(from+span, len(o.seconds))
		sum := overload.Total(o.seconds[from:to])
		end := o.seconds[to-1]
		cells := []string{exact(min(time.Duration(to)*time.Second, o.course.length()))}
		for _, count := range []int64{sum.First, sum.Retries, sum.OK, sum.Timeouts, sum.Refused} {
			cells = append(cells, perSecond(float64(count), to-from))
		}
		cells = append(cells, fmt.Sprint(end.Open), latencyText(end.Latency))
		if len(o.model) > 0 {
			ok := modelSpread(o, func(seconds []overload.Second) float64 { return float64(overload.Total(seconds[from:to]).OK) })
			open := modelSpread(o, func(seconds []overload.Second) float64 { return float64(seconds[to-1].Open) })
			cells = append(cells, perSecond(ok.median, to-from), fmt.Sprintf("%.0f", open.median))
		}
		t.add(cells...)
	}
	t.write(out)
	fmt.Fprintf(out, "\nFirst, retries, ok, timeouts and refused are a second. Open and latency are of\nthe moment.\n")
	if o.course.stop > 0 {
		fmt.Fprintf(out, "The server was stopped from %s to %s.\n", exact(o.course.warmup), exact(o.course.warmup+o.course.stop))
	}
	fmt.Fprintf(out, "\n")
	writeRunVerdict(out, o)
	return out.Flush()
}

// writeRunVerdict says what became of the server, and in the model, and whether this
// machine was fit to tell.
func writeRunVerdict(out io.Writer, o outcome) {
	fmt.Fprintf(out, "The server %s.\n", verdictText(o.verdict))
	if len(o.model) > 0 {
		fmt.Fprintf(out, "Of %d runs of the model %s.\n", len(o.model), modelVerdict(o))
	}
	fmt.Fprintf(out, "Timers were up to %s late, in the worst second %s on average.\n",
		latencyText(o.lateMost), latencyText(o.lateMean))
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
func modelVerdict(o outcome) string {
	var recovered []float64
	var peaks []float64
	for _, rep := range o.model {
		peaks = append(peaks, float64(rep.Verdict.PeakOpen))
		if rep.Verdict.Recovered {
			recovered = append(recovered, rep.Verdict.After.Seconds())
		}
	}
	peak := spreadOf(peaks)
	text := fmt.Sprintf("%d recovered", len(recovered))
	if len(recovered) > 0 {
		s := spreadOf(recovered)
		text += fmt.Sprintf(", after %s to %s", exact(fromSeconds(s.least)), exact(fromSeconds(s.most)))
	}
	return text + fmt.Sprintf("; %.0f to %.0f open at most", peak.least, peak.most)
}

// A numbers tells of many numbers.
type numbers struct{ least, median, most float64 }

// spreadOf sorts numbers, of which there is one at least.
func spreadOf(values []float64) numbers {
	slices.Sort(values)
	last := len(values) - 1
	return numbers{values[0], (values[last/2] + values[last-last/2]) / 2, values[last]}
}

// modelSpread tells of what f makes of each run of the model, of which there is one
// at least.
func modelSpread(o outcome, f func(seconds []overload.Second) float64) numbers {
	var values []float64
	for _, rep := range o.model {
		values = append(values, f(rep.Seconds))
	}
	return spreadOf(values)
}
