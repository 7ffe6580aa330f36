package adapt_test

import (
	"errors"
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// An asynqTask is asynq's Task.
type asynqTask struct{}

var errAsynqTask = errors.New("no answer")

func ExampleRetryDelay() {
	delay := adapt.RetryDelay[*asynqTask](backoff.Exponential(time.Second, 2))
	for n := range 3 {
		fmt.Println(delay(n, errAsynqTask, &asynqTask{}))
	}
	// Output:
	// 1s
	// 2s
	// 4s
}

// A retry of this schedule does not come early, although asynq cuts its time to a whole
// second.
func ExampleRetryDelay_neverEarly() {
	seq := backoff.Exponential(time.Second, 2)
	delay := adapt.RetryDelay[*asynqTask](backoff.Add(seq, backoff.Constant(time.Second)))
	for n := range 3 {
		fmt.Println(delay(n, errAsynqTask, &asynqTask{}))
	}
	// Output:
	// 2s
	// 3s
	// 5s
}
