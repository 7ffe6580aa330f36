package adapt

import (
	"iter"
	"time"

	"example.com/backoff"
)

// From returns the schedule delay(0), delay(1), delay(2), ... It is
// [backoff.Func], the opposite of [Func]: it makes a schedule of a function that another
// library computes its delays with, so that the delays can be drawn, planned and
// simulated. If the library counts from another number, add it:
//
//	adapt.From(func(retry int) time.Duration { return theirs(retry + 1) })
//
// Negative results are raised to 0. A result that wrapped to another positive delay
// stays. Use [FromPolicy] for a policy that changes when it is asked.
//
// It panics if delay is nil.
func From(delay func(retry int) time.Duration) iter.Seq[time.Duration] {
	if delay == nil {
		reject("From", "delay", "nil", "a function")
	}
	return backoff.Func(delay)
}

// FromBackOff returns the schedule of a policy that has the interface BackOff of
// cenkalti/backoff: the results of NextBackOff up to a negative one. It calls newBackOff
// for each range and resets what that returns.
//
// Use FromBackOff to show, plan or simulate a policy that you run today. With v5 or later:
//
//	seq := adapt.FromBackOff(backoff.NewExponentialBackOff)
//
// The ExponentialBackOff of v4 also reads the clock: it ends when MaxElapsedTime, which is
// 15 minutes unless set, has passed since its Reset. So the schedule ends in a loop that
// waits, and not in one that only looks. For a schedule that does not read a clock, set
// MaxElapsedTime to 0 and use [backoff.Within].
//
// cenkalti/backoff itself stops at −1 alone, and takes another negative delay as 0. Such
// a delay comes from arithmetic that wrapped, so here it ends the schedule.
//
// It panics if newBackOff is nil.
func FromBackOff[B interface {
	NextBackOff() time.Duration
	Reset()
}](newBackOff func() B) iter.Seq[time.Duration] {
	if newBackOff == nil {
		reject("FromBackOff", "newBackOff", "nil", "a function")
	}
	return func(yield func(time.Duration) bool) {
		b := newBackOff()
		b.Reset()
		for {
			d := b.NextBackOff()
			if d < 0 || !yield(d) {
				return
			}
		}
	}
}

// FromNext returns the schedule of a policy that has the interface Backoff of
// sethvargo/go-retry: the results of Next up to one whose stop is true. It calls
// newBackoff for each range, because such a policy remembers its last use:
//
//	seq := adapt.FromNext(func() retry.Backoff {
//		return retry.WithMaxRetries(5, retry.NewExponential(time.Second))
//	})
//
// Negative delays are raised to 0. A policy made by WithMaxDuration reads the clock: use
// [backoff.Within] instead.
//
// It panics if newBackoff is nil.
func FromNext[B interface {
	Next() (delay time.Duration, stop bool)
}](newBackoff func() B) iter.Seq[time.Duration] {
	if newBackoff == nil {
		reject("FromNext", "newBackoff", "nil", "a function")
	}
	return FromPolicy(newBackoff, func(b B) (time.Duration, bool) {
		d, stop := b.Next()
		return d, !stop
	})
}

// FromPolicy returns the schedule of a policy of any other library that has state: the
// results of next up to one whose ok is false. It calls newPolicy for each range.
//
// For a wait.Backoff of Kubernetes, which gives up once Steps is 0, and so earlier if it
// has a Cap:
//
//	seq := adapt.FromPolicy(
//		func() *wait.Backoff { b := retry.DefaultBackoff; return &b },
//		func(b *wait.Backoff) (time.Duration, bool) {
//			d := b.Step()
//			return d, b.Steps > 0
//		})
//
// The schedule keeps the contract of package backoff as far as the policy lets it:
//
//   - if newPolicy returns the same policy twice, a range goes on where the one before
//     it ended, and ranges in two goroutines race;
//   - a delay that wrapped to a negative one is raised to 0, so from there on the
//     schedule retries at once. A delay that wrapped to a positive one stays;
//   - a policy that reads a clock, such as a rate limiter, gives other delays to a loop
//     that waits than to one that only looks.
//
// Check of package backofftest finds a shared policy and delays that fall to 0. Its
// option Monotone finds delays that wrapped to a positive one.
//
// It panics if newPolicy or next is nil.
func FromPolicy[P any](newPolicy func() P, next func(policy P) (delay time.Duration, ok bool)) iter.Seq[time.Duration] {
	if newPolicy == nil {
		reject("FromPolicy", "newPolicy", "nil", "a function")
	}
	if next == nil {
		reject("FromPolicy", "next", "nil", "a function")
	}
	return func(yield func(time.Duration) bool) {
		p := newPolicy()
		for {
			d, ok := next(p)
			if !ok || !yield(max(d, 0)) {
				return
			}
		}
	}
}
