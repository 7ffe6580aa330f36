package forecast

import (
	"fmt"
	"strconv"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/figure"
)

// Figure returns what plan draws: the load where clients are asked about, and
// else the delays.
func Figure(forecasts []Forecast, p *Params, logarithmic bool) figure.Figure {
	if p.Asked["clients"] {
		f := figure.Figure{
			Title:       "Retries per second by time",
			Vertical:    figure.Rates,
			Up:          "retries/s", // a longer name would take room above a logarithmic axis
			Along:       fmt.Sprintf("time since %s clients failed together", digits.Grouped(strconv.Itoa(p.Clients))),
			Axis:        figure.Axis{Bin: forecasts[0].load.Bin},
			Logarithmic: logarithmic,
		}
		for _, forecast := range forecasts {
			c := figure.Curve{Name: forecast.expr.String(), Median: forecast.load.PerSecond}
			f.Curves = append(f.Curves, c.OnlyMedian())
		}
		return f
	}
	f := figure.DelayByRetry(logarithmic)
	f.Median = digits.Quantile(0.5)
	n := len(p.Quantiles)
	if n > 1 {
		f.Band = digits.Quantile(p.Quantiles[0]) + " and " + digits.Quantile(p.Quantiles[n-1])
	}
	for _, forecast := range forecasts {
		c := figure.Curve{Name: forecast.expr.String(), Random: !forecast.exact()}
		for _, r := range forecast.shown.Retries {
			median := forecast.median(r.Delay).Seconds()
			least, most := median, median
			if n > 1 {
				least, most = r.Delay.Quantiles[0].Seconds(), r.Delay.Quantiles[n-1].Seconds()
			}
			c.Min, c.Median, c.Max = append(c.Min, least), append(c.Median, median), append(c.Max, most)
		}
		f.Curves = append(f.Curves, c)
		if c.Random {
			draws := digits.Grouped(strconv.Itoa(p.Draws))
			f.Along = fmt.Sprintf("retry     (lines: p50 of %s draws)", draws)
			if n > 1 {
				f.Along = fmt.Sprintf("retry     (lines: p50; bands: %s to %s of %s draws)",
					digits.Quantile(p.Quantiles[0]), digits.Quantile(p.Quantiles[n-1]), draws)
			}
		}
	}
	return f
}
