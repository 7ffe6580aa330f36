package solve

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/screen"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/expr"
)

// expression returns the schedule that a solution is, with its whole retries.
func (s *solution) expression() string {
	g := s.schedule
	text := fmt.Sprintf("exponential(%s, %s)", expr.FormatDuration(g.Base), strconv.FormatFloat(g.Factor, 'g', -1, 64))
	if g.Limit != backoff.NoLimit {
		text += fmt.Sprintf(" | cap(%s)", expr.FormatDuration(g.Limit))
	}
	if n := s.whole(); n <= math.MaxInt32 {
		text += fmt.Sprintf(" | take(%d)", n)
	}
	return text
}

// writeSolution writes the schedule, and each quantity that follows with its formula, for
// reading.
func writeSolution(w io.Writer, p *Parameters, s *solution) error {
	out := screen.NewWriter(w)
	var knowns []string
	for _, known := range p.values() {
		knowns = append(knowns, known.name+" "+known.text)
	}
	fmt.Fprintf(out, "Given %s:\n\n", strings.Join(knowns, ", "))
	if !s.partial {
		fmt.Fprintf(out, "%s\n", s.sentences())
	}
	width := 0
	for _, a := range s.answers {
		width = max(width, utf8.RuneCountInString(a.name))
	}
	for _, a := range s.answers {
		lines := strings.NewReplacer(", where ", ",\nwhere ", "the one for which ", "the one for which\n").Replace(a.formula)
		fmt.Fprintf(out, "    %-*s = %s\n", width, a.name, strings.ReplaceAll(lines, "\n", "\n"+strings.Repeat(" ", width+7)))
		if strings.HasPrefix(a.formula, "the one for which") {
			fmt.Fprintf(out, "    %-*s = %s, for %s\n", width, "", a.value, a.filled)
		} else {
			fmt.Fprintf(out, "    %-*s = %s = %s\n", width, "", a.filled, a.value)
		}
	}
	if !s.partial {
		fmt.Fprintf(out, "\nElapsed is the sum of the delays: attempts take no time here.\n")
	}
	return out.Flush()
}

// whole returns how many whole retries there are. A float64 does not have all digits of the
// largest numbers.
func (s *solution) whole() uint64 {
	if s.retries < 1<<53 || s.beyond {
		return uint64(s.retries)
	}
	return uint64(s.schedule.RetriesWithin64(s.elapsed))
}

// sentences give the schedule, and the meaning of the numbers.
func (s *solution) sentences() string {
	var b strings.Builder
	n := s.whole()
	retries, fit := "retries", "fit"
	if n == 1 {
		retries, fit = "retry", "fits"
	}
	fmt.Fprintf(&b, "The schedule is %s\n", s.expression())
	elapsed := expr.FormatDuration(s.elapsed)
	if s.beyond {
		fmt.Fprintf(&b, "Retry %s comes after 292 years or more.\n", digits.Grouped(strconv.FormatUint(n, 10)))
	} else {
		// Unless the last retry comes at exactly elapsed, there is none at that time.
		condition, last := "The delay after a retry at %s is %s", ""
		if s.retries != math.Trunc(s.retries) {
			condition = "If a retry came at %s, the delay after it would be %s"
			last = s.lastRetry(n)
		}
		fmt.Fprintf(&b, "%s %s, %s attempts, %s within %s%s.\n", digits.Grouped(strconv.FormatUint(n, 10)),
			retries, digits.Grouped(strconv.FormatUint(n+1, 10)), fit, elapsed, last)
		fmt.Fprintf(&b, condition+", %s %% of the elapsed time.\n",
			elapsed, digits.Exact(s.delay), digits.Significant(100*s.delay.Seconds()/s.elapsed.Seconds(), 3))
	}
	return b.String()
}

// lastRetry tells when retry n comes and what the delay after it is.
func (s *solution) lastRetry(n uint64) string {
	if n == 0 || n > math.MaxInt32 {
		return ""
	}
	at := s.schedule.Elapsed(int(n))
	return fmt.Sprintf(": retry %s comes at %s, and the delay after it is %s", digits.Grouped(strconv.FormatUint(n, 10)),
		digits.Exact(at), digits.Exact(s.schedule.DelayAfter(int(n))))
}

// A value is a parameter that is given.
type value struct{ name, text, number string }

// values returns the parameters that are given, in the order of the flags.
func (p *Parameters) values() []value {
	var values []value
	for _, v := range []value{
		{"base", digits.Exact(p.Base), digits.Seconds(p.Base)},
		{"factor", digits.Shortest(p.Factor), digits.Shortest(p.Factor)},
		{"ratio", digits.Shortest(p.Ratio), digits.Shortest(p.Ratio)},
		{"retries", strconv.Itoa(p.Retries), strconv.Itoa(p.Retries)},
		{"elapsed", expr.FormatDuration(p.Elapsed), digits.Seconds(p.Elapsed)},
		{"delay", digits.Exact(p.Delay), digits.Seconds(p.Delay)},
		{"limit", LimitText(p.Limit), digits.Seconds(p.Limit)},
		{"compare-factor", digits.Shortest(p.CompareFactor), digits.Shortest(p.CompareFactor)},
	} {
		if p.Set[v.name] {
			if v.text == "none" {
				v.number = "null"
			}
			values = append(values, v)
		}
	}
	return values
}

// writeSolutionCSV writes a line for each quantity that follows.
func writeSolutionCSV(w io.Writer, s *solution) error {
	lines := [][]string{{"name", "value", "formula", "filled"}}
	for _, a := range s.answers {
		lines = append(lines, []string{a.name, a.number, a.formula, a.filled})
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// writeSolutionJSON writes an object with the parameters that are given and those that
// follow.
func writeSolutionJSON(w io.Writer, p *Parameters, s *solution) error {
	type jsonAnswer struct {
		Name    string       `json:"name"`
		Value   *json.Number `json:"value"` // null if a time is too long
		Formula string       `json:"formula"`
		Filled  string       `json:"filled"`
	}
	type jsonSolution struct {
		Given      map[string]json.RawMessage `json:"given"`
		Answers    []jsonAnswer               `json:"answers"`
		Expression string                     `json:"expression,omitempty"`
	}
	solution := jsonSolution{Given: map[string]json.RawMessage{}}
	for _, v := range p.values() {
		solution.Given[v.name] = json.RawMessage(v.number)
	}
	for _, a := range s.answers {
		answer := jsonAnswer{Name: a.name, Formula: a.formula, Filled: a.filled}
		if a.number != "" {
			answer.Value = new(json.Number(a.number))
		}
		solution.Answers = append(solution.Answers, answer)
	}
	if !s.partial {
		solution.Expression = s.expression()
	}
	return table.WriteIndented(w, solution)
}
