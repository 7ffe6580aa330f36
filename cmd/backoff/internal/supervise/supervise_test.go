package supervise

import (
	"testing"

	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/process"
)

func TestOfHowMany(t *testing.T) {
	for _, test := range []struct{ schedule, want string }{
		{"list()", " of 1"},
		{"list(1s, 2s)", " of 3"},
		{"constant(1s) | take(999)", " of 1000"},
		{"constant(1s) | take(1000)", ""},
		{"constant(1s)", ""},
	} {
		o := Options{Schedule: clitest.Parse(t, test.schedule)}
		if got := o.ofHowMany(); got != test.want {
			t.Errorf("%s: ofHowMany() = %q, want %q", test.schedule, got, test.want)
		}
	}
}

// A schedule may take a second to count. Nothing counts it without need, or during a delay,
// which would be longer. A nil schedule panics as soon as something ranges over it.
func TestCountsOnce(t *testing.T) {
	quiet := Options{Quiet: true}
	if got := quiet.ofHowMany(); got != "" {
		t.Errorf("quiet: ofHowMany() = %q, want nothing", got)
	}
	s := supervisor{Options: &Options{}, ofAll: " of 3"}
	const want = "attempt 2 of 3 failed with exit status 1"
	if got := s.describe(&attempt{number: 2, ending: process.Exit{Status: 1}}); got != want {
		t.Errorf("describe = %q, want %q", got, want)
	}
}
