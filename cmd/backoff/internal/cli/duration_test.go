package cli

import (
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "5": 5 * time.Second, "0.5": 500 * time.Millisecond, ".5": 500 * time.Millisecond, "-1": -time.Second, "+1": time.Second,
		"90s": 90 * time.Second, "1m30s": 90 * time.Second, "1.5h": 90 * time.Minute, "9223372036": 9223372036 * time.Second,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q is %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "s", "-", ".", "1m30", "5 s", " 5", "1e3", "0x10", "NaN", "Inf", "1d", "9223372037", "soon"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q is %v, want an error", text, got)
		}
	}
}
