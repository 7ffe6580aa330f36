package experiment

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// A bar appears after its delay, on a terminal only, and leaves nothing behind.
func TestBar(t *testing.T) {
	for _, test := range []struct {
		name     string
		delay    time.Duration
		terminal bool
		want     bool
	}{
		{"terminal", 0, true, true},
		{"too soon", time.Hour, true, false},
		{"no terminal", 0, false, false},
	} {
		var w bytes.Buffer
		b := newBar(&w, "sim contention", 2)
		b.delay = test.delay
		if test.terminal {
			b.options = []mpb.ContainerOption{mpb.WithAutoRefresh()}
		}
		for done := range 20 {
			b.show(float64(done) / 10)
		}
		b.end()
		b.end() // as after an interrupt
		got := w.String()
		if test.want {
			if !strings.Contains(got, "sim contention [") || !strings.HasSuffix(got, "\x1b[J") {
				t.Errorf("%s: the bar is %q", test.name, got)
			}
		} else if got != "" {
			t.Errorf("%s: %q is written", test.name, got)
		}
	}
}

// The remaining time goes by the pace so far, and is no less than a second until all is done.
func TestTimeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBar(io.Discard, "", 1)
		time.Sleep(10 * time.Second)
		for _, test := range []struct {
			done decor.Statistics
			want string
		}{
			{decor.Statistics{Current: 0, Total: 1000}, ""},
			{decor.Statistics{Current: 250, Total: 1000}, "30s left"},
			{decor.Statistics{Current: 500, Total: 1000}, "10s left"},
			{decor.Statistics{Current: 999, Total: 1000}, "1s left"},
			{decor.Statistics{Current: 1, Total: 1000}, "2.8h left"},
			{decor.Statistics{Current: 1000, Total: 1000, Completed: true}, ""},
		} {
			if got := b.left(test.done); got != test.want {
				t.Errorf("%d of %d after 10 s: %q, want %q", test.done.Current, test.done.Total, got, test.want)
			}
		}
	})
}
