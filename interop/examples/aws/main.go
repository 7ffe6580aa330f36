// Command aws gives a schedule to the retryer of the AWS SDK for Go v2. A client of the
// SDK takes the same retryer in aws.Config; here its middleware sends a request to a
// server on loopback that fails three times.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

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

	retryer := retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = 8 // 3 unless set
		o.Backoff = adapt.BackoffDelay(backoff.Exponential(100*time.Millisecond, 2))
	})
	attempt := retry.NewAttemptMiddleware(retryer, smithyhttp.RequestCloner)
	get := func(ctx context.Context, _ middleware.FinalizeInput) (out middleware.FinalizeOutput, _ middleware.Metadata, err error) {
		resp, err := http.Get(server.URL)
		if err != nil {
			return out, middleware.Metadata{}, err
		}
		resp.Body.Close()
		if resp.StatusCode >= 300 {
			err = &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: resp}, Err: errors.New(resp.Status)}
		}
		return out, middleware.Metadata{}, err
	}
	in := middleware.FinalizeInput{Request: smithyhttp.NewStackRequest()}
	if _, _, err := attempt.HandleFinalize(context.Background(), in, middleware.FinalizeHandlerFunc(get)); err != nil {
		log.Fatal(err)
	}
}
