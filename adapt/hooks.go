package adapt

import (
	"iter"
	"time"
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
