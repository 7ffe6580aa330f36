package adapt_test

import (
	"errors"
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// As the SDK calls it, unless AWS_NEW_RETRIES_2026 is true.
func ExampleBackoffDelay() {
	delays := adapt.BackoffDelay(backoff.Exponential(time.Second, 2))
	// retry.NewStandard(func(o *retry.StandardOptions) { o.Backoff = delays })

	for attempt := 1; attempt <= 3; attempt++ {
		fmt.Println(delays.BackoffDelay(attempt, errors.New("status 503")))
	}
	// Output:
	// 1s <nil>
	// 2s <nil>
	// 4s <nil>
}

func ExampleBackoffDelayFrom() {
	delays := adapt.BackoffDelayFrom(0, backoff.Exponential(time.Second, 2))

	for attempt := range 3 {
		fmt.Println(delays.BackoffDelay(attempt, errors.New("status 503")))
	}
	// Output:
	// 1s <nil>
	// 2s <nil>
	// 4s <nil>
}

// A schedule whose delays depend on the error: a client that is throttled waits longer.
func ExampleBackoffDelayFunc() {
	errThrottled := errors.New("SlowDown")
	usual := adapt.BackoffDelay(backoff.Constant(time.Second))
	throttled := adapt.BackoffDelay(backoff.Constant(time.Minute))

	delays := adapt.BackoffDelayFunc(func(attempt int, err error) (time.Duration, error) {
		if errors.Is(err, errThrottled) {
			return throttled(attempt, err)
		}
		return usual(attempt, err)
	})
	fmt.Println(delays.BackoffDelay(1, errors.New("status 503")))
	fmt.Println(delays.BackoffDelay(2, errThrottled))
	// Output:
	// 1s <nil>
	// 1m0s <nil>
}

func ExampleBackoffDelayFunc_BackoffDelay() {
	var delays interface { // retry.BackoffDelayer of the SDK
		BackoffDelay(attempt int, err error) (time.Duration, error)
	} = adapt.BackoffDelay(backoff.Constant(time.Second))

	fmt.Println(delays.BackoffDelay(1, errors.New("status 503")))
	// Output: 1s <nil>
}
