package show

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/backoff/cmd/backoff/internal/chart"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/expr"
)

// A chart of any delays fits a terminal and has every curve in its legend. Without a curve
// there is no chart.
func TestChartOfAnyDelays(t *testing.T) {
	anyDuration := rapid.OneOf(
		rapid.Just(int64(0)),
		rapid.Int64Range(0, 10_000_000_000),
		rapid.Int64Range(0, math.MaxInt64),
	)
	rapid.Check(t, func(t *rapid.T) {
		var samples []sample
		drawable, longest := false, 0
		for range rapid.IntRange(1, 8).Draw(t, "schedules") {
			var words []string
			for _, d := range rapid.SliceOfN(anyDuration, 0, 40).Draw(t, "delays") {
				words = append(words, time.Duration(d).String())
				drawable = drawable || d > 0
			}
			longest = max(longest, len(words))
			e, err := expr.Parse("list(" + strings.Join(words, ",") + ")")
			if err != nil {
				t.Fatal(err)
			}
			samples = append(samples, newSample(e, sampling.Sample{Retries: 40, Draws: 2}))
		}
		var b bytes.Buffer
		if err := chart.Write(&b, showFigure(samples, rapid.SampledFrom([]figure.Scale{figure.Automatic, figure.Linear, figure.Logarithmic}).Draw(t, "scale"))); err != nil {
			t.Fatal(err)
		}
		if !drawable || longest < 2 {
			if b.Len() > 0 {
				t.Fatalf("there is nothing to see in\n%s", b.String())
			}
			return
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		labelled := 0
		for _, line := range lines {
			if strings.ContainsAny(line, "┤┼") {
				labelled++
			}
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Fatalf("%d columns in\n%s", n, b.String())
			}
		}
		if labelled < 1 || labelled > 21 {
			t.Fatalf("%d lines in\n%s", labelled, b.String())
		}
		for _, s := range samples {
			words := strings.Join(strings.Fields(b.String()), " ") + " "
			if len(samples) > 1 && !strings.Contains(words, " "+s.expr.String()+" ") {
				t.Fatalf("%s is missing in\n%s", s.expr, b.String())
			}
		}
	})
}
