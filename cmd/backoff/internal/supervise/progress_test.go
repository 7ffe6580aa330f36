package supervise

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTimes(t *testing.T) {
	for _, test := range []struct {
		d            time.Duration
		left, waited string
	}{
		{-time.Second, "0.0s", "-1s"},
		{0, "0.0s", "0s"},
		{1, "0.1s", "0s"},
		{10 * time.Millisecond, "0.1s", "10ms"},
		{299_900 * time.Microsecond, "0.3s", "300ms"},
		{300 * time.Millisecond, "0.3s", "300ms"},
		{300_100 * time.Microsecond, "0.4s", "300ms"},
		{3240 * time.Millisecond, "3.3s", "3.2s"},
		{59_950 * time.Millisecond, "1m", "1m"},
		{60_100 * time.Millisecond, "1m1s", "1m"},
		{time.Hour - time.Millisecond, "1h", "1h"},
		{math.MaxInt64, "≥ 292 years", "≥ 292 years"},
	} {
		if got := left(test.d); got != test.left {
			t.Errorf("%v left is %s, want %s", test.d, got, test.left)
		}
		if got := waited(test.d); got != test.waited {
			t.Errorf("%v waited is %s, want %s", test.d, got, test.waited)
		}
	}
}

func TestProgress(t *testing.T) {
	wide, narrow := func() int { return 80 }, func() int { return 24 }
	const always, never = 0, time.Hour
	for name, test := range map[string]struct {
		quiet    bool
		width    func() int
		from, to time.Duration // when backoff is in the foreground
		want     string
	}{
		"log":            {false, nil, always, never, "backoff: it failed; next in 300ms\n"},
		"terminal":       {false, wide, always, never, "\rbackoff: it failed; next in 0.3s\rbackoff: it failed; next in 0.2s\rbackoff: it failed; next in 0.1s\rbackoff: it failed; waited 250ms\n"},
		"narrow":         {false, narrow, always, never, "\rbackoff:…; next in 0.3s\rbackoff:…; next in 0.2s\rbackoff:…; next in 0.1s\rbackoff: it failed;    \nwaited 250ms\n"},
		"background":     {false, wide, never, never, "backoff: it failed; next in 300ms\n"},
		"bg":             {false, wide, always, 150 * time.Millisecond, "\rbackoff: it failed; next in 0.3s\rbackoff: it failed; next in 0.2s"},
		"fg":             {false, wide, 150 * time.Millisecond, never, "backoff: it failed; next in 300ms\n\rbackoff: it failed; next in 0.1s\rbackoff: it failed; waited 250ms\n"},
		"quiet log":      {true, nil, always, never, ""},
		"quiet terminal": {true, wide, always, never, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out strings.Builder
				start := time.Now()
				p := &progress{w: &out, quiet: test.quiet, width: test.width, foreground: func() bool {
					d := time.Since(start)
					return test.from <= d && d < test.to
				}}
				p.startWaiting("it failed", 300*time.Millisecond)
				time.Sleep(250 * time.Millisecond)
				p.stopWaiting()
				p.stopWaiting() // nothing to stop
				if diff := cmp.Diff(test.want, out.String()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}
