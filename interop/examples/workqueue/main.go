// Command workqueue works on an item of a Kubernetes workqueue that fails three times. The
// schedule is the queue's rate limiter.
package main

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func main() {
	seq := backoff.Exponential(100*time.Millisecond, 2)
	queue := workqueue.NewTypedRateLimitingQueue(adapt.NewRateLimiter[string](seq))
	defer queue.ShutDown()
	start, attempt := time.Now(), 0
	reconcile := func(string) error {
		attempt++
		fmt.Println("attempt", attempt, "after", time.Since(start).Round(10*time.Millisecond))
		if attempt <= 3 {
			return errors.New("the object has changed")
		}
		return nil
	}

	queue.Add("default/pod")
	for {
		item, _ := queue.Get()
		err := reconcile(item)
		if err == nil {
			queue.Forget(item)
			return
		}
		queue.AddRateLimited(item)
		queue.Done(item)
	}
}
