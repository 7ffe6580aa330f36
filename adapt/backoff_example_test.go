package adapt_test

import (
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// Each operation gets a BackOff of its own. In cenkalti/backoff v4 it is the second
// argument of Retry, and from v5 on the argument of WithBackOff.
func ExampleNewBackOff() {
	seq := backoff.Take(backoff.Exponential(100*time.Millisecond, 2), 3)

	b := adapt.NewBackOff(seq)
	for d := b.NextBackOff(); d >= 0; d = b.NextBackOff() {
		fmt.Println(d)
	}
	// Output:
	// 100ms
	// 200ms
	// 400ms
}

// The interfaces of two libraries fit one type.
func ExampleBackOff() {
	b := adapt.NewBackOff(backoff.Take(backoff.Constant(time.Second), 1))

	var cenkalti interface {
		NextBackOff() time.Duration
		Reset()
	} = b
	fmt.Println(cenkalti.NextBackOff(), int64(cenkalti.NextBackOff()))

	cenkalti.Reset()

	var sethvargo interface {
		Next() (next time.Duration, stop bool)
	} = b
	fmt.Println(sethvargo.Next())
	fmt.Println(sethvargo.Next())
	// Output:
	// 1s -1
	// 1s false
	// 0s true
}
