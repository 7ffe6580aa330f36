package overload

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"example.com/backoff/cmd/backoff/internal/advice"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/screen"
	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/sim/overload"
)

// writeVerdicts writes a line for each schedule, and marks the best one.
func writeVerdicts(w io.Writer, config overload.Config, all []seconds.Series) error {
	out := screen.NewWriter(w)
	var names, verdicts []string
	first := best(all, config)
	for i, s := range all {
		names = append(names, table.Letter(i)+"  "+s.Name)
		verdicts = append(verdicts, verdictInWords(s, config, asItWas))
		if i == first {
			verdicts[i] += ": the best"
		}
	}
	width := func(texts []string) (most int) {
		for _, text := range texts {
			most = max(most, screen.Columns(text))
		}
		return most
	}
	before := "   "
	if width(names)+len(before)+width(verdicts) > out.Width {
		before = "\n   " // a line of its own for each verdict
	}
	for i, name := range names {
		if before == "   " {
			name += strings.Repeat(" ", width(names)-screen.Columns(name))
		}
		fmt.Fprintf(out, "%s%s%s\n", name, before, verdicts[i])
	}
	return out.Flush()
}

// best returns which series recovered in the largest share of its repetitions, of those with
// the same share the soonest in the median; -1 if no other one is worse, or if one is
// unfinished.
func best(all []seconds.Series, config overload.Config) int {
	rank := func(s seconds.Series) [2]float64 {
		after := seconds.Recoveries(s.Reps)
		if len(after) == 0 {
			return [2]float64{}
		}
		return [2]float64{float64(len(after)) / float64(len(s.Reps)), -seconds.SpreadOf(after).Median.Seconds()}
	}
	compare := func(a, b seconds.Series) int {
		x, y := rank(a), rank(b)
		return slices.Compare(x[:], y[:])
	}
	first := 0
	worse := false
	for i := range all {
		if seconds.CountUnfinished(all[i].Reps, config) > 0 {
			return -1
		}
		c := compare(all[i], all[first])
		worse = worse || c != 0
		if c > 0 {
			first = i
		}
	}
	if !worse {
		return -1
	}
	return first
}

// A tense is the verbs of a verdict.
type tense struct{ recover, collapse, hold string }

var (
	asItWas = tense{"recovered", "collapsed", "held up"}
	ifSo    = tense{"would recover", "would collapse", "would hold up"}
)

// verdictInWords returns how the repetitions ended, in words.
func verdictInWords(s seconds.Series, config overload.Config, verb tense) string {
	t := config.Trigger
	after := seconds.Recoveries(s.Reps)
	unfinished := seconds.CountUnfinished(s.Reps, config)
	how := seconds.ToFinish(s.Reps, config)
	later := "" // the unfinished ones of several repetitions
	if unfinished > 0 {
		later = fmt.Sprintf("; not yet in %d: %s", unfinished, how)
	}
	end := triggerWords[t.Kind].end
	n := len(s.Reps)
	switch {
	case s.Mean(func(r overload.Rep) float64 { return r.Verdict.Before }) == 0:
		return "too much from the start: " + offeredInWords(config)
	case n == 1 && unfinished == 1:
		return "not yet recovered at the end: " + how
	case unfinished == n:
		return fmt.Sprintf("not yet recovered at the end in all of %d repetitions: %s", n, how)
	case len(after) == 0 && unfinished > 0:
		return fmt.Sprintf("%s in %d of %d repetitions; not yet recovered in %d: %s", verb.collapse, n-unfinished, n, unfinished, how)
	case t.For == 0 && n == 1 && len(after) == 1:
		return verb.hold
	case t.For == 0 && n > 1:
		return fmt.Sprintf("%s in %d of %d repetitions", verb.hold, len(after), n)
	case n == 1 && len(after) == 1:
		return fmt.Sprintf("%s %s", verb.recover, seconds.After(after[0], end))
	case n == 1:
		return verb.collapse
	case len(after) == 0:
		return fmt.Sprintf("%s in all of %d repetitions", verb.collapse, n)
	}
	v := seconds.SpreadOf(after)
	text := fmt.Sprintf("%s in %d of %d repetitions", verb.recover, len(after), n)
	if len(after) == n {
		text = fmt.Sprintf("%s in all of %d repetitions", verb.recover, n)
	}
	if v.Max == v.Min {
		return fmt.Sprintf("%s, %s", text, seconds.After(v.Max, end)) + later
	}
	return fmt.Sprintf("%s, %s in the median, max %s", text, seconds.After(v.Median, end), digits.Exact(v.Max)) + later
}

// offeredInWords returns what load the clients offer to the server, and its capacity.
func offeredInWords(c overload.Config) string {
	offered := digits.About(c.Rate) + "/s"
	switch {
	case c.Clients > 0 && c.Think == 0:
		offered = digits.Count(c.Clients, "client") + " without a pause"
	case c.Clients > 0:
		offered = digits.About(float64(c.Clients)/c.Think.Seconds()) + "/s"
	}
	if capacity := c.Latency.Capacity(); !math.IsInf(capacity, 1) {
		return fmt.Sprintf("offered %s, capacity %s/s", offered, digits.About(capacity))
	}
	return "offered " + offered
}

// problemInWords returns why a schedule gets advice, and what counts as help.
func problemInWords(s seconds.Series, config overload.Config) string {
	first, all := "", len(s.Reps)
	s.Reps = advice.Tried(s.Reps)
	n, recovered := len(s.Reps), len(seconds.Recoveries(s.Reps))
	if n < all {
		first = "the first "
	}
	collapsed := n - recovered - seconds.CountUnfinished(s.Reps, config)
	switch {
	case s.Mean(func(r overload.Rep) float64 { return r.Verdict.Before }) == 0:
		return "had too much load from the start. Changes help if the server recovers with them."
	case collapsed > 0 && n == 1:
		return "collapsed. Changes help if the server recovers with them."
	case collapsed > 0:
		in := fmt.Sprint(collapsed)
		if collapsed == n {
			in = "all"
		}
		return fmt.Sprintf("collapsed in %s of %s%d repetitions. Changes help if the server recovers in more of them.", in, first, n)
	}
	in := ""
	if n < all {
		in = fmt.Sprintf(" in %s%d repetitions", first, n)
	}
	return fmt.Sprintf("recovered%s, but %s %% of the work was wasted: done after the client had given up. Changes help if the server recovers with less than half of that.",
		in, digits.Significant(100*advice.Waste(s.Reps), 2))
}

// writeAdvice writes what would help a schedule, and what would not.
func writeAdvice(w io.Writer, letter string, config overload.Config, s seconds.Series, all []advice.Advice) error {
	out := screen.NewWriter(w)
	if len(all) > 0 {
		fmt.Fprintf(out, "\n%s %s\n", letter, problemInWords(s, config))
	}
	part := func(helps bool, title string) {
		first := true
		for _, a := range all {
			if a.Helps != helps {
				continue
			}
			if first {
				fmt.Fprintf(out, "\n%s\n", title)
				first = false
			}
			change := a.Flag
			if a.Expr != "" {
				change = "'" + a.Expr + "'"
			}
			if helps {
				note := ""
				if a.Note != "" {
					note = " (" + a.Note + ")"
				}
				fmt.Fprintf(out, "  %s: %s%s\n", a.What, outcomeInWords(config, s, a), note)
				fmt.Fprintf(out.Whole(), "      %s\n", change)
			} else {
				what := a.What
				if seconds.CountUnfinished(a.Reps, config) > 0 {
					what += " (not yet recovered at the end)"
				}
				before := " "
				if screen.Columns(fmt.Sprintf("  %s: %s", what, change)) > out.Width {
					before = "\n      "
				}
				fmt.Fprintf(out, "  %s:", what)
				fmt.Fprintf(out.Whole(), "%s%s\n", before, change)
			}
		}
	}
	part(true, fmt.Sprintf("What would help %s:", letter))
	part(false, fmt.Sprintf("What would not help %s:", letter))
	return out.Flush()
}

// outcomeInWords returns the result of a change. If the server recovers without it as well,
// the change is about wasted work. It has the operations that are given up if they are more
// than before, because users get an error for each of them.
func outcomeInWords(config overload.Config, s seconds.Series, a advice.Advice) string {
	text := verdictInWords(seconds.Series{Name: a.Expr, Reps: a.Reps}, config, ifSo)
	before := advice.Tried(s.Reps)
	if len(seconds.Recoveries(before)) == len(before) {
		text += fmt.Sprintf(", with %s %% wasted work instead of %s %%",
			digits.Significant(100*advice.Waste(a.Reps), 2), digits.Significant(100*advice.Waste(before), 2))
	}
	if now, then := givenUp(a.Reps), givenUp(before); now > then {
		all := seconds.Series{Reps: a.Reps}.Mean(func(r overload.Rep) float64 { return float64(overload.Total(r.Seconds).First) })
		text += fmt.Sprintf("; %s of %s operations given up", number(now), number(all))
		if then > 0 {
			text += " instead of " + number(then)
		}
	}
	return text
}

// givenUp returns the mean number of operations that are given up in a repetition.
func givenUp(reps []overload.Rep) float64 {
	return seconds.Series{Reps: reps}.Mean(func(r overload.Rep) float64 {
		total := overload.Total(r.Seconds)
		return float64(total.GaveUp + total.Denied)
	})
}
