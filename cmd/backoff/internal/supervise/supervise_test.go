package supervise

import (
	"context"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/cmd/backoff/internal/clitest"
)

func TestOfAll(t *testing.T) {
	for _, test := range []struct{ schedule, want string }{
		{"list()", " of 1"},
		{"list(1s, 2s)", " of 3"},
		{"constant(1s) | take(999)", " of 1000"},
		{"constant(1s) | take(1000)", ""},
		{"constant(1s)", ""},
	} {
		// Not after patience, however busy the machine is.
		synctest.Test(t, func(t *testing.T) {
			if got := newCount(clitest.Parse(t, test.schedule).Seeded(1)).ofAll(t.Context()); got != test.want {
				t.Errorf("%s: ofAll() = %q, want %q", test.schedule, got, test.want)
			}
		})
	}
}

// slow yields one delay after a time, and another after twice that.
func slow(between time.Duration) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for i := range 2 {
			time.Sleep(between)
			if !yield(time.Duration(i)) {
				return
			}
		}
	}
}

// The number of attempts is awaited for patience at most, in all, and not if ctx is done; it
// is there if it came late.
func TestOfAllSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCount(slow(time.Hour))
		done, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		ask := func(ctx context.Context, want string, at time.Duration) {
			t.Helper()
			if got, now := c.ofAll(ctx), time.Since(start); got != want || now != at {
				t.Errorf("ofAll() = %q at %v, want %q at %v", got, now, want, at)
			}
		}
		ask(done, "", 0)
		ask(t.Context(), "", patience)
		ask(t.Context(), "", patience)
		time.Sleep(3 * time.Hour)
		ask(done, " of 3", patience+3*time.Hour)
	})
	if got := (*count)(nil).ofAll(t.Context()); got != "" {
		t.Errorf("of no count: ofAll() = %q, want nothing", got)
	}
}

// The delays are those of the schedule, until the context is done while one is drawn.
func TestUntilDone(t *testing.T) {
	for _, test := range []struct {
		name  string
		limit time.Duration
		want  []time.Duration
		cut   bool
		took  time.Duration
	}{
		{"all", time.Hour, []time.Duration{0, 1}, false, 2 * time.Second},
		{"one", 1500 * time.Millisecond, []time.Duration{0}, true, 1500 * time.Millisecond},
		{"none", time.Millisecond, nil, true, time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), test.limit)
				defer cancel()
				start, cut := time.Now(), false
				got := slices.Collect(untilDone(ctx, slow(time.Second), func() { cut = true }))
				if diff := cmp.Diff(test.want, got); diff != "" || cut != test.cut || time.Since(start) != test.took {
					t.Errorf("cut: %t after %v, want %t after %v (-want +got):\n%s", cut, time.Since(start), test.cut, test.took, diff)
				}
				time.Sleep(time.Hour) // for what draws, which cannot be interrupted
			})
		})
	}
}

// Nothing draws on after the caller has ended the range: the bubble would not end.
func TestUntilDoneStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range untilDone(t.Context(), slow(time.Second), func() { t.Error("it is cut") }) {
			break
		}
		time.Sleep(time.Hour) // for what draws
	})
}
