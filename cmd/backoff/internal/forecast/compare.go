package forecast

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/screen"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/plan"
)

// WriteComparison writes several schedules for reading: which is best at what, a table for
// each question with a row for each schedule, and their retries side by side.
func WriteComparison(w io.Writer, forecasts []Forecast, p *Params) error {
	out := screen.NewWriter(w)
	for i, f := range forecasts {
		fmt.Fprintf(out, "%s  %s\n", table.Letter(i), f.expr)
	}
	paragraph := func(lines []string) {
		for i, line := range lines {
			if i == 0 {
				fmt.Fprintf(out, "\n")
			}
			fmt.Fprintf(out, "%s\n", line)
		}
	}
	paragraph(verdicts(forecasts, p))
	paragraph(sharedWarnings(forecasts))
	marked, orMore := false, false
	for _, q := range questions(forecasts, p) {
		fmt.Fprintf(out, "\n")
		m, o := q.write(out, forecasts)
		marked, orMore = marked || m, orMore || o
	}
	fmt.Fprintf(out, "\n")
	writeSideBySide(out, forecasts, p)
	fmt.Fprintf(out, "\n")
	if marked {
		fmt.Fprintf(out, "* is the best of its column.\n")
	}
	if orMore {
		fmt.Fprintf(out, "≥ is a lower bound: plan examined no more retries%s.\n", furthest(forecasts))
	}
	fmt.Fprintf(out, "%s%s", elapsedNote(p), loadNote(forecasts, p))
	if p.Asked["deadline"] {
		for _, f := range forecasts {
			if note := f.exactlyAt(p); note != "" {
				fmt.Fprintf(out, "%s\n", strings.TrimSpace(note))
				break
			}
		}
	}
	if slices.ContainsFunc(forecasts, func(f Forecast) bool { return f.plan.Random() }) {
		fmt.Fprintf(out, "%s", drawsNote(p))
	}
	return out.Flush()
}

// sharedWarnings returns the warnings, each once, with the schedules that it is about.
func sharedWarnings(forecasts []Forecast) []string {
	var texts []string
	about := map[string][]int{}
	for i, f := range forecasts {
		for _, w := range f.fewWarnings() {
			if about[w] == nil {
				texts = append(texts, w)
			}
			about[w] = append(about[w], i)
		}
	}
	for i, text := range texts {
		texts[i] = fmt.Sprintf("Warning about %s: %s.", letters(about[text]), text)
	}
	return texts
}

// furthest tells how to examine more, if that is possible for one of the schedules.
func furthest(forecasts []Forecast) string {
	further := ""
	for _, f := range forecasts {
		if f.isOpen() {
			further = max(further, f.lookFurther())
		}
	}
	return further
}

// A question is a table of a comparison, with a row for each schedule.
type question struct {
	about   string
	columns []column
}

// A column is one answer to a question.
type column struct {
	head  string
	cell  func(Forecast) string
	badly func(Forecast) float64 // the lower the better, NaN if f does not compete; nil if nothing is better
}

// questions returns those that were asked, and what is always answered.
func questions(forecasts []Forecast, p *Params) []question {
	var all []question
	if p.Asked["deadline"] {
		all = append(all, question{"Attempts within " + digits.Exact(p.Deadline), []column{attemptsForMost, attemptsOnAverage}})
	}
	if p.Asked["clients"] {
		all = append(all, busiest(p))
	}
	if p.Asked["fail"] {
		all = append(all, question{"Requests" + p.inTime() + ", if " + failing(p.Fail), []column{
			{"attempts", Forecast.attemptsText, func(f Forecast) float64 { return f.ifRetries(f.notStopped(f.cost.attempts)) }},
			{"succeed", func(f Forecast) string { return f.cost.orMore() + f.cost.successText(p.Fail) }, func(f Forecast) float64 { return f.notStopped(1 - f.cost.success) }},
		}})
	}
	last := func(of func(plan.Stats) time.Duration) func(Forecast) string {
		return func(f Forecast) string {
			switch {
			case len(f.shown.Retries) == 0:
				return "none"
			case f.exact():
				return digits.Exact(of(f.shown.LastRetry()))
			}
			return digits.Brief(of(f.shown.LastRetry()))
		}
	}
	q := question{"Retries", []column{
		{head: "shown", cell: Forecast.retriesText},
		{head: "last, mean", cell: last(func(s plan.Stats) time.Duration { return s.Mean })},
		{head: "last, max", cell: last(func(s plan.Stats) time.Duration { return s.Max })},
	}}
	if slices.ContainsFunc(forecasts, func(f Forecast) bool { return f.largestAtom().Share > 0 }) {
		q.columns = append(q.columns, column{"alike", Forecast.alikeText, func(f Forecast) float64 { return f.ifRetries(f.largestAtom().Share) }})
	}
	return append(all, q)
}

var attemptsForMost = column{
	"for 95 %",
	func(f Forecast) string { return f.orMore() + number(f.fit.AttemptsFor(nearlyAll)) },
	func(f Forecast) float64 { return f.notOpen(-float64(f.fit.AttemptsFor(nearlyAll))) },
}

var attemptsOnAverage = column{
	"mean",
	func(f Forecast) string { return f.orMore() + onAverage(f.fit.Mean, f.fit.Open > 0) },
	func(f Forecast) float64 { return f.notOpen(-f.fit.Mean) },
}

// busiest asks how many retries come at once.
func busiest(p *Params) question {
	q := question{about: "Retries of " + digits.Count(p.Clients, "client") + that(p.Clients) + " in the busiest"}
	for i := range len(windows) + 1 {
		q.columns = append(q.columns, inBusiest(i))
	}
	return q
}

// that describes clients.
func that(clients int) string {
	if clients == 1 {
		return " that fails,"
	}
	return " that fail together,"
}

// inBusiest is the column of the fullest moment, 0, or of a window, 1 and more.
func inBusiest(i int) column {
	head := "instant"
	if i > 0 {
		head = digits.Exact(windows[i-1])
	}
	return column{
		head,
		func(f Forecast) string {
			switch {
			case f.load.cut == 1:
				return "no limit"
			case f.load.cut > 0:
				return "≥ " + retriesOf(f.load.most[i])
			}
			return retriesOf(f.load.most[i])
		},
		func(f Forecast) float64 {
			if f.load.cut > 0 || f.load.inSecond().Retries == 0 {
				return math.NaN()
			}
			return f.load.most[i].Retries
		},
	}
}

// retriesOf returns how many retries b has: from 10 on without a fraction, as befits
// clients.
func retriesOf(b plan.Burst) string {
	if b.Retries < 9.95 {
		return digits.Significant(b.Retries, 2)
	}
	return digits.About(math.Round(b.Retries))
}

// ifRetries returns x if there are retries at all, and else NaN: without retries a
// schedule does not compete.
func (f Forecast) ifRetries(x float64) float64 {
	if len(f.shown.Retries) == 0 {
		return math.NaN()
	}
	return x
}

// orMore stands before a number of attempts if more may fit than plan examined.
func (f Forecast) orMore() string {
	if f.fit.Open > 0 {
		return "≥ "
	}
	return ""
}

// notOpen returns x if no more attempts may fit than plan examined, and else NaN.
func (f Forecast) notOpen(x float64) float64 {
	if f.fit.Open > 0 {
		return math.NaN()
	}
	return x
}

// notStopped returns x if plan examined all retries that a request may make, and else NaN.
func (f Forecast) notStopped(x float64) float64 {
	if f.cost.stopped > 0 {
		return math.NaN()
	}
	return x
}

func (f Forecast) attemptsText() string {
	if math.IsInf(f.cost.attempts, 1) {
		return "no end"
	}
	return f.cost.orMore() + onAverage(f.cost.attempts, f.cost.stopped > 0)
}

// retriesText is how many retries the rows have.
func (f Forecast) retriesText() string {
	n := number(len(f.shown.Retries))
	switch {
	case f.shown.End() != plan.Ends:
		return n + " ..."
	case f.shown.Uneven():
		return "≤ " + n
	}
	return n
}

func (f Forecast) largestAtom() plan.Atom {
	atom, _ := f.shown.LargestAtom()
	return atom
}

// alikeText is the largest share of clients that wait for the same delay, and at which
// retry. That is every retry only if nothing is random, nor would be later.
func (f Forecast) alikeText() string {
	switch atom, retry := f.shown.LargestAtom(); {
	case retry == 0:
		return "none"
	case !f.plan.Random():
		return digits.Percent(atom.Share) + " at all"
	default:
		return fmt.Sprintf("%s at %d", digits.Percent(atom.Share), retry)
	}
}

// winners returns which schedules are the best in a column; none if all that compete are
// equal. Schedules are equal if their cells are, or their values to three digits.
func (c column) winners(forecasts []Forecast) []int {
	if c.badly == nil {
		return nil
	}
	best, compete := -1, 0
	values := make([]float64, len(forecasts))
	for i, f := range forecasts {
		values[i] = digits.ToSignificant(c.badly(f), 3)
		if math.IsNaN(values[i]) {
			continue
		}
		compete++
		if best < 0 || values[i] < values[best] {
			best = i
		}
	}
	var winners []int
	for i, value := range values {
		if value == values[max(best, 0)] || !math.IsNaN(value) && c.cell(forecasts[i]) == c.cell(forecasts[best]) {
			winners = append(winners, i)
		}
	}
	if len(winners) == compete {
		return nil
	}
	return winners
}

// write writes the table, and returns whether it marks the best and has a lower bound.
func (q question) write(out *screen.Writer, forecasts []Forecast) (marked, orMore bool) {
	fmt.Fprintf(out, "%s\n", q.about)
	t := table.Table{Left: true}
	head := []string{""}
	for _, c := range q.columns {
		head = append(head, c.head+"  ") // above the cells, which have room for a mark
	}
	t.Add(head...)
	for i, f := range forecasts {
		cells := []string{table.Letter(i)}
		for _, c := range q.columns {
			mark := "  "
			if slices.Contains(c.winners(forecasts), i) {
				mark, marked = " *", true
			}
			cell := c.cell(f)
			orMore = orMore || strings.HasPrefix(cell, "≥ ") && c.badly != nil
			cells = append(cells, cell+mark)
		}
		t.Add(cells...)
	}
	t.Write(out)
	return marked, orMore
}

// verdicts are sentences about which schedule is best at what was asked.
func verdicts(forecasts []Forecast, p *Params) []string {
	var sentences []string
	say := func(c column, one, several string, rest func(best Forecast) string) {
		best := c.winners(forecasts)
		if len(best) == 0 {
			return
		}
		verb := one
		if len(best) > 1 {
			verb = several
		}
		sentences = append(sentences, letters(best)+" "+verb+rest(forecasts[best[0]])+".")
	}
	if p.Asked["deadline"] {
		c := attemptsForMost
		if len(c.winners(forecasts)) != 1 { // the same number for nearly all clients
			c = attemptsOnAverage
		}
		say(c, "fits", "fit", func(f Forecast) string {
			most := " the most attempts within " + digits.Exact(p.Deadline) + ": "
			if f.fit.Min == f.fit.Max {
				return most + number(f.fit.Max)
			}
			return most + fmt.Sprintf("%s for 95 %% of clients, %s on average", attemptsForMost.cell(f), attemptsOnAverage.cell(f))
		})
	}
	if p.Asked["clients"] {
		short, long := inBusiest(1), inBusiest(len(windows))
		say(short, "spreads", "spread", func(f Forecast) string {
			return fmt.Sprintf(" the clients best: %s in the busiest %s", wordsOf(short.cell(f), "retry"), short.head)
		})
		if !slices.Equal(short.winners(forecasts), long.winners(forecasts)) {
			say(long, "sends", "send", func(f Forecast) string {
				return fmt.Sprintf(" the fewest retries in the busiest %s: %s", long.head, long.cell(f))
			})
		}
	}
	if p.Asked["fail"] {
		columns := questions(forecasts, p)
		c := columns[len(columns)-2].columns
		say(c[0], "makes", "make", func(f Forecast) string { return " the fewest attempts: " + c[0].cell(f) + " a request" })
		say(c[1], "succeeds", "succeed", func(f Forecast) string { return " most often: " + c[1].cell(f) + " of the requests" })
	}
	return sentences
}

// wordsOf returns a number, whose text is known, of things.
func wordsOf(text, what string) string {
	if text == "1" {
		return digits.Count(1, what)
	}
	return text + strings.TrimPrefix(digits.Count(2, what), "2")
}

// letters names schedules: A, or A and B, or A, B and C.
func letters(indices []int) string {
	var names []string
	for _, i := range indices {
		names = append(names, table.Letter(i))
	}
	return listed(names)
}

// listed is A, or A and B, or A, B and C.
func listed(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// writeSideBySide writes the retries of all schedules: as much of each as there is room
// for, and the median of the delays at least.
func writeSideBySide(out *screen.Writer, forecasts []Forecast, p *Params) {
	var tables []table.Table
	for _, d := range []detail{{true, true}, {false, true}, {false, false}} {
		var t table.Table
		addSideBySide(&t, forecasts, p, d)
		tables = append(tables, t)
	}
	writeFirstThatFits(out, tables)
}

// writeFirstThatFits writes the first table that is not wider than the screen, or else the
// last, in parts where lines wrap. It returns the index of the table.
func writeFirstThatFits(out *screen.Writer, tables []table.Table) int {
	for i, t := range tables {
		if i == len(tables)-1 {
			t.Write(out)
			return i
		}
		var text strings.Builder
		t.Write(&text)
		width := 0
		for line := range strings.Lines(text.String()) {
			width = max(width, screen.Columns(strings.TrimSuffix(line, "\n")))
		}
		if width <= out.Width {
			io.WriteString(out.Whole(), text.String())
			return i
		}
	}
	panic("unreachable: no table")
}

// A detail is what rows have besides the median of the delays.
type detail struct{ quantile, elapsed bool }

// addSideBySide adds the rows of all schedules: of a random one the median, and the
// largest quantile if there is room.
func addSideBySide(t *table.Table, forecasts []Forecast, p *Params, d detail) {
	names, above, head, more := []string{""}, []string{""}, []string{"retry"}, []string{"..."}
	retries, goesOn := 0, false
	for i, f := range forecasts {
		columns := f.sideBySide(p, d)
		blank := make([]string, len(columns)-1)
		names = append(append(names, table.Letter(i)), blank...)
		above = append(append(above, "delay"), blank...)
		head = append(head, columns...)
		if d.elapsed {
			names = append(names, make([]string, len(columns))...)
			above = append(append(above, "elapsed"), blank...)
			head = append(head, columns...)
		}
		mark := ""
		if f.shown.End() != plan.Ends {
			mark, goesOn = "...", true
		}
		more = append(more, mark)
		more = append(more, make([]string, len(names)-len(more))...)
		retries = max(retries, len(f.shown.Retries))
	}
	t.Add(names...)
	t.Add(above...)
	t.Add(head...)
	for i := range retries {
		cells := []string{number(i + 1)}
		for _, f := range forecasts {
			columns := len(f.sideBySide(p, d))
			stats := make([]plan.Stats, 0, 2)
			if i < len(f.shown.Retries) {
				stats = append(stats, f.shown.Retries[i].Delay, f.shown.Retries[i].Elapsed)
			}
			for j := range 2 {
				switch {
				case j == 1 && !d.elapsed:
				case len(stats) == 0:
					cells = append(cells, make([]string, columns)...)
				default:
					cells = append(cells, f.sideCells(stats[j], columns)...)
				}
			}
		}
		t.Add(cells...)
	}
	if goesOn {
		t.Add(more...)
	}
}

// sideBySide returns the heads of the columns of one schedule.
func (f Forecast) sideBySide(p *Params, d detail) []string {
	if f.exact() {
		return []string{"exact"}
	}
	if most := p.Quantiles[len(p.Quantiles)-1]; most > 0.5 && d.quantile {
		return []string{digits.Quantile(0.5), digits.Quantile(most)}
	}
	return []string{digits.Quantile(0.5)}
}

func (f Forecast) sideCells(s plan.Stats, columns int) []string {
	switch {
	case f.exact():
		return []string{digits.Exact(s.Mean)}
	case columns == 1:
		return digits.SameDigits(f.median(s))
	}
	return digits.SameDigits(f.median(s), s.Quantiles[len(f.quantiles)-1])
}
