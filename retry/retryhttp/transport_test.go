package retryhttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

// A request is sent again if that is safe and possible.
func TestRequests(t *testing.T) {
	rewindable := func() io.Reader { return strings.NewReader("text") }
	once := func() io.Reader { return io.MultiReader(strings.NewReader("text")) }
	none := func() io.Reader { return http.NoBody } // as reverse proxies send, and without GetBody
	for _, row := range []struct {
		method, url, key string
		body             func() io.Reader
		sent             int
	}{
		{"GET", "http://a/", "", nil, 2},
		{"", "http://a/", "", nil, 2},
		{"HEAD", "https://a/", "", nil, 2},
		{"OPTIONS", "http://a/", "", nil, 2},
		{"TRACE", "http://a/", "", nil, 2},
		{"PUT", "http://a/", "", rewindable, 2},
		{"DELETE", "http://a/", "", nil, 2},
		{"POST", "http://a/", "", rewindable, 1},
		{"PATCH", "http://a/", "", nil, 1},
		{"CONNECT", "http://a/", "", nil, 1},
		{"get", "http://a/", "", nil, 1}, // methods are case-sensitive
		{"POST", "http://a/", "Idempotency-Key", rewindable, 2},
		{"PATCH", "http://a/", "X-Idempotency-Key", nil, 2},
		{"PUT", "http://a/", "", once, 1},
		{"PUT", "http://a/", "", none, 2},
		{"GET", "http://a/", "", none, 2},
		{"POST", "http://a/", "Idempotency-Key", once, 1},
		{"GET", "ftp://a/", "", nil, 1},
		{"GET", "file:///etc", "", nil, 1},
	} {
		for _, key := range [][]string{{"1"}, nil} { // nil: counts, and is not sent
			for _, first := range []answer{{status: 503}, {err: errRefused}} {
				var body io.Reader
				if row.body != nil {
					body = row.body()
				}
				req := newRequest(t, row.method, row.url, body)
				if row.method == "" {
					req.Method = ""
				}
				if row.key != "" {
					req.Header[row.key] = key
				}
				if req.Body == http.NoBody {
					req.GetBody = nil // http.NewRequest sets it
				}
				base := &scripted{answers: []answer{first, {status: 200}}}
				retryhttp.NewTransport(base, backoff.Constant(0)).RoundTrip(req)
				if len(base.times) != row.sent {
					t.Errorf("%q %s with key %q, body %v: sent %d times, want %d", row.method, row.url, row.key, row.body != nil, len(base.times), row.sent)
				}
				for _, text := range base.sent {
					if text != "text" && req.Body != http.NoBody {
						t.Errorf("%s %s: sent body %q, want all of it each time", row.method, row.url, text)
					}
				}
			}
		}
	}
}

// The error for a request that cannot be sent again.
func TestBodyOnce(t *testing.T) {
	send := func(a answer) (*http.Response, error) {
		req := newRequest(t, "PUT", "http://a/", io.MultiReader(strings.NewReader("text")))
		return retryhttp.NewTransport(&scripted{answers: []answer{a}}, backoff.Constant(0)).RoundTrip(req)
	}
	_, err := send(answer{err: errRefused})
	if !errors.Is(err, retryhttp.ErrBodyOnce) || !errors.Is(err, errRefused) {
		t.Errorf("error is %v, want ErrBodyOnce and the base's", err)
	}
	resp, err := send(answer{status: 503, text: "busy"})
	if err != nil {
		t.Fatal(err)
	}
	if err := retryhttp.Stopped(resp); !errors.Is(err, retryhttp.ErrBodyOnce) {
		t.Errorf("Stopped is %v, want ErrBodyOnce", err)
	}
	if text, err := io.ReadAll(resp.Body); string(text) != "busy" || err != nil {
		t.Errorf("body is %q, %v, want busy", text, err)
	}
	if resp, err := send(answer{status: 200}); err != nil || retryhttp.Stopped(resp) != nil {
		t.Errorf("a success gives %v, %v, want neither error", err, retryhttp.Stopped(resp))
	}
}

// The caller gets the last response, whatever stopped retrying, and Stopped tells why.
func TestLastResponse(t *testing.T) {
	busy := answer{status: 503, text: "busy"}
	later := answer{status: 503, text: "busy", header: http.Header{"Retry-After": {"3600"}}}
	for _, row := range []struct {
		name     string
		answer   answer
		opts     []retry.Option
		attempts int
		cause    error
	}{
		{"exhausted", busy, nil, 3, retry.ErrExhausted},
		{"attempts", busy, []retry.Option{retry.MaxAttempts(2)}, 2, retry.ErrExhausted},
		{"deadline", later, []retry.Option{retry.MaxAfter(backoff.NoLimit)}, 1, retry.ErrDeadline},
		{"elapsed", busy, []retry.Option{retry.MaxElapsed(1 * s)}, 2, retry.ErrElapsed},
		{"budget", busy, []retry.Option{retry.WithBudget(retry.NewBudget(1, 1))}, 1, retry.ErrBudget},
		{"timeout of an attempt", busy, []retry.Option{retry.AttemptTimeout(s)}, 3, retry.ErrExhausted},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := &scripted{answers: []answer{row.answer}}
				client := &http.Client{
					Transport: retryhttp.NewTransport(base, slices.Values([]time.Duration{s, s}), row.opts...),
					Timeout:   time.Minute, // wraps the response's body
				}
				resp, err := client.Do(newRequest(t, "GET", "http://a/", nil))
				if err != nil {
					t.Fatal(err)
				}
				stopped, ok := errors.AsType[*retry.Error](retryhttp.Stopped(resp))
				if !ok || stopped.Attempts != row.attempts || stopped.Cause != row.cause {
					t.Errorf("Stopped is %v, want %v after %d attempts", retryhttp.Stopped(resp), row.cause, row.attempts)
				}
				if status, ok := errors.AsType[*retryhttp.StatusError](stopped); !ok || status.StatusCode != 503 {
					t.Errorf("Stopped is %v, want the status in it", stopped)
				}
				if text, err := io.ReadAll(resp.Body); string(text) != "busy" || err != nil {
					t.Errorf("body is %q, %v, want busy", text, err)
				}
				resp.Body.Close()
				for i, b := range base.bodies {
					if !b.closed {
						t.Errorf("body %d is not closed", i)
					}
				}
			})
		})
	}
}

func TestIfRefuses(t *testing.T) {
	only429 := retry.If(func(err error) bool {
		status, ok := errors.AsType[*retryhttp.StatusError](err)
		return ok && status.StatusCode == 429
	})
	base := &scripted{answers: []answer{{status: 429}, {status: 503, text: "busy"}}}
	resp, err := retryhttp.NewTransport(base, backoff.Constant(0), only429).RoundTrip(newRequest(t, "GET", "http://a/", nil))
	if err != nil || resp.StatusCode != 503 || len(base.times) != 2 {
		t.Fatalf("got %v, %v after %d attempts, want 503 after 2", resp, err, len(base.times))
	}
	if got, want := fmt.Sprint(retryhttp.Stopped(resp)), "server answered 503 Service Unavailable"; got != want {
		t.Errorf("Stopped is %q, want %q", got, want)
	}
	base = &scripted{answers: []answer{{err: errRefused}}}
	if _, err := retryhttp.NewTransport(base, backoff.Constant(0), only429).RoundTrip(newRequest(t, "GET", "http://a/", nil)); err != errRefused {
		t.Errorf("error is %v, want the base's own", err)
	}
}

// The error of a client that gave up tells everything.
func TestErrorText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: retryhttp.NewTransport(&scripted{answers: []answer{{err: errRefused}}}, slices.Values([]time.Duration{1 * s, 2 * s}))}
		_, err := client.Get("http://a/")
		want := `Get "http://a/": retry: 3 attempts in 3s: attempts exhausted: connection refused`
		if got := fmt.Sprint(err); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// Package retry tests time. Particular to HTTP are the Timeout of a client and the state
// that a cancelled context leaves.
func TestTimes(t *testing.T) {
	hour := http.Header{"Retry-After": {"3600"}}
	for _, row := range []struct {
		name    string
		answers []answer
		timeout time.Duration // the client's
		cancel  time.Duration
		opts    []retry.Option
		times   []time.Duration
		end     time.Duration
		cause   error // nil: a response
	}{
		{name: "a success", answers: []answer{{status: 200}}, times: []time.Duration{0}},
		{name: "delays", answers: []answer{{err: errRefused}, {status: 503}, {status: 200}}, times: []time.Duration{0, 1 * s, 3 * s}, end: 3 * s},
		{name: "Retry-After lengthens", answers: []answer{{status: 503, header: http.Header{"Retry-After": {"5"}}}, {status: 200}}, times: []time.Duration{0, 5 * s}, end: 5 * s},
		{name: "Retry-After does not shorten", answers: []answer{{err: errRefused}, {status: 429, header: http.Header{"Retry-After": {"1"}}}, {status: 200}}, times: []time.Duration{0, 1 * s, 3 * s}, end: 3 * s},
		{name: "MaxAfter unless set", answers: []answer{{status: 503, header: hour}, {status: 200}}, times: []time.Duration{0, 5 * time.Minute}, end: 5 * time.Minute},
		{name: "MaxAfter set", answers: []answer{{status: 503, header: hour}, {status: 200}}, opts: []retry.Option{retry.MaxAfter(2 * time.Hour)}, times: []time.Duration{0, time.Hour}, end: time.Hour},
		{name: "a client's timeout", answers: []answer{{err: errRefused}}, timeout: 2 * s, times: []time.Duration{0, 1 * s}, end: 1 * s, cause: retry.ErrDeadline},
		{name: "cancelled while waiting", answers: []answer{{status: 503}}, cancel: 500 * ms, times: []time.Duration{0}, end: 500 * ms, cause: context.Canceled},
		{name: "cancelled before", answers: []answer{{status: 200}}, cancel: -1, cause: context.Canceled},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := &scripted{answers: row.answers}
				client := &http.Client{
					Transport: retryhttp.NewTransport(base, backoff.Take(backoff.Exponential(s, 2), 4), row.opts...),
					Timeout:   row.timeout,
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				switch {
				case row.cancel < 0:
					cancel()
				case row.cancel > 0:
					defer time.AfterFunc(row.cancel, cancel).Stop()
				}
				sent := newBody("text")
				req := newRequest(t, "PUT", "http://a/", sent).WithContext(ctx)
				req.GetBody = func() (io.ReadCloser, error) { return newBody("text"), nil }
				start := time.Now()
				resp, err := client.Do(req)
				if got := time.Since(start); got != row.end {
					t.Errorf("it took %v, want %v", got, row.end)
				}
				if diff := cmp.Diff(row.times, base.times); diff != "" {
					t.Errorf("times (-want +got):\n%s", diff)
				}
				if !errors.Is(err, row.cause) || err == nil && resp.StatusCode != 200 {
					t.Errorf("got %v, want %v", err, row.cause)
				}
				if !sent.closed {
					t.Errorf("the request's body is not closed")
				}
				for i, b := range base.bodies {
					if last := err == nil && i == len(base.bodies)-1; b.closed == last {
						t.Errorf("response %d of %d: closed is %v", i+1, len(base.bodies), b.closed)
					}
				}
			})
		})
	}
}

// The error of a client whose time is over in the middle of an attempt tells that once.
func TestTimeoutText(t *testing.T) {
	slow := roundTripper(func(req *http.Request) (*http.Response, error) {
		<-req.Context().Done()
		return nil, context.Cause(req.Context())
	})
	errShutdown := errors.New("shutting down")
	for _, row := range []struct {
		name    string
		timeout time.Duration // the client's
		cause   error         // of the context, after 3 s; nil: its deadline
		base    roundTripper
		is      error
		want    string
	}{
		{
			"the client's timeout", 2 * s, nil, slow, context.DeadlineExceeded,
			`Get "http://a/": retry: 1 attempt in 2s: context deadline exceeded: no response`,
		},
		{
			"a deadline", 0, nil, slow, context.DeadlineExceeded,
			`Get "http://a/": retry: 1 attempt in 3s: context deadline exceeded: no response`,
		},
		{
			"a cause", 0, errShutdown, slow, errShutdown,
			`Get "http://a/": retry: 1 attempt in 3s: shutting down: no response`,
		},
		{"another error", 0, nil, func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, fmt.Errorf("dial: %w", req.Context().Err())
		}, context.DeadlineExceeded, `Get "http://a/": retry: 1 attempt in 3s: context deadline exceeded: dial: context deadline exceeded`},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 3*s)
				if row.cause != nil {
					var end context.CancelCauseFunc
					ctx, end = context.WithCancelCause(ctx)
					time.AfterFunc(3*s-1, func() { end(row.cause) })
				}
				defer cancel()
				client := &http.Client{Transport: retryhttp.NewTransport(row.base, backoff.Constant(s)), Timeout: row.timeout}
				_, err := client.Do(newRequest(t, "GET", "http://a/", nil).WithContext(ctx))
				// The client adds this if its own timer is the first, and keeps the text alone.
				got := strings.TrimSuffix(fmt.Sprint(err), " (Client.Timeout exceeded while awaiting headers)")
				if got != row.want {
					t.Errorf("got  %s\nwant %s", got, row.want)
				}
				if !errors.Is(err, row.is) {
					t.Errorf("errors.Is does not find %v in the error", row.is)
				}
				if stopped, ok := errors.AsType[*retry.Error](err); ok && !errors.Is(stopped.Last, row.is) || !ok && row.timeout == 0 {
					t.Errorf("errors.Is does not find %v in Last", row.is)
				}
			})
		})
	}
}

// A request without a body whose context has ended already is not sent.
func TestEndedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	base := &scripted{answers: []answer{{status: 200}}}
	resp, err := retryhttp.NewTransport(base, backoff.Constant(0)).RoundTrip(newRequest(t, "GET", "http://a/", nil).WithContext(ctx))
	if resp != nil || !errors.Is(err, context.Canceled) || len(base.times) != 0 {
		t.Errorf("got %v, %v after %d attempts, want an error after none", resp, err, len(base.times))
	}
}

// A failure that arrives as the context ends cannot be read, and a success is returned as
// without retries.
func TestEndsWithResponse(t *testing.T) {
	for status, fails := range map[int]bool{503: true, 200: false, 404: false} {
		ctx, cancel := context.WithCancel(t.Context())
		answer := newBody("busy")
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			cancel()
			return &http.Response{StatusCode: status, Body: answer}, nil
		})
		resp, err := retryhttp.NewTransport(base, backoff.Constant(0)).RoundTrip(newRequest(t, "GET", "http://a/", nil).WithContext(ctx))
		if (resp == nil) != fails || errors.Is(err, context.Canceled) != fails || answer.closed != fails {
			t.Errorf("status %d: got %v, %v, body closed %v; want an error and a closed body: %v", status, resp, err, answer.closed, fails)
		}
	}
}

func TestGetBodyFails(t *testing.T) {
	errDisk := errors.New("disk")
	for _, first := range []answer{{status: 503}, {err: errRefused}} {
		base := &scripted{answers: []answer{first}}
		req := newRequest(t, "PUT", "http://a/", strings.NewReader("text"))
		req.GetBody = func() (io.ReadCloser, error) { return nil, errDisk }
		resp, err := retryhttp.NewTransport(base, backoff.Constant(time.Hour)).RoundTrip(req)
		want := "retry: 1 attempt in 0s: retryhttp: GetBody: disk: connection refused"
		if first.err == nil {
			if err != nil || resp.StatusCode != 503 || base.bodies[0].closed {
				t.Fatalf("got %v, %v, want the response", resp, err)
			}
			err = retryhttp.Stopped(resp)
			want = "retry: 1 attempt in 0s: retryhttp: GetBody: disk: server answered 503 Service Unavailable"
		}
		if !errors.Is(err, errDisk) || inNoTime(err) != want || len(base.times) != 1 {
			t.Errorf("got %v after %d attempts, want %s after 1", err, len(base.times), want)
		}
	}
}

// inNoTime returns the text of a *retry.Error with its elapsed time set to 0.
func inNoTime(err error) string {
	if stopped, ok := errors.AsType[*retry.Error](err); ok {
		stopped.Elapsed = 0
	}
	return err.Error()
}

// A body that was made for a retry is closed even if the retry does not happen.
func TestBodiesAreClosed(t *testing.T) {
	for _, option := range []retry.Option{retry.KeepErrors(1), retry.MaxElapsed(time.Nanosecond)} {
		var made []*body
		base := &scripted{answers: []answer{{status: 503}}}
		req := newRequest(t, "PUT", "http://a/", strings.NewReader("text"))
		req.GetBody = func() (io.ReadCloser, error) {
			made = append(made, newBody("text"))
			return made[len(made)-1], nil
		}
		resp, err := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(time.Millisecond), 2), option).RoundTrip(req)
		if err != nil || resp.StatusCode != 503 || len(made) == 0 {
			t.Fatalf("got %v, %v with %d bodies, want the last response", resp, err, len(made))
		}
		for i, b := range made {
			if !b.closed {
				t.Errorf("body %d of %d is open", i, len(made))
			}
		}
	}
}

// Failures that a retry cannot cure are not retried.
func TestHopeless(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*http.Request)
		sent   int
	}{
		{"nothing", func(*http.Request) {}, 3},
		{"any text", func(r *http.Request) { r.Header.Set("X", "grün\tblau ~") }, 3},
		{"a strange name", func(r *http.Request) { r.Header["!#$%&'*+-.^_`|~09aZ"] = []string{""} }, 3},
		{"no host", func(r *http.Request) { r.URL.Host = "" }, 1},
		{"a line in a value", func(r *http.Request) { r.Header["X"] = []string{"a", "b\r\nc"} }, 1},
		{"a name of two words", func(r *http.Request) { r.Header["two words"] = []string{"a"} }, 1},
		{"no name", func(r *http.Request) { r.Header[""] = []string{"a"} }, 1},
		{"a trailer", func(r *http.Request) { r.Trailer = http.Header{"X": {"\x7f"}} }, 1},
		{"a method", func(r *http.Request) {
			r.Method = "PO ST"
			r.Header.Set("Idempotency-Key", "1")
		}, 1},
	} {
		base := &scripted{answers: []answer{{err: errRefused}}}
		req := newRequest(t, "GET", "http://a/", nil)
		row.change(req)
		_, err := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 2)).RoundTrip(req)
		if !errors.Is(err, errRefused) || len(base.times) != row.sent {
			t.Errorf("%s: sent %d times, with %v; want %d", row.name, len(base.times), err, row.sent)
		}
		// A base that sends the request all the same, and an answer to it.
		base = &scripted{answers: []answer{{status: 503}}}
		retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 2)).RoundTrip(req)
		if len(base.times) != 3 {
			t.Errorf("%s: sent %d times in spite of an answer, want 3", row.name, len(base.times))
		}
	}
}

// Exactly the characters of a token may be in a method and in the name of a header: RFC
// 9110, section 5.6.2.
func TestTokens(t *testing.T) {
	const tokens = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sent := func(change func(*http.Request)) bool {
		base := &scripted{answers: []answer{{err: errRefused}}}
		req := newRequest(t, "GET", "http://a/", nil)
		change(req)
		retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 1), retryhttp.AnyMethod()).RoundTrip(req)
		return len(base.times) == 2
	}
	for r := range rune(0x180) {
		text := "A" + string(r)
		want := strings.ContainsRune(tokens, r)
		if got := sent(func(req *http.Request) { req.Method = text }); got != want {
			t.Errorf("method %q: retried is %v, want %v", text, got, want)
		}
		if got := sent(func(req *http.Request) { req.Header = http.Header{text: {""}} }); got != want {
			t.Errorf("header %q: retried is %v, want %v", text, got, want)
		}
	}
}

// A base that breaks its contract and changes requests does not change the caller's in a
// retry. The transport itself never changes it.
func TestRequestUnchanged(t *testing.T) {
	req := newRequest(t, "PUT", "http://a/b?c", strings.NewReader("text"))
	req.Header.Set("X-A", "1")
	before, sent := req.Clone(t.Context()), req.Body
	calls := 0
	seen := map[*http.Request]bool{}
	base := roundTripper(func(got *http.Request) (*http.Response, error) {
		calls++
		if seen[got] {
			t.Error("a retry changes a request that the base may still use")
		}
		seen[got] = true
		got.Body.Close()
		if calls > 1 && got == req {
			t.Error("a retry sends the caller's request, whose body is used up")
		}
		return nil, errRefused
	})
	retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 2), retry.AttemptTimeout(time.Hour)).RoundTrip(req)
	if calls != 3 || req.Body != sent || req.Method != before.Method || req.URL.String() != before.URL.String() ||
		!cmp.Equal(req.Header, before.Header) || req.ContentLength != before.ContentLength {
		t.Errorf("after %d calls the request is %v, want %v", calls, req, before)
	}
}

func TestBadArguments(t *testing.T) {
	for _, row := range []struct {
		want string
		f    func()
	}{
		{"retryhttp: NewTransport: delays is nil, want a schedule", func() { retryhttp.NewTransport(nil, nil) }},
		{"retryhttp: Statuses: code is 199, want a status in [200, 999]", func() { retryhttp.Statuses(503, 199) }},
		{"retryhttp: Statuses: code is 1000, want a status in [200, 999]", func() { retryhttp.Statuses(1000) }},
		{"retryhttp: Repeatable: f is nil, want a function", func() { retryhttp.Repeatable(nil) }},
		{`retryhttp: WithAttemptHeader: name is "", want the name of a header`, func() { retryhttp.WithAttemptHeader("") }},
		{`retryhttp: WithAttemptHeader: name is "two words", want the name of a header`, func() { retryhttp.WithAttemptHeader("two words") }},
		{`retryhttp: WithAttemptHeader: name is "te", want a header that reaches the server unchanged`, func() { retryhttp.WithAttemptHeader("te") }},
	} {
		func() {
			defer func() {
				if got := recover(); got != row.want {
					t.Errorf("panic is %v, want %s", got, row.want)
				}
			}()
			row.f()
		}()
	}
	base := roundTripper(func(*http.Request) (*http.Response, error) { return nil, nil })
	if _, err := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 1)).RoundTrip(newRequest(t, "GET", "http://a/", nil)); err == nil {
		t.Error("a base that returns nothing at all gives no error")
	}
}

// A response keeps the request that its base says it belongs to, and its context.
func TestStoppedKeepsRequest(t *testing.T) {
	type key struct{}
	other := newRequest(t, "GET", "http://other/", nil)
	other = other.WithContext(context.WithValue(other.Context(), key{}, 1))
	base := roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 503, Body: http.NoBody, Request: other}, nil
	})
	resp, err := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 1)).RoundTrip(newRequest(t, "GET", "http://a/", nil))
	if err != nil {
		t.Fatal(err)
	}
	if retryhttp.Stopped(resp) == nil || resp.Request.URL.Host != "other" || resp.Request.Context().Value(key{}) != 1 {
		t.Errorf("Stopped is %v, Request %v, want an error and the base's request", retryhttp.Stopped(resp), resp.Request)
	}
}

// A base that does not say which request a response belongs to.
func TestStoppedWithoutRequest(t *testing.T) {
	base := roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 503, Body: http.NoBody}, nil
	})
	resp, err := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 1)).RoundTrip(newRequest(t, "GET", "http://a/b", nil))
	if err != nil {
		t.Fatal(err)
	}
	if retryhttp.Stopped(resp) == nil || resp.Request.URL.Path != "/b" {
		t.Errorf("Stopped is %v of %v, want an error of the request", retryhttp.Stopped(resp), resp.Request)
	}
}

// A response belongs to the caller's request, whose context outlasts the body.
func TestRequestOfResponse(t *testing.T) {
	base := roundTripper(func(req *http.Request) (*http.Response, error) {
		req.Context().Done() // as net/http asks
		return &http.Response{StatusCode: 200, Body: newBody(""), Request: req}, nil
	})
	req := newRequest(t, "GET", "http://a/", nil)
	resp, err := retryhttp.NewTransport(base, backoff.Constant(0)).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.Request != req {
		t.Errorf("the response belongs to %v, want the caller's request", resp.Request)
	}
}

// A nil base is http.DefaultTransport.
func TestDefaultTransport(t *testing.T) {
	before := http.DefaultTransport
	defer func() { http.DefaultTransport = before }()
	base := &scripted{answers: []answer{{status: 503}, {status: 200}}}
	http.DefaultTransport = base
	resp, err := retryhttp.NewTransport(nil, backoff.Constant(0)).RoundTrip(newRequest(t, "GET", "http://a/", nil))
	if err != nil || resp.StatusCode != 200 || len(base.times) != 2 {
		t.Errorf("got %v, %v after %d attempts, want 200 after 2", resp, err, len(base.times))
	}
}

// A request without a URL goes to the base, which refuses it.
func TestNoURL(t *testing.T) {
	if _, err := retryhttp.NewTransport(&http.Transport{}, backoff.Constant(0)).RoundTrip(&http.Request{}); err == nil {
		t.Error("there is no error")
	}
}

// A response without a body, as mocks have, is as good as one with an empty body.
func TestNilBody(t *testing.T) {
	for name, opts := range limited {
		for _, status := range []int{200, 503} {
			sent := 0
			base := roundTripper(func(req *http.Request) (*http.Response, error) {
				sent++
				req.Context().Done() // as net/http asks
				if sent == 1 {
					return &http.Response{StatusCode: 503}, nil
				}
				return &http.Response{StatusCode: status}, nil
			})
			client := &http.Client{Transport: retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 2), opts...)}
			resp, err := client.Get("http://a/")
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(resp.Body); len(text) > 0 || err != nil || resp.StatusCode != status {
				t.Errorf("%s: got %d, %q, %v, want %d without a text", name, resp.StatusCode, text, err, status)
			}
			resp.Body.Close()
		}
	}
}

// The same as the context, or the timeout of an attempt, ends with the response.
func TestNilBodyTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*s)
		defer cancel()
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			time.Sleep(3 * s)
			return &http.Response{StatusCode: 503}, nil
		})
		req := newRequest(t, "GET", "http://a/", nil).WithContext(ctx)
		resp, err := retryhttp.NewTransport(base, backoff.Constant(0), retry.AttemptTimeout(2*s)).RoundTrip(req)
		if resp != nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, %v, want the end of the context", resp, err)
		}
	})
}

// The text of a status is the server's own, or the usual one if the base gives none.
func TestStatusText(t *testing.T) {
	for own, want := range map[string]string{
		"503 Tea Break": "server answered 503 Tea Break",
		"":              "server answered 503 Service Unavailable",
	} {
		base := roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 503, Status: own, Body: http.NoBody}, nil
		})
		resp, err := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 0)).RoundTrip(newRequest(t, "GET", "http://a/", nil))
		if err != nil {
			t.Fatal(err)
		}
		if status, ok := errors.AsType[*retryhttp.StatusError](retryhttp.Stopped(resp)); !ok || status.Error() != want {
			t.Errorf("status %q: the error is %v, want %s", own, status, want)
		}
	}
}

func TestStoppedOfOthers(t *testing.T) {
	for _, resp := range []*http.Response{nil, {}, {Request: newRequest(t, "GET", "http://a/", nil)}} {
		if err := retryhttp.Stopped(resp); err != nil {
			t.Errorf("Stopped is %v, want nil", err)
		}
	}
}

// The forms of Retry-After. After a date the retry comes within a second.
func TestRetryAfter(t *testing.T) {
	const never = time.Duration(0)
	for _, row := range []struct {
		after string
		date  string        // of the response
		want  time.Duration // at least, and for a date less than a second more
	}{
		{after: "0", want: 0},
		{after: "3", want: 3 * s},
		{after: " 3\t", want: 3 * s},
		{after: "0003", want: 3 * s},
		{after: "31536000", want: 365 * 24 * time.Hour},
		{after: "9223372036", want: 9223372036 * s},
		{after: "9223372037", want: math.MaxInt64},
		{after: "10000000000", want: math.MaxInt64},
		{after: "18446744073709551617", want: math.MaxInt64}, // 2⁶⁴+1
		{after: strings.Repeat("9", 1000), want: math.MaxInt64},
		{after: "", want: never},
		{after: "-1", want: never},
		{after: "+1", want: never},
		{after: "1.5", want: never},
		{after: "3s", want: never},
		{after: "soon", want: never},
		{after: "٣", want: never}, // a digit, and not of ASCII
		// The bubble's clock begins at 2000-01-01 00:00:00 UTC, a Saturday.
		{after: "Sat, 01 Jan 2000 00:00:30 GMT", want: 30 * s},
		{after: "Saturday, 01-Jan-00 00:00:30 GMT", want: 30 * s},
		{after: "Sat Jan  1 00:00:30 2000", want: 30 * s},
		{after: "Sat, 01 Jan 2000 00:00:00 GMT", want: never},
		{after: "Fri, 31 Dec 1999 23:59:59 GMT", want: never},
		{after: "Mon, 01 Jan 0001 00:00:00 GMT", want: never},
		{after: "Fri, 31 Dec 9999 23:59:59 GMT", want: math.MaxInt64},
		{after: "Sat, 01 Jan 2000 00:00:30 UTC", want: never}, // not a date of HTTP
		// By the server's clock, if there is a Date: here it is an hour ahead.
		{after: "Sat, 01 Jan 2000 01:00:30 GMT", date: "Sat, 01 Jan 2000 01:00:00 GMT", want: 30 * s},
		{after: "Sat, 01 Jan 2000 00:00:30 GMT", date: "Sat, 01 Jan 2000 01:00:00 GMT", want: never},
		{after: "Sat, 01 Jan 2000 00:00:30 GMT", date: "now", want: 30 * s},
		{after: "7", date: "Sat, 01 Jan 2000 01:00:00 GMT", want: 7 * s},
	} {
		synctest.Test(t, func(t *testing.T) {
			header := http.Header{"Retry-After": {row.after}}
			if row.date != "" {
				header.Set("Date", row.date)
			}
			var asked, waited time.Duration
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			tr := retryhttp.NewTransport(&scripted{answers: []answer{{status: 503, header: header}}}, backoff.Constant(0),
				retry.MaxAfter(backoff.NoLimit),
				retry.OnRetry(func(e retry.Event) {
					status, _ := errors.AsType[*retryhttp.StatusError](e.Err)
					asked, waited = status.After, e.Delay
					cancel()
				}))
			tr.RoundTrip(newRequest(t, "GET", "http://a/", nil).WithContext(ctx))
			most := row.want
			if strings.Contains(row.after, ":") && row.want > 0 {
				most = row.want + min(s-1, backoff.NoLimit-row.want)
			}
			if asked < row.want || asked > most || waited != asked {
				t.Errorf("Retry-After %.40q at Date %q asks for %v and is waited for %v, want %v to %v", row.after, row.date, asked, waited, row.want, most)
			}
		})
	}
}

// Clients that a date sends to one second do not arrive together.
func TestDatesSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		header := http.Header{"Retry-After": {"Sat, 01 Jan 2000 00:00:30 GMT"}}
		seen := map[time.Duration]bool{}
		const clients = 100
		for range clients {
			base := &scripted{answers: []answer{{status: 503, header: header}}}
			resp, err := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 0)).RoundTrip(newRequest(t, "GET", "http://a/", nil))
			if err != nil {
				t.Fatal(err)
			}
			status, _ := errors.AsType[*retryhttp.StatusError](retryhttp.Stopped(resp))
			seen[status.After] = true
		}
		// Of 100 draws from 10⁹ values two are alike once in 200,000 runs, three
		// pairs less than once in 10¹⁶.
		if len(seen) < clients-2 {
			t.Errorf("%d clients wait for %d different delays", clients, len(seen))
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, text := range []string{"", "0", "120", "10000000000", "Sat, 01 Jan 2000 00:00:30 GMT", "Saturday, 01-Jan-00 00:00:30 GMT", "Sat Jan  1 00:00:30 2000", "-5", "1e9"} {
		f.Add(text, "Sat, 01 Jan 2000 00:00:00 GMT")
	}
	f.Fuzz(func(t *testing.T, after, date string) {
		base := &scripted{answers: []answer{{status: 429, header: http.Header{"Retry-After": {after}, "Date": {date}}}}}
		resp, err := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 0)).RoundTrip(newRequest(t, "GET", "http://a/", nil))
		if err != nil {
			t.Fatal(err)
		}
		status, ok := errors.AsType[*retryhttp.StatusError](retryhttp.Stopped(resp))
		if !ok || status.After < 0 {
			t.Fatalf("Retry-After %q at %q asks for %v", after, date, status)
		}
		if text := strings.TrimSpace(after); status.After > 0 && strings.Trim(text, "0123456789") != "" {
			if _, err := http.ParseTime(text); err != nil {
				t.Fatalf("Retry-After %q, which is no number and no date, asks for %v", after, status.After)
			}
		}
	})
}

// The zero Option sets nothing.
func TestZeroOption(t *testing.T) {
	calls := 0
	base := roundTripper(func(*http.Request) (*http.Response, error) {
		calls++
		return nil, errRefused
	})
	delays := backoff.Take(backoff.Constant(0), 2)
	retryhttp.NewTransport(base, delays, retry.Option{}).RoundTrip(newRequest(t, "GET", "http://a/", nil))
	if calls != 3 {
		t.Errorf("%d calls, want 3", calls)
	}
}
