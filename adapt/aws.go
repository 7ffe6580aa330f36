package adapt

import (
	"iter"
	"os"
	"time"
)

// A BackoffDelayFunc is a function that has the interface BackoffDelayer of the AWS SDK
// for Go v2.
type BackoffDelayFunc func(attempt int, err error) (time.Duration, error)

// BackoffDelay returns f(attempt, err).
func (f BackoffDelayFunc) BackoffDelay(attempt int, err error) (time.Duration, error) {
	return f(attempt, err)
}

// BackoffDelay returns seq as the AWS SDK's BackoffDelayer, such as the Backoff of
// retry.StandardOptions:
//
//	retry.NewStandard(func(o *retry.StandardOptions) {
//		o.MaxAttempts = 8
//		o.Backoff = adapt.BackoffDelay(seq)
//	})
//
// The SDK decides itself how many attempts it makes: 3 unless set, and fewer when its
// RateLimiter has no tokens left. So after the end of seq the last delay is held. The
// MaxBackoff of the options does not limit seq.
//
// The SDK counts the first retry as 1, and as 0 if the environment variable
// AWS_NEW_RETRIES_2026 is exactly "true". BackoffDelay reads it in each call, as the SDK
// does before each retry. Use [BackoffDelayFrom] for an SDK in which the new behaviour is
// the default.
//
// It panics if seq is nil.
func BackoffDelay(seq iter.Seq[time.Duration]) BackoffDelayFunc {
	checkSeq("BackoffDelay", seq)
	fromOne, fromZero := BackoffDelayFrom(1, seq), BackoffDelayFrom(0, seq)
	return func(attempt int, err error) (time.Duration, error) {
		if os.Getenv("AWS_NEW_RETRIES_2026") == "true" {
			return fromZero(attempt, err)
		}
		return fromOne(attempt, err)
	}
}

// BackoffDelayFrom returns what [BackoffDelay] does, for an SDK that counts the first
// retry as first. It reads no environment variable.
//
// It panics if seq is nil.
func BackoffDelayFrom(first int, seq iter.Seq[time.Duration]) BackoffDelayFunc {
	delay := from("BackoffDelayFrom", first, seq)
	return func(attempt int, _ error) (time.Duration, error) { return delay(attempt), nil }
}
