package adapt_test

import (
	"fmt"
	"net/http"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// As go-retryablehttp calls it. The server can ask for a longer delay, and not for more
// than a minute.
func ExampleHTTPBackoff() {
	delays := adapt.HTTPBackoff(backoff.Exponential(time.Second, 2), time.Minute, func(r *http.Response) http.Header {
		return r.Header
	})
	// client.Backoff = delays

	busy := func(after string) *http.Response {
		return &http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {after}}}
	}
	fmt.Println(delays(0, 0, 0, nil)) // connection refused
	fmt.Println(delays(0, 0, 1, busy("0")))
	fmt.Println(delays(0, 0, 2, busy("30")))
	fmt.Println(delays(0, 0, 3, busy("10000000000")))
	// Output:
	// 1s
	// 2s
	// 30s
	// 1m0s
}
