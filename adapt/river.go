package adapt

import (
	"iter"
	"time"
)

// A NextRetryFunc is a function that has the interface ClientRetryPolicy of River, if J
// is *rivertype.JobRow.
type NextRetryFunc[J any] func(job J) time.Time

// NextRetry returns f(job).
func (f NextRetryFunc[J]) NextRetry(job J) time.Time { return f(job) }

// NextRetry returns seq as River's RetryPolicy, or as the body of a worker's NextRetry.
// retries returns how many retries a job has had, which is 0 after its first attempt:
//
//	river.Config{RetryPolicy: adapt.NextRetry(seq, func(job *rivertype.JobRow) int {
//		return len(job.Errors)
//	})}
//
// River asks the worker first, and the RetryPolicy only if the worker returns the zero
// time. It decides itself when a job has failed for good (MaxAttempts), so after the end
// of seq the last delay is held.
//
// The time is the delay after the moment of the call, so it has not passed when River
// compares it with the moment of the failure, even if the delay is 0. River ignores a
// time that has passed and uses its own default policy instead. So do not count the
// delay from the start of an attempt, and do not truncate the time.
//
// It panics if seq or retries is nil.
func NextRetry[J any](seq iter.Seq[time.Duration], retries func(job J) int) NextRetryFunc[J] {
	delay := from("NextRetry", 0, seq)
	if retries == nil {
		reject("NextRetry", "retries", "nil", "a function")
	}
	return func(job J) time.Time {
		d := delay(retries(job))
		return time.Now().Add(d)
	}
}
