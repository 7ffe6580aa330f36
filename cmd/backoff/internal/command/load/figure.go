package load

import (
	"fmt"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/live/load"
	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/sim/overload"
)

// figures returns the figures of open requests and of goodput over time: the run, and the
// median of the model's runs between their minimum and maximum.
func figures(o load.Result, scale figure.Scale) []figure.Figure {
	during := ""
	var shaded [2]time.Duration
	if o.Phases.Stop > 0 {
		shaded = [2]time.Duration{o.Phases.Warmup, o.Phases.Warmup + o.Phases.Stop}
		during = fmt.Sprintf(" (stopped from %s to %s)", digits.Exact(shaded[0]), digits.Exact(shaded[1]))
	}
	figures := []figure.Figure{
		{Title: "Max open requests of each second" + during, Vertical: figure.Counts, Up: "open requests", Scale: scale},
		{Title: "Goodput, requests answered in time a second" + during, Vertical: figure.Counts, Up: "goodput"},
	}
	for i, of := range []func(overload.Second) int64{
		func(s overload.Second) int64 { return s.PeakOpen },
		func(s overload.Second) int64 { return s.OK },
	} {
		f := &figures[i]
		f.Along, f.Axis.Bin, f.Shaded = "time", time.Second, shaded
		if len(o.Model) > 0 {
			f.Along = fmt.Sprintf("time     (the model's line: median; band: min to max of %d runs)", len(o.Model))
			f.Band = "min and max"
			f.Curves = append(f.Curves, seconds.Curve("the model", o.Model, of))
		}
		f.Curves = append(f.Curves, seconds.Curve(o.Expr.String()+", a real server", []overload.Rep{{Seconds: o.Seconds}}, of))
	}
	return figures
}
