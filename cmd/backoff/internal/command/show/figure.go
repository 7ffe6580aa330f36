package show

import (
	"fmt"
	"strconv"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/figure"
)

// showFigure returns the figure that show draws.
func showFigure(overviews []overview, logarithmic bool) figure.Figure {
	f := figure.DelayByRetry(0, logarithmic)
	f.Band = "least and most"
	for _, o := range overviews {
		f.Curves = append(f.Curves, newCurve(o))
		if o.expr.Random() {
			f.Along = fmt.Sprintf("retry     (lines: medians; bands: least to most of %s draws)", digits.Grouped(strconv.Itoa(o.draws)))
		}
	}
	return f
}

func newCurve(o overview) figure.Curve {
	c := figure.Curve{Name: o.expr.String(), Random: o.expr.Random()}
	for _, r := range o.rows {
		c.Least = append(c.Least, r.delay.Least.Seconds())
		c.Median = append(c.Median, r.delay.Median.Seconds())
		c.Most = append(c.Most, r.delay.Most.Seconds())
	}
	return c
}
