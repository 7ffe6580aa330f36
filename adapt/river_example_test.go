package adapt_test

import (
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// A riverJob is as much of River's job as its policy reads.
type riverJob struct{ Errors []string }

func ExampleNextRetry() {
	policy := adapt.NextRetry(backoff.Exponential(time.Second, 2), func(job *riverJob) int {
		return len(job.Errors)
	})
	job := &riverJob{}
	for range 3 {
		next := policy.NextRetry(job)
		fmt.Println(time.Until(next).Round(100 * time.Millisecond))
		job.Errors = append(job.Errors, "no answer")
	}
	// Output:
	// 1s
	// 2s
	// 4s
}

func ExampleNextRetryFunc() {
	var policy interface{ NextRetry(job string) time.Time } = adapt.NextRetryFunc[string](func(string) time.Time {
		return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	})
	fmt.Println(policy.NextRetry("job").Format(time.TimeOnly))
	// Output: 12:00:00
}
