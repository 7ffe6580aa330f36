package main

import (
	"fmt"
	"time"

	"example.com/backoff/sim/overload"
)

// runFigures are of open requests and of goodput over time: of the run, and of the model
// the median between the least and the most.
func runFigures(o outcome, logarithmic bool) []figure {
	during := ""
	var shaded [2]time.Duration
	if o.course.stop > 0 {
		shaded = [2]time.Duration{o.course.warmup, o.course.warmup + o.course.stop}
		during = fmt.Sprintf(" (stopped from %s to %s)", exact(shaded[0]), exact(shaded[1]))
	}
	figures := []figure{
		{title: "Open requests" + during, vertical: counts, up: "open requests", logarithmic: logarithmic},
		{title: "Goodput, requests answered in time a second" + during, vertical: counts, up: "goodput"},
	}
	for i, of := range []func(overload.Second) int64{
		func(s overload.Second) int64 { return s.Open },
		func(s overload.Second) int64 { return s.OK },
	} {
		f := &figures[i]
		f.along, f.horizontal.bin, f.shaded = "time", time.Second, shaded
		if len(o.model) > 0 {
			f.along = fmt.Sprintf("time     (the model's line: median; band: least to most of %d runs)", len(o.model))
			f.band = "least and most"
			f.curves = append(f.curves, newSecondsCurve("the model", o.model, of))
		}
		f.curves = append(f.curves, newSecondsCurve(o.expr.String()+", a real server", []overload.Rep{{Seconds: o.seconds}}, of))
		f.logarithmic = f.logarithmic && newBounds(f.curves).most > 0
	}
	return figures
}
