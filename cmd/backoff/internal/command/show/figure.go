package show

import (
	"fmt"
	"strconv"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/figure"
)

// showFigure returns the figure that show draws.
func showFigure(samples []sample, scale figure.Scale) figure.Figure {
	f := figure.DelayByRetry(scale)
	f.Median, f.Band = "p50", "min and max"
	for _, s := range samples {
		f.Curves = append(f.Curves, newCurve(s))
		if s.expr.Random() {
			f.Along = fmt.Sprintf("retry     (points: p50; bars: min to max of %s draws)", digits.Grouped(strconv.Itoa(s.draws)))
		}
	}
	return f
}

func newCurve(s sample) figure.Curve {
	c := figure.Curve{Name: s.expr.String(), Random: s.expr.Random()}
	for _, r := range s.plan.Retries {
		c.Min = append(c.Min, r.Delay.Min.Seconds())
		c.Median = append(c.Median, median(r.Delay).Seconds())
		c.Max = append(c.Max, r.Delay.Max.Seconds())
	}
	return c
}
