package retry_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
)

// attempts makes a call that fails each time, and prints how many attempts there were.
func attempts(l retry.Limiter) {
	made := 0
	err := retry.Do(context.Background(), backoff.Take(backoff.Constant(0), 3), func(context.Context) error {
		made++
		return errRefused
	}, retry.WithLimiter(l))
	fmt.Println(made, "attempts, limited:", errors.Is(err, retry.ErrBudget))
}

func ExampleNewTokenBucket() {
	bucket := retry.NewTokenBucket(4, 0.1) // share it among all calls to one server
	attempts(bucket)
	attempts(bucket)
	attempts(bucket)
	// Output:
	// 4 attempts, limited: false
	// 2 attempts, limited: true
	// 1 attempts, limited: true
}

func ExampleTokenBucket_Tokens() {
	bucket := retry.NewTokenBucket(4, 0.1)
	_ = retry.Do(context.Background(), quick, flaky(errRefused), retry.WithLimiter(bucket))
	fmt.Println(bucket.Tokens()) // 4 - 1 retry + a tenth for the success
	// Output: 3.1
}

func ExampleNewQuota() {
	quota := retry.NewQuota(500, 5, 10, 1) // the numbers of the AWS SDKs
	timeout := context.DeadlineExceeded
	_ = retry.Do(context.Background(), quick, flaky(errRefused, timeout), retry.WithLimiter(quota))
	fmt.Println(quota.Tokens()) // 500 - 5 - 10, and 10 back for the retry that succeeded
	// Output: 495
}

func ExampleQuota_Tokens() {
	quota := retry.NewQuota(20, 5, 10, 1)
	attempts(quota)
	fmt.Println(quota.Tokens(), "of 20 tokens")
	// Output:
	// 4 attempts, limited: false
	// 5 of 20 tokens
}

func ExampleNewRatioBudget() {
	budget := retry.NewRatioBudget(0.2, 0, time.Hour)
	for range 5 {
		attempts(budget)
	}
	// Output:
	// 1 attempts, limited: true
	// 1 attempts, limited: true
	// 1 attempts, limited: true
	// 1 attempts, limited: true
	// 2 attempts, limited: true
}

func ExampleRatioBudget_Balance() {
	budget := retry.NewRatioBudget(0.1, 0.5, time.Minute)
	fmt.Println(budget.Balance()) // 0.5 for each second of a minute
	attempts(budget)
	fmt.Println(budget.Balance())
	// Output:
	// 30
	// 4 attempts, limited: false
	// 27
}

func ExampleNewThrottle() {
	throttle := retry.NewThrottle(2, 2*time.Minute) // share it among all calls to one server
	sent := 0
	for range 1000 {
		_ = retry.Do(context.Background(), backoff.Constant(0), func(context.Context) error {
			sent++
			return errRefused // the server is down
		}, retry.WithLimiter(throttle))
	}
	fmt.Println("most calls end without a request:", sent < 100)
	// Output: most calls end without a request: true
}

func ExampleThrottle_RejectionProbability() {
	throttle := retry.NewThrottle(2, 2*time.Minute)
	for range 10 {
		_ = retry.Do(context.Background(), quick, flaky(), retry.WithLimiter(throttle))
	}
	fmt.Println(throttle.RejectionProbability()) // 10 requests, 10 accepts
	// Output: 0
}

// The methods of a Limiter, for a retry loop of your own.
func ExampleLimiter() {
	var limiter retry.Limiter = retry.NewBudget(4, 0.5)
	var last error
	for attempt := 1; ; attempt++ {
		if err := limiter.Allow(attempt, last); err != nil {
			fmt.Println("attempt", attempt, "stopped:", err)
			break
		}
		err := errRefused
		limiter.Done(retry.Result{Attempt: attempt, Last: last, Err: err, Retryable: true})
		last = err
	}
	// Output: attempt 3 stopped: retry budget spent
}
