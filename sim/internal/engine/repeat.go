package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"example.com/backoff/internal/workers"
)

// A Plan says how repetitions are to be run.
type Plan struct {
	Reps     int                   // how many, >= 0
	Parts    int                   // into how many parts each falls that it reports, >= 1
	Workers  int                   // how many at a time, >= 1
	Progress func(done, total int) // told of the parts done; nil for nobody
}

// Repeat runs repetitions 0, 1, 2, ... of plan, several at a time. Each of the
// goroutines calls newWorker once for what it can use again from one repetition to
// the next, and calls what that returned for one repetition after the other, with
// the function to call as each part of the repetition is done. Chance decides which
// goroutine gets which repetition: a result that is to be equal for any number of
// workers must depend on nothing but the repetition's number.
//
// When ctx ends no further repetition begins, and Repeat returns the cause of its
// end; a repetition that takes long has to check the context that newWorker got. If a
// repetition panics, or ends its goroutine as testing.T.FailNow does, Repeat does that
// to the caller's goroutine when the others have ended.
//
// plan.Progress is called with how many parts of how many are done, at most about a
// thousand times, by one goroutine at a time, with a larger number each time and the
// total at last.
func Repeat(ctx context.Context, plan Plan, newWorker func(ctx context.Context) func(rep int, part func())) error {
	report := newReporter(plan)
	return workers.Do(ctx, plan.Workers, plan.Reps, func(ctx context.Context) func(int) {
		run := newWorker(ctx)
		return func(rep int) { run(rep, report.part) }
	})
}

// A reporter passes progress on, rarely enough to cost nothing.
type reporter struct {
	progress    func(done, total int)
	total, step int64
	done        atomic.Int64

	mu   sync.Mutex
	last int64
}

func newReporter(plan Plan) *reporter {
	total := int64(plan.Reps) * int64(plan.Parts)
	return &reporter{progress: plan.Progress, total: total, step: max(total/1000, 1)}
}

func (r *reporter) part() {
	done := r.done.Add(1)
	if r.progress == nil || (done%r.step != 0 && done != r.total) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if done > r.last {
		r.last = done
		r.progress(int(done), int(r.total))
	}
}
