// Package workers does tasks on several goroutines, for a caller that waits for all of
// them and must not see that they ran elsewhere: what a task does to end its goroutine,
// a panic or [runtime.Goexit], is done to the caller's.
package workers

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Do does the tasks 0, 1, ..., tasks−1, each once, on n goroutines or fewer, and one at
// least. Each goroutine calls newWorker once, for what it can use again from one task to
// the next, and calls what that returned for one task after the other. Chance decides
// which goroutine gets which task.
//
// If ctx ends, no further task begins, and Do returns the cause of its end when the
// running tasks have returned. A task that takes long has to check the context that
// newWorker got: it ends with ctx, and also if another task panics or exits.
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
