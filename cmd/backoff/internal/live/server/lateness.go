package server

import (
	"context"
	"sync/atomic"
	"time"

	"example.com/backoff"
)

// A Lateness measures how late this process's timers are. On a machine that is busy with
// something else they are late, and so is everything that a run measures.
type Lateness struct{ most, sum, count atomic.Int64 } // nanoseconds, since the last Take

// LatenessInterval is the interval between measurements in a run.
const LatenessInterval = 20 * time.Millisecond

// Watch waits for a time and measures how late it ends, again and again until ctx is done.
func (l *Lateness) Watch(ctx context.Context, wait time.Duration) {
	for {
		start := time.Now()
		if backoff.Sleep(ctx, wait) != nil {
			return
		}
		l.add(time.Since(start) - wait)
	}
}

// add counts a timer that was late by this.
func (l *Lateness) add(late time.Duration) {
	raise(&l.most, int64(late))
	l.sum.Add(int64(late))
	l.count.Add(1)
}

// Take returns how late the timers were since the last call: the maximum and the mean.
func (l *Lateness) Take() (most, mean time.Duration) {
	mean = time.Duration(l.sum.Swap(0) / max(l.count.Swap(0), 1))
	return time.Duration(l.most.Swap(0)), mean
}

// raise sets most to n if n is more.
func raise(most *atomic.Int64, n int64) {
	for {
		old := most.Load()
		if n <= old || most.CompareAndSwap(old, n) {
			return
		}
	}
}
