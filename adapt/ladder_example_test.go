package adapt_test

import (
	"fmt"
	"iter"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// Four topics keep eight retries within a third of their delays.
func ExampleLadder() {
	delays := backoff.Cap(backoff.Exponential(time.Second, 2), time.Minute)
	ladder := adapt.Ladder(delays, 8, 4)
	for _, d := range ladder.Delays {
		fmt.Println("orders-retry-" + d.Round(time.Millisecond).String())
	}
	fmt.Println(ladder.Retries)
	fmt.Printf("%.3f\n", ladder.Error)
	// Output:
	// orders-retry-1.333s
	// orders-retry-5.333s
	// orders-retry-21.333s
	// orders-retry-1m0s
	// [0 0 1 1 2 2 3 3]
	// 0.333
}

// How many queues does it take to keep each delay within 10 %?
func ExampleLadderWithin() {
	delays := backoff.Cap(backoff.Exponential(time.Second, 1.5), time.Minute)
	ladder := adapt.LadderWithin(delays, 20, 0.1)
	fmt.Printf("%d queues, %.3f\n", len(ladder.Delays), ladder.Error)

	ladder = adapt.LadderWithin(delays, 20, 0.2)
	fmt.Printf("%d queues, %.3f\n", len(ladder.Delays), ladder.Error)
	// Output:
	// 11 queues, 0.020
	// 6 queues, 0.200
}

// The messages of a schedule with jitter are spread over the topics of the one without:
// each draws its own delay and takes the topic that is closest to it.
func ExampleRungs_Rung() {
	delays := backoff.Exponential(time.Second, 2)
	ladder := adapt.Ladder(delays, 8, 8)

	delay := adapt.Keyed(func(seed uint64) iter.Seq[time.Duration] {
		return backoff.Spread(delays, 0.5, backoff.WithSeed(seed))
	})
	for _, order := range []string{"order 1", "order 2", "order 3"} {
		d := delay(order, 2)
		fmt.Println(order, "waits", d.Round(time.Millisecond), "on rung", ladder.Delays[ladder.Rung(d)])
	}
	// Output:
	// order 1 waits 2.223s on rung 2s
	// order 2 waits 5.794s on rung 4s
	// order 3 waits 5.061s on rung 4s
}
