package main

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// A figure is what is drawn, be it with characters or as a picture.
type figure struct {
	title       string // of what is on the vertical axis, by what is on the horizontal one
	vertical    quantity
	up          string // the name of the vertical axis
	along       string // the name of the horizontal axis of a picture
	horizontal  horizontal
	shaded      [2]time.Duration // a time to point out, where it is not empty
	logarithmic bool
	band        string // what the edges of a band are; empty where there is none
	curves      []curve
}

// A horizontal says where the points of a curve stand.
type horizontal struct {
	first int           // point i is of retry first+i; or, where bin is not 0,
	bin   time.Duration // of the time [i·bin, (i+1)·bin); or, where there are any,
	at    []int         // of so many clients, in rising order
}

// A curve is what a schedule does, for drawing. Delays are in seconds.
type curve struct {
	name                string
	random              bool // median says so, and there may be a band from least to most
	least, median, most []float64
}

// onlyMedian returns c without its band.
func (c curve) onlyMedian() curve {
	return curve{name: c.name, random: c.random, least: c.median, median: c.median, most: c.median}
}

// delayFigure returns the figure of delay by retry, without its curves.
func delayFigure(first int, logarithmic bool) figure {
	return figure{
		title:       "Delay by retry",
		vertical:    durations,
		up:          "delay",
		along:       "retry",
		horizontal:  horizontal{first: first},
		logarithmic: logarithmic,
	}
}

// showFigure returns the figure that show draws.
func showFigure(overviews []overview, logarithmic bool) figure {
	f := delayFigure(0, logarithmic)
	f.band = "least and most"
	for _, o := range overviews {
		f.curves = append(f.curves, newCurve(o))
		if o.expr.Random() {
			f.along = fmt.Sprintf("retry     (lines: medians; bands: least to most of %s draws)", grouped(strconv.Itoa(o.draws)))
		}
	}
	return f
}

func newCurve(o overview) curve {
	c := curve{name: o.expr.String(), random: o.expr.Random()}
	for _, r := range o.rows {
		c.least = append(c.least, r.delay.least.Seconds())
		c.median = append(c.median, r.delay.median.Seconds())
		c.most = append(c.most, r.delay.most.Seconds())
	}
	return c
}

// bounds are what curves need of their axes.
type bounds struct {
	points int     // of the longest curve
	most   float64 // the largest value
	floor  float64 // the least that a logarithmic axis shows; 0 where all values are 0
}

// newBounds returns the bounds of curves. The floor is the least value, but no less
// than a tenth of the least median: the least of many draws of a full jitter is so
// near zero that it would push all else to the top.
func newBounds(curves []curve) bounds {
	b := bounds{}
	least, median := math.Inf(1), math.Inf(1)
	for _, c := range curves {
		b.points = max(b.points, len(c.median))
		for i := range c.median {
			b.most = max(b.most, c.most[i])
			if c.median[i] > 0 {
				median = min(median, c.median[i])
			}
			if c.least[i] > 0 {
				least = min(least, c.least[i])
			}
		}
	}
	switch {
	case !math.IsInf(median, 1):
		b.floor = min(max(least, median/10), median)
	case b.most > 0:
		b.floor = b.most / 10
	}
	return b
}
