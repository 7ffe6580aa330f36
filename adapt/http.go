package adapt

import (
	"iter"
	"time"

	"example.com/backoff/internal/retryafter"
)

// HTTPBackoff returns seq as the Backoff of hashicorp/go-retryablehttp, which counts
// retries from 0. R is the type of the response, and header returns its header:
//
//	client.Backoff = adapt.HTTPBackoff(seq, time.Minute, func(r *http.Response) http.Header {
//		return r.Header
//	})
//
// A Retry-After header, in seconds or as a date, can make the delay longer, up to
// maxAfter, and never shorter. Retry-After may come with any status. RetryWaitMin and
// RetryWaitMax of the client have no effect.
//
// The response is a type parameter because package net/http would add about 3 MB to each
// program that imports this package and not net/http.
//
// It panics if seq or header is nil, or if maxAfter < 0.
func HTTPBackoff[R comparable, H ~map[string][]string](seq iter.Seq[time.Duration], maxAfter time.Duration, header func(response R) H) func(min, max time.Duration, retry int, response R) time.Duration {
	delay := from("HTTPBackoff", 0, seq)
	if maxAfter < 0 {
		reject("HTTPBackoff", "maxAfter", maxAfter, ">= 0")
	}
	if header == nil {
		reject("HTTPBackoff", "header", "nil", "a function")
	}
	return func(_, _ time.Duration, retry int, response R) time.Duration {
		d := delay(retry)
		var none R // after an error there is no response
		if response == none {
			return d
		}
		return max(d, min(retryafter.Parse(header(response), time.Now()), maxAfter))
	}
}
