// Package workqueue runs the workqueue of Kubernetes' client-go, which controller-runtime
// uses too, on schedules of package adapt.
//
// This was seen in client-go v0.37.2. The queue asks its rate limiter for a delay each
// time that an item is added by AddRateLimited, and sets a timer. It counts nothing
// itself. If the item waits already, the earlier moment wins. A delay of 0 or less adds
// the item at once.
package workqueue

import (
	"context"
	"iter"
	"time"

	"k8s.io/client-go/util/workqueue"

	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// A recorded limiter tells a recorder the delays that it gives to the queue.
type recorded struct {
	workqueue.TypedRateLimiter[string]
	recorder *kept.Recorder
}

func (l recorded) When(item string) time.Duration {
	return l.recorder.Ask(l.TypedRateLimiter.When(item))
}

// Measure works on an item that always fails, and returns its first n delays.
func Measure(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	var recorder kept.Recorder
	queue := workqueue.NewTypedRateLimitingQueue[string](recorded{adapt.NewRateLimiter[string](seq), &recorder})
	defer queue.ShutDown()
	defer context.AfterFunc(ctx, queue.ShutDown)()
	queue.Add("item")
	for {
		item, ended := queue.Get()
		if ended {
			return nil, context.Cause(ctx)
		}
		recorder.Attempt()
		if delays := recorder.Delays(); len(delays) == n {
			return delays, nil
		}
		queue.AddRateLimited(item)
		queue.Done(item)
	}
}
