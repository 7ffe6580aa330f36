package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/backoff/internal/ending"
	"example.com/backoff/internal/workers"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The squares of four numbers, by two goroutines.
func ExampleDo() {
	squares := make([]int, 4)
	err := workers.Do(context.Background(), 2, len(squares), func(context.Context) func(int) {
		return func(task int) { squares[task] = task * task }
	})
	fmt.Println(squares, err)
	// Output: [0 1 4 9] <nil>
}

// Each task is done once, by no more goroutines than asked for.
func TestDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, tasks := rapid.IntRange(1, 8).Draw(t, "n"), rapid.IntRange(0, 500).Draw(t, "tasks")
		var started atomic.Int64
		got := make([]int, tasks)
		err := workers.Do(context.Background(), n, tasks, func(context.Context) func(int) {
			started.Add(1)
			return func(task int) { got[task]++ }
		})
		if err != nil {
			t.Errorf("got %v, want no error", err)
		}
		if diff := cmp.Diff(slices.Repeat([]int{1}, tasks), got); diff != "" {
			t.Errorf("how often each task was done (-want +got):\n%s", diff)
		}
		if started := started.Load(); started > int64(min(n, tasks)) {
			t.Errorf("%d workers, want at most %d", started, min(n, tasks))
		}
	})
}

// A panic or an exit of one goroutine ends the caller's, after the other goroutines have
// ended: the task that waits for its context returns, and no further one begins.
func TestEnds(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func()
		want string
	}{
		{"panic", func() { panic("boom") }, "panic: boom"},
		{"panic with nil", func() { panic(nil) }, "panic: " + new(runtime.PanicNilError).Error()},
		{"exit", runtime.Goexit, "exit"},
	} {
		for _, n := range []int{1, 3} {
			for _, at := range []string{"newWorker", "task"} {
				t.Run(fmt.Sprintf("%s in %s, %d workers", test.name, at, n), func(t *testing.T) {
					var workersLeft, begun atomic.Int64
					got := ending.Of(func() {
						workers.Do(context.Background(), n, 100, func(ctx context.Context) func(int) {
							workersLeft.Add(1)
							defer workersLeft.Add(-1)
							if at == "newWorker" {
								test.do()
							}
							return func(task int) {
								begun.Add(1)
								workersLeft.Add(1)
								defer workersLeft.Add(-1)
								if task == 0 {
									test.do()
								}
								<-ctx.Done()
							}
						})
					})
					if diff := cmp.Diff(test.want, got); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
					if left := workersLeft.Load(); left != 0 {
						t.Errorf("%d workers are still running", left)
					}
					if begun := begun.Load(); begun > int64(n) {
						t.Errorf("%d tasks began, want at most one for each of %d workers", begun, n)
					}
				})
			}
		}
	}
}

// A panic wins over an exit, because its value says what went wrong.
func TestPanicBeatsExit(t *testing.T) {
	got := ending.Of(func() {
		workers.Do(context.Background(), 2, 2, func(ctx context.Context) func(int) {
			return func(task int) {
				if task == 0 {
					<-ctx.Done() // until the other has exited
					panic("boom")
				}
				runtime.Goexit()
			}
		})
	})
	if diff := cmp.Diff("panic: boom", got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestContextEnds(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	var done atomic.Int64
	newWorker := func(ctx context.Context) func(int) {
		return func(int) {
			switch n := done.Add(1); {
			case n == 10:
				cancel(cause)
			case n > 10:
				<-ctx.Done() // else this worker might do many tasks before the one above goes on
			}
		}
	}
	err := workers.Do(ctx, 2, 1_000_000, newWorker)
	if n := done.Load(); err != cause || n > 11 {
		t.Errorf("got %v after %d tasks, want the cause after 10 or 11", err, n)
	}
	before := done.Load()
	if err := workers.Do(ctx, 2, 100, newWorker); err != cause || done.Load() != before {
		t.Errorf("with an ended context: %v after %d tasks, want the cause after none", err, done.Load()-before)
	}
}
