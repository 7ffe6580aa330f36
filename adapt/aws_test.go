package adapt_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/adapt"
)

// The interface of the AWS SDK.
var _ interface {
	BackoffDelay(attempt int, err error) (time.Duration, error)
} = adapt.BackoffDelayFunc(nil)

// The delays of attempts −1 to 4.
func TestBackoffDelay(t *testing.T) {
	const s = time.Second
	delays := slices.Values([]time.Duration{1 * s, 2 * s, 3 * s})
	old := []time.Duration{1 * s, 1 * s, 1 * s, 2 * s, 3 * s, 3 * s}
	announced := []time.Duration{1 * s, 1 * s, 2 * s, 3 * s, 3 * s, 3 * s}

	for _, row := range []struct {
		variable string
		want     []time.Duration
	}{
		{"", old},
		{"false", old},
		{"1", old},
		{"TRUE", old},
		{"True", old},
		{"true ", old},
		{"true", announced},
	} {
		t.Run(row.variable, func(t *testing.T) {
			early := adapt.BackoffDelay(delays) // before the variable is set
			t.Setenv("AWS_NEW_RETRIES_2026", row.variable)
			for _, delayer := range []adapt.BackoffDelayFunc{early, adapt.BackoffDelay(delays)} {
				if diff := cmp.Diff(row.want, delaysOfAttempts(t, delayer)); diff != "" {
					t.Errorf("BackoffDelay with AWS_NEW_RETRIES_2026=%q (-want +got):\n%s", row.variable, diff)
				}
			}
			for first, want := range map[int][]time.Duration{0: announced, 1: old} {
				if diff := cmp.Diff(want, delaysOfAttempts(t, adapt.BackoffDelayFrom(first, delays))); diff != "" {
					t.Errorf("BackoffDelayFrom(%d) with AWS_NEW_RETRIES_2026=%q (-want +got):\n%s", first, row.variable, diff)
				}
			}
		})
	}
}

// delaysOfAttempts asks twice, because looking must not move anything, and returns the
// second answers.
func delaysOfAttempts(t *testing.T, delayer adapt.BackoffDelayFunc) (delays []time.Duration) {
	t.Helper()
	for range 2 {
		delays = nil
		for attempt := -1; attempt <= 4; attempt++ {
			d, err := delayer.BackoffDelay(attempt, errors.New("status 503"))
			if err != nil {
				t.Fatal(err)
			}
			delays = append(delays, d)
		}
	}
	return delays
}

// The adapter returns what its function does.
func TestBackoffDelayFuncReturnsAll(t *testing.T) {
	want := errors.New("attempt 3: status 503")
	f := adapt.BackoffDelayFunc(func(attempt int, err error) (time.Duration, error) {
		if attempt == 3 && err == nil {
			return 7, want
		}
		return 0, nil
	})
	if d, err := f.BackoffDelay(3, nil); d != 7 || err != want {
		t.Errorf("BackoffDelay returns %v and %v, want 7ns and %v", d, err, want)
	}
}

func TestBackoffDelayPanics(t *testing.T) {
	for want, call := range map[string]func(){
		"adapt: BackoffDelay: seq is nil, want a schedule":     func() { adapt.BackoffDelay(nil) },
		"adapt: BackoffDelayFrom: seq is nil, want a schedule": func() { adapt.BackoffDelayFrom(1, nil) },
	} {
		var got any
		func() {
			defer func() { got = recover() }()
			call()
		}()
		if got != want {
			t.Errorf("got %v, want %q", got, want)
		}
	}
}
