package engine

import (
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// Blocks of any sizes, one after the other, make up the schedule, and no delay is drawn in
// advance.
func TestDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delays := rapid.SliceOfN(rapid.Map(rapid.Int64Range(-2, 100), func(n int64) time.Duration {
			return time.Duration(n)
		}), 0, 50).Draw(t, "delays")
		drawn := 0
		seq := func(yield func(time.Duration) bool) {
			drawn = 0
			for _, d := range delays {
				drawn++
				if !yield(d) {
					return
				}
			}
		}
		var d Drawer
		var got []time.Duration
		for {
			block := make([]time.Duration, rapid.IntRange(1, 20).Draw(t, "block"))
			n := d.Draw(seq, len(got), block)
			got = append(got, block[:n]...)
			if drawn != len(got) {
				t.Fatalf("%d drawn for %d", drawn, len(got))
			}
			if n < len(block) {
				break
			}
		}
		want := slices.Clone(delays)
		for i := range want {
			want[i] = max(want[i], 0)
		}
		if diff := cmp.Diff(want, got[:len(want)], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if n := d.Draw(seq, 3, nil); n != 0 {
			t.Errorf("an empty block got %d delays", n)
		}
		if n := d.Draw(seq, len(delays)+1, make([]time.Duration, 2)); n != 0 {
			t.Errorf("beyond the end there were %d delays", n)
		}
	})
}

// A schedule that ignores the end of the loop does no harm.
func TestDrawRudeSchedule(t *testing.T) {
	var rude iter.Seq[time.Duration] = func(yield func(time.Duration) bool) {
		for n := range 5 {
			yield(time.Duration(n))
		}
	}
	block := make([]time.Duration, 2)
	var d Drawer
	if n := d.Draw(rude, 1, block); n != 2 || block[0] != 1 || block[1] != 2 {
		t.Errorf("got %d delays, %v, want 1, 2", n, block)
	}
}
