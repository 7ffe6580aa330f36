package retryhttp_test

import (
	"net/http"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

// The cost of the transport for a request that costs nothing itself. The base asks when the
// context is done only where the name says so; that of net/http always does.
func BenchmarkRoundTrip(b *testing.B) {
	answer := &http.Response{StatusCode: 200, Body: http.NoBody}
	busy := &http.Response{StatusCode: 503, Body: http.NoBody}
	for _, bench := range []struct {
		name    string
		retries int
		asks    bool
		opts    []retry.Option
	}{
		{name: "success"},
		{name: "success/asks", asks: true},
		{name: "success/AttemptTimeout", opts: []retry.Option{retry.AttemptTimeout(time.Minute)}},
		{name: "retries=1", retries: 1},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			left := bench.retries
			base := roundTripper(func(req *http.Request) (*http.Response, error) {
				if bench.asks {
					req.Context().Done()
				}
				answer.Body = http.NoBody
				if left > 0 {
					left--
					return busy, nil
				}
				left = bench.retries
				return answer, nil
			})
			tr := retryhttp.NewTransport(base, backoff.Constant(0), bench.opts...)
			req := newRequest(b, "GET", "http://a/", nil)
			for b.Loop() {
				resp, err := tr.RoundTrip(req)
				if err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
			}
		})
	}
}
