package engine

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/backoff/internal/ending"
	"github.com/google/go-cmp/cmp"
)

func TestRepeat(t *testing.T) {
	for _, plan := range []Plan{{0, 1, 3, nil}, {1, 1, 3, nil}, {100, 3, 1, nil}, {1000, 2, 4, nil}, {5000, 1, 2, nil}} {
		var workers atomic.Int64
		ran := make([]int, plan.Reps)
		var seen []int
		plan.Progress = func(done, total int) {
			if total != plan.Reps*plan.Parts {
				t.Errorf("total is %d, want %d", total, plan.Reps*plan.Parts)
			}
			seen = append(seen, done)
		}
		err := Repeat(context.Background(), plan, func(context.Context) func(int, func()) {
			workers.Add(1)
			return func(rep int, part func()) {
				ran[rep]++
				for range plan.Parts {
					part()
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := workers.Load(); got > int64(plan.Workers) {
			t.Errorf("%d workers, want at most %d", got, plan.Workers)
		}
		if diff := cmp.Diff(slices.Repeat([]int{1}, plan.Reps), ran); diff != "" {
			t.Errorf("how often each ran (-want +got):\n%s", diff)
		}
		if !slices.IsSorted(seen) || len(slices.Compact(slices.Clone(seen))) != len(seen) || len(seen) > 2000 {
			t.Errorf("progress was %v, want it to increase, in at most 2000 steps", seen)
		}
		if plan.Reps > 0 && seen[len(seen)-1] != plan.Reps*plan.Parts {
			t.Errorf("the last progress was %d, want %d", seen[len(seen)-1], plan.Reps*plan.Parts)
		}
	}
}

func TestRepeatEndsWithItsContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	var ran atomic.Int64
	err := Repeat(ctx, Plan{Reps: 1_000_000, Parts: 1, Workers: 2}, func(worker context.Context) func(int, func()) {
		return func(int, func()) {
			switch n := ran.Add(1); {
			case n == 10:
				cancel(cause)
			case n > 10:
				<-worker.Done() // else it might run long before the one above is scheduled
			}
		}
	})
	// The other worker may have been in a repetition.
	if n := ran.Load(); err != cause || n > 11 {
		t.Errorf("got %v after %d repetitions, want the cause after 10 or 11", err, n)
	}
}

func TestRepeatEndsWithItsWorker(t *testing.T) {
	for want, end := range map[string]func(){
		"panic: boom": func() { panic("boom") },
		"exit":        runtime.Goexit,
	} {
		got := ending.Of(func() {
			Repeat(context.Background(), Plan{Reps: 100, Parts: 1, Workers: 3}, func(context.Context) func(int, func()) {
				return func(rep int, _ func()) {
					if rep == 5 {
						end()
					}
				}
			})
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
