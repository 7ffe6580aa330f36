package show

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/table"
	"example.com/backoff/plan"
)

// writeTable writes what there is to say about one schedule, for reading.
func writeTable(w io.Writer, s sample) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n", s.expr)
	if len(s.plan.Retries) == 0 {
		fmt.Fprintf(out, "No delays: no retry, 1 attempt.\n")
		return out.Flush()
	}
	var t table.Table
	if s.expr.Random() {
		s.addRandom(&t)
	} else {
		t.Add("retry", "delay", "elapsed")
		for _, r := range s.plan.Retries {
			t.Add(strconv.Itoa(r.N), digits.Exact(r.Delay.Min), digits.Exact(r.Elapsed.Min))
		}
	}
	if s.plan.End() != plan.Ends {
		t.Add("...")
	}
	t.Write(out)
	fmt.Fprintf(out, "\n%s\n", s.footer())
	return out.Flush()
}

func (s sample) addRandom(t *table.Table) {
	uneven := s.plan.Uneven()
	head := []string{"retry", "min", "p50", "max", "min", "p50", "max"}
	if uneven {
		head = append(head, "reached")
	}
	t.Add("", "delay", "", "", "elapsed")
	t.Add(head...)
	for _, r := range s.plan.Retries {
		row := slices.Concat([]string{strconv.Itoa(r.N)}, cells(r.Delay), cells(r.Elapsed))
		if uneven {
			row = append(row, digits.Percent(r.Share))
		}
		t.Add(row...)
	}
}

// footer says in sentences what the columns do not. There is one row at least.
func (s sample) footer() string {
	n := len(s.plan.Retries)
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s", digits.Count(n, "delay"), digits.Count(n, "retry"), digits.Count(n+1, "attempt"))
	switch {
	case s.plan.End() == plan.GoesOn:
		b.WriteString(", and the schedule goes on.")
	case s.plan.End() == plan.MayGoOn:
		b.WriteString(", and the schedule may go on.")
	case s.plan.Uneven():
		b.WriteString(" at most, and the schedule ends.")
	default:
		b.WriteString(", and the schedule ends.")
	}
	b.WriteString("\nRetry n is attempt n+1. Elapsed is the sum of the delays, without the attempts' own time.")
	if s.expr.Random() {
		fmt.Fprintf(&b, "\nMin, p50 and max of %s draws from seed %d, to three digits of the max.", digits.Grouped(strconv.Itoa(s.draws)), s.seed)
	}
	if s.plan.Uneven() {
		b.WriteString("\nReached is the share of the draws that have the retry; the others ended before.")
	}
	return b.String()
}

// cells returns min, p50 and max as counts of one unit, that of the third digit of the max.
func cells(s plan.Stats) []string {
	return digits.SameDigits(s.Min, median(s), s.Max)
}
