// Package chart draws a figure with characters.
package chart

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/guptarohit/asciigraph"

	"example.com/backoff/cmd/backoff/internal/figure"
)

const (
	width     = 61 // columns between the axis and the last retry
	height    = 12 // lines, at most
	mostMarks = 16 // marks on the axis of retries, at most
)

// pens draw the curves of a chart, so that they differ without colours.
var pens = []asciigraph.CharSet{
	asciigraph.DefaultCharSet,
	asciigraph.CreateCharSet("*"),
	asciigraph.CreateCharSet("+"),
	asciigraph.CreateCharSet("o"),
	asciigraph.CreateCharSet("="),
	asciigraph.CreateCharSet("#"),
}

// bandPen draws the edges of a band.
var bandPen = asciigraph.CreateCharSet("·")

// Write draws a figure with characters: of one curve the median within its
// band, of several the medians. It draws nothing where there is no curve to see:
// less than two points, or values that are all 0.
func Write(w io.Writer, f figure.Figure) error {
	alone := len(f.Curves) == 1
	curves := make([]figure.Curve, len(f.Curves))
	for i, c := range f.Curves {
		curves[i] = c
		if !alone {
			curves[i] = c.OnlyMedian() // a second band would hide the first
		}
	}
	b := figure.NewBounds(curves)
	if b.Points < 2 || b.Max == 0 {
		return nil
	}

	scale := linearScale(f.Vertical, b)
	if f.Logarithmic {
		scale = logScale(f.Vertical, b)
	}
	axis := newAxis(f.Axis, b.Points)
	var series [][]float64
	var chars []asciigraph.CharSet
	add := func(values []float64, pen asciigraph.CharSet) {
		points := axis.place(values)
		for i, value := range points {
			points[i] = scale.of(value)
		}
		series = append(series, points)
		chars = append(chars, pen)
	}

	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "\n%s", f.Title)
	if f.Logarithmic {
		fmt.Fprintf(out, ", on a logarithmic axis")
	}
	fmt.Fprintf(out, "\n\n")
	for i, c := range curves {
		if len(c.Median) == 0 {
			continue
		}
		if alone && c.Random && f.Band != "" {
			add(c.Max, bandPen)
			add(c.Min, bandPen)
		}
		add(c.Median, pens[i%len(pens)])
	}
	fmt.Fprintf(out, "%s\n", asciigraph.PlotMany(series,
		asciigraph.SeriesChars(chars...),
		asciigraph.Width(width),
		asciigraph.Height(scale.lines),
		asciigraph.LowerBound(scale.lo),
		asciigraph.UpperBound(scale.hi),
		asciigraph.YAxisValueFormatter(scale.label),
		asciigraph.XAxisRange(0, axis.end),
		asciigraph.XAxisTickCount(axis.marks),
		asciigraph.XAxisValueFormatter(axis.label),
	))
	median := cmp.Or(f.Median, "median")
	switch {
	case !alone:
		fmt.Fprintf(out, "\n")
		for i, c := range curves {
			what := ""
			if c.Random {
				what = ": " + median
			}
			fmt.Fprintf(out, "    %s %s%s\n", sampleOf(pens[i%len(pens)]), c.Name, what)
		}
	case curves[0].Random && f.Band == "":
		fmt.Fprintf(out, "\n    %s %s\n", sampleOf(pens[0]), median)
	case curves[0].Random:
		fmt.Fprintf(out, "\n    %s %s   %s %s\n", sampleOf(pens[0]), median, sampleOf(bandPen), f.Band)
	}
	return out.Flush()
}

// An axis is the horizontal axis: where it ends, the marks from 0 to there, and
// the label of one.
type axis struct {
	end   float64
	marks int
	label func(float64) string
	place func(values []float64) []float64 // NaN beyond the last value ends a curve
}

// newAxis returns the axis for so many points, two at least.
func newAxis(h figure.Axis, points int) axis {
	switch {
	case h.Bin > 0:
		return newTimeAxis(h.Bin, points)
	case h.At != nil:
		return newCountAxis(h.At)
	}
	step := figure.CountStep(points-1, mostMarks)
	columns := (points + step - 2) / step * step // between the first retry and the last mark
	return axis{
		end:   float64(columns),
		marks: columns/step + 1,
		label: func(x float64) string { return fmt.Sprintf("%.0f", x+1) },
		place: func(values []float64) []float64 {
			placed := make([]float64, columns+1)
			for i := range placed {
				placed[i] = math.NaN()
				if i < len(values) {
					placed[i] = values[i]
				}
			}
			return placed
		},
	}
}

// newTimeAxis returns the axis of a figure whose points are so many bins. Of the
// bins that share a column it shows the largest.
func newTimeAxis(bin time.Duration, bins int) axis {
	end := float64(bins) * bin.Seconds()
	step := figure.Durations.Step(end, 8)
	marks := int(math.Ceil(end/step - 1e-9))
	end = float64(marks) * step
	return axis{
		end:   end,
		marks: marks + 1,
		label: func(x float64) string { return figure.Durations.Label(math.Round(x/step) * step) },
		place: func(values []float64) []float64 {
			placed := make([]float64, width)
			for i := range placed {
				placed[i] = math.NaN()
			}
			perBin := bin.Seconds() / end * (width - 1) // columns
			for i, value := range values {
				first := int(math.Floor(float64(i)*perBin + 1e-9))
				last := int(math.Ceil(float64(i+1)*perBin-1e-9)) - 1
				for column := first; column <= max(first, last) && column < width; column++ {
					if !(placed[column] >= value) {
						placed[column] = value
					}
				}
			}
			return placed
		},
	}
}

// newCountAxis returns the axis of a figure whose points stand at these counts, with
// straight lines from each to the next.
func newCountAxis(at []int) axis {
	last := at[len(at)-1]
	step := figure.CountStep(last, 12)
	marks := (last + step - 1) / step
	end := float64(marks * step)
	return axis{
		end:   end,
		marks: marks + 1,
		label: func(x float64) string { return figure.Counts.Label(math.Round(x/float64(step)) * float64(step)) },
		place: func(values []float64) []float64 {
			placed := make([]float64, width)
			width := end / (width - 1) // of a column
			i := 0
			for column := range placed {
				x := float64(column) * width
				if x < float64(at[0])-width/2 || x > float64(last)+width/2 {
					placed[column] = math.NaN()
					continue
				}
				x = min(max(x, float64(at[0])), float64(last))
				for i < len(at)-2 && x > float64(at[i+1]) {
					i++
				}
				from, to := float64(at[i]), float64(at[i+1])
				share := (x - from) / (to - from)
				placed[column] = values[i] + float64(share*(values[i+1]-values[i]))
			}
			return placed
		},
	}
}

// sampleOf returns a piece of the line that a pen draws, for a legend.
func sampleOf(pen asciigraph.CharSet) string { return strings.Repeat(pen.Horizontal, 3) }

// A scale is the vertical axis: what it makes of a value, its ends, the lines
// between them, and the label of a line.
type scale struct {
	of     func(value float64) float64
	lo, hi float64
	lines  int
	label  func(float64) string
}

func linearScale(q figure.Quantity, b figure.Bounds) scale {
	step := q.Step(b.Max, height)
	lines := int(math.Ceil(b.Max / step))
	return scale{
		of:    func(value float64) float64 { return value },
		hi:    float64(lines) * step,
		lines: lines,
		label: func(y float64) string {
			// A line is a whole number of steps but for what rounding adds.
			return q.Label(math.Round(y/step) * step)
		},
	}
}

// logScale has the same number of lines for each decade. What is below its lower
// end, as 0 is, lies on that end.
func logScale(q figure.Quantity, b figure.Bounds) scale {
	const rounding = 1e-9 // of a logarithm that is a whole number
	lo := math.Floor(math.Log10(b.Floor) + rounding)
	hi := max(math.Ceil(math.Log10(b.Max)-rounding), lo+1)
	lines := int(hi-lo) * max(1, height/int(hi-lo))
	return scale{
		of:    func(value float64) float64 { return max(math.Log10(value), lo) },
		lo:    lo,
		hi:    hi,
		lines: lines,
		label: func(y float64) string { return q.About(math.Pow(10, y)) },
	}
}
