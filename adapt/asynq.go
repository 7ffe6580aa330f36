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
// asynq decides itself when a task has failed for good (MaxRetry), so after the end of
// seq the last delay is held.
//
// asynq cuts the time of a retry to a whole second, so that the retry can come up to a
// second early. If none may come early, add that second to each delay, with
// [backoff.Add] and [backoff.Constant]. asynq looks for tasks that are due every
// DelayedTaskCheckInterval, 5 s unless set, so a retry can come that much late.
//
// It panics if seq is nil.
func RetryDelay[T any](seq iter.Seq[time.Duration]) func(n int, err error, task T) time.Duration {
	delay := from("RetryDelay", 0, seq)
	return func(n int, _ error, _ T) time.Duration { return delay(n) }
}
