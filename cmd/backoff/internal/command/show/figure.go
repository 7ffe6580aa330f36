package show

import (
	"fmt"
	"strconv"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/figure"
)

// showFigure returns the figure that show draws.
func showFigure(samples []sample, logarithmic bool) figure.Figure {
	f := figure.DelayByRetry(logarithmic)
	f.Band = "least and most"
	for _, s := range samples {
		f.Curves = append(f.Curves, newCurve(s))
		if s.expr.Random() {
			f.Along = fmt.Sprintf("retry     (lines: medians; bands: least to most of %s draws)", digits.Grouped(strconv.Itoa(s.draws)))
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
