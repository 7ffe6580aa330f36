package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/screen"
)

// Pens tell the curves of a chart apart without colours. The first pen of lines draws them
// with corners; the others repeat one character.
const (
	pens  = "─*+o=#x%@&~$"
	dots  = "●*+o=#x%@&~$" // of points
	stems = "┃║╏┇┋╎"       // of spikes

	bandPen    = '·' // of the edges of a band
	rangePen   = '│' // from the min to the max of a point
	beyondMark = '▲' // at the top of a spike that is higher
)

func penOf(i int) rune  { return nth(pens, i) }
func dotOf(i int) rune  { return nth(dots, i) }
func stemOf(i int) rune { return nth(stems, i) }

func nth(runes string, i int) rune {
	all := []rune(runes)
	return all[i%len(all)]
}

// eighths fill a cell from its foot.
var eighths = []rune("▁▂▃▄▅▆▇█")

// A cell is a character and the curve that it belongs to.
type cell struct {
	char rune // 0 if empty
	ink  int
}

// A canvas is the part of a chart between its axes. Row 0 is the foot.
type canvas struct{ rows [][]cell }

func newCanvas(columns, rows int) *canvas {
	c := &canvas{make([][]cell, rows)}
	for i := range c.rows {
		c.rows[i] = make([]cell, columns)
	}
	return c
}

func (c *canvas) set(column, row int, char rune, ink int) {
	c.rows[min(max(row, 0), len(c.rows)-1)][column] = cell{char, ink}
}

// bars draws each value as a bar from the foot, to an eighth of a line. A value above 0 has
// an eighth at least.
func (c *canvas) bars(a axis, s scale, values []float64, ink int) {
	highest := make([]float64, a.columns) // by column: several values may share one
	for i, value := range values {
		from := a.column(float64(i))
		to := from
		if width := min(a.slot-1, 6); width > 1 {
			from -= (width - 1) / 2
			to = from + width - 1
		}
		for column := from; column <= to; column++ {
			highest[column] = max(highest[column], value)
		}
	}
	for column, value := range highest {
		if value == 0 {
			continue
		}
		parts := max(1, int(math.Round(8*s.of(value))))
		for row := 1; parts > 0; row++ {
			c.set(column, row, eighths[min(parts, 8)-1], ink)
			parts -= 8
		}
	}
}

// points draws each value as a point. The curves stand side by side while there is room.
func (c *canvas) points(a axis, s scale, values []float64, ink, curves int) {
	beside := 0
	if a.slot > curves {
		beside = ink - (curves-1)/2
	}
	for i, value := range values {
		column := min(max(a.column(float64(i))+beside, 0), a.columns-1)
		c.set(column, s.rowOf(value), dotOf(ink), ink)
	}
}

// ranges draws a vertical line from the min to the max of each point.
func (c *canvas) ranges(a axis, s scale, curve figure.Curve, ink int) {
	for i := range curve.Median {
		for row := s.rowOf(curve.Min[i]); row <= s.rowOf(curve.Max[i]); row++ {
			c.set(a.column(float64(i)), row, rangePen, ink)
		}
	}
}

// line joins the values of neighbouring columns.
func (c *canvas) line(a axis, s scale, values []float64, pen rune, ink int) {
	placed := a.place(values)
	char := func(corner rune) rune {
		if pen == penOf(0) {
			return corner
		}
		return pen
	}
	for column, value := range placed {
		if math.IsNaN(value) {
			continue
		}
		row := s.rowOf(value)
		if column+1 == len(placed) || math.IsNaN(placed[column+1]) {
			c.set(column, row, char('─'), ink)
			continue
		}
		next := s.rowOf(placed[column+1])
		switch {
		case next == row:
			c.set(column, row, char('─'), ink)
			continue
		case next > row:
			c.set(column, row, char('╯'), ink)
			c.set(column, next, char('╭'), ink)
		case next < row:
			c.set(column, row, char('╮'), ink)
			c.set(column, next, char('╰'), ink)
		}
		for between := min(row, next) + 1; between < max(row, next); between++ {
			c.set(column, between, char('│'), ink)
		}
	}
}

// spikes draws vertical lines from the foot to the values of spikes, or only their last two
// characters if they would cover more than a quarter of the canvas. It reports whether a value is beyond
// the axis.
func (c *canvas) spikes(a axis, s scale, spikes []figure.Spike, ink int) (beyond bool) {
	highest := map[int]float64{} // by column
	for _, spike := range spikes {
		column := a.column(spike.At)
		highest[column] = max(highest[column], spike.Value)
	}
	for column, value := range highest {
		line := s.of(value)
		top := int(math.Round(min(line, float64(s.top()))))
		foot := 0
		if len(highest) > a.columns/4 {
			foot = max(0, top-1)
		}
		for row := foot; row <= top; row++ {
			c.set(column, row, stemOf(ink), ink)
		}
		if line > float64(s.top())+rounding {
			c.set(column, top, beyondMark, ink)
			beyond = true
		}
	}
	return beyond
}

// text returns a row with its colours.
func (c *canvas) text(row int, colours bool) string {
	var b strings.Builder
	cells := c.rows[row]
	for i := 0; i < len(cells); {
		j := i
		var run strings.Builder
		for ; j < len(cells) && (cells[j].char == 0) == (cells[i].char == 0) && cells[j].ink == cells[i].ink; j++ {
			if cells[j].char == 0 {
				run.WriteByte(' ')
			} else {
				run.WriteRune(cells[j].char)
			}
		}
		b.WriteString(inked(run.String(), cells[i].ink, colours && cells[i].char != 0))
		i = j
	}
	return strings.TrimRight(b.String(), " ")
}

// inked returns text in the colour of curve i.
func inked(text string, i int, colours bool) string {
	if !colours {
		return text
	}
	return fmt.Sprintf("\x1b[38;5;%dm%s\x1b[0m", nearest(figure.Inks[i%len(figure.Inks)]), text)
}

// nearest returns the number of the colour of the cube of 256 colours that is nearest to
// ink.
func nearest(ink color.NRGBA) int {
	code := 16
	for i, part := range []uint8{ink.R, ink.G, ink.B} {
		levels := []int{0, 95, 135, 175, 215, 255}
		best := slices.MinFunc(levels, func(a, b int) int { return abs(a-int(part)) - abs(b-int(part)) })
		code += slices.Index(levels, best) * []int{36, 6, 1}[i]
	}
	return code
}

func abs(n int) int { return max(n, -n) }

// A frame is what stands around the canvas: the vertical axis with its labels, and the
// horizontal one.
type frame struct {
	scale   scale
	bars    bool // the foot is the horizontal axis, on which the bars stand
	labels  int  // columns
	columns int  // right of the vertical axis
}

func newFrame(s scale, bars bool, width int) frame {
	f := frame{scale: s, bars: bars}
	for _, label := range s.labels {
		f.labels = max(f.labels, screen.Columns(label))
	}
	f.columns = max(width-f.labels-3, 10) // a space, the labels, a space, the axis
	return f
}

// write writes the canvas within its frame.
func (f frame) write(out *screen.Writer, c *canvas, a axis) {
	for row := len(c.rows) - 1; row >= 0; row-- {
		if row == 0 && f.bars {
			break
		}
		label, sign := f.scale.labels[row], "┤"
		switch {
		case row == 0:
			sign = "┼"
		case label == "":
			sign = "│"
		}
		fmt.Fprintf(out, " %s %s%s\n", f.label(label), sign, c.text(row, out.Colours))
	}
	foot := ""
	if f.bars {
		foot = f.scale.labels[0]
	}
	line, labels := []rune(strings.Repeat("─", a.columns)), []rune(strings.Repeat(" ", a.columns+f.labels+3))
	free := 0 // the first column that a label may take
	for _, m := range a.marks {
		start := max(m.column-(len([]rune(m.label))-1)/2, -2) + f.labels + 3
		start = min(start, len(labels)-len([]rune(m.label)))
		if start < free {
			continue
		}
		line[m.column] = '┬'
		copy(labels[start:], []rune(m.label))
		free = start + len([]rune(m.label)) + 1
	}
	fmt.Fprintf(out, " %s └%s\n%s\n", f.label(foot), string(line), strings.TrimRight(string(labels), " "))
}

// label returns a label of the vertical axis, flush right.
func (f frame) label(text string) string {
	return strings.Repeat(" ", f.labels-screen.Columns(text)) + text
}
