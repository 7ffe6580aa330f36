package retryhttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

// BenchmarkRoundTrip sends the same requests by a base transport and by a retrying one
// above it. It reports what the retrying one adds to a request, and how many times the
// time of the base alone it takes. Most bases cost next to nothing, so only the ratio to
// that of net/http, against a server on loopback, says what a request costs.
//
// The two take turns within one run, because machines drift. The shortest time of each
// counts, because machines are shared.
func BenchmarkRoundTrip(b *testing.B) {
	const requests = 20
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	for _, bench := range []struct {
		name    string
		base    http.RoundTripper
		retries int
		opts    []retry.Option
	}{
		{name: "success", base: costless(0)},
		{name: "success/derives", base: deriving(costless(0))},
		{name: "success/AttemptTimeout", base: costless(0), opts: []retry.Option{retry.AttemptTimeout(time.Minute)}},
		{name: "retries=1", base: costless(1), retries: 1},
		{name: "success/net-http", base: http.DefaultTransport},
	} {
		b.Run(bench.name, func(b *testing.B) {
			req := newRequest(b, "GET", server.URL, nil)
			retrying := retryhttp.NewTransport(bench.base, backoff.Constant(0), bench.opts...)
			runs := []func(){
				func() {
					for range bench.retries + 1 {
						send(b, bench.base, req)
					}
				},
				func() { send(b, retrying, req) },
			}
			least := make([]time.Duration, len(runs))
			for b.Loop() {
				for i, run := range runs {
					start := time.Now()
					for range requests {
						run()
					}
					if took := time.Since(start); least[i] == 0 || took < least[i] {
						least[i] = took
					}
				}
			}
			b.ReportMetric(0, "ns/op") // of both, which says nothing
			b.ReportMetric(float64(least[1]-least[0])/requests, "added-ns/request")
			b.ReportMetric(testing.AllocsPerRun(200, runs[1])-testing.AllocsPerRun(200, runs[0]), "added-allocs/request")
			b.ReportMetric(float64(least[1])/float64(least[0]), "retrying/base")
		})
	}
}

// costless returns a transport that costs next to nothing. It answers 503 so often and
// then 200, again and again.
func costless(failures int) roundTripper {
	left := failures
	answer := &http.Response{StatusCode: http.StatusOK}
	busy := &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody}
	return func(*http.Request) (*http.Response, error) {
		if left > 0 {
			left--
			return busy, nil
		}
		left = failures
		answer.Body = http.NoBody
		return answer, nil
	}
}

// deriving returns a transport that derives a context from the request's, as that of
// net/http does.
func deriving(base http.RoundTripper) roundTripper {
	return func(req *http.Request) (*http.Response, error) {
		_, cancel := context.WithCancel(req.Context())
		defer cancel()
		return base.RoundTrip(req)
	}
}

// send sends req by rt and closes the response.
func send(tb testing.TB, rt http.RoundTripper, req *http.Request) {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		tb.Fatal(err)
	}
	resp.Body.Close()
}
