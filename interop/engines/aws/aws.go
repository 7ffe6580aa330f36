// Package aws runs a schedule as the Backoff of the AWS SDK for Go v2: its standard
// retryer and its middleware for attempts, with an HTTP client that answers itself.
//
// Version 1.47.7 counts the first retry as 1, and as 0 if AWS_NEW_RETRIES_2026 is "true".
// Then a response can also ask for a longer delay by X-Amz-Retry-After. The SDK makes 3
// attempts unless told otherwise, and ends early when its rate limiter has no tokens left,
// which all requests of a retryer share.
package aws

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// Measure sends one request that always fails, and returns the first n delays.
func Measure(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	var recorder kept.Recorder
	delays := adapt.BackoffDelay(seq)
	retryer := retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = n + 1
		o.RateLimiter = ratelimit.None
		o.Backoff = adapt.BackoffDelayFunc(func(attempt int, err error) (time.Duration, error) {
			d, err := delays(attempt, err)
			return recorder.Ask(d), err
		})
	})
	err := send(ctx, retryer, func(*http.Request) (*http.Response, error) {
		recorder.Attempt()
		return answer(http.StatusServiceUnavailable), nil
	})
	if exhausted := new(retry.MaxAttemptsError); !errors.As(err, &exhausted) {
		return nil, fmt.Errorf("the request ended with %w, want the error of %d attempts", err, n+1)
	}
	return recorder.Delays(), nil
}

// answer returns a response without a body.
func answer(status int) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody}
}

// send makes one call as a client of the SDK does: it builds a request, retries it, and
// makes an error of a bad status. The client answers instead of a network.
func send(ctx context.Context, retryer aws.Retryer, client smithyhttp.ClientDoFunc) error {
	stack := middleware.NewStack("Call", smithyhttp.NewStackRequest)
	address := middleware.SerializeMiddlewareFunc("Address", func(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (middleware.SerializeOutput, middleware.Metadata, error) {
		in.Request.(*smithyhttp.Request).URL = &url.URL{Scheme: "http", Host: "localhost"}
		return next.HandleSerialize(ctx, in)
	})
	status := middleware.DeserializeMiddlewareFunc("Status", func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
		out, metadata, err := next.HandleDeserialize(ctx, in)
		if resp, ok := out.RawResponse.(*smithyhttp.Response); ok && err == nil && resp.StatusCode >= 300 {
			err = &smithyhttp.ResponseError{Response: resp, Err: errors.New(resp.Status)}
		}
		return out, metadata, err
	})
	if err := errors.Join(
		stack.Serialize.Add(address, middleware.After),
		stack.Finalize.Add(retry.NewAttemptMiddleware(retryer, smithyhttp.RequestCloner), middleware.After),
		stack.Deserialize.Add(status, middleware.After),
	); err != nil {
		return err
	}
	handler := middleware.DecorateHandler(smithyhttp.NewClientHandlerWithOptions(client), stack)
	_, _, err := handler.Handle(ctx, nil)
	return err
}
