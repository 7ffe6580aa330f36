package adapt_test

import (
	"iter"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func riverFailures(job *riverJob) int { return len(job.Errors) }

func riverJobAfter(n int) *riverJob { return &riverJob{make([]string, n)} }

func TestNextRetry(t *testing.T) {
	sec := time.Second
	tests := []struct {
		name string
		seq  iter.Seq[time.Duration]
		want []time.Duration
	}{
		{"endless", backoff.Exponential(sec, 2), []time.Duration{sec, 2 * sec, 4 * sec, 8 * sec}},
		{"the last delay is held", backoff.Take(backoff.Linear(sec, sec), 2), []time.Duration{sec, 2 * sec, 2 * sec, 2 * sec}},
		{"0", backoff.Constant(0), []time.Duration{0, 0, 0, 0}},
		{"empty", backoff.Concat(), []time.Duration{0, 0, 0, 0}},
		{"the largest delay", backoff.Constant(math.MaxInt64), []time.Duration{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				policy := adapt.NextRetry(test.seq, riverFailures)
				var got []time.Duration
				for n := range test.want {
					got = append(got, time.Until(policy(riverJobAfter(n))))
					time.Sleep(time.Minute) // the time is that of the call
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("the delays of a job (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestNextRetryHasNotPassed counts the delay from the end of the call, however long the
// function of the job takes.
func TestNextRetryHasNotPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := adapt.NextRetry(backoff.Constant(0), func(job *riverJob) int {
			time.Sleep(time.Microsecond)
			return len(job.Errors)
		})
		for n := range 10 {
			if next, now := policy(riverJobAfter(n)), time.Now(); next.Before(now) {
				t.Errorf("after %d retries the time %v had passed at the end of the call, %v", n, next, now)
			}
		}
	})
}

func TestNextRetryLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, testNextRetryLaws) })
}

func testNextRetryLaws(t *rapid.T) {
	delays := rapid.SliceOfN(rapid.Map(rapid.Int64Min(0), func(n int64) time.Duration { return time.Duration(n) }), 1, 10).Draw(t, "delays")
	n := rapid.IntRange(0, 12).Draw(t, "n")
	policy := adapt.NextRetry(backoff.Take(backoff.Func(func(i int) time.Duration { return delays[i] }), len(delays)), riverFailures)
	want := time.Now().Add(delays[min(n, len(delays)-1)])
	for range 2 { // looking does not move
		if got := policy.NextRetry(riverJobAfter(n)); !got.Equal(want) {
			t.Fatalf("after %d retries: %v, want %v", n, got, want)
		}
	}
}

func TestNextRetryPanics(t *testing.T) {
	for want, call := range map[string]func(){
		"adapt: NextRetry: seq is nil, want a schedule":     func() { adapt.NextRetry(nil, riverFailures) },
		"adapt: NextRetry: retries is nil, want a function": func() { adapt.NextRetry[*riverJob](backoff.Constant(0), nil) },
	} {
		func() {
			defer func() {
				if got := recover(); got != any(want) {
					t.Errorf("panics with %v, want %s", got, want)
				}
			}()
			call()
		}()
	}
}
