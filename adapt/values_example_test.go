package adapt_test

import (
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func ExampleList() {
	fmt.Println(adapt.List(backoff.Exponential(time.Second, 2), 5))
	// Output: [1s 2s 4s 8s 16s]
}

// The visibility timeout of SQS is a whole number of seconds, 12 hours at most.
func ExampleSeconds() {
	seq := backoff.Exponential(1500*time.Millisecond, 10)
	for retry := range 6 {
		fmt.Println(adapt.Seconds(seq, retry, 0, 43200))
	}
	// Output:
	// 2
	// 15
	// 150
	// 1500
	// 15000
	// 43200
}

func ExampleTime() {
	failed := time.Date(2026, 11, 22, 23, 59, 50, 0, time.UTC)
	seq := backoff.Exponential(10*time.Second, 2)
	fmt.Println(adapt.Time(seq, 0, failed).Format(time.DateTime))
	fmt.Println(adapt.Time(seq, 1, failed).Format(time.DateTime))
	// Output:
	// 2026-11-23 00:00:00
	// 2026-11-23 00:00:10
}
