package adapt_test

import (
	"fmt"
	"slices"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// The library counts its first retry as 1.
func ExampleFrom() {
	theirs := func(attempt int) time.Duration { return time.Duration(attempt) * time.Second }

	seq := adapt.From(func(retry int) time.Duration { return theirs(retry + 1) })
	fmt.Println(slices.Collect(backoff.Take(seq, 4)))
	// Output: [1s 2s 3s 4s]
}

// A tripling is a policy with the interface of cenkalti/backoff.
type tripling struct{ delay time.Duration }

func (t *tripling) Reset() { t.delay = time.Second }

func (t *tripling) NextBackOff() time.Duration {
	if t.delay > time.Minute {
		return -1
	}
	d := t.delay
	t.delay *= 3
	return d
}

func ExampleFromBackOff() {
	seq := adapt.FromBackOff(func() *tripling { return new(tripling) })

	for delay := range seq {
		fmt.Println(delay)
	}
	// Output:
	// 1s
	// 3s
	// 9s
	// 27s
}

// A countdown is a policy with the interface of sethvargo/go-retry.
type countdown struct{ left int }

func (c *countdown) Next() (next time.Duration, stop bool) {
	c.left--
	return time.Second, c.left < 0
}

func ExampleFromNext() {
	seq := adapt.FromNext(func() *countdown { return &countdown{left: 3} })
	fmt.Println(slices.Collect(seq))
	// Output: [1s 1s 1s]
}

// The second function asks the policy for a delay, and tells when there is none.
func ExampleFromPolicy() {
	type doubling struct {
		delay time.Duration
		steps int
	}
	seq := adapt.FromPolicy(
		func() *doubling { return &doubling{time.Second, 4} },
		func(p *doubling) (time.Duration, bool) {
			d := p.delay
			p.delay *= 2
			p.steps--
			return d, p.steps >= 0
		})
	fmt.Println(slices.Collect(seq))
	// Output: [1s 2s 4s 8s]
}
