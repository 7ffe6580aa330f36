package adapt_test

import (
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func ExampleNewRateLimiter() {
	seq := backoff.Take(backoff.Exponential(time.Hour, 2), 3)
	limiter := adapt.NewRateLimiter[string](seq)
	fmt.Println(limiter.When("pod"), limiter.When("node"))
	limiter.Forget("pod") // it has succeeded
	fmt.Println(limiter.When("pod"))
	// Output:
	// 1h0m0s 1h0m0s
	// 1h0m0s
}

func ExampleRateLimiter() {
	limiter := adapt.NewRateLimiter[string](backoff.Exponential(time.Millisecond, 2))
	for range 3 {
		delay := limiter.When("pod")
		fmt.Println(delay)
		time.Sleep(delay)
	}
	// Output:
	// 1ms
	// 2ms
	// 4ms
}

func ExampleRateLimiter_When() {
	limiter := adapt.NewRateLimiter[string](backoff.Exponential(time.Hour, 2))
	limiter.When("pod")
	for range 1000 {
		limiter.When("pod") // events that come during the hour do not advance
	}
	fmt.Println("another", limiter.When("pod").Round(time.Hour))
	// Output: another 1h0m0s
}

func ExampleRateLimiter_Forget() {
	limiter := adapt.NewRateLimiter[string](backoff.Constant(time.Second))
	limiter.When("pod")
	limiter.Forget("pod")
	fmt.Println(limiter.NumRequeues("pod"))
	// Output: 0
}

func ExampleRateLimiter_NumRequeues() {
	limiter := adapt.NewRateLimiter[string](backoff.Constant(time.Second))
	limiter.When("pod")
	limiter.When("pod") // early, but a failure
	fmt.Println(limiter.NumRequeues("pod"))
	// Output: 2
}

func ExampleCountEvery() {
	seq := backoff.Cap(backoff.Exponential(5*time.Millisecond, 2), 1000*time.Second)
	limiter := adapt.NewRateLimiter[string](seq, adapt.CountEvery())
	for range 18 {
		limiter.When("pod")
	}
	fmt.Println(limiter.When("pod"))
	// Output: 16m40s
}

func ExampleForgetAfter() {
	seq := backoff.Exponential(time.Millisecond, 2)
	limiter := adapt.NewRateLimiter[string](seq, adapt.ForgetAfter(5*time.Millisecond))
	limiter.When("pod")
	time.Sleep(6 * time.Millisecond) // the delay, and 5 ms
	fmt.Println(limiter.NumRequeues("pod"), limiter.When("pod"))
	// Output: 0 1ms
}
