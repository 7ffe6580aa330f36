package adapt_test

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// statusCode is codes.Code of google.golang.org/grpc, which a program imports.
type statusCode uint32

const (
	statusResourceExhausted statusCode = 8
	statusUnavailable       statusCode = 14
)

func ExampleGRPCServiceConfig() {
	newSeq := func(uint64) iter.Seq[time.Duration] {
		delays := backoff.Exponential(100*time.Millisecond, 2)
		delays = backoff.Cap(delays, 500*time.Millisecond)
		return backoff.Take(delays, 4)
	}
	config, err := adapt.GRPCServiceConfig(newSeq)
	fmt.Println(config)
	fmt.Println(err)
	// Output:
	// {"methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":5,"initialBackoff":"0.1s","maxBackoff":"0.5s","backoffMultiplier":2,"retryableStatusCodes":["UNAVAILABLE"]}}]}
	// <nil>
}

// A program decides which differences it can live with.
func ExampleInexactError() {
	_, err := adapt.GRPCServiceConfig(func(seed uint64) iter.Seq[time.Duration] {
		delays := backoff.Linear(100*time.Millisecond, 100*time.Millisecond)
		delays = backoff.Jitter(delays, 0.5, backoff.WithSeed(seed))
		return backoff.Take(delays, 6)
	})
	if inexact, ok := errors.AsType[*adapt.InexactError](err); ok {
		fmt.Printf("grpc.WithMaxCallAttempts(%d), worst %.0f %%\n", inexact.Attempts, 100*inexact.Worst)
		for _, d := range inexact.Differences {
			fmt.Println(d)
		}
	}
	// Output:
	// grpc.WithMaxCallAttempts(7), worst 11 %
	// 7 attempts need grpc.WithMaxCallAttempts(7), because without it gRPC makes 5
	// retry 4 waits 333.3ms on average instead of 299.1ms, which is 11.4 % more, and no other mean is further off
	// retry 4 waits between 200ms and 400ms, and with gRPC's jitter of ±20 % between 266.6ms and 399.9ms
}

func ExampleGRPCMethods() {
	newSeq := func(uint64) iter.Seq[time.Duration] {
		return backoff.Take(backoff.Constant(time.Second), 1)
	}
	config, _ := adapt.GRPCServiceConfig(newSeq, adapt.GRPCMethods("orders.Orders/Place", "stock.Stock"))
	fmt.Println(config)
	// Output:
	// {"methodConfig":[{"name":[{"service":"orders.Orders","method":"Place"},{"service":"stock.Stock"}],"retryPolicy":{"maxAttempts":2,"initialBackoff":"1s","maxBackoff":"1s","backoffMultiplier":1,"retryableStatusCodes":["UNAVAILABLE"]}}]}
}

func ExampleGRPCCodes() {
	newSeq := func(uint64) iter.Seq[time.Duration] {
		return backoff.Take(backoff.Constant(time.Second), 1)
	}
	config, _ := adapt.GRPCServiceConfig(newSeq, adapt.GRPCCodes(statusUnavailable, statusResourceExhausted))
	fmt.Println(config)
	// Output:
	// {"methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":2,"initialBackoff":"1s","maxBackoff":"1s","backoffMultiplier":1,"retryableStatusCodes":["UNAVAILABLE","RESOURCE_EXHAUSTED"]}}]}
}

// Without a success, retries stop at the fifth failure. Then it takes 50 successes for each
// further retry.
func ExampleGRPCThrottling() {
	newSeq := func(uint64) iter.Seq[time.Duration] {
		return backoff.Take(backoff.Constant(time.Second), 1)
	}
	config, _ := adapt.GRPCServiceConfig(newSeq, adapt.GRPCThrottling(10, 0.02))
	fmt.Println(config)
	// Output:
	// {"methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":2,"initialBackoff":"1s","maxBackoff":"1s","backoffMultiplier":1,"retryableStatusCodes":["UNAVAILABLE"]}}],"retryThrottling":{"maxTokens":10,"tokenRatio":0.02}}
}
