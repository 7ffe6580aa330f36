package adapt_test

import (
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func headerOf(r *http.Response) http.Header { return r.Header }

// The schedule is 1s, 2s, 3s, and the server may ask for up to 10s.
func TestHTTPBackoff(t *testing.T) {
	const s = time.Second
	delays := adapt.HTTPBackoff(slices.Values([]time.Duration{1 * s, 2 * s, 3 * s}), 10*s, headerOf)

	for _, row := range []struct {
		name     string
		retry    int
		response *http.Response
		want     time.Duration // at least
		jitter   time.Duration // and less than this more
	}{
		{name: "no response", retry: 0, want: 1 * s},
		{name: "no response", retry: 1, want: 2 * s},
		{name: "no response", retry: 2, want: 3 * s},
		{name: "after the end", retry: 3, want: 3 * s},
		{name: "a negative number", retry: -1, want: 1 * s},
		{name: "no header", response: &http.Response{StatusCode: 503}, want: 1 * s},
		{name: "no Retry-After", retry: 1, response: &http.Response{StatusCode: 503, Header: http.Header{"Date": {"now"}}}, want: 2 * s},
		{name: "shorter", retry: 2, response: busyFor("2"), want: 3 * s},
		{name: "equal", retry: 2, response: busyFor("3"), want: 3 * s},
		{name: "longer", retry: 2, response: busyFor("4"), want: 4 * s},
		{name: "longer, after the end", retry: 9, response: busyFor("4"), want: 4 * s},
		{name: "at the bound", response: busyFor("10"), want: 10 * s},
		{name: "above it", response: busyFor("11"), want: 10 * s},
		{name: "a year", response: busyFor("31536000"), want: 10 * s},
		{name: "317 years", response: busyFor("10000000000"), want: 10 * s},
		{name: "negative", retry: 1, response: busyFor("-5"), want: 2 * s},
		{name: "garbage", retry: 1, response: busyFor("soon"), want: 2 * s},
		// The bubble's clock begins at 2000-01-01 00:00:00 UTC, a Saturday.
		{name: "a date", response: busyFor("Sat, 01 Jan 2000 00:00:05 GMT"), want: 5 * s, jitter: s},
		{name: "a date that has passed", retry: 1, response: busyFor("Fri, 31 Dec 1999 23:59:59 GMT"), want: 2 * s},
		{name: "a date too late", response: busyFor("Sat, 01 Jan 2000 00:01:00 GMT"), want: 10 * s},
		{name: "another status", response: &http.Response{StatusCode: 500, Header: http.Header{"Retry-After": {"5"}}}, want: 5 * s},
	} {
		synctest.Test(t, func(t *testing.T) {
			got := delays(time.Hour, time.Hour, row.retry, row.response)
			if got < row.want || got > row.want+max(0, row.jitter-1) {
				t.Errorf("%s: retry %d comes after %v, want %v and less than %v more", row.name, row.retry, got, row.want, row.jitter)
			}
		})
	}
}

func busyFor(after string) *http.Response {
	return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {after}}}
}

// With maxAfter 0 the header has no effect, and with NoLimit none is too long.
func TestHTTPBackoffBounds(t *testing.T) {
	for maxAfter, want := range map[time.Duration]time.Duration{
		0:                time.Second,
		time.Second - 1:  time.Second,
		time.Second + 1:  time.Second + 1,
		backoff.NoLimit:  backoff.NoLimit,
		100 * time.Hour:  100 * time.Hour,
		time.Microsecond: time.Second,
	} {
		delays := adapt.HTTPBackoff(backoff.Constant(time.Second), maxAfter, headerOf)
		if got := delays(0, 0, 0, busyFor("10000000000")); got != want {
			t.Errorf("with maxAfter %v the delay is %v, want %v", maxAfter, got, want)
		}
	}
}

// A delay is never shorter than the schedule's, and never longer than that and maxAfter.
func TestHTTPBackoffLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.Map(rapid.Int64Range(0, int64(time.Minute)), func(ns int64) time.Duration { return time.Duration(ns) })
		seq := slices.Values(rapid.SliceOfN(lengths, 1, 5).Draw(t, "delays"))
		maxAfter := lengths.Draw(t, "maxAfter")
		retry := rapid.IntRange(-2, 10).Draw(t, "retry")
		after := rapid.OneOf(rapid.StringMatching(`[0-9]{1,3}`), rapid.StringMatching(`-?[0-9]{1,30}`), rapid.String()).Draw(t, "after")

		own := adapt.Func(seq)(retry)
		got := adapt.HTTPBackoff(seq, maxAfter, headerOf)(0, 0, retry, busyFor(after))
		if got < own || got > max(own, maxAfter) {
			t.Fatalf("Retry-After %q makes %v of %v, with maxAfter %v", after, got, own, maxAfter)
		}
	})
}

// Any comparable type can be the response, and any map the header.
func TestHTTPBackoffTypes(t *testing.T) {
	type answer struct{ after string }
	delays := adapt.HTTPBackoff(backoff.Constant(0), time.Minute, func(a answer) map[string][]string {
		return map[string][]string{"Retry-After": {a.after}}
	})
	got := []time.Duration{delays(0, 0, 0, answer{}), delays(0, 0, 0, answer{"7"})}
	if diff := cmp.Diff([]time.Duration{0, 7 * time.Second}, got); diff != "" {
		t.Errorf("delays (-want +got):\n%s", diff)
	}
}

// header is not called without a response.
func TestHTTPBackoffWithoutResponse(t *testing.T) {
	delays := adapt.HTTPBackoff(backoff.Constant(time.Second), time.Minute, func(*http.Response) http.Header {
		t.Error("header is called")
		return nil
	})
	if got := delays(0, 0, 0, nil); got != time.Second {
		t.Errorf("the delay is %v, want 1s", got)
	}
}

func TestHTTPBackoffPanics(t *testing.T) {
	for want, call := range map[string]func(){
		"adapt: HTTPBackoff: seq is nil, want a schedule": func() { adapt.HTTPBackoff(nil, 0, headerOf) },
		"adapt: HTTPBackoff: maxAfter is -1ns, want >= 0": func() { adapt.HTTPBackoff(backoff.Constant(0), -1, headerOf) },
		"adapt: HTTPBackoff: header is nil, want a function": func() {
			adapt.HTTPBackoff[*http.Response, http.Header](backoff.Constant(0), 0, nil)
		},
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

// A program that imports this package does not get package net/http, which is about 3 MB
// of it on amd64. That is why HTTPBackoff has type parameters.
func TestWithoutNetHTTP(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "example.com/backoff/adapt").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, "example.com/backoff/internal/retryafter") {
		t.Fatalf("%d packages, and not the one that reads Retry-After", len(packages))
	}
	for _, unwanted := range []string{"net", "net/http", "crypto/tls"} {
		if slices.Contains(packages, unwanted) {
			t.Errorf("package adapt depends on %s", unwanted)
		}
	}
}
