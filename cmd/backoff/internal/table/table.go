// Package table writes results: text in columns for reading, JSON for programs.
package table

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Letter returns the name of schedule i in a table: A, B, ..., Z, A1, ...
func Letter(i int) string {
	name := string(rune('A' + i%26))
	if i >= 26 {
		name += strconv.Itoa(i / 26)
	}
	return name
}

// A Table is text in columns, flush right, but for the first where left says so.
type Table struct {
	rows [][]string
	Left bool
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// Write writes the rows, the columns as wide as their widest cells.
func (t *Table) Write(out io.Writer) {
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
			if i == 0 && t.Left {
				line.WriteString(cell + space)
			} else {
				line.WriteString(space + cell)
			}
		}
		fmt.Fprintf(out, "%s\n", strings.TrimRight(line.String(), " "))
	}
}
