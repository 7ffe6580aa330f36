package workqueue_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/workqueue"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// The limits of the stock limiter in client-go's default, and the same as a schedule.
const (
	base  = 5 * time.Millisecond
	limit = 1000 * time.Second
)

var stock = backoff.Cap(backoff.Exponential(base, 2), limit)

// A failure of an item, since the item was added.
type failure struct {
	Began, At time.Duration // the attempt's begin and end
	Delay     time.Duration // what the limiter said
}

// retryAt returns the moment that the limiter said.
func (f failure) retryAt() time.Duration { return f.At + f.Delay }

// told is a limiter that remembers its last delay.
type told struct {
	workqueue.TypedRateLimiter[string]
	delay time.Duration
}

func (l *told) When(item string) time.Duration {
	l.delay = l.TypedRateLimiter.When(item)
	return l.delay
}

// replay runs a queue until end. Its worker works for some time on an item, and always
// fails. In the first minute, if there are events, one touches the item every 10 ms.
func replay(t *testing.T, newLimiter func() workqueue.TypedRateLimiter[string], events bool, work, end time.Duration) (failures []failure) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		limiter := &told{TypedRateLimiter: newLimiter()}
		queue := workqueue.NewTypedRateLimitingQueue[string](limiter)
		time.AfterFunc(end, queue.ShutDown)
		queue.Add("item")
		if events {
			go func() {
				for range 6000 {
					time.Sleep(10 * time.Millisecond)
					queue.Add("item")
				}
			}()
		}
		for {
			item, ended := queue.Get()
			if ended {
				return
			}
			began := time.Since(start)
			time.Sleep(work)
			at := time.Since(start)
			queue.AddRateLimited(item)
			queue.Done(item)
			failures = append(failures, failure{began, at, limiter.delay})
		}
	})
	return failures
}

func aware() workqueue.TypedRateLimiter[string] { return adapt.NewRateLimiter[string](stock) }

func countEvery() workqueue.TypedRateLimiter[string] {
	return adapt.NewRateLimiter[string](stock, adapt.CountEvery())
}

func clientGo() workqueue.TypedRateLimiter[string] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[string](base, limit)
}

// after returns the first failure whose attempt began at or after a moment.
func after(t *testing.T, failures []failure, moment time.Duration) failure {
	t.Helper()
	i := slices.IndexFunc(failures, func(f failure) bool { return f.Began >= moment })
	if i < 0 {
		t.Fatalf("no attempt began at %v or later", moment)
	}
	return failures[i]
}

// Events do not move a retry (kubernetes#132805). Each failure, at an event or not, is
// told the moment of the retry that would come next without events, and the item is
// retried at that moment.
func TestEventsDoNotMoveRetries(t *testing.T) {
	quiet := replay(t, aware, false, 0, 1000*time.Second)
	busy := replay(t, aware, true, 0, 1000*time.Second)

	var want []time.Duration
	moment := time.Duration(0)
	for d := range stock {
		if moment >= 1000*time.Second {
			break
		}
		want = append(want, moment)
		moment += d
	}
	var got []time.Duration
	for _, f := range quiet {
		got = append(got, f.Began)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("attempts without events (-want +got):\n%s", diff)
	}

	if got, want := len(busy), len(quiet)+6000; got != want {
		t.Errorf("%d attempts with events, want %d", got, want)
	}
	for _, f := range busy {
		i, planned := slices.BinarySearch(want, f.At)
		if planned {
			i++
		} else if f.At%(10*time.Millisecond) != 0 {
			t.Errorf("an attempt at %v, without an event and not in the schedule", f.At)
		}
		next := moment
		if i < len(want) {
			next = want[i]
		}
		if f.retryAt() != next {
			t.Fatalf("the failure at %v is told to wait until %v, want %v", f.At, f.retryAt(), next)
		}
	}
	for _, m := range want {
		if got := after(t, busy, m).Began; got != m {
			t.Errorf("no attempt at %v", m)
		}
	}
	first := after(t, busy, time.Minute+1).Began
	if want := 81915 * time.Millisecond; first != want {
		t.Errorf("the first attempt after the events is at %v, want %v", first, want)
	}
	t.Logf("the first attempt after the events is at %v", first)
}

// An attempt takes 3 ms, so that some fail after the moment at which they should have
// begun. The limiter then advances, once for each delay of the schedule, and an attempt
// begins at each promised moment, or as soon as the attempt that runs at that moment ends.
func TestEventsWhileWorking(t *testing.T) {
	const work, end = 3 * time.Millisecond, 1000 * time.Second
	failures := replay(t, aware, true, work, end)
	var delays []time.Duration
	promised := time.Duration(-1)
	for _, f := range failures {
		if f.retryAt() != promised {
			if f.At < promised {
				t.Errorf("the failure at %v breaks the promise of %v", f.At, promised)
			}
			promised = f.retryAt()
			delays = append(delays, f.Delay)
		}
		if promised < end {
			if began := after(t, failures, promised).Began; began > promised+work {
				t.Fatalf("the attempt promised for %v begins at %v", promised, began)
			}
		}
	}
	if diff := cmp.Diff(slices.Collect(backoff.Take(stock, len(delays))), delays); diff != "" || len(delays) < 17 {
		t.Errorf("%d delays (-want +got):\n%s", len(delays), diff)
	}
}

// Events move the stock limiter to its longest delay: 18 early failures are enough. After
// the minute the item waits until the end of the longest delay.
func TestEventsMoveTheStockLimiter(t *testing.T) {
	const changed = "client-go's limiter has changed: "
	failures := replay(t, clientGo, true, 0, 2000*time.Second)
	for n, f := range failures[:50] {
		if n == 18 && (f.Delay != limit || f.At > 200*time.Millisecond) {
			t.Errorf(changed+"failure 19 is at %v and waits for %v, want %v in the first 200ms", f.At, f.Delay, limit)
		}
		if n < 18 && f.Delay != base<<n {
			t.Errorf(changed+"failure %d waits for %v, want %v", n+1, f.Delay, base<<n)
		}
	}
	first := after(t, failures, time.Minute+1).Began
	if first < 1000*time.Second {
		t.Errorf(changed+"the first attempt after the events is at %v, want 1000s or later", first)
	}
	t.Logf("the first attempt after the events is at %v", first)
	if diff := cmp.Diff(failures, replay(t, countEvery, true, 0, 2000*time.Second)); diff != "" {
		t.Errorf("with CountEvery (-client-go +adapt):\n%s", diff)
	}
}

// A delay without limit is not one that wraps: the item is not retried at once.
func TestNoLimit(t *testing.T) {
	failures := replay(t, func() workqueue.TypedRateLimiter[string] {
		return adapt.NewRateLimiter[string](backoff.Constant(backoff.NoLimit))
	}, true, 0, 24*time.Hour)
	if got, want := len(failures), 1+6000; got != want {
		t.Errorf("%d attempts, want %d: the first and one for each event", got, want)
	}
}
