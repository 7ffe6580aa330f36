package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/guptarohit/asciigraph"
)

const (
	chartWidth  = 61 // columns between the axis and the last retry
	chartHeight = 12 // lines, at most
	chartMarks  = 16 // marks on the axis of retries, at most
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

// bandPen draws the least and the most of a random schedule.
var bandPen = asciigraph.CreateCharSet("·")

// writeChart draws a figure with characters: of one curve the median within its
// band, of several the medians. It draws nothing where there is no curve to see:
// less than two points, or values that are all 0.
func writeChart(w io.Writer, f figure) error {
	alone := len(f.curves) == 1
	curves := make([]curve, len(f.curves))
	for i, c := range f.curves {
		curves[i] = c
		if !alone {
			curves[i] = c.onlyMedian() // a second band would hide the first
		}
	}
	b := newBounds(curves)
	if b.points < 2 || b.most == 0 {
		return nil
	}

	scale := linearScale(f.vertical, b)
	if f.logarithmic {
		scale = logScale(f.vertical, b)
	}
	axis := newChartAxis(f.horizontal, b.points)
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
	fmt.Fprintf(out, "\n%s", f.title)
	if f.logarithmic {
		fmt.Fprintf(out, ", on a logarithmic axis")
	}
	fmt.Fprintf(out, "\n\n")
	for i, c := range curves {
		if len(c.median) == 0 {
			continue
		}
		if alone && c.random && f.band != "" {
			add(c.most, bandPen)
			add(c.least, bandPen)
		}
		add(c.median, pens[i%len(pens)])
	}
	fmt.Fprintf(out, "%s\n", asciigraph.PlotMany(series,
		asciigraph.SeriesChars(chars...),
		asciigraph.Width(chartWidth),
		asciigraph.Height(scale.lines),
		asciigraph.LowerBound(scale.lo),
		asciigraph.UpperBound(scale.hi),
		asciigraph.YAxisValueFormatter(scale.label),
		asciigraph.XAxisRange(0, axis.end),
		asciigraph.XAxisTickCount(axis.marks),
		asciigraph.XAxisValueFormatter(axis.label),
	))
	switch {
	case !alone:
		fmt.Fprintf(out, "\n")
		for i, c := range curves {
			what := ""
			if c.random {
				what = ": median"
			}
			fmt.Fprintf(out, "    %s %s%s\n", sampleOf(pens[i%len(pens)]), c.name, what)
		}
	case curves[0].random && f.band == "":
		fmt.Fprintf(out, "\n    %s median\n", sampleOf(pens[0]))
	case curves[0].random:
		fmt.Fprintf(out, "\n    %s median   %s %s\n", sampleOf(pens[0]), sampleOf(bandPen), f.band)
	}
	return out.Flush()
}

// A chartAxis is the horizontal axis: where it ends, the marks from 0 to there, and
// the label of one.
type chartAxis struct {
	end   float64
	marks int
	label func(float64) string
	place func(values []float64) []float64 // NaN beyond the last value ends a curve
}

// newChartAxis returns the axis for so many points, two at least.
func newChartAxis(h horizontal, points int) chartAxis {
	switch {
	case h.bin > 0:
		return newTimeAxis(h.bin, points)
	case h.at != nil:
		return newCountAxis(h.at)
	}
	step := countStep(points-1, chartMarks)
	columns := (points + step - 2) / step * step // between the first retry and the last mark
	return chartAxis{
		end:   float64(columns),
		marks: columns/step + 1,
		label: func(x float64) string { return fmt.Sprintf("%.0f", x+float64(h.first)) },
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
func newTimeAxis(bin time.Duration, bins int) chartAxis {
	end := float64(bins) * bin.Seconds()
	step := durations.step(end, 8)
	marks := int(math.Ceil(end/step - 1e-9))
	end = float64(marks) * step
	return chartAxis{
		end:   end,
		marks: marks + 1,
		label: func(x float64) string { return durations.label(math.Round(x/step) * step) },
		place: func(values []float64) []float64 {
			placed := make([]float64, chartWidth)
			for i := range placed {
				placed[i] = math.NaN()
			}
			perBin := bin.Seconds() / end * (chartWidth - 1) // columns
			for i, value := range values {
				first := int(math.Floor(float64(i)*perBin + 1e-9))
				last := int(math.Ceil(float64(i+1)*perBin-1e-9)) - 1
				for column := first; column <= max(first, last) && column < chartWidth; column++ {
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
func newCountAxis(at []int) chartAxis {
	last := at[len(at)-1]
	step := countStep(last, 12)
	marks := (last + step - 1) / step
	end := float64(marks * step)
	return chartAxis{
		end:   end,
		marks: marks + 1,
		label: func(x float64) string { return counts.label(math.Round(x/float64(step)) * float64(step)) },
		place: func(values []float64) []float64 {
			placed := make([]float64, chartWidth)
			width := end / (chartWidth - 1) // of a column
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

// A chartScale is the vertical axis: what it makes of a value, its ends, the lines
// between them, and the label of a line.
type chartScale struct {
	of     func(value float64) float64
	lo, hi float64
	lines  int
	label  func(float64) string
}

func linearScale(q quantity, b bounds) chartScale {
	step := q.step(b.most, chartHeight)
	lines := int(math.Ceil(b.most / step))
	return chartScale{
		of:    func(value float64) float64 { return value },
		hi:    float64(lines) * step,
		lines: lines,
		label: func(y float64) string {
			// A line is a whole number of steps but for what rounding adds.
			return q.label(math.Round(y/step) * step)
		},
	}
}

// logScale has the same number of lines for each decade. What is below its lower
// end, as 0 is, lies on that end.
func logScale(q quantity, b bounds) chartScale {
	const rounding = 1e-9 // of a logarithm that is a whole number
	lo := math.Floor(math.Log10(b.floor) + rounding)
	hi := max(math.Ceil(math.Log10(b.most)-rounding), lo+1)
	lines := int(hi-lo) * max(1, chartHeight/int(hi-lo))
	return chartScale{
		of:    func(value float64) float64 { return max(math.Log10(value), lo) },
		lo:    lo,
		hi:    hi,
		lines: lines,
		label: func(y float64) string { return q.about(math.Pow(10, y)) },
	}
}

// approximate returns seconds to two digits, in one unit: 1.7m. A year has 8766 h.
func approximate(seconds float64) string {
	unit, name := 1e-9, "ns"
	for _, larger := range []struct {
		seconds float64
		name    string
	}{{1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}, {60, "m"}, {3600, "h"}, {8766 * 3600, "y"}} {
		if seconds >= larger.seconds*(1-1e-9) {
			unit, name = larger.seconds, larger.name
		}
	}
	n := seconds / unit
	if n < 9.95 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0") + name
	}
	tens := math.Pow(10, math.Floor(math.Log10(n)+1e-9)-1)
	return fmt.Sprintf("%.0f", math.Round(n/tens)*tens) + name
}

// fromSeconds returns the duration nearest to f seconds, and the largest there is
// where that is more.
func fromSeconds(f float64) time.Duration {
	if ns := f * 1e9; ns < math.MaxInt64 {
		return time.Duration(math.Round(ns))
	}
	return math.MaxInt64
}
