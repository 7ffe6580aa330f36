// Package chart draws a figure with characters.
package chart

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/screen"
)

// Write draws a figure with characters, as wide as the screen of w: the median of one curve
// within its band, and only the medians of several. It draws nothing if there is nothing
// to see: fewer than two points, or values that are all 0.
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

	logarithmic := f.Logarithmic()
	bars := f.Discrete && alone && !curves[0].Random && !logarithmic
	scale := linearScale(f.Vertical, b)
	if logarithmic {
		scale = logScale(f.Vertical, b, f.Zeros())
	}
	out := screen.NewWriter(w)
	frame := newFrame(scale, bars, out.Width)
	axis := newAxis(f.Axis, b.Points, frame.columns)
	canvas := newCanvas(axis.columns, scale.top()+1)

	fmt.Fprintf(out, "\n%s%s\n\n", f.Title, f.ScaleNote())
	banded := alone && curves[0].Random && f.Band != ""
	for i, c := range curves {
		switch {
		case bars:
			canvas.bars(axis, scale, c.Median, i)
		case f.Discrete:
			if banded {
				canvas.ranges(axis, scale, c, i)
			}
			canvas.points(axis, scale, c.Median, i, len(curves))
		default:
			if banded {
				canvas.line(axis, scale, c.Max, bandPen, i)
				canvas.line(axis, scale, c.Min, bandPen, i)
			}
			canvas.line(axis, scale, c.Median, penOf(i), i)
		}
	}
	beyond := false
	for i, c := range curves {
		beyond = canvas.spikes(axis, scale, c.Spikes, i) || beyond
	}
	frame.write(out, canvas, axis)
	writeLegend(out, f, curves, beyond)
	return out.Flush()
}

// writeLegend names what the characters of a chart show.
func writeLegend(out *screen.Writer, f figure.Figure, curves []figure.Curve, beyond bool) {
	sample := func(pen rune, i int) string {
		text := strings.Repeat(string(pen), 3)
		if f.Discrete {
			text = string(pen)
		}
		return inked(text, i, out.Colours)
	}
	pen := func(i int) rune {
		if f.Discrete {
			return dotOf(i)
		}
		return penOf(i)
	}
	var entries []string
	median := cmp.Or(f.Median, "median")
	switch {
	case len(curves) > 1:
		for i, c := range curves {
			what := ""
			if c.Random {
				what = ": " + median
			}
			entries = append(entries, fmt.Sprintf("%s %s%s", sample(pen(i), i), c.Name, what))
		}
	case curves[0].Random:
		entry := fmt.Sprintf("%s %s", sample(pen(0), 0), median)
		switch {
		case f.Band != "" && f.Discrete:
			entry += fmt.Sprintf("   %s between %s", sample(rangePen, 0), f.Band)
		case f.Band != "":
			entry += fmt.Sprintf("   %s %s", sample(bandPen, 0), f.Band)
		}
		entries = append(entries, entry)
	}
	for i, c := range curves {
		if len(c.Spikes) == 0 {
			continue
		}
		name := cmp.Or(f.Atom, "at the same instant")
		if len(curves) > 1 {
			name = c.Name + ": " + name
		}
		entries = append(entries, inked(string(stemOf(i)), i, out.Colours)+" "+name)
	}
	if beyond {
		entries = append(entries, string(beyondMark)+" beyond the axis")
	}
	if len(entries) > 0 {
		fmt.Fprintf(out, "\n    %s\n", strings.Join(entries, "\n    "))
	}
}
