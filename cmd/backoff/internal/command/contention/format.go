package contention

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/screen"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/sim/contention"
)

func writeCSV(w io.Writer, contests []contest) error {
	lines := [][]string{{"schedule", "clients", "reps", "time_ms", "time_se", "calls", "calls_se"}}
	for _, c := range contests {
		for _, cell := range c.cells {
			lines = append(lines, []string{
				c.expr.String(), strconv.Itoa(cell.Clients), strconv.Itoa(cell.Reps),
				digits.Milliseconds(cell.Time), digits.Milliseconds(cell.TimeSE),
				digits.Shortest(cell.Calls), digits.Shortest(cell.CallsSE),
			})
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

func (f *flags) writeJSON(w io.Writer, contests []contest) error {
	type jsonCell struct {
		Clients int         `json:"clients"`
		Reps    int         `json:"reps"`
		TimeMS  json.Number `json:"time_ms"`
		TimeSE  json.Number `json:"time_se"`
		Calls   float64     `json:"calls"`
		CallsSE float64     `json:"calls_se"`
		GaveUp  float64     `json:"gave_up"`
	}
	type jsonContest struct {
		Schedule string     `json:"schedule"`
		Seed     uint64     `json:"seed"`
		Cells    []jsonCell `json:"cells"`
	}
	var all []jsonContest
	for _, c := range contests {
		j := jsonContest{c.expr.String(), f.Seed, nil}
		for _, cell := range c.cells {
			j.Cells = append(j.Cells, jsonCell{
				cell.Clients, cell.Reps,
				json.Number(digits.Milliseconds(cell.Time)), json.Number(digits.Milliseconds(cell.TimeSE)),
				cell.Calls, cell.CallsSE, cell.GaveUp,
			})
		}
		all = append(all, j)
	}
	return table.WriteIndented(w, all)
}

// writeTable writes a table for time and one for calls, or a single table if there is one
// number of clients.
func (f *flags) writeTable(w io.Writer, contests []contest) error {
	out := screen.NewWriter(w)
	fmt.Fprintf(out, "%s of each cell, messages of %s ± %s, seed %d.\n",
		digits.Count(f.Reps, "repetition"), digits.Exact(f.hop), digits.Exact(f.hopDeviation), f.Seed)
	fmt.Fprintf(out, "Time is until the last client has written, calls are the writes tried by all\n")
	fmt.Fprintf(out, "clients: mean ± standard error.\n")
	fmt.Fprintf(out, "Failed writes cost the server nothing here, so time favours short delays.\n\n")

	measures := []measure{
		{"time", "Shortest time", func(c contention.Cell) (string, float64, float64) {
			return withError(c.Time, c.TimeSE), float64(c.Time), float64(c.TimeSE)
		}},
		{"calls", "Fewest calls", func(c contention.Cell) (string, float64, float64) {
			return numberWithError(c.Calls, c.CallsSE), c.Calls, c.CallsSE
		}},
	}
	if len(contests) > 1 {
		for _, m := range measures {
			fmt.Fprintf(out, "%s: %s.\n", m.best, m.winners(contests, len(f.clients.counts)))
		}
		fmt.Fprintf(out, "* marks the best, and what differs from it by less than two standard errors.\n\n")
	}
	gaveUp := false
	for _, c := range contests {
		for _, cell := range c.cells {
			gaveUp = gaveUp || cell.GaveUp > 0
		}
	}
	if gaveUp {
		measures = append(measures, measure{"gave up", "", nil})
	}

	if len(f.clients.counts) == 1 {
		fmt.Fprintf(out, "%s\n\n", digits.Count(f.clients.counts[0], "client"))
		t := table.Table{Left: true}
		head := []string{"schedule"}
		columns := make([][]string, len(measures)) // by measure, then schedule
		for i, m := range measures {
			head = append(head, m.name)
			columns[i] = m.row(contests, 0)
		}
		t.Add(head...)
		for i, c := range contests {
			cells := []string{c.expr.String()}
			for _, column := range columns {
				cells = append(cells, column[i])
			}
			t.Add(cells...)
		}
		t.Write(out)
	} else {
		for i, c := range contests {
			fmt.Fprintf(out, "    %s  %s\n", table.Letter(i), c.expr)
		}
		for _, m := range measures {
			var t table.Table
			head := []string{"clients"}
			for i := range contests {
				head = append(head, table.Letter(i)+star(contests, false)) // above the figures, not their stars
			}
			fmt.Fprintf(out, "\n%s\n\n", m.name)
			t.Add(head...)
			for i, clients := range f.clients.counts {
				t.Add(append([]string{strconv.Itoa(clients)}, m.row(contests, i)...)...)
			}
			t.Write(out)
		}
	}
	if gaveUp {
		fmt.Fprintf(out, "\nGave up is the mean number of clients whose schedule ended before they had\nwritten. Such a schedule is never the best: the fewer write, the sooner they are\ndone.\n")
	}
	return out.Flush()
}

// A measure compares cells. Its function returns the text of a cell, its mean and its
// standard error; without one, the measure is the number of clients that gave up.
type measure struct {
	name string
	best string // what the smallest mean is
	of   func(contention.Cell) (text string, mean, se float64)
}

// isBest reports, for the i-th cell of each schedule, whether it is the smallest or differs
// from that by less than two standard errors. A cell where clients gave up never is.
func (m measure) isBest(contests []contest, i int) []bool {
	least, leastSE := math.Inf(1), 0.0
	for _, c := range contests {
		_, mean, se := m.of(c.cells[i])
		if c.cells[i].GaveUp == 0 && mean < least {
			least, leastSE = mean, se
		}
	}
	best := make([]bool, len(contests))
	for j, c := range contests {
		_, mean, se := m.of(c.cells[i])
		best[j] = c.cells[i].GaveUp == 0 && (mean == least || mean-least < 2*math.Hypot(se, leastSE))
	}
	return best
}

// row returns the i-th cell of each schedule, the best of several marked.
func (m measure) row(contests []contest, i int) []string {
	texts := make([]string, len(contests))
	if m.of == nil {
		for j, c := range contests {
			texts[j] = digits.Shortest(c.cells[i].GaveUp) + star(contests, false)
		}
		return texts
	}
	best := m.isBest(contests, i)
	for j, c := range contests {
		text, _, _ := m.of(c.cells[i])
		texts[j] = text + star(contests, best[j])
	}
	return texts
}

// star marks the best of several schedules, and takes the same room after the others.
func star(contests []contest, best bool) string {
	switch {
	case len(contests) == 1:
		return ""
	case best:
		return " *"
	}
	return "  "
}

// winners names the schedules that are the best, and in how many of several rows: "A in 2
// of 3 rows, B in 1".
func (m measure) winners(contests []contest, rows int) string {
	type winner struct {
		text string
		rows int
	}
	winners := make([]winner, len(contests))
	for j, c := range contests {
		winners[j].text = c.expr.String()
	}
	for i := range rows {
		for j, best := range m.isBest(contests, i) {
			if best {
				winners[j].rows++
			}
		}
	}
	if !slices.ContainsFunc(winners, func(w winner) bool { return w.rows < rows }) {
		return "all are the same, within two standard errors"
	}
	winners = slices.DeleteFunc(winners, func(w winner) bool { return w.rows == 0 })
	slices.SortStableFunc(winners, func(a, b winner) int { return b.rows - a.rows })
	var words []string
	for i, w := range winners {
		switch {
		case rows > 1 && i == 0:
			w.text += fmt.Sprintf(" in %d of %d rows", w.rows, rows)
		case rows > 1:
			w.text += fmt.Sprintf(" in %d", w.rows)
		}
		words = append(words, w.text)
	}
	switch {
	case len(words) == 0:
		return "none, because clients of every schedule gave up"
	case rows == 1:
		return strings.Join(words, " or ")
	}
	return strings.Join(words, ", ")
}

// withError returns d ± se to two digits of the error. If the error is 0, it returns four
// digits of d.
func withError(d, se time.Duration) string {
	if se == 0 {
		return digits.Rounded(d, digits.Unit(d, 4))
	}
	unit := digits.Unit(se, 2)
	return fmt.Sprintf("%s ± %s", digits.Rounded(d, unit), digits.Rounded(se, unit))
}

// numberWithError is withError of a number.
func numberWithError(x, se float64) string {
	if se == 0 {
		return digits.Grouped(digits.Shortest(x))
	}
	decimals := max(0, 1-int(math.Floor(math.Log10(se))))
	fixed := func(x float64) string { return digits.Grouped(strconv.FormatFloat(x, 'f', decimals, 64)) }
	return fmt.Sprintf("%s ± %s", fixed(x), fixed(se))
}
