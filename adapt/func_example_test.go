package adapt_test

import (
	"fmt"
	"iter"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// The delay of a retry is the same, however often it is asked for.
func ExampleFunc() {
	seq := backoff.Cap(backoff.Exponential(100*time.Millisecond, 2), time.Second)
	delay := adapt.Func(seq)
	fmt.Println(delay(0), delay(1), delay(2), delay(2), delay(0))
	fmt.Println(delay(1_000_000))
	// Output:
	// 100ms 200ms 400ms 400ms 100ms
	// 1s
}

// An engine that counts its first retry as 1.
func ExampleFuncFrom() {
	seq := backoff.Take(backoff.Exponential(100*time.Millisecond, 2), 3)
	delay := adapt.FuncFrom(1, seq)
	for retry := 1; retry <= 4; retry++ {
		fmt.Println(retry, delay(retry))
	}
	// Output:
	// 1 100ms
	// 2 200ms
	// 3 400ms
	// 4 400ms
}

// Two jobs that failed together do not come back together. Each has the same delays again
// if the engine replays it.
func ExampleKeyed() {
	delay := adapt.Keyed(func(seed uint64) iter.Seq[time.Duration] {
		return backoff.FullJitter(time.Minute, time.Hour, backoff.WithSeed(seed))
	})
	for retry := range 3 {
		fmt.Println(delay("job-1", retry).Round(time.Second), delay("job-2", retry).Round(time.Second))
	}
	// Output:
	// 59s 45s
	// 56s 32s
	// 3m24s 15s
}
