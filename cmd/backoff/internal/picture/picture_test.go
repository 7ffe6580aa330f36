package picture

import (
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/figure"
)

// anyDelay draws delays of every size.
var anyDelay = rapid.OneOf(
	rapid.Float64Range(1e-9, 10),
	rapid.Float64Range(1, 1e5),
	rapid.Float64Range(1, backoff.NoLimit.Seconds()),
)

// An axis has from two to some twenty labels, all different, rising and exact.
func TestTicks(t *testing.T) {
	check := func(t *rapid.T, ticks []plot.Tick, lo, hi float64, most int) {
		labels := map[string]bool{}
		before := math.Inf(-1)
		for _, tick := range ticks {
			if tick.Value <= before || tick.Value > hi*(1+1e-9) || tick.Value < lo {
				t.Fatalf("the mark %v after %v, in %v to %v", tick.Value, before, lo, hi)
			}
			before = tick.Value
			if tick.Label == "" {
				continue
			}
			if labels[tick.Label] {
				t.Fatalf("%s is there twice", tick.Label)
			}
			labels[tick.Label] = true
			if d, err := time.ParseDuration(tick.Label); err != nil || math.Abs(d.Seconds()/tick.Value-1) > 1e-9 && tick.Value > 0 {
				t.Fatalf("the label %s stands at %v s", tick.Label, tick.Value)
			}
		}
		if len(labels) < 2 || len(labels) > most {
			t.Fatalf("%d labels from %v to %v", len(labels), lo, hi)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		most := anyDelay.Draw(t, "most")
		least := min(most, anyDelay.Draw(t, "least"))
		top := linearTop(figure.Durations, figure.Bounds{Max: most})
		if top < most*(1-1e-9) {
			t.Fatalf("the axis ends at %v, before %v", top, most)
		}
		if top < backoff.NoLimit.Seconds() {
			check(t, linearTicks(figure.Durations)(0, top), 0, top, 12)
		}
		lo, hi := logRange(figure.Bounds{Max: most, Floor: least})
		if least > 3e-9 && hi < backoff.NoLimit.Seconds() { // where there are marks on both sides
			check(t, logTicks(figure.Durations)(lo, hi), lo, hi, 10)
		}
	})
}

// A name that is too long is set smaller, and then cut off.
func TestFit(t *testing.T) {
	legend := plot.NewLegend()
	legend.TextStyle.Font = sans(11)
	if got := fit("constant(1s)", &legend, 300); got != "constant(1s)" || legend.TextStyle.Font.Size != 11 {
		t.Errorf("what fits became %q at %v", got, legend.TextStyle.Font.Size)
	}
	name := strings.Repeat("constant(1s) ", 20)
	got := fit(name, &legend, 300)
	if !strings.HasSuffix(got, "…") || legend.TextStyle.Font.Size != 7 || legend.TextStyle.Width(got) > 300 || legend.TextStyle.Width(got) < 280 {
		t.Errorf("fit = %q at %v, %v wide", got, legend.TextStyle.Font.Size, legend.TextStyle.Width(got))
	}
}
