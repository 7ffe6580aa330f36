package retryhttp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

// retried returns the statuses that are retried under these options, of all that a server
// can end a request with.
func retried(t *testing.T, opts ...retry.Option) []int {
	t.Helper()
	var codes []int
	for status := 100; status <= 1000; status++ {
		base := &scripted{answers: []answer{{status: status}, {status: 204}}}
		tr := retryhttp.NewTransport(base, backoff.Constant(0), opts...)
		resp, err := tr.RoundTrip(newRequest(t, "GET", "http://a/", nil))
		if err != nil {
			t.Fatalf("status %d: %v", status, err)
		}
		switch len(base.times) {
		case 1:
			if resp.StatusCode != status || base.bodies[0].closed {
				t.Errorf("status %d came back as %d, or closed", status, resp.StatusCode)
			}
		case 2:
			codes = append(codes, status)
		}
		if err := retryhttp.Stopped(resp); err != nil && (resp.StatusCode == 204 || status == 404) {
			t.Errorf("status %d: Stopped is %v, want nil", status, err)
		}
	}
	return codes
}

// from returns the statuses from lo to hi.
func from(lo, hi int) (codes []int) {
	for code := lo; code <= hi; code++ {
		codes = append(codes, code)
	}
	return codes
}

// Exactly these statuses are retried.
func TestStatuses(t *testing.T) {
	server := slices.Concat([]int{408, 425, 429}, from(500, 599))
	if400 := retry.If(func(err error) bool {
		status, ok := errors.AsType[*retryhttp.StatusError](err)
		return ok && status.StatusCode%2 == 0
	})
	even := slices.DeleteFunc(from(400, 1000), func(code int) bool { return code%2 == 1 })
	for _, row := range []struct {
		name string
		opts []retry.Option
		want []int
	}{
		{"no option", nil, []int{408, 425, 429, 500, 502, 503, 504}},
		{"Statuses", []retry.Option{retryhttp.Statuses(409, 501, 520)}, []int{408, 409, 425, 429, 500, 501, 502, 503, 504, 520}},
		{"none", []retry.Option{retryhttp.Statuses()}, []int{408, 425, 429, 500, 502, 503, 504}},
		{"both ends", []retry.Option{retryhttp.Statuses(200), retryhttp.Statuses(999)}, []int{200, 408, 425, 429, 500, 502, 503, 504, 999}},
		{"ServerErrors", []retry.Option{retryhttp.ServerErrors()}, server},
		{"they add up", []retry.Option{retryhttp.ServerErrors(), retryhttp.Statuses(418)}, slices.Concat([]int{408, 418, 425, 429}, from(500, 599))},
		{"If decides about 400 and above", []retry.Option{if400}, even},
		{"and about Statuses", []retry.Option{if400, retryhttp.Statuses(201, 202, 401)}, append([]int{202}, even...)},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, retried(t, row.opts...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Statuses does not see later changes of its argument.
func TestStatusesCopies(t *testing.T) {
	codes := []int{409}
	option := retryhttp.Statuses(codes...)
	codes[0] = 418
	if got := retried(t, option); !slices.Contains(got, 409) || slices.Contains(got, 418) {
		t.Errorf("retried are %v, want 409 among them and not 418", got)
	}
}

// If is called for what would be refused without it, and decides what follows.
func TestIfDecides(t *testing.T) {
	for _, row := range []struct {
		name    string
		change  func(*http.Request)
		answer  answer
		accepts bool
		asked   string // what the function gets first; empty: it is not called
		sent    int
		stopped string // what Stopped says of the response
	}{
		{name: "a hopeless request", change: func(r *http.Request) { r.URL.Host = "" }, answer: answer{err: errRefused}, accepts: true, asked: "connection refused", sent: 3},
		{name: "and refused", change: func(r *http.Request) { r.URL.Host = "" }, answer: answer{err: errRefused}, asked: "connection refused", sent: 1},
		{name: "404", answer: answer{status: 404}, accepts: true, asked: "server answered 404 Not Found", sent: 3, stopped: "retry: 3 attempts in 0s: attempts exhausted: server answered 404 Not Found"},
		{name: "404, refused", answer: answer{status: 404}, asked: "server answered 404 Not Found", sent: 1},
		{name: "503, refused", answer: answer{status: 503}, asked: "server answered 503 Service Unavailable", sent: 1, stopped: "server answered 503 Service Unavailable"},
		{name: "399", answer: answer{status: 399}, accepts: true, sent: 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			var asked []string
			base := &scripted{answers: []answer{row.answer}}
			req := newRequest(t, "GET", "http://a/", nil)
			if row.change != nil {
				row.change(req)
			}
			tr := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 2), retry.If(func(err error) bool {
				asked = append(asked, err.Error())
				return row.accepts
			}))
			resp, err := tr.RoundTrip(req)
			if len(base.times) != row.sent || !errors.Is(err, row.answer.err) {
				t.Errorf("sent %d times, with %v; want %d, %v", len(base.times), err, row.sent, row.answer.err)
			}
			if got := fmt.Sprint(append(asked, "")[0]); got != row.asked || row.asked != "" && len(asked) != row.sent {
				t.Errorf("asked for %q, want each of %d attempts, first with %q", asked, row.sent, row.asked)
			}
			if resp == nil {
				return
			}
			stopped := ""
			if err := retryhttp.Stopped(resp); err != nil {
				stopped = inNoTime(err)
			}
			if stopped != row.stopped {
				t.Errorf("Stopped is %q, want %q", stopped, row.stopped)
			}
		})
	}
}

// With If a refused status costs a budget nothing, and without it a status that is no
// failure is a success.
func TestSuccessOfStatus(t *testing.T) {
	for name, row := range map[string]struct {
		opts []retry.Option
		want string
	}{
		"without If": {nil, "success"},
		"with If":    {[]retry.Option{retry.If(func(error) bool { return false })}, "permanent"},
	} {
		got := ""
		observe := retry.Observe(func(ctx context.Context, _ retry.Attempt) (context.Context, func(retry.Outcome)) {
			return nil, func(o retry.Outcome) { got += o.Result() }
		})
		tr := retryhttp.NewTransport(&scripted{answers: []answer{{status: 404}}}, backoff.Take(backoff.Constant(0), 2), append(row.opts, observe)...)
		if _, err := tr.RoundTrip(newRequest(t, "GET", "http://a/", nil)); err != nil || got != row.want {
			t.Errorf("%s: the outcome of 404 is %s, %v, want %s", name, got, err, row.want)
		}
	}
}

// The caller decides which requests may be sent twice.
func TestRepeatable(t *testing.T) {
	searches := retryhttp.Repeatable(func(req *http.Request) bool { return retryhttp.Idempotent(req) || req.URL.Path == "/search" })
	never := retryhttp.Repeatable(func(*http.Request) bool { return false })
	for _, row := range []struct {
		name        string
		opt         retry.Option
		method, url string
		once        bool // its body is
		sent        int
	}{
		{"AnyMethod", retryhttp.AnyMethod(), "POST", "http://a/", false, 2},
		{"AnyMethod", retryhttp.AnyMethod(), "CONNECT", "http://a/", false, 2},
		{"AnyMethod", retryhttp.AnyMethod(), "POST", "http://a/", true, 1},
		{"AnyMethod", retryhttp.AnyMethod(), "POST", "ftp://a/", false, 1},
		{"searches", searches, "POST", "http://a/search", false, 2},
		{"searches", searches, "POST", "http://a/pay", false, 1},
		{"searches", searches, "GET", "http://a/", false, 2},
		{"never", never, "GET", "http://a/", false, 1},
	} {
		base := &scripted{answers: []answer{{status: 503}, {status: 200}}}
		var body io.Reader = strings.NewReader("text")
		if row.once {
			body = io.MultiReader(body)
		}
		retryhttp.NewTransport(base, backoff.Constant(0), row.opt).RoundTrip(newRequest(t, row.method, row.url, body))
		if len(base.times) != row.sent {
			t.Errorf("%s: %s %s, body once %v: sent %d times, want %d", row.name, row.method, row.url, row.once, len(base.times), row.sent)
		}
	}
}

// The server learns which attempt a request is, and the caller's header stays as it was.
func TestAttemptHeader(t *testing.T) {
	for _, row := range []struct {
		name   string
		method string
		header http.Header
		want   []string
	}{
		{"none before", "GET", http.Header{"X-A": {"1"}}, []string{"1", "2", "3"}},
		{"replaced", "GET", http.Header{"X-Attempt": {"7", "8"}}, []string{"1", "2", "3"}},
		{"nil", "GET", nil, []string{"1", "2", "3"}},
		{"replaced, in other cases", "GET", http.Header{"x-attempt": {"7"}, "X-ATTEMPT": {"8"}, "X-Attempt": {"9"}}, []string{"1", "2", "3"}},
		{"similar names stay", "GET", http.Header{"x-attempts": {"7"}}, []string{"1 7", "2 7", "3 7"}},
		{"sent once", "POST", http.Header{}, []string{""}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got []string
			base := roundTripper(func(req *http.Request) (*http.Response, error) {
				var numbers []string
				for _, name := range slices.Sorted(maps.Keys(req.Header)) {
					if strings.HasPrefix(strings.ToLower(name), "x-attempt") {
						numbers = append(numbers, req.Header[name]...)
					}
				}
				got = append(got, strings.Join(numbers, " "))
				if req.Header.Get("X-A") != row.header.Get("X-A") {
					t.Errorf("the header is %v, want that of the request in it", req.Header)
				}
				return nil, errRefused
			})
			req := newRequest(t, row.method, "http://a/", nil)
			req.Header = row.header.Clone()
			retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 2), retryhttp.WithAttemptHeader("x-attempt")).RoundTrip(req)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(row.header, req.Header); diff != "" {
				t.Errorf("the caller's header has changed (-before +after):\n%s", diff)
			}
		})
	}
}

// A name is refused exactly if the header would not reach the server, by HTTP/1 or HTTP/2.
func TestAttemptHeaderArrives(t *testing.T) {
	accepted := func(name string) (ok bool) {
		defer func() { ok = recover() == nil }()
		retryhttp.WithAttemptHeader(name)
		return
	}
	for _, row := range []struct {
		name string
		want bool
	}{
		{"Connection", false},
		{"Content-Length", false},
		{"Host", false},
		{"Keep-Alive", false},
		{"Proxy-Connection", false},
		{"Trailer", false},
		{"Transfer-Encoding", false},
		{"Upgrade", false},
		{"Cookie", true},
		{"User-Agent", true},
		{"X-Attempt", true},
	} {
		arrives := true
		for _, http2 := range []bool{false, true} {
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				io.WriteString(w, req.Header.Get(row.name))
			}))
			server.Config.ErrorLog = quiet
			server.EnableHTTP2 = http2
			server.StartTLS()
			req := newRequest(t, "GET", server.URL, nil)
			req.Header.Set(row.name, "1")
			client := server.Client()
			client.Timeout = time.Minute
			resp, err := client.Do(req)
			if err == nil {
				var text []byte
				text, err = io.ReadAll(resp.Body)
				resp.Body.Close()
				arrives = arrives && string(text) == "1"
			}
			arrives = arrives && err == nil
			server.Close()
		}
		if arrives != row.want {
			t.Errorf("%s arrives: %v, want %v", row.name, arrives, row.want)
		}
		for _, name := range []string{row.name, strings.ToLower(row.name)} {
			if got := accepted(name); got != row.want {
				t.Errorf("WithAttemptHeader(%q) is accepted: %v, want %v", name, got, row.want)
			}
		}
	}
}

// A transport says once that it does not retry a request because of its method or the
// caller's function, and once because of its body.
func TestWarnsOnce(t *testing.T) {
	const method = `level=WARN msg="attempt failed, not retrying" reason="request may not be sent twice, by its method" method=POST host=a err=`
	const function = `level=WARN msg="attempt failed, not retrying" reason="request may not be sent twice, by the function of Repeatable" method=POST host=a err=`
	const body = `level=WARN msg="attempt failed, not retrying" reason="request has a body and no GetBody to send it again" method=PUT host=a err=`
	never := retryhttp.Repeatable(func(*http.Request) bool { return false })
	accept := retry.If(func(error) bool { return true })
	refuse := retry.If(func(error) bool { return false })
	noHost := func(r *http.Request) *http.Request {
		r.URL.Host = ""
		return r
	}
	for _, row := range []struct {
		name   string
		method string
		once   bool // its body is
		answer answer
		change func(*http.Request) *http.Request
		opts   []retry.Option
		want   string
	}{
		{name: "an error", method: "POST", answer: answer{err: errRefused}, want: method + `"connection refused"`},
		{name: "a status", method: "POST", answer: answer{status: 503}, want: method + `"server answered 503 Service Unavailable"`},
		{name: "a body", method: "PUT", once: true, answer: answer{status: 503}, want: body + `"server answered 503 Service Unavailable"`},
		{name: "a status of an option", method: "POST", answer: answer{status: 409}, opts: []retry.Option{retryhttp.Statuses(409)}, want: method + `"server answered 409 Conflict"`},
		{name: "a status, by Repeatable", method: "POST", answer: answer{status: 503}, opts: []retry.Option{never}, want: function + `"server answered 503 Service Unavailable"`},
		{name: "a status that If accepts", method: "POST", answer: answer{status: 404}, opts: []retry.Option{accept}, want: method + `"server answered 404 Not Found"`},
		{name: "an error that If accepts, though no retry cures it", method: "POST", answer: answer{err: errRefused}, change: noHost, opts: []retry.Option{accept}, want: `level=WARN msg="attempt failed, not retrying" reason="request may not be sent twice, by its method" method=POST host="" err="connection refused"`},
		{name: "a status that If refuses", method: "POST", answer: answer{status: 503}, opts: []retry.Option{refuse}},
		{name: "an error that If refuses", method: "POST", answer: answer{err: errRefused}, opts: []retry.Option{refuse}},
		{name: "a status that If is not asked about", method: "POST", answer: answer{status: 399}, opts: []retry.Option{accept}},
		{name: "a permanent error", method: "POST", answer: answer{err: retry.Permanent(errRefused)}, opts: []retry.Option{accept}},
		{name: "a success", method: "POST", answer: answer{status: 200}},
		{name: "a status that is no failure", method: "POST", answer: answer{status: 404}},
		{name: "a failure that no retry cures", method: "POST", answer: answer{err: errRefused}, change: func(r *http.Request) *http.Request {
			r.Header["two words"] = []string{""}
			return r
		}},
		{name: "the caller has given up", method: "POST", answer: answer{err: errRefused}, change: func(r *http.Request) *http.Request {
			ctx, cancel := context.WithCancel(r.Context())
			cancel()
			return r.WithContext(ctx)
		}},
		{name: "a body that is not needed", method: "PUT", once: true, answer: answer{status: 200}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}}))
			base := &scripted{answers: []answer{row.answer}}
			tr := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 1), append(row.opts, retry.WithLogger(logger))...)
			silent := retryhttp.NewTransport(base, backoff.Take(backoff.Constant(0), 1), row.opts...)
			for range 3 {
				for _, tr := range []http.RoundTripper{tr, silent} {
					var body io.Reader = strings.NewReader("text")
					if row.once {
						body = io.MultiReader(body)
					}
					req := newRequest(t, row.method, "http://a/path?secret", body)
					if row.change != nil {
						req = row.change(req)
					}
					tr.RoundTrip(req)
				}
			}
			if diff := cmp.Diff(row.want, strings.TrimSpace(log.String())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// If is not called for a request that is sent once, unless there may be something to log.
func TestIfIsNotAskedInVain(t *testing.T) {
	for _, row := range []struct {
		name    string
		opts    []retry.Option
		accepts bool
		asked   int // in 3 requests
	}{
		{"no logger", nil, true, 0},
		{"logged", []retry.Option{retry.WithLogger(slog.New(slog.DiscardHandler))}, true, 1},
		{"nothing logged yet", []retry.Option{retry.WithLogger(slog.New(slog.DiscardHandler))}, false, 3},
	} {
		asked := 0
		tr := retryhttp.NewTransport(&scripted{answers: []answer{{status: 503}}}, backoff.Constant(0), append(row.opts, retry.If(func(error) bool {
			asked++
			return row.accepts
		}))...)
		for range 3 {
			tr.RoundTrip(newRequest(t, "POST", "http://a/", nil))
		}
		if asked != row.asked {
			t.Errorf("%s: asked %d times, want %d", row.name, asked, row.asked)
		}
	}
}

// Elsewhere the options of this package set nothing.
func TestOptionsElsewhere(t *testing.T) {
	attempts := 0
	err := retry.Do(t.Context(), backoff.Take(backoff.Constant(0), 2), func(context.Context) error {
		attempts++
		return errRefused
	}, retryhttp.Statuses(409), retryhttp.ServerErrors(), retryhttp.AnyMethod(), retryhttp.WithAttemptHeader("X-Attempt"))
	if attempts != 3 || !errors.Is(err, retry.ErrExhausted) {
		t.Errorf("%d attempts, %v, want 3 that are exhausted", attempts, err)
	}
}
