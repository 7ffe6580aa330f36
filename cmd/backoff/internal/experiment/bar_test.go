package experiment

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/vbauerster/mpb/v8"
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
