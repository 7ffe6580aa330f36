package retryhttp_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

// For any schedule and any answers of a base: each attempt comes at the time that the
// schedule and Retry-After give, with the whole body; the caller gets the last answer
// with its body unread; every other body of a request or a response is closed; and the
// context of each attempt is done if it has a timeout or the base has asked for its channel.
func testExchange(t *rapid.T) {
	const maxAfter = 20 * ms
	seconds, millis := rapid.IntRange(0, 40), rapid.IntRange(0, 30)
	var delays []time.Duration
	for _, n := range rapid.SliceOfN(millis, 0, 6).Draw(t, "delays in ms") {
		delays = append(delays, time.Duration(n)*ms)
	}
	answers := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) answer {
		if rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
			return answer{err: errRefused}
		}
		a := answer{status: rapid.SampledFrom([]int{200, 404, 408, 425, 429, 500, 501, 502, 503, 503, 503, 504}).Draw(t, "status")}
		if rapid.Bool().Draw(t, "hints") {
			a.header = http.Header{"Retry-After": {strconv.Itoa(seconds.Draw(t, "after") / 20)}} // 0, 1 or 2 s
		}
		a.text = rapid.StringN(0, 100, -1).Draw(t, "text")
		return a
	}), 1, 8).Draw(t, "answers")
	hasBody := rapid.Bool().Draw(t, "has a body")
	opts := []retry.Option{retry.MaxAfter(maxAfter)}
	timeout := rapid.Bool().Draw(t, "attempts have a timeout")
	if timeout {
		opts = append(opts, retry.AttemptTimeout(time.Hour))
	}

	// The model.
	var times []time.Duration
	var now time.Duration
	var last answer
	for i := 0; ; i++ {
		times = append(times, now)
		last = answers[min(i, len(answers)-1)]
		bad := last.err != nil || slices.Contains([]int{408, 425, 429, 500, 502, 503, 504}, last.status)
		if !bad || i == len(delays) {
			break
		}
		delay := delays[i]
		if after, ok := last.header["Retry-After"]; ok && after[0] != "0" {
			delay = max(delay, maxAfter)
		}
		now += delay
	}

	asks := rapid.Bool().Draw(t, "the base asks when the context is done")
	base := &scripted{answers: answers, asks: asks}
	var requests []*body
	req := newRequest(t, "PUT", "http://a/", nil)
	if hasBody {
		first := newBody("text")
		requests = append(requests, first)
		req.Body = first
		req.GetBody = func() (io.ReadCloser, error) {
			next := newBody("text")
			requests = append(requests, next)
			return next, nil
		}
	}
	resp, err := retryhttp.NewTransport(base, slices.Values(delays), opts...).RoundTrip(req)

	if diff := cmp.Diff(times, base.times); diff != "" {
		t.Fatalf("times (-want +got):\n%s", diff)
	}
	if last.err != nil {
		want := &retry.Error{Attempts: len(times), Elapsed: now, Last: last.err, Cause: retry.ErrExhausted}
		if fmt.Sprint(err) != want.Error() || resp != nil {
			t.Fatalf("got %v, %v, want %v", resp, err, want)
		}
	} else {
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if resp.StatusCode != last.status || string(text) != last.text || err != nil {
			t.Fatalf("got %d, %q, %v, want %d, %q", resp.StatusCode, text, err, last.status, last.text)
		}
		resp.Body.Close()
	}
	for i, b := range base.bodies {
		if !b.closed {
			t.Fatalf("the body of response %d is not closed", i)
		}
	}
	for i, ctx := range base.ctxs {
		if (timeout || asks) && ctx.Err() == nil {
			t.Fatalf("the context of attempt %d has not ended with its response", i)
		}
	}
	if hasBody {
		if want := slices.Repeat([]string{"text"}, len(times)); !slices.Equal(base.sent, want) || len(requests) != len(times) {
			t.Fatalf("sent %q from %d bodies, want %q", strings.Join(base.sent, " "), len(requests), want)
		}
		for i, b := range requests {
			if !b.closed {
				t.Fatalf("the body of request %d is not closed", i)
			}
		}
	}
}

func TestExchange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, testExchange) })
}
