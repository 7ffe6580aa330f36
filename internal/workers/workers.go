// Package workers does tasks on several goroutines while the caller waits. To the caller
// it looks as if the tasks ran on its own goroutine: if a task panics or calls
// [runtime.Goexit], so does Do.
package workers

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Do does the tasks 0, 1, ..., tasks−1, each once, on at most n goroutines and at least
// one. Each goroutine calls newWorker once, and calls the function that it returned for
// one task after the other: newWorker can allocate memory that the tasks of a goroutine
// reuse. Chance decides which goroutine gets which task.
//
// If ctx is done, no further task begins, and Do returns the cause when the running tasks
// have returned. A task that takes long must check the context that newWorker got: it is
// done when ctx is done, and also if another task panics or exits.
//
// If a task or newWorker panics, Do panics with the same value on the caller's
// goroutine, where it can be recovered. If one ends its goroutine, as testing.T.FailNow
// does, Do ends the caller's. Both happen when the other goroutines have ended.
func Do(ctx context.Context, n, tasks int, newWorker func(ctx context.Context) func(task int)) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	var (
		next     atomic.Int64
		wg       sync.WaitGroup
		mu       sync.Mutex
		panicked any // the value of the first panic
		exited   bool
	)
	for range min(max(n, 1), tasks) {
		wg.Go(func() {
			returned := false
			defer func() {
				if returned {
					return
				}
				stop()
				value := recover()
				mu.Lock()
				defer mu.Unlock()
				switch {
				case value == nil: // No panic has the value nil.
					exited = true
				case panicked == nil:
					panicked = value
				}
			}()
			do := newWorker(working)
			for working.Err() == nil {
				task := next.Add(1) - 1
				if task >= int64(tasks) {
					break
				}
				do(int(task))
			}
			returned = true
		})
	}
	wg.Wait()
	if panicked != nil {
		panic(panicked)
	}
	if exited {
		runtime.Goexit()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
