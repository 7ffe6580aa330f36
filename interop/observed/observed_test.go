package observed

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
)

// TestDifferences: a client that draws from its schedule is accepted, and each
// client whose schedule is slightly different is refused.
func TestDifferences(t *testing.T) {
	rows := func(text string, n int) [][]time.Duration {
		all := make([][]time.Duration, n)
		for i := range all {
			// Seeds that Differences does not use.
			all[i] = slices.Collect(Expr(text).New(backoff.WithSeed(1<<32 + uint64(i))))
		}
		return all
	}
	const random = 20_000
	for _, test := range []struct {
		text   string
		n      int
		slack  time.Duration
		others []string
	}{
		{"exponential(500ms, 1.5) | cap(1m) | spread(0.5) | within(15m)", random, 10, []string{
			"list()",
			"exponential(500ms, 1.5) | cap(1m) | spread(0.51) | within(15m)",
			"exponential(500ms, 1.5) | cap(1m) | spread(0.49) | within(15m)",
			"exponential(500ms, 1.5) | cap(61s) | spread(0.5) | within(15m)",
			"exponential(500ms, 1.4) | cap(1m) | spread(0.5) | within(15m)",
			"exponential(500ms, 1.5) | cap(1m) | spread(0.5) | within(14m30s)",
			"exponential(500ms, 1.5) | cap(1m) | spread(0.5) | take(24)",
			"exponential(500ms, 1.5) | spread(0.5) | cap(1m) | within(15m)",
		}},
		{"exponential(100ms, 2) | add(uniform(0s, 100ms)) | take(3)", random, 1, []string{
			"exponential(100ms, 2) | add(uniform(0s, 102ms)) | take(3)",
			"exponential(100ms, 2) | add(constant(100ms) | scale(0.5)) | take(3)",
			"exponential(100ms, 2) | add(exponential(100ms, 2) | jitter(1)) | take(3)",
		}},
		{"uniform(1s, 2s) | take(3)", random, 10, []string{"uniform(1s, 2s) | take(2)", "uniform(1s, 2s) | take(4)"}},
		{"constant(1s) | take(3)", 1, 0, []string{
			"constant(1s) | take(2)", "constant(1s) | take(4)", "constant(1000000001ns) | take(3)",
		}},
	} {
		if d := Expr(test.text).Differences(rows(test.text, test.n), true, test.slack); d != nil {
			t.Errorf("%s is refused for itself: %q", test.text, d)
		}
		for _, other := range test.others {
			if Expr(test.text).Differences(rows(other, test.n), true, test.slack) == nil {
				t.Errorf("%s passes for %s", other, test.text)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	for text, want := range map[string][]Bounds{
		"constant(1s)":        {{time.Second, time.Second}, {time.Second, time.Second}},
		"full-jitter(1s, 3s)": {{0, time.Second}, {0, 2 * time.Second}, {0, 3 * time.Second}},
		"constant(1s) | add(uniform(0s, 3s)) | take(1)": {{time.Second, 4 * time.Second}, {backoff.NoLimit, -1}},
	} {
		if d := cmp.Diff(want, Expr(text).Bounds(len(want))); d != "" {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
	}
}

func TestGaps(t *testing.T) {
	got := Gaps(func(attempt func()) { attempt() })
	if len(got) != 0 {
		t.Errorf("one attempt has the gaps %v, want none", got)
	}
	if got := Gaps(func(func()) {}); len(got) != 0 {
		t.Errorf("no attempt has the gaps %v, want none", got)
	}
}
