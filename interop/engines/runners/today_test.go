package runners

import (
	"iter"
	"testing"
	"time"

	"example.com/backoff/adapt"
	"example.com/backoff/plan"
	"github.com/cenkalti/backoff/v7"
)

// TestToday plans with the policy that a program of cenkalti/backoff runs today. Delay n is
// 500 ms·1.5ⁿ ± 50 %, so n delays take from 0.5·(1.5ⁿ − 1) s to 1.5·(1.5ⁿ − 1) s. Ten of them fit
// into 30 s with a probability below 1e-9, which is below 1e-5 in 10,000 draws.
func TestToday(t *testing.T) {
	today := adapt.FromBackOff(backoff.NewExponentialBackOff)
	p := plan.Of(func(uint64) iter.Seq[time.Duration] { return today }, 14)
	fit := p.Within(30 * time.Second)
	if fit.Min < 8 || fit.Max > 10 || fit.Mean < 8.5 || fit.Mean > 9.5 {
		t.Errorf("%d to %d attempts fit into 30 s, %.1f on average, want 8 to 10, and about 9", fit.Min, fit.Max, fit.Mean)
	}
}
