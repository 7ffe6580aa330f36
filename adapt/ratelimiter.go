package adapt

import (
	"iter"
	"math"
	"sync"
	"time"

	"example.com/backoff/internal/saturating"
)

// A RateLimiter tells how long an item that failed waits before its next retry, and
// counts the retries of each item. It has the methods of the interface TypedRateLimiter
// of Kubernetes' workqueue, which controller-runtime uses too. Make one with
// [NewRateLimiter]. Any number of goroutines may use it.
type RateLimiter[T comparable] struct {
	seq         iter.Seq[time.Duration]
	every       bool
	forgetAfter time.Duration // 0: never
	epoch       time.Time

	mu       sync.Mutex
	drawing  *drawing
	promises map[T]*promise
	size     int // no fewer than promises: what the last sweep left, and each new item since
	limit    int // the size above which the next sweep comes
}

// few is the number of entries that are not worth a sweep.
const few = 128

// A promise is what a limiter knows about one item. Memory is paid for each item, so it
// has 16 bytes. The map holds pointers, because a map has up to 16/7 places for an entry,
// and each would have the size of a promise.
type promise struct {
	at       time.Duration // the moment of the next retry, since the limiter's epoch
	failures int32         // calls of When
	retry    int32         // the delay of the next call that is not early
}

// A RateLimiterOption changes a [RateLimiter]. The zero RateLimiterOption changes
// nothing.
type RateLimiterOption struct{ set func(*limits) }

// limits is the sum of a limiter's options.
type limits struct {
	every       bool
	forgetAfter time.Duration
}

// CountEvery makes each call of When advance in the schedule and return the whole next
// delay, at whatever time it comes, as the limiters of client-go do.
//
// Use CountEvery where the moment of a call says nothing, such as with a limiter in front
// of this one that shortens its delays.
func CountEvery() RateLimiterOption {
	return RateLimiterOption{func(l *limits) { l.every = true }}
}

// ForgetAfter makes the limiter forget an item, as Forget does, when the moment of its
// next retry passed d or longer ago and it has not failed again. The item's next failure
// then starts the schedule again.
//
// Use ForgetAfter where nobody calls Forget for some items, such as those that are
// deleted while they wait. Without it the limiter keeps an entry for each item that ever
// failed until Forget, as the limiters of client-go do. With it, an item is live while it
// waits and for d after that, and the limiter has at most 128 entries, or twice the largest
// number of items that were live at one moment.
//
// Make d longer than the time that a due item waits for a worker and is worked on.
// Otherwise a slow item starts the schedule again at each failure.
//
// A call of When for a new item drops entries if their number may have doubled since the
// last time. That takes constant time for each new item on average.
//
// It panics if d <= 0.
func ForgetAfter(d time.Duration) RateLimiterOption {
	if d <= 0 {
		reject("ForgetAfter", "d", d, "> 0")
	}
	return RateLimiterOption{func(l *limits) { l.forgetAfter = d }}
}

// NewRateLimiter returns a limiter with which each item waits for delay 0, 1, 2, ... of
// seq. After the end of seq it holds the last delay, because the worker decides when to
// stop. If seq is empty each delay is 0.
//
// Use NewRateLimiter for a Kubernetes workqueue or controller:
//
//	queue := workqueue.NewTypedRateLimitingQueue(adapt.NewRateLimiter[string](seq))
//
// The limiter knows time: see [RateLimiter.When]. Time comes from package time, so
// testing/synctest tests a limiter that is made in the bubble. It has no limit for all
// items together. If you want one, use workqueue.NewTypedMaxOfRateLimiter with a bucket
// beside it.
//
// A call that advances ranges over seq from the start, under the limiter's lock, so seq
// must not call the limiter. It takes time in proportion to the number of the item's
// retries, as [Func] does, and from retry 2^20 on the delay is that of retry 2^20. A call
// allocates nothing for an item that has failed before, beyond what seq does. If seq is
// not random, list its delays up to the longest one, which is then held:
//
//	slices.Values(adapt.List(seq, 18))
//
// That bounds the time, and allocates nothing. If seq is random, Take(seq, 18) bounds the
// time. Do not give a random seq a seed, because all items would wait for the same delays.
//
// It panics if seq is nil.
func NewRateLimiter[T comparable](seq iter.Seq[time.Duration], opts ...RateLimiterOption) *RateLimiter[T] {
	checkSeq("NewRateLimiter", seq)
	var set limits
	for _, o := range opts {
		if o.set != nil {
			o.set(&set)
		}
	}
	return &RateLimiter[T]{
		seq:         seq,
		every:       set.every,
		forgetAfter: set.forgetAfter,
		epoch:       time.Now(),
		promises:    map[T]*promise{},
		limit:       few,
	}
}

// When counts a failure of item and returns how long item waits before its next retry.
// The end of that wait is a promise. A failure at that moment or later advances: When
// returns the next delay of the schedule. An earlier one does not: When returns the rest
// of the wait.
//
// A failure is early if something else than the limiter started the work, such as an
// event that touched the item while it waited. If early failures advanced, a few events
// would make an item wait for the longest delay of the schedule.
//
// If seq panics, so does When. It then counts nothing, and the limiter stays usable.
func (l *RateLimiter[T]) When(item T) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock() // even if seq panics
	now := time.Since(l.epoch)
	p := l.promised(item, now)
	if p != nil && now < p.at && !l.every {
		p.count()
		return p.at - now
	}
	retry := int32(0)
	if p != nil {
		retry = p.retry
	}
	delay := l.draw(int(retry))
	if p == nil {
		l.sweep(now)
		p = new(promise)
		l.promises[item] = p
	}
	p.count()
	p.retry = min(retry+1, last)
	p.at = saturating.Add(now, delay)
	return delay
}

// count counts a failure.
func (p *promise) count() {
	if p.failures < math.MaxInt32 {
		p.failures++
	}
}

// Forget makes the next failure of item its first one. Call it when item has succeeded,
// or when it will not be retried.
func (l *RateLimiter[T]) Forget(item T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.promises, item)
}

// NumRequeues returns how many failures item has had since the limiter last forgot it:
// the number of calls of When, early ones included. It is at most 2^31 − 1.
func (l *RateLimiter[T]) NumRequeues(item T) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.promised(item, time.Since(l.epoch))
	if p == nil {
		return 0
	}
	return int(p.failures)
}

// promised returns the promise for an item, or nil if there is none or it is over.
func (l *RateLimiter[T]) promised(item T, now time.Duration) *promise {
	p := l.promises[item]
	if p == nil || l.over(p, now) {
		return nil
	}
	return p
}

// over reports whether ForgetAfter drops p.
func (l *RateLimiter[T]) over(p *promise, now time.Duration) bool {
	return l.forgetAfter > 0 && now-p.at >= l.forgetAfter
}

// sweep makes room for a new item. It drops the promises that are over, if there may be
// twice as many as the last sweep left. So each new item pays for two entries at most.
//
// It copies what it keeps, because a map never gives memory back.
func (l *RateLimiter[T]) sweep(now time.Duration) {
	if l.forgetAfter == 0 {
		return
	}
	if l.size++; l.size <= l.limit {
		return
	}
	kept := map[T]*promise{}
	for item, p := range l.promises {
		if !l.over(p, now) {
			kept[item] = p
		}
	}
	l.promises = kept
	l.size = len(kept) + 1 // the new item
	l.limit = max(2*l.size, few)
}

// draw returns delay n of the schedule. While seq runs the limiter has no drawing, and
// after a panic in seq it makes another one, because seq may still hold the yield of that
// one.
func (l *RateLimiter[T]) draw(n int) time.Duration {
	w := l.drawing
	l.drawing = nil
	if w == nil {
		w = newDrawing()
	}
	w.draw(l.seq, n)
	l.drawing = w
	return w.delay
}
