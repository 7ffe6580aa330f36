package show

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/cmd/backoff/internal/table"
)

// writeTable writes what there is to say about one schedule, for reading.
func writeTable(w io.Writer, o overview) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n", o.expr)
	if len(o.rows) == 0 {
		fmt.Fprintf(out, "No delays: no retry, 1 attempt.\n")
		return out.Flush()
	}
	var t table.Table
	if o.expr.Random() {
		o.addRandom(&t)
	} else {
		t.Add("retry", "delay", "elapsed")
		for i, r := range o.rows {
			t.Add(fmt.Sprint(i), digits.Exact(r.delay.Median), digits.Exact(r.elapsed.Median))
		}
	}
	if o.goes != sampling.Ends {
		t.Add("...")
	}
	t.Write(out)
	fmt.Fprintf(out, "\n%s\n", o.footer())
	return out.Flush()
}

func (o overview) addRandom(t *table.Table) {
	uneven := o.uneven()
	head := []string{"retry", "least", "median", "most", "least", "median", "most"}
	if uneven {
		head = append(head, "reached")
	}
	t.Add("", "delay", "", "", "elapsed")
	t.Add(head...)
	for i, r := range o.rows {
		cells := []string{fmt.Sprint(i)}
		cells = append(cells, spreadCells(r.delay)...)
		cells = append(cells, spreadCells(r.elapsed)...)
		if uneven {
			cells = append(cells, fmt.Sprintf("%.3g %%", 100*r.reached))
		}
		t.Add(cells...)
	}
}

// uneven reports whether some draws end within the rows, and others later.
func (o overview) uneven() bool {
	return o.rows[len(o.rows)-1].reached < 1
}

// footer says in sentences what the columns do not. There is one row at least.
func (o overview) footer() string {
	n := len(o.rows)
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s", digits.Count(n, "delay"), digits.Count(n, "retry"), digits.Count(n+1, "attempt"))
	switch {
	case o.goes == sampling.On:
		b.WriteString(", and the schedule goes on.")
	case o.goes == sampling.Mixed:
		b.WriteString(", and the schedule may go on.")
	case o.uneven():
		b.WriteString(" at most, and the schedule ends.")
	default:
		b.WriteString(", and the schedule ends.")
	}
	b.WriteString("\nRetries count from 0. Elapsed is the sum of the delays, without the attempts' own time.")
	if o.expr.Random() {
		fmt.Fprintf(&b, "\nLeast, median and most of %s draws from seed %d, to three digits.", digits.Grouped(strconv.Itoa(o.draws)), o.seed)
	}
	if o.uneven() {
		b.WriteString("\nReached is the share of the draws that have the retry; the others ended before.")
	}
	return b.String()
}

// spreadCells returns the three durations with one precision.
func spreadCells(s seconds.Spread[time.Duration]) []string {
	return digits.SameDigits(s.Least, s.Median, s.Most)
}
