// Package figure says what is drawn, be it with characters or as a picture: curves, and
// what their axes measure.
package figure

import (
	"math"
	"time"
)

// Line returns a curve without a band.
func Line(name string, values []float64) Curve {
	return Curve{Name: name, Min: values, Median: values, Max: values}
}

// A Figure is what is drawn, be it with characters or as a picture.
type Figure struct {
	Title       string // of what is on the vertical axis, by what is on the horizontal one
	Vertical    Quantity
	Up          string // the name of the vertical axis
	Along       string // the name of the horizontal axis of a picture
	Axis        Axis
	Shaded      [2]time.Duration // a time to point out, where it is not empty
	Logarithmic bool
	Median      string // what a chart calls the median of many draws; "median" if empty
	Band        string // what the edges of a band are; empty if there is none
	Curves      []Curve
}

// An Axis says where the points of a curve stand. On the zero Axis they are retries: point
// i is retry i+1.
type Axis struct {
	Bin time.Duration // if it is not 0, point i is of the time [i·Bin, (i+1)·Bin)
	At  []int         // if there are any, point i is of At[i] clients, in rising order
}

// A Curve is what a schedule does, for drawing. Delays are in seconds.
type Curve struct {
	Name             string
	Random           bool // the line is that of the median, and there may be a band from min to max
	Min, Median, Max []float64
}

// OnlyMedian returns c without its band.
func (c Curve) OnlyMedian() Curve {
	return Curve{Name: c.Name, Random: c.Random, Min: c.Median, Median: c.Median, Max: c.Median}
}

// DelayByRetry returns the figure of delay by retry, without its curves.
func DelayByRetry(logarithmic bool) Figure {
	return Figure{
		Title:       "Delay by retry",
		Vertical:    Durations,
		Up:          "delay",
		Along:       "retry",
		Logarithmic: logarithmic,
	}
}

// Bounds are what curves need of their axes.
type Bounds struct {
	Points int     // of the longest curve
	Max    float64 // the largest value
	Floor  float64 // the smallest value that a logarithmic axis shows; 0 if all values are 0
}

// NewBounds returns the bounds of curves. The floor is the smallest value, but not less
// than a tenth of the smallest median: the min of many draws of a full jitter is so near
// zero that all other values would be at the top.
func NewBounds(curves []Curve) Bounds {
	b := Bounds{}
	lowest, median := math.Inf(1), math.Inf(1)
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
	}
	switch {
	case !math.IsInf(median, 1):
		b.Floor = min(max(lowest, median/10), median)
	case b.Max > 0:
		b.Floor = b.Max / 10
	}
	return b
}
