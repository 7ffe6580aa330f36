package expr_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/expr"
)

// A drop gives the delays of backoff.Drop, which draws all that it discards, wherever it
// stands among other stages.
func TestDropIsDrop(t *testing.T) {
	starts, follows := partition(1)
	one := func(t *rapid.T, stages []expr.Stage) expr.Stage {
		return stages[rapid.IntRange(0, len(stages)-1).Draw(t, "stage")]
	}
	rapid.Check(t, func(t *rapid.T) {
		s := sampler{t: t, seed: backoff.WithSeed(1)}
		out := s.call(one(t, starts), sample{}, 1)
		for range rapid.IntRange(1, 5).Draw(t, "stages") {
			if rapid.Bool().Draw(t, "drop") {
				n := rapid.IntRange(0, 200).Draw(t, "n")
				out = sample{fmt.Sprintf("%s|drop(%d)", out.text, n), backoff.Drop(out.seq, n)}
			} else {
				out = s.call(one(t, follows), out, 1)
			}
		}
		seq := parse(t, out.text).Schedule(s.seed)
		for range 2 { // to range again starts again
			if diff := cmp.Diff(first(out.seq, 50), first(seq, 50)); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", out.text, diff)
			}
		}
	})
}

// A generator that is not random skips what is dropped: 400 times the largest count, which
// take minutes to draw.
func TestDropSkips(t *testing.T) {
	const most, times = 1<<31 - 1, 400
	drops := strings.Repeat(fmt.Sprintf(" | drop(%d)", most), times)
	for _, c := range []struct {
		text string // with DROPS for all the drops
		want []time.Duration
	}{
		{"constant(1s) DROPS", []time.Duration{time.Second, time.Second}},
		{"linear(1s, 1ns) DROPS", []time.Duration{time.Second + times*most, time.Second + times*most + 1}},
		{"linear(1s, 1ns) DROPS | drop(1)", []time.Duration{time.Second + times*most + 1, time.Second + times*most + 2}},
		{"linear(1s, 0s) DROPS", []time.Duration{time.Second, time.Second}},
		{"linear(0s, 3h) DROPS", []time.Duration{backoff.NoLimit, backoff.NoLimit}},
		{"linear(2562047h47m16.854775806s, 1ns) DROPS", []time.Duration{backoff.NoLimit, backoff.NoLimit}},
		{"linear(2562047h47m16.854775806s, 0s) DROPS", []time.Duration{backoff.NoLimit - 1, backoff.NoLimit - 1}},
		{"linear(0s, 1281023h53m38.427387903s) | drop(2)", []time.Duration{backoff.NoLimit - 1, backoff.NoLimit}},
		{"linear(2562047h47m16.854775806s, 1ns) | drop(1)", []time.Duration{backoff.NoLimit, backoff.NoLimit}},
		{"exponential(1ns, 1.001) DROPS", []time.Duration{backoff.NoLimit, backoff.NoLimit}},
		{"exponential(1s, 1) DROPS", []time.Duration{time.Second, time.Second}},
		{"exponential(0s, 2) DROPS", []time.Duration{0, 0}},
		{"polynomial(1h, 3) DROPS", []time.Duration{backoff.NoLimit, backoff.NoLimit}},
		{"polynomial(1h, 0) DROPS", []time.Duration{time.Hour, time.Hour}},
		{"polynomial(0s, 2) DROPS", []time.Duration{0, 0}},
		{"fibonacci(1ns) DROPS", []time.Duration{backoff.NoLimit, backoff.NoLimit}},
		{"fibonacci(0s) DROPS", []time.Duration{0, 0}},
		{"exponential(100ms, 2) | cap(10s) DROPS | scale(0.5) | floor(1s) DROPS | take(1)", []time.Duration{5 * time.Second}},
		{"constant(1s) | add(constant(1s)) DROPS", []time.Duration{2 * time.Second, 2 * time.Second}},
		{"linear(0s, 1ns) | max(constant(1s)) DROPS | min(linear(1s, 1ns) | cap(none) DROPS | floor(0s)) | drop(1)", []time.Duration{times*most + 1, times*most + 2}},
		{"list(1s) | min(constant(2s) | add(constant(1s))) DROPS", []time.Duration{3 * time.Second, 3 * time.Second}},
		{"list(1s) | then(linear(1s, 1ns) DROPS)", []time.Duration{time.Second, time.Second + times*most}},
	} {
		seq := parse(t, strings.ReplaceAll(c.text, " DROPS", drops)).Schedule()
		got := make(chan []time.Duration, 1)
		go func() { got <- first(seq, 2) }()
		select {
		case got := <-got:
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.text, diff)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: no delay within a minute", c.text)
		}
	}
}
