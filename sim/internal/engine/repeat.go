package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"example.com/backoff/internal/workers"
)

// A Plan describes how to run repetitions.
type Plan struct {
	Reps     int                   // number of repetitions, >= 0
	Parts    int                   // number of parts that each repetition reports, >= 1
	Workers  int                   // number of repetitions at a time, >= 1
	Progress func(done, total int) // is notified of the parts that are done; may be nil
}

// Repeat runs repetitions 0, 1, 2, ... of plan, several at a time. Each goroutine calls
// newWorker once, which allocates memory for all its repetitions and returns a function. The
// goroutine calls that function for one repetition after the other. The function calls part
// when a part of the repetition is done. Chance decides which goroutine runs which
// repetition, so the result of a repetition must depend on its number only.
//
// When ctx is done, Repeat begins no further repetition and returns the cause. A long
// repetition has to check the context of newWorker itself. If a repetition panics, or ends
// its goroutine as testing.T.FailNow does, so does Repeat when the others are done.
//
// Repeat calls plan.Progress with the number of parts that are done and their total: at most
// about a thousand times, by one goroutine at a time, with rising numbers, and with the
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
