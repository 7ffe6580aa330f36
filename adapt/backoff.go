package adapt

import (
	"iter"
	"time"
)

// A BackOff steps through a schedule. It has the methods of the interfaces BackOff of
// cenkalti/backoff, v4 to v7, and Backoff of sethvargo/go-retry.
//
// It is the only type of this package that looking moves: NextBackOff and Next return
// another delay in each call, because those interfaces leave no other way to tell a
// retry's number. So make one for each operation, and do not share it between
// goroutines.
//
// It holds no coroutine, so that nothing leaks if nobody calls it again. Instead each
// call ranges over the schedule from the start, and takes time in proportion to the
// number of calls before it.
type BackOff struct {
	seq  iter.Seq[time.Duration]
	next int // the delay of the next call
}

// NewBackOff returns a BackOff that is at delay 0 of seq.
//
// It panics if seq is nil.
func NewBackOff(seq iter.Seq[time.Duration]) *BackOff {
	checkSeq("NewBackOff", seq)
	return &BackOff{seq: seq}
}

// NextBackOff returns the next delay, or −1 after the last one, which is
// cenkalti/backoff's Stop.
func (b *BackOff) NextBackOff() time.Duration {
	d, stop := b.Next()
	if stop {
		return -1
	}
	return d
}

// Next returns the next delay. Its result stop is true after the last one.
func (b *BackOff) Next() (delay time.Duration, stop bool) {
	d, ok := at(b.seq, b.next)
	if !ok {
		return 0, true
	}
	if b.next < last {
		b.next++
	}
	return d, false
}

// Reset makes delay 0 the next one.
func (b *BackOff) Reset() { b.next = 0 }

// FromBackOff returns the schedule of a policy that has the interface BackOff of
// cenkalti/backoff: the results of NextBackOff up to a negative one. It calls newBackOff
// for each range and resets what that returns.
//
// Use FromBackOff to show, plan or simulate a policy that you run today:
//
//	seq := adapt.FromBackOff(func() *backoff.ExponentialBackOff {
//		return backoff.NewExponentialBackOff()
//	})
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
// newBackoff for each range, because such a policy remembers its last use. Negative
// delays are raised to 0.
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
// Negative delays are raised to 0.
//
// For a policy of Kubernetes, next is Step, which never ends by itself:
//
//	seq := adapt.FromPolicy(
//		func() *wait.Backoff { b := retry.DefaultBackoff; return &b },
//		func(b *wait.Backoff) (time.Duration, bool) { return b.Step(), true })
//	seq = backoff.Take(seq, retry.DefaultBackoff.Steps-1)
//
// It panics if newPolicy or next is nil.
func FromPolicy[P any](newPolicy func() P, next func(P) (delay time.Duration, ok bool)) iter.Seq[time.Duration] {
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
