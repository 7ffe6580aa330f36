package adapt

import (
	"iter"
	"os"
	"time"

	"example.com/backoff/internal/retryafter"
)

// RetryDelay returns seq as asynq's Config.RetryDelayFunc, which counts retries from 0.
// T is the type of its task:
//
//	asynq.Config{RetryDelayFunc: adapt.RetryDelay[*asynq.Task](seq)}
//
// asynq keeps times in whole seconds, and looks for tasks that are due every
// DelayedTaskCheckInterval, 5 s unless set.
//
// It panics if seq is nil.
func RetryDelay[T any](seq iter.Seq[time.Duration]) func(n int, err error, task T) time.Duration {
	delay := from("RetryDelay", 0, seq)
	return func(n int, _ error, _ T) time.Duration { return delay(n) }
}

// A BackoffDelayFunc is a function that has the interface BackoffDelayer of the AWS SDK
// for Go v2.
type BackoffDelayFunc func(attempt int, err error) (time.Duration, error)

// BackoffDelay returns f(attempt, err).
func (f BackoffDelayFunc) BackoffDelay(attempt int, err error) (time.Duration, error) {
	return f(attempt, err)
}

// BackoffDelay returns seq as the AWS SDK's BackoffDelayer, such as the Backoff of
// retry.StandardOptions. The SDK decides itself how many attempts it makes, so after the
// end of seq the last delay is held.
//
// The SDK counts the first retry as 1, and as 0 if AWS_NEW_RETRIES_2026 is true.
// BackoffDelay reads that environment variable once, when it is called. Use
// [BackoffDelayFrom] for an SDK in which the new behaviour is the default.
//
// It panics if seq is nil.
func BackoffDelay(seq iter.Seq[time.Duration]) BackoffDelayFunc {
	checkSeq("BackoffDelay", seq)
	first := 1
	if os.Getenv("AWS_NEW_RETRIES_2026") == "true" {
		first = 0
	}
	return BackoffDelayFrom(first, seq)
}

// BackoffDelayFrom is [BackoffDelay] for an SDK that counts the first retry as first.
//
// It panics if seq is nil.
func BackoffDelayFrom(first int, seq iter.Seq[time.Duration]) BackoffDelayFunc {
	delay := from("BackoffDelayFrom", first, seq)
	return func(attempt int, _ error) (time.Duration, error) { return delay(attempt), nil }
}

// A NextRetryFunc is a function that has the interface ClientRetryPolicy of River, if J
// is *rivertype.JobRow.
type NextRetryFunc[J any] func(job J) time.Time

// NextRetry returns f(job).
func (f NextRetryFunc[J]) NextRetry(job J) time.Time { return f(job) }

// NextRetry returns seq as River's RetryPolicy, or as the body of a worker's NextRetry,
// which River asks first. retries returns how many retries a job has had:
//
//	river.Config{RetryPolicy: adapt.NextRetry(seq, func(job *rivertype.JobRow) int {
//		return len(job.Errors)
//	})}
//
// River decides itself when a job has failed for good (MaxAttempts), so after the end of
// seq the last delay is held.
//
// It panics if seq or retries is nil.
func NextRetry[J any](seq iter.Seq[time.Duration], retries func(job J) int) NextRetryFunc[J] {
	delay := from("NextRetry", 0, seq)
	if retries == nil {
		reject("NextRetry", "retries", "nil", "a function")
	}
	return func(job J) time.Time { return time.Now().Add(delay(retries(job))) }
}

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
// The response is a type parameter because package net/http would add 2.8 MB to each
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
