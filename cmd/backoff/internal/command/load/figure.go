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

// figures are of open requests and of goodput over time: of the run, and of the model
// the median between the least and the most.
func figures(o load.Result, logarithmic bool) []figure.Figure {
	during := ""
	var shaded [2]time.Duration
	if o.Phases.Stop > 0 {
		shaded = [2]time.Duration{o.Phases.Warmup, o.Phases.Warmup + o.Phases.Stop}
		during = fmt.Sprintf(" (stopped from %s to %s)", digits.Exact(shaded[0]), digits.Exact(shaded[1]))
	}
	figures := []figure.Figure{
		{Title: "Open requests" + during, Vertical: figure.Counts, Up: "open requests", Logarithmic: logarithmic},
		{Title: "Goodput, requests answered in time a second" + during, Vertical: figure.Counts, Up: "goodput"},
	}
	for i, of := range []func(overload.Second) int64{
		func(s overload.Second) int64 { return s.Open },
		func(s overload.Second) int64 { return s.OK },
	} {
		f := &figures[i]
		f.Along, f.Axis.Bin, f.Shaded = "time", time.Second, shaded
		if len(o.Model) > 0 {
			f.Along = fmt.Sprintf("time     (the model's line: median; band: least to most of %d runs)", len(o.Model))
			f.Band = "least and most"
			f.Curves = append(f.Curves, seconds.Curve("the model", o.Model, of))
		}
		f.Curves = append(f.Curves, seconds.Curve(o.Expr.String()+", a real server", []overload.Rep{{Seconds: o.Seconds}}, of))
		f.Logarithmic = f.Logarithmic && figure.NewBounds(f.Curves).Max > 0
	}
	return figures
}
