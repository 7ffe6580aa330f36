package solve

import (
	"bufio"
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

// writeSolution writes what follows, each with its formula, for reading.
func writeSolution(w io.Writer, p *Parameters, s *solution) error {
	out := bufio.NewWriter(w)
	var knowns []string
	for _, known := range p.values() {
		knowns = append(knowns, known.name+" "+known.text)
	}
	fmt.Fprintf(out, "Given %s:\n\n", strings.Join(knowns, ", "))
	width := 0
	for _, a := range s.answers {
		width = max(width, utf8.RuneCountInString(a.name))
	}
	for _, a := range s.answers {
		fmt.Fprintf(out, "    %-*s = %s\n", width, a.name, a.formula)
		if strings.HasPrefix(a.formula, "the one for which") {
			fmt.Fprintf(out, "    %-*s = %s, for %s\n", width, "", a.value, a.filled)
		} else {
			fmt.Fprintf(out, "    %-*s = %s = %s\n", width, "", a.filled, a.value)
		}
	}
	if !s.partial {
		fmt.Fprintf(out, "\n%s", s.sentences())
	}
	return out.Flush()
}

// whole returns how many whole retries there are. A float64 has not all digits of the
// largest numbers.
func (s *solution) whole() uint64 {
	if s.retries < 1<<53 || s.beyond {
		return uint64(s.retries)
	}
	return uint64(s.schedule.RetriesWithin64(s.elapsed))
}

// sentences say what the numbers mean.
func (s *solution) sentences() string {
	var b strings.Builder
	n := s.whole()
	comes := "retries come"
	if n == 1 {
		comes = "retry comes"
	}
	elapsed := expr.FormatDuration(s.elapsed)
	if s.beyond {
		fmt.Fprintf(&b, "Retry %d comes after 292 years or more.\n", n)
	} else {
		fmt.Fprintf(&b, "%s %s within %s: %s attempts with the first.\n", digits.Grouped(strconv.FormatUint(n, 10)),
			comes, elapsed, digits.Grouped(strconv.FormatUint(n+1, 10)))
		fmt.Fprintf(&b, "The delay that follows a retry at %s, %s, is %s %% of the time gone by.\n",
			elapsed, digits.Exact(s.delay), digits.Significant(100*s.delay.Seconds()/s.elapsed.Seconds(), 3))
	}
	fmt.Fprintf(&b, "Elapsed is the sum of the delays, without the attempts' own time.\n\n")
	fmt.Fprintf(&b, "The schedule is %s\n", s.expression())
	return b.String()
}

// A value is one that is given.
type value struct{ name, text, number string }

// values returns what is given, in the order of the flags.
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

// writeSolutionJSON writes an object of what is given and what follows.
func writeSolutionJSON(w io.Writer, p *Parameters, s *solution) error {
	type jsonAnswer struct {
		Name    string       `json:"name"`
		Value   *json.Number `json:"value"` // null where a time is too long
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
