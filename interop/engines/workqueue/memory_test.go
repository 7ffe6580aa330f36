package workqueue_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// bytesAKey returns how many bytes a limiter grows by for each of some items, each of which
// fails once. The first item is not counted, because it makes what a limiter has once. The
// result is the median of five limiters, because each map hashes its keys in its own way.
func bytesAKey[T comparable](items []T, newLimiter func() workqueue.TypedRateLimiter[T]) float64 {
	live := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // the first one may still find what a sync.Pool held
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	var all []float64
	for range 5 {
		limiter := newLimiter()
		limiter.When(items[0])
		before := live()
		for _, item := range items[1:] {
			limiter.When(item)
		}
		all = append(all, (live()-before)/float64(len(items)-1))
		runtime.KeepAlive(limiter)
		runtime.KeepAlive(items)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// compareMemory fails the test if an item costs over 16 bytes more than in client-go.
func compareMemory[T comparable](t *testing.T, items []T) {
	t.Helper()
	seq := slices.Values(adapt.List(stock, 19))
	theirs := bytesAKey(items, func() workqueue.TypedRateLimiter[T] {
		return workqueue.NewTypedItemExponentialFailureRateLimiter[T](base, limit)
	})
	ours := bytesAKey(items, func() workqueue.TypedRateLimiter[T] {
		return adapt.NewRateLimiter[T](seq)
	})
	forgets := bytesAKey(items, func() workqueue.TypedRateLimiter[T] {
		return adapt.NewRateLimiter[T](seq, adapt.ForgetAfter(time.Hour))
	})
	t.Logf("%d keys of type %T: %.2f bytes a key, %.2f with ForgetAfter, %.2f in client-go", len(items), items[0], ours, forgets, theirs)
	const noise = 0.1 // 10,000 bytes that the runtime or a test may have allocated beside it
	if most := theirs + 16 + noise; ours > most || forgets > most {
		t.Errorf("%.2f bytes a key, %.2f with ForgetAfter, want at most 16 more than %.2f", ours, forgets, theirs)
	}
}

// A place in the map is as large as in client-go, where it holds an int, and beside the
// map is an object of 16 bytes for each key.
//
// The rest depends on how full the map is: it grows by splitting tables of 1024 places when
// one is seven eighths full, so that a key has 1.1 to 2.3 places. 100,000 keys fill the
// tables of both maps to three quarters, and no table is near its next split.
func TestMemory(t *testing.T) {
	names := make([]string, 100_000)
	objects := make([]types.NamespacedName, len(names))
	for i := range names {
		names[i] = fmt.Sprintf("namespace-%d/name-%d", i%100, i)
		objects[i] = types.NamespacedName{Namespace: fmt.Sprintf("namespace-%d", i%100), Name: fmt.Sprintf("name-%d", i)}
	}
	t.Run("strings", func(t *testing.T) { compareMemory(t, names) })
	t.Run("structs", func(t *testing.T) { compareMemory(t, objects) })
}

// A queue's limiter is called through an interface, which costs no allocation either.
func TestAllocations(t *testing.T) {
	item := types.NamespacedName{Namespace: "default", Name: "pod"}
	for name, seq := range map[string][]adapt.RateLimiterOption{
		"early":       nil,
		"CountEvery":  {adapt.CountEvery()},
		"ForgetAfter": {adapt.ForgetAfter(time.Hour)},
	} {
		var limiter workqueue.TypedRateLimiter[types.NamespacedName] = adapt.NewRateLimiter[types.NamespacedName](backoff.Exponential(time.Hour, 2), seq...)
		limiter.When(item)
		if got := testing.AllocsPerRun(100, func() { limiter.When(item); limiter.NumRequeues(item) }); got != 0 {
			t.Errorf("%s: %v allocations a call, want 0", name, got)
		}
	}
}
