package adapt_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func TestRetryDelay(t *testing.T) {
	sec := time.Second
	delay := adapt.RetryDelay[*asynqTask](backoff.Take(backoff.Linear(sec, sec), 3))
	var got []time.Duration
	for _, n := range []int{-1, 0, 1, 2, 3, 100, 0} {
		got = append(got, delay(n, errAsynqTask, nil))
	}
	if diff := cmp.Diff([]time.Duration{sec, sec, 2 * sec, 3 * sec, 3 * sec, 3 * sec, sec}, got); diff != "" {
		t.Errorf("the delays after -1, 0, 1, 2, 3, 100 and 0 retries (-want +got):\n%s", diff)
	}
	if got := adapt.RetryDelay[*asynqTask](backoff.Concat())(0, nil, nil); got != 0 {
		t.Errorf("the empty schedule gives %v, want 0", got)
	}
}

func TestRetryDelayPanics(t *testing.T) {
	defer func() {
		if got, want := recover(), any("adapt: RetryDelay: seq is nil, want a schedule"); got != want {
			t.Errorf("panics with %v, want %v", got, want)
		}
	}()
	adapt.RetryDelay[*asynqTask](nil)
}
