package chart

import (
	"fmt"
	"math"

	"example.com/backoff/cmd/backoff/internal/figure"
)

// An axis is the horizontal axis of a chart.
type axis struct {
	columns int
	marks   []mark // in rising order of their columns
	slot    int    // the columns of one point; 0 if points share columns

	// column returns the column of a position, which counts points; see figure.Axis.X.
	column func(position float64) int

	// place returns the values of a curve by column, NaN where it has none.
	place func(values []float64) []float64
}

// A mark is a label of an axis.
type mark struct {
	column int
	label  string
}

// newAxis returns the axis for a number of points, two at least, within a number of
// columns.
func newAxis(h figure.Axis, points, columns int) axis {
	switch {
	case h.Bin > 0:
		return newTimeAxis(h, points, columns)
	case len(h.At) > 1:
		return newCountAxis(h, columns)
	}
	return newRetryAxis(points, columns)
}

// newRetryAxis returns the axis of points that stand apart, each in the middle of a slot of
// its own while there is room, and otherwise side by side in the same columns.
func newRetryAxis(points, columns int) axis {
	slot := columns / points
	at := func(position float64) int {
		return min(max(int(math.Round(position*float64(columns-1)/float64(points-1))), 0), columns-1)
	}
	if slot > 0 {
		columns = slot * points
		at = func(position float64) int {
			return min(max(int(math.Round(position*float64(slot)))+slot/2, 0), columns-1)
		}
	}
	a := axis{columns: columns, slot: slot, column: at, place: func(values []float64) []float64 {
		placed := blank(columns)
		for i, value := range values {
			from, to := at(float64(i)), at(float64(i+1))
			placed[from] = value
			for column := from + 1; column < to && i+1 < len(values); column++ {
				share := float64(column-from) / float64(to-from)
				placed[column] = value + float64(share*(values[i+1]-value))
			}
		}
		return placed
	}}
	widest := len(fmt.Sprint(points))
	for _, n := range figure.RetryMarks(points, max(2, columns/(widest+2))) {
		a.marks = append(a.marks, mark{at(float64(n - 1)), fmt.Sprint(n)})
	}
	return a
}

// newTimeAxis returns the axis of a figure whose points are bins of time. If several bins
// share a column, it shows the largest.
func newTimeAxis(h figure.Axis, bins, columns int) axis {
	end := h.X(float64(bins))
	step := figure.Durations.Step(end, max(2, columns/8))
	at := func(seconds float64) float64 { return seconds / end * float64(columns-1) }
	a := axis{
		columns: columns,
		column: func(position float64) int {
			return min(max(int(at(h.X(position))+1e-9), 0), columns-1)
		},
		place: func(values []float64) []float64 {
			placed := blank(columns)
			for i, value := range values {
				first := int(math.Floor(at(h.X(float64(i))) + 1e-9))
				last := int(math.Ceil(at(h.X(float64(i+1)))-1e-9)) - 1
				for column := first; column <= max(first, last) && column < columns; column++ {
					if !(placed[column] >= value) {
						placed[column] = value
					}
				}
			}
			return placed
		},
	}
	for n := 0; float64(n)*step <= end*(1+1e-9); n++ {
		seconds := float64(n) * step
		a.marks = append(a.marks, mark{int(math.Round(at(seconds))), figure.Durations.Label(seconds)})
	}
	return a
}

// newCountAxis returns the axis of a figure whose points stand at counts, with straight
// lines from each to the next.
func newCountAxis(h figure.Axis, columns int) axis {
	first, last := float64(h.At[0]), float64(h.At[len(h.At)-1])
	step := figure.CountStep(int(last), max(2, columns/(len(fmt.Sprint(int(last)))+3)))
	width := last / float64(columns-1) // of a column
	a := axis{
		columns: columns,
		column: func(position float64) int {
			return min(max(int(math.Round(h.X(position)/width)), 0), columns-1)
		},
		place: func(values []float64) []float64 {
			placed := blank(columns)
			i := 0
			for column := range placed {
				x := float64(column) * width
				if x < first-width/2 || x > last+width/2 || i >= len(values)-1 {
					continue
				}
				x = min(max(x, first), last)
				for i < len(values)-2 && x > float64(h.At[i+1]) {
					i++
				}
				from, to := float64(h.At[i]), float64(h.At[i+1])
				share := (x - from) / (to - from)
				placed[column] = values[i] + float64(share*(values[i+1]-values[i]))
			}
			return placed
		},
	}
	for n := 0; n <= int(last); n += step {
		a.marks = append(a.marks, mark{int(math.Round(float64(n) / width)), figure.Counts.Label(float64(n))})
	}
	return a
}

// blank returns columns without a value.
func blank(columns int) []float64 {
	values := make([]float64, columns)
	for i := range values {
		values[i] = math.NaN()
	}
	return values
}
