package retry_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/backoff/retry"
)

// contend calls op on several processors at once, with nothing in between, and returns the
// number of calls. It goes on until the processors have met some times, which is seen in a
// counter beside op: its compare-and-swap fails. Where they do not meet, because there is
// one processor, or another program has the others, it ends after 5 s.
func contend(meetings int64, op func()) (calls int64) {
	workers := max(4, runtime.GOMAXPROCS(0))
	var ready, beside, met, total atomic.Int64
	if min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) > 1 {
		met.Store(-meetings)
	}
	defer time.AfterFunc(5*time.Second, func() { met.Store(0) }).Stop()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			ready.Add(1)
			for ready.Load() < int64(workers) {
				runtime.Gosched()
			}
			n := int64(0)
			for ; n < 10_000 || met.Load() < 0; n++ {
				op()
				if v := beside.Load(); !beside.CompareAndSwap(v, v+1) {
					met.Add(1)
				}
			}
			total.Add(n)
		})
	}
	wg.Wait()
	return total.Load()
}

// Goroutines that contend lose no token and make none, in any order.
func TestContended(t *testing.T) {
	t.Run("failures and successes", func(t *testing.T) {
		b := retry.NewBudget(1e9, 0.3)
		n := contend(1000, func() {
			b.Failed() // makes room for the success of the same goroutine
			b.Succeeded()
		})
		if got, want := b.Tokens(), float64(1e15-700_000*n)/1e6; got != want {
			t.Errorf("%f tokens after %d calls, want %f", got, n, want)
		}
	})
	t.Run("retries", func(t *testing.T) {
		b := retry.NewTokenBucket(1e9, 0.3)
		n := contend(1000, func() {
			b.Allow(2, nil)
			b.Done(retry.Result{Attempt: 2})
		})
		if got, want := b.Tokens(), float64(1e15-700_000*n)/1e6; got != want {
			t.Errorf("%f tokens after %d calls, want %f", got, n, want)
		}
	})
	t.Run("the last tokens", func(t *testing.T) {
		const last = 2
		b := retry.NewTokenBucket(100, 1)
		for range 100 - last {
			b.Allow(2, nil)
		}
		n := contend(1000, func() {
			if b.Allow(2, nil) == nil {
				b.Done(retry.Result{Attempt: 2}) // gives back what it took
			}
		})
		if got := b.Tokens(); got != last {
			t.Errorf("%v tokens after %d calls, want %d", got, n, last)
		}
	})
	t.Run("requests and retries", func(t *testing.T) {
		b := retry.NewRatioBudget(0.1, 0, 24*time.Hour)
		var allowed atomic.Int64
		n := contend(0, func() {
			b.Allow(1, nil)
			b.Balance()
			if b.Allow(2, nil) == nil {
				allowed.Add(1)
			}
		})
		if got, want := allowed.Load(), n/10; got != want {
			t.Errorf("%d retries of %d requests, want %d", got, n, want)
		}
	})
	t.Run("accepts", func(t *testing.T) {
		b := retry.NewThrottle(1, 24*time.Hour)
		n := contend(0, func() {
			if err := b.Allow(1, nil); err != nil {
				t.Errorf("rejected though all are accepted: %v", err)
			}
			if p := b.RejectionProbability(); p != 0 {
				t.Errorf("probability %v though all are accepted", p)
			}
			b.Done(retry.Result{Attempt: 1})
		})
		b.Done(retry.Result{Attempt: 1, Err: errA, Retryable: true})
		if got, want := b.RejectionProbability(), 1/float64(n+2); got != want {
			t.Errorf("probability %v after %d accepts and one failure, want %v", got, n, want)
		}
	})
}
