package aws

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

const (
	variable = "AWS_NEW_RETRIES_2026"
	s        = time.Second
)

// count returns the numbers that the SDK gives to three retries.
func count(t *testing.T) (attempts []int) {
	t.Helper()
	retryer := retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = 4
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) {
			attempts = append(attempts, attempt)
			return 0, nil
		})
	})
	if err := send(t.Context(), retryer, unavailable); err == nil {
		t.Fatal("the request succeeded")
	}
	return attempts
}

func unavailable(*http.Request) (*http.Response, error) {
	return answer(http.StatusServiceUnavailable), nil
}

// The SDK and adapt.BackoffDelay read the variable in the same way: the delay before the
// first retry is delay 0 for each value.
func TestIndex(t *testing.T) {
	for _, row := range []struct {
		set   bool
		value string
		want  []int
	}{
		{set: false, want: []int{1, 2, 3}},
		{true, "", []int{1, 2, 3}},
		{true, "false", []int{1, 2, 3}},
		{true, "0", []int{1, 2, 3}},
		{true, "1", []int{1, 2, 3}},
		{true, "yes", []int{1, 2, 3}},
		{true, "TRUE", []int{1, 2, 3}},
		{true, "True", []int{1, 2, 3}},
		{true, " true", []int{1, 2, 3}},
		{true, "true", []int{0, 1, 2}},
	} {
		t.Run(fmt.Sprintf("%v %q", row.set, row.value), func(t *testing.T) {
			t.Setenv(variable, row.value)
			if !row.set {
				os.Unsetenv(variable) // until Setenv restores it
			}
			if diff := cmp.Diff(row.want, count(t)); diff != "" {
				t.Errorf("the SDK counts retries in another way than version 1.47.7 does with %s=%q, so adapt.BackoffDelay must change with it (-want +got):\n%s", variable, row.value, diff)
			}
			want := []time.Duration{1 * s, 2 * s, 3 * s, 3 * s}
			if diff := cmp.Diff(want, inBubble(t, slices.Values(want[:3]), 4)); diff != "" {
				t.Errorf("adapt.BackoffDelay and the SDK disagree about %s=%q (-want +got):\n%s", variable, row.value, diff)
			}
		})
	}
}

// inBubble returns the delays that Measure finds in virtual time, where the SDK must keep
// them to the nanosecond.
func inBubble(t *testing.T, seq iter.Seq[time.Duration], n int) (delays []time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		measured, err := Measure(t.Context(), seq, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range measured {
			if d.Late() != 0 {
				t.Errorf("a delay of %v is %v", d.Asked, d.Kept)
			}
			delays = append(delays, d.Asked)
		}
	})
	return delays
}

// The variable may be set after the retryer is made, for example by main when the retryer
// is a variable of a package.
func TestVariableSetLater(t *testing.T) {
	t.Setenv(variable, "")
	delays := adapt.BackoffDelay(slices.Values([]time.Duration{1 * s, 2 * s, 3 * s}))
	t.Setenv(variable, "true")

	synctest.Test(t, func(t *testing.T) {
		want := []time.Duration{0, 1 * s, 3 * s, 6 * s}
		if diff := cmp.Diff(want, attempts(t, func(o *retry.StandardOptions) { o.MaxAttempts, o.Backoff = 4, delays }, nil)); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
	})
}

// attempts returns when the attempts of a request that always fails begin. If header is
// not nil, each response has it.
func attempts(t *testing.T, options func(*retry.StandardOptions), header http.Header) (at []time.Duration) {
	t.Helper()
	return attemptsWith(t, retry.NewStandard(options), header)
}

func attemptsWith(t *testing.T, retryer aws.Retryer, header http.Header) (at []time.Duration) {
	t.Helper()
	start := time.Now()
	if err := send(t.Context(), retryer, func(*http.Request) (*http.Response, error) {
		at = append(at, time.Since(start))
		resp := answer(http.StatusServiceUnavailable)
		if header != nil {
			resp.Header = header
		}
		return resp, nil
	}); err == nil {
		t.Fatal("the request succeeded")
	}
	return at
}

// On a real clock.
func TestDelaysAreKept(t *testing.T) {
	want := []time.Duration{20 * time.Millisecond, 40 * time.Millisecond, 80 * time.Millisecond, 160 * time.Millisecond}
	for _, value := range []string{"", "true"} {
		t.Run(value, func(t *testing.T) {
			t.Setenv(variable, value)
			kept.Judge(t, want, kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
				return Measure(ctx, backoff.Exponential(20*time.Millisecond, 2), len(want))
			})
		})
	}
}

// The SDK ends before the schedule does: after 3 attempts unless MaxAttempts is set, and
// when the rate limiter has no tokens left. It has 500, and a retry costs 5, or 14 with
// AWS_NEW_RETRIES_2026.
func TestAttempts(t *testing.T) {
	for _, row := range []struct {
		name, value string
		options     func(*retry.StandardOptions)
		want        int
	}{
		{"unless set", "", func(o *retry.StandardOptions) {}, 3},
		{"unless set", "true", func(o *retry.StandardOptions) {}, 3},
		{"a rate limiter", "", func(o *retry.StandardOptions) { o.MaxAttempts = 1000 }, 1 + 500/5},
		{"a rate limiter", "true", func(o *retry.StandardOptions) { o.MaxAttempts = 1000 }, 1 + 500/14},
		{"none", "", func(o *retry.StandardOptions) { o.MaxAttempts, o.RateLimiter = 1000, ratelimit.None }, 1000},
		{"none", "true", func(o *retry.StandardOptions) { o.MaxAttempts, o.RateLimiter = 1000, ratelimit.None }, 1000},
	} {
		t.Run(row.name+" "+row.value, func(t *testing.T) {
			t.Setenv(variable, row.value)
			got := len(attempts(t, func(o *retry.StandardOptions) {
				o.Backoff = adapt.BackoffDelay(backoff.Constant(0))
				row.options(o)
			}, nil))
			if got != row.want {
				t.Errorf("%d attempts, want %d as in version 1.47.7", got, row.want)
			}
		})
	}
}

// The header of AWS lengthens a delay by up to 5 s, in the new behaviour alone. The SDK
// does not read Retry-After.
func TestRetryAfter(t *testing.T) {
	for _, row := range []struct {
		value, key, after string
		want              time.Duration
	}{
		{"", "X-Amz-Retry-After", "3000", 1 * s},
		{"true", "X-Amz-Retry-After", "3000", 3 * s},
		{"true", "X-Amz-Retry-After", "500", 1 * s},
		{"true", "X-Amz-Retry-After", "60000", 6 * s},
		{"true", "X-Amz-Retry-After", "-1", 1 * s},
		{"true", "X-Amz-Retry-After", "soon", 1 * s},
		{"", "Retry-After", "3", 1 * s},
		{"true", "Retry-After", "3", 1 * s},
	} {
		t.Run(row.value+" "+row.key+" "+row.after, func(t *testing.T) {
			t.Setenv(variable, row.value)
			synctest.Test(t, func(t *testing.T) {
				got := attempts(t, func(o *retry.StandardOptions) {
					o.MaxAttempts, o.Backoff = 2, adapt.BackoffDelay(backoff.Constant(s))
				}, http.Header{row.key: {row.after}})
				if diff := cmp.Diff([]time.Duration{0, row.want}, got); diff != "" {
					t.Errorf("attempts (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// MaxBackoff limits the SDK's own delays, and not those of Backoff. AddWithMaxBackoffDelay
// does not limit them either: it replaces the schedule by the SDK's own.
func TestMaxBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := func(o *retry.StandardOptions) {
			o.MaxAttempts, o.MaxBackoff = 2, s
			o.Backoff = adapt.BackoffDelay(backoff.Constant(time.Hour))
		}
		if diff := cmp.Diff([]time.Duration{0, time.Hour}, attempts(t, options, nil)); diff != "" {
			t.Errorf("attempts with MaxBackoff (-want +got):\n%s", diff)
		}
		options = func(o *retry.StandardOptions) {
			o.MaxAttempts = 2
			o.Backoff = adapt.BackoffDelay(backoff.Constant(time.Hour))
		}
		// Its delay is below 2 s, and 0 once in 10⁹.
		got := attemptsWith(t, retry.AddWithMaxBackoffDelay(retry.NewStandard(options), time.Minute), nil)
		if len(got) != 2 || got[1] > 2*s {
			t.Errorf("AddWithMaxBackoffDelay makes attempts at %v, want one below 2s, as in version 1.47.7", got)
		}
	})
}

// A request that is cancelled during a delay ends at once.
func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), s)
		defer cancel()
		start := time.Now()
		_, err := Measure(ctx, backoff.Constant(time.Hour), 1)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != s {
			t.Errorf("it ended with %v after %v, want %v after 1s", err, time.Since(start), context.DeadlineExceeded)
		}
	})
}
