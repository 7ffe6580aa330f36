// Package figure describes a drawing: its curves, and the quantities on its axes. Package
// chart draws it with characters, package picture as an image.
package figure

import (
	"math"
	"time"
)

// Line returns a curve without a band.
func Line(name string, values []float64) Curve {
	return Curve{Name: name, Min: values, Median: values, Max: values}
}

// A Figure is a drawing. The zero Figure has no curves, and an automatic scale.
type Figure struct {
	Title    string // the vertical axis by the horizontal one
	Vertical Quantity
	Up       string // the name of the vertical axis
	Along    string // the name of the horizontal axis of a picture
	Axis     Axis
	Shaded   [2]time.Duration // a time to highlight; none if empty
	Scale    Scale            // of the vertical axis; see [Figure.Logarithmic]
	Discrete bool             // nothing lies between two points: no line joins them
	Median   string           // the name of the median of many draws; "median" if empty
	Band     string           // the names of a band's edges; no band if empty
	Atom     string           // the name of a spike; "at the same instant" if empty
	Curves   []Curve
}

// An Axis places the points of a curve. On the zero Axis they are retries: point i is
// retry i+1.
type Axis struct {
	Bin time.Duration // if not 0, point i is the time [i·Bin, (i+1)·Bin)
	At  []int         // if not nil, point i is that of At[i] clients, in rising order
}

// X returns where position is, which counts points: 0.5 is halfway between the first two.
// The unit is the second on an axis of time, and the retry or the client on others. On an
// axis of time point i begins at position i and ends at i+1.
func (a Axis) X(position float64) float64 {
	switch {
	case a.Bin > 0:
		return position * a.Bin.Seconds()
	case len(a.At) > 1:
		i := min(max(int(position), 0), len(a.At)-2)
		from, to := float64(a.At[i]), float64(a.At[i+1])
		return from + float64((position-float64(i))*(to-from))
	case len(a.At) == 1:
		return float64(a.At[0])
	}
	return position + 1
}

// A Curve is one of the things that a figure compares. Durations are in seconds.
type Curve struct {
	Name             string
	Random           bool // the line is the median of draws, and there may be a band from min to max
	Min, Median, Max []float64
	Spikes           []Spike // in the order of their positions
}

// A Spike is an atom: it happens at one instant, where a curve has what happens over time.
// It is drawn as a vertical line from the foot of the figure to Value, or to its top if
// Value is beyond the axis: the axis makes no room for spikes.
type Spike struct {
	At    float64 // the position along the axis, in points: see [Axis.X]
	Value float64
}

// OnlyMedian returns c without its band.
func (c Curve) OnlyMedian() Curve {
	c.Min, c.Max = c.Median, c.Median
	return c
}

// DelayByRetry returns the figure of delay by retry, without its curves.
func DelayByRetry(scale Scale) Figure {
	return Figure{
		Title:    "Delay by retry",
		Vertical: Durations,
		Up:       "delay",
		Along:    "retry",
		Scale:    scale,
		Discrete: true,
	}
}

// Bounds are the extent of curves, which their axes must cover.
type Bounds struct {
	Points int     // of the longest curve
	Max    float64 // the largest value; that of a spike only where all others are 0
	Floor  float64 // the smallest value that a logarithmic axis shows; 0 if all values are 0
}

// NewBounds returns the bounds of curves. The floor is the smallest value, but at least a
// tenth of the smallest median: the min of many draws of a full jitter is so near zero
// that all other values would be at the top.
func NewBounds(curves []Curve) Bounds {
	b := Bounds{}
	lowest, median, spike := math.Inf(1), math.Inf(1), 0.0
	for _, c := range curves {
		b.Points = max(b.Points, len(c.Median))
		for i := range c.Median {
			b.Max = max(b.Max, c.Max[i])
			if c.Median[i] > 0 {
				median = min(median, c.Median[i])
			}
			if c.Min[i] > 0 {
				lowest = min(lowest, c.Min[i])
			}
		}
		for _, s := range c.Spikes {
			spike = max(spike, s.Value)
		}
	}
	if b.Max == 0 {
		b.Max = spike
	}
	switch {
	case !math.IsInf(median, 1):
		b.Floor = min(max(lowest, median/10), median)
	case b.Max > 0:
		b.Floor = b.Max / 10
	}
	return b
}
