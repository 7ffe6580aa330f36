package forecast

import (
	"fmt"
	"math"
	"slices"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/figure"
)

// Figure returns what plan draws: the load if clients are given, and the delays if not.
func Figure(forecasts []Forecast, p *Params, scale figure.Scale) figure.Figure {
	if p.Asked["clients"] {
		return loadFigure(forecasts, p, scale)
	}
	f := figure.DelayByRetry(scale)
	f.Median = digits.Quantile(0.5)
	n := len(p.Quantiles)
	if n > 1 {
		f.Band = digits.Quantile(p.Quantiles[0]) + " and " + digits.Quantile(p.Quantiles[n-1])
	}
	for _, forecast := range forecasts {
		c := figure.Curve{Name: forecast.expr.String(), Random: !forecast.exact()}
		for _, r := range forecast.shown.Retries {
			median := forecast.median(r.Delay).Seconds()
			lowest, most := median, median
			if n > 1 {
				lowest, most = r.Delay.Quantiles[0].Seconds(), r.Delay.Quantiles[n-1].Seconds()
			}
			c.Min, c.Median, c.Max = append(c.Min, lowest), append(c.Median, median), append(c.Max, most)
		}
		f.Curves = append(f.Curves, c)
		if c.Random {
			draws := number(p.Draws)
			f.Along = fmt.Sprintf("retry     (lines: p50 of %s draws)", draws)
			if n > 1 {
				f.Along = fmt.Sprintf("retry     (lines: p50; bands: %s to %s of %s draws)",
					digits.Quantile(p.Quantiles[0]), digits.Quantile(p.Quantiles[n-1]), draws)
			}
		}
	}
	return f
}

// loadFigure has the retries a second in the bins of the load, without those that come at
// once: they are spikes, because in a bin their rate would depend on how long the bin is.
// A spike stands for the rate within a millisecond. If all retries come at once, the
// vertical axis counts them.
func loadFigure(forecasts []Forecast, p *Params, scale figure.Scale) figure.Figure {
	together, bin := fmt.Sprintf("time since %s failed together", digits.Count(p.Clients, "client")), digits.Exact(forecasts[0].load.Bin)
	f := figure.Figure{
		Title:    "Retries per second by time, averaged over " + bin,
		Vertical: figure.Rates,
		Up:       "retries/s", // a longer name would take room above a logarithmic axis
		Along:    together + fmt.Sprintf("     (retries/s: averaged over %s)", bin),
		Axis:     figure.Axis{Bin: forecasts[0].load.Bin},
		Scale:    scale,
	}
	atOnce, spread := 0.0, false
	for _, forecast := range forecasts {
		atOnce = max(atOnce, forecast.load.atOnce().Retries)
		spread = spread || slices.Max(forecast.load.spread()) > 0
	}
	f.Atom = fmt.Sprintf("at the same instant, at most %s", wordsOf(digits.About(math.Round(atOnce)), "retry"))
	if slices.ContainsFunc(forecasts, func(f Forecast) bool { return f.load.cut == 1 }) {
		f.Atom = "at the same instant, without limit"
	}
	perSpike := 1 / time.Millisecond.Seconds()
	if atOnce > 0 && !spread {
		f.Title, f.Vertical, f.Up, perSpike = "Retries at the same instant by time", figure.Counts, "retries", 1
		f.Along = together
	}
	for _, forecast := range forecasts {
		c := figure.Curve{Name: forecast.expr.String(), Median: forecast.load.spread()}.OnlyMedian()
		for _, m := range forecast.load.moments {
			at := m.At.Seconds() / forecast.load.Bin.Seconds()
			c.Spikes = append(c.Spikes, figure.Spike{At: at, Value: m.Retries * perSpike})
		}
		f.Curves = append(f.Curves, c)
	}
	return f
}
