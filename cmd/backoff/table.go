package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/backoff"
	"example.com/backoff/expr"
)

// A table is text in columns, flush right, but for the first where left says so.
type table struct {
	rows [][]string
	left bool
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(out io.Writer) {
	var widths []int
	for _, cells := range t.rows {
		for i, cell := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, cells := range t.rows {
		var line strings.Builder
		for i, cell := range cells {
			if i > 0 {
				line.WriteString("   ")
			}
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 && t.left {
				line.WriteString(cell + space)
			} else {
				line.WriteString(space + cell)
			}
		}
		fmt.Fprintf(out, "%s\n", strings.TrimRight(line.String(), " "))
	}
}

// writeTable writes what there is to say about one schedule, for reading.
func writeTable(w io.Writer, o overview) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n", o.expr)
	if len(o.rows) == 0 {
		fmt.Fprintf(out, "No delays: no retry, 1 attempt.\n")
		return out.Flush()
	}
	var t table
	if o.expr.Random() {
		o.addRandom(&t)
	} else {
		t.add("retry", "delay", "elapsed")
		for i, r := range o.rows {
			t.add(fmt.Sprint(i), exact(r.delay.median), exact(r.elapsed.median))
		}
	}
	if o.goes != ends {
		t.add("...")
	}
	t.write(out)
	fmt.Fprintf(out, "\n%s\n", o.footer())
	return out.Flush()
}

func (o overview) addRandom(t *table) {
	uneven := o.uneven()
	head := []string{"retry", "least", "median", "most", "least", "median", "most"}
	if uneven {
		head = append(head, "reached")
	}
	t.add("", "delay", "", "", "elapsed")
	t.add(head...)
	for i, r := range o.rows {
		cells := []string{fmt.Sprint(i)}
		cells = append(cells, spreadCells(r.delay)...)
		cells = append(cells, spreadCells(r.elapsed)...)
		if uneven {
			cells = append(cells, fmt.Sprintf("%.3g %%", 100*r.reached))
		}
		t.add(cells...)
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
	fmt.Fprintf(&b, "%s: %s, %s", count(n, "delay"), count(n, "retry"), count(n+1, "attempt"))
	switch {
	case o.goes == on:
		b.WriteString(", and the schedule goes on.")
	case o.goes == mixed:
		b.WriteString(", and the schedule may go on.")
	case o.uneven():
		b.WriteString(" at most, and the schedule ends.")
	default:
		b.WriteString(", and the schedule ends.")
	}
	b.WriteString("\nRetries count from 0. Elapsed is the sum of the delays, without the attempts' own time.")
	if o.expr.Random() {
		fmt.Fprintf(&b, "\nLeast, median and most of %s draws from seed %d, to three digits.", grouped(strconv.Itoa(o.draws)), o.seed)
	}
	if o.uneven() {
		b.WriteString("\nReached is the share of the draws that have the retry; the others ended before.")
	}
	return b.String()
}

func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case what == "retry":
		return fmt.Sprintf("%d retries", n)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// spreadCells returns the three durations with one precision.
func spreadCells(s spread) []string { return sameDigits(s.least, s.median, s.most) }

// sameDigits returns durations with one precision, three digits of the most: so
// a least of a few microseconds is 0s beside a most of seconds.
func sameDigits(durations ...time.Duration) []string {
	unit := digit(slices.Max(durations), 3)
	cells := make([]string, len(durations))
	for i, d := range durations {
		cells[i] = rounded(d, unit)
	}
	return cells
}

// digit returns what one counts at the n-th digit of d.
func digit(d time.Duration, n int) time.Duration {
	unit := time.Duration(1)
	for range n {
		d /= 10
	}
	for ; d > 0; d /= 10 {
		unit *= 10
	}
	return unit
}

func rounded(d, unit time.Duration) string {
	if d == backoff.NoLimit {
		return exact(d)
	}
	return exact(d.Round(unit))
}

// exact returns d to the last nanosecond, and the largest there is, which may
// stand for any that is larger, in words.
func exact(d time.Duration) string {
	if d == backoff.NoLimit {
		return "≥ 292 years"
	}
	return expr.FormatDuration(d)
}

// grouped returns a decimal number with a comma at each thousand before its point.
func grouped(number string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return whole
}
