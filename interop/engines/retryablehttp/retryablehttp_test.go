package retryablehttp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-retryablehttp"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

const ms = time.Millisecond

// The first retry has number 0, and after the end of the schedule its last delay is held.
func TestDelaysAreKept(t *testing.T) {
	want := []time.Duration{40 * ms, 20 * ms, 80 * ms, 80 * ms}
	kept.Judge(t, want, kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
		return Measure(ctx, slices.Values(want[:3]), len(want))
	})
}

func TestIndex(t *testing.T) {
	server := failing(http.StatusServiceUnavailable, "")
	defer server.Close()
	var retries []int
	if _, err := measure(t.Context(), server.URL, 3, func(_, _ time.Duration, retry int, _ *http.Response) time.Duration {
		retries = append(retries, retry)
		return 0
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1, 2}, retries); diff != "" {
		t.Errorf("the library counts retries in another way than version 0.7.8 does, so adapt.HTTPBackoff must change with it (-want +got):\n%s", diff)
	}
}

// A server may ask for a delay up to maxAfter, and never for a shorter one than the
// schedule's, which is 30 ms here.
func TestRetryAfter(t *testing.T) {
	date := func(in time.Duration) string { return time.Now().Add(in).UTC().Format(http.TimeFormat) }
	for _, row := range []struct {
		name, after string
		status      int // 503 if it is 0
		maxAfter    time.Duration
		want        time.Duration
	}{
		{name: "none", maxAfter: 60 * ms, want: 30 * ms},
		{name: "0", after: "0", maxAfter: 60 * ms, want: 30 * ms},
		{name: "a second", after: "1", maxAfter: time.Minute, want: time.Second},
		{name: "a second is too long", after: "1", maxAfter: 60 * ms, want: 60 * ms},
		{name: "maxAfter is shorter than the delay", after: "1", maxAfter: 10 * ms, want: 30 * ms},
		{name: "a year", after: "31536000", maxAfter: 60 * ms, want: 60 * ms},
		{name: "317 years", after: "10000000000", maxAfter: 60 * ms, want: 60 * ms},
		{name: "negative", after: "-5", maxAfter: 60 * ms, want: 30 * ms},
		{name: "garbage", after: "soon", maxAfter: 60 * ms, want: 30 * ms},
		{name: "in an hour", after: date(time.Hour), maxAfter: 60 * ms, want: 60 * ms},
		{name: "an hour ago", after: date(-time.Hour), maxAfter: 60 * ms, want: 30 * ms},
		{name: "429", after: "1", status: 429, maxAfter: 60 * ms, want: 60 * ms},
		{name: "500", after: "1", status: 500, maxAfter: 60 * ms, want: 60 * ms},
	} {
		t.Run(row.name, func(t *testing.T) {
			status := row.status
			if status == 0 {
				status = http.StatusServiceUnavailable
			}
			server := failing(status, row.after)
			defer server.Close()
			kept.Judge(t, []time.Duration{row.want}, kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
				return measure(ctx, server.URL, 1, adapt.HTTPBackoff(backoff.Constant(30*ms), row.maxAfter, header))
			})
		})
	}
}

// Without a response the delays are the schedule's.
func TestConnectionRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	listener.Close()

	want := []time.Duration{20 * ms, 40 * ms, 80 * ms}
	kept.Judge(t, want, kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
		return measure(ctx, address, len(want), adapt.HTTPBackoff(backoff.Exponential(20*ms, 2), time.Minute, header))
	})
}

// The library's own Backoff multiplies the seconds of Retry-After without a limit. More
// than 2⁶³ ns become negative, which is no delay.
func TestDefaultBackoffOverflows(t *testing.T) {
	for after, want := range map[string]time.Duration{
		"31536000":    365 * 24 * time.Hour,
		"9223372036":  9223372036 * time.Second,
		"10000000000": -8_446_744_073_709_551_616, // 10¹⁹ − 2⁶⁴
	} {
		response := &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {after}}}
		if got := retryablehttp.DefaultBackoff(time.Hour, 2*time.Hour, 0, response); got != want {
			t.Errorf("DefaultBackoff is %d ns after Retry-After %s, and not %d ns as in version 0.7.8", got, after, want)
		}
	}
	if t.Failed() {
		return
	}

	// RetryWaitMin is 1 s, so without the defect the retries come after 1, 3, 7 and 15 s.
	server := failing(http.StatusServiceUnavailable, "10000000000")
	defer server.Close()
	start := time.Now()
	if _, err := measure(t.Context(), server.URL, 4, retryablehttp.DefaultBackoff); err != nil {
		t.Fatal(err)
	}
	elapsed := time.Since(start)
	if elapsed >= 15*time.Second {
		t.Errorf("5 requests took %v, and a few ms in version 0.7.8", elapsed)
	}
	t.Logf("5 requests in %v", elapsed)
}

// A Backoff that does not read the header ignores it, even from a busy server.
func TestCustomBackoffIgnoresRetryAfter(t *testing.T) {
	server := failing(http.StatusServiceUnavailable, "3600")
	defer server.Close()
	delay := adapt.Func(backoff.Constant(20 * ms))
	kept.Judge(t, []time.Duration{20 * ms}, kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
		return measure(ctx, server.URL, 1, func(_, _ time.Duration, retry int, _ *http.Response) time.Duration { return delay(retry) })
	})
}

// A request that is cancelled during a delay ends at once, and not after a minute.
func TestCancelled(t *testing.T) {
	server := failing(http.StatusServiceUnavailable, "")
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := measure(ctx, server.URL, 1, func(_, _ time.Duration, _ int, _ *http.Response) time.Duration {
		cancel()
		return time.Minute
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v, want %v", err, context.Canceled)
	}
}
