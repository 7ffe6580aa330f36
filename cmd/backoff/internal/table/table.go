// Package table writes results: text in columns for people, JSON for programs.
package table

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/backoff/cmd/backoff/internal/screen"
)

// Letter returns the name of schedule i in a table: A, B, ..., Z, A1, ...
func Letter(i int) string {
	name := string(rune('A' + i%26))
	if i >= 26 {
		name += strconv.Itoa(i / 26)
	}
	return name
}

// A Table is text in columns. The first column is the key: the names of the rows.
type Table struct {
	rows [][]string
	Left bool // the key is flush left; all other columns are flush right
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// gap stands between two columns.
const gap = "   "

// Write writes the rows, with columns as wide as their widest cells.
//
// A table that is wider than a [screen.Writer] whose lines wrap is written in parts, one
// below the other, each with the key. A part begins at a column that has a text in the first
// row, which names a group of columns, unless the group is too wide itself. A long key of a
// Left table is broken into lines.
func (t *Table) Write(out io.Writer) {
	limit := math.MaxInt
	if s, ok := out.(*screen.Writer); ok {
		if s.Wraps {
			limit = s.Width
		}
		out = s.Whole()
	}
	widths := t.widths()
	if len(widths) == 0 {
		return
	}
	if t.Left && len(widths) > 1 && total(widths) > limit {
		room := limit - len(gap) - slices.Max(widths[1:]) // beside the widest column
		widths[0] = min(widths[0], max(min(room, limit/2), limit/4, 1))
	}
	for i, columns := range t.parts(widths, limit) {
		if i > 0 {
			fmt.Fprintln(out)
		}
		t.writePart(out, widths, columns)
	}
}

func (t *Table) widths() []int {
	var widths []int
	for _, cells := range t.rows {
		for i, cell := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], screen.Columns(cell))
		}
	}
	return widths
}

// total returns the width of columns side by side.
func total(widths []int) int {
	sum := -len(gap)
	for _, w := range widths {
		sum += len(gap) + w
	}
	return sum
}

// keyLines returns the lines of a key in a column of this width, cut where it has no space.
func keyLines(key string, width int) []string {
	var lines []string
	for _, line := range strings.Split(screen.Break(key, width), "\n") {
		runes := []rune(line)
		for ; len(runes) > width; runes = runes[width:] {
			lines = append(lines, string(runes[:width]))
		}
		lines = append(lines, string(runes))
	}
	return lines
}

// A part is a run of columns right of the key.
type part struct{ from, to int }

// parts returns the fewest parts, each at most limit wide with its key if columns allow.
func (t *Table) parts(widths []int, limit int) []part {
	width := func(from, to int) int { return widths[0] + len(gap) + total(widths[from:to]) }
	all := []part{{1, 1}}
	for from := 1; from < len(widths); {
		to := from + 1
		for to < len(widths) && t.top(to) == "" {
			to++
		}
		last := &all[len(all)-1]
		switch {
		case width(last.from, to) <= limit:
			last.to = to
		case width(from, to) <= limit || to == from+1:
			all = append(all, part{from, to})
		default: // one column after the other
			for column := from; column < to; column++ {
				last := &all[len(all)-1]
				if width(last.from, column+1) <= limit {
					last.to = column + 1
				} else {
					all = append(all, part{column, column + 1})
				}
			}
		}
		from = to
	}
	if all[0].to == 1 && len(all) > 1 {
		all = all[1:] // nothing fits beside the key
	}
	return all
}

// top returns the text of a column in the first row.
func (t *Table) top(column int) string {
	if column < len(t.rows[0]) {
		return t.rows[0][column]
	}
	return ""
}

// writePart writes the key and a run of columns. The first column of a part gets the name
// of its group.
func (t *Table) writePart(out io.Writer, widths []int, columns part) {
	pad := func(cell string, column int) string {
		return strings.Repeat(" ", max(0, widths[column]-screen.Columns(cell)))
	}
	for row, cells := range t.rows {
		key := keyLines(cells[0], widths[0])
		line := pad(key[0], 0) + key[0]
		if t.Left {
			line = key[0] + pad(key[0], 0)
		}
		for column := columns.from; column < columns.to; column++ {
			cell := ""
			if column < len(cells) {
				cell = cells[column]
			}
			if row == 0 && column == columns.from {
				for named := column; cell == "" && named > 0; named-- {
					cell = t.top(named)
				}
			}
			line += gap + pad(cell, column) + cell
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
		for _, more := range key[1:] {
			fmt.Fprintln(out, more)
		}
	}
}
