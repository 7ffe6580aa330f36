// Command retryablehttp gives a schedule to hashicorp/go-retryablehttp, with a server on
// loopback that fails three times. The server may ask for up to a minute by Retry-After.
package main

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func main() {
	attempts, start := 0, time.Now()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		attempts++
		fmt.Printf("attempt %d after %v\n", attempts, time.Since(start).Round(10*time.Millisecond))
		if attempts <= 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()

	client := retryablehttp.NewClient()
	client.Logger = nil
	client.Backoff = adapt.HTTPBackoff(backoff.Exponential(100*time.Millisecond, 2), time.Minute, func(r *http.Response) http.Header {
		return r.Header
	})
	resp, err := client.Get(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
}
