package adapt

import (
	"iter"
	"time"
)

// A BackOff steps through a schedule. It has the methods of the interfaces BackOff of
// cenkalti/backoff, v4 to v7, and Backoff of sethvargo/go-retry.
//
// Looking moves it: NextBackOff and Next return another delay in each call, because those
// interfaces leave no other way to tell a retry's number. So make one for each operation,
// and do not share it between goroutines.
//
// It holds no coroutine, so that nothing leaks if nobody calls it again. Instead each
// call ranges over the schedule from the start, and takes time in proportion to the
// number of calls before it. If the schedule is random and has no seed, each call draws
// another sample, and the delays of DecorrelatedJitter no longer depend on the ones
// before them. Give each operation a seed of its own to keep that.
//
// Retry of cenkalti/backoff gives up after 15 minutes from v5 on, however long the
// schedule is. WithMaxElapsedTime(0) lets the schedule alone decide.
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
// cenkalti/backoff's Stop. A schedule of more than 1,048,576 delays does not end here: the
// delay with that number is repeated.
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
	b.next++
	return d, false
}

// Reset makes delay 0 the next one.
func (b *BackOff) Reset() { b.next = 0 }
