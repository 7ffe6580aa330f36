package retry

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"
)

// runner is the state of one call of Do, one of Value, or one range over a Loop.
type runner struct {
	config
	ctx      context.Context
	start    time.Time // when the first attempt began
	began    time.Time // when the latest attempt began; kept for ResetAfter alone
	attempts int
	last     error   // of the latest attempt
	earlier  []error // before last, oldest first, at most keepErrors-1
	hint     time.Duration
	denied   bool // by the budget, after last
	timer    *time.Timer

	// How the range over the schedule ended. These are fields because a variable that
	// the body of the range shares would be another one on the heap.
	result      error
	over, again bool // again: from the first delay
}

func newRunner(function string, ctx context.Context, delays iter.Seq[time.Duration], noOp bool, opts []Option) runner {
	notNil(function, "ctx", ctx == nil, "a context")
	notNil(function, "delays", delays == nil, "a schedule")
	notNil(function, "op", noOp, "a function")
	return runner{config: newConfig(opts), ctx: ctx}
}

// begin starts the clock. It fails if the context is already done.
func (r *runner) begin() error {
	if r.ctx.Err() != nil {
		return &Error{Cause: context.Cause(r.ctx)}
	}
	r.start = time.Now()
	r.began = r.start
	return nil
}

// attempt calls op once and judges the result. If over is true, err is the result of
// the run.
func (r *runner) attempt(op func(context.Context) error) (err error, over bool) {
	r.attempts++
	if r.attemptTimeout == 0 {
		return r.judge(op(r.ctx), false)
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.attemptTimeout)
	defer cancel()
	failure := op(ctx)
	return r.judge(failure, ctx.Err() != nil)
}

// judge decides what follows an attempt. timedOut reports that the attempt's own context
// was done.
func (r *runner) judge(failure error, timedOut bool) (err error, over bool) {
	if failure == nil {
		if r.budget != nil {
			r.budget.Succeeded()
		}
		return nil, true
	}
	hint, permanent := marks(failure)
	failure = unmarked(failure)
	if permanent {
		return failure, true
	}
	if r.ctx.Err() != nil {
		cause := context.Cause(r.ctx)
		// An error that only repeats the cause does not replace the last real error.
		if r.last == nil || !errors.Is(failure, r.ctx.Err()) && !errors.Is(failure, cause) {
			r.remember(failure)
		}
		return r.stop(cause), true
	}
	if !timedOut && r.retryable != nil && !r.retryable(failure) {
		return failure, true
	}
	r.remember(failure)
	r.hint = min(hint, r.maxAfter)
	r.denied = r.budget != nil && !r.budget.Failed()
	if r.attempts == r.maxAttempts {
		return r.stop(ErrExhausted), true
	}
	return nil, false
}

// remember keeps the last keepErrors errors.
func (r *runner) remember(failure error) {
	if r.keepErrors > 1 && r.last != nil {
		if len(r.earlier) == r.keepErrors-1 {
			copy(r.earlier, r.earlier[1:])
			r.earlier = r.earlier[:len(r.earlier)-1]
		}
		r.earlier = append(r.earlier, r.last)
	}
	r.last = failure
}

// run makes all attempts.
func (r *runner) run(delays iter.Seq[time.Duration], op func(context.Context) error) error {
	if err := r.begin(); err != nil {
		return err
	}
	// The first attempt needs no schedule, so a success at once does not range over it.
	if err, over := r.attempt(op); over {
		return err
	}
	return r.retries(delays, op)
}

// retries makes all attempts except the first, inside of the range over delays. Its
// receiver is a copy, because the body of the range moves it to the heap; the caller's
// runner can stay on the stack.
func (r runner) retries(delays iter.Seq[time.Duration], op func(context.Context) error) error {
	for {
		r.again = false // in case the schedule is empty the second time
		for d := range delays {
			if !r.retry(d, op) {
				break
			}
		}
		switch {
		case r.over:
			return r.result
		case !r.again:
			return r.stop(ErrExhausted)
		}
	}
}

// retry makes one attempt after a delay of d, and reports whether the next delay is
// wanted. If not, the run is over or the schedule starts again.
func (r *runner) retry(d time.Duration, op func(context.Context) error) bool {
	if r.result = r.await(d); r.result != nil {
		r.over = true
		return false
	}
	r.result, r.over = r.attempt(op)
	r.again = r.resetAfter > 0 && time.Since(r.began) >= r.resetAfter
	return !r.over && !r.again
}

// await waits for the delay before a retry, or returns why no retry follows.
func (r *runner) await(d time.Duration) error {
	d = max(d, r.hint, 0)
	elapsed := time.Since(r.start)
	if cause := r.refusal(d, elapsed); cause != nil {
		return r.stop(cause)
	}
	if r.logger != nil || r.onRetry != nil {
		r.announce(Event{Attempt: r.attempts, Err: r.last, Delay: d, Elapsed: elapsed})
		d -= time.Since(r.start) - elapsed
	}
	if !r.sleep(d) {
		return r.stop(context.Cause(r.ctx))
	}
	if r.resetAfter > 0 {
		r.began = time.Now()
	}
	return nil
}

// refusal returns why no retry may follow a delay of d, or nil. It forms no sum, which
// could wrap.
func (r *runner) refusal(d, elapsed time.Duration) error {
	// At the deadline itself the context is done, so no attempt could be made.
	if deadline, ok := r.ctx.Deadline(); ok && d >= time.Until(deadline) {
		return ErrDeadline
	}
	if r.maxElapsed > 0 && d > r.maxElapsed-elapsed {
		return ErrElapsed
	}
	if r.denied {
		return ErrBudget
	}
	return nil
}

// announce reports a retry before its delay.
func (r *runner) announce(e Event) {
	if r.logger != nil {
		r.logger.LogAttrs(r.ctx, slog.LevelWarn, "attempt failed, retrying",
			slog.Int("attempt", e.Attempt), slog.Any("err", e.Err),
			slog.Duration("delay", e.Delay), slog.Duration("elapsed", e.Elapsed))
	}
	if r.onRetry != nil {
		r.onRetry(e)
	}
}

// sleep waits for d and reports whether the context is still not done.
func (r *runner) sleep(d time.Duration) bool {
	done := r.ctx.Done()
	switch {
	case d <= 0:
	case done == nil: // never done, so no timer is needed
		time.Sleep(d)
	default:
		if r.timer == nil {
			r.timer = time.NewTimer(d)
		} else {
			r.timer.Reset(d)
		}
		select {
		case <-r.timer.C:
		case <-done:
			r.timer.Stop()
		}
	}
	return r.ctx.Err() == nil
}

// stop returns the Error of a run that ends with cause.
func (r *runner) stop(cause error) error {
	return &Error{
		Attempts: r.attempts,
		Elapsed:  time.Since(r.start),
		Last:     r.last,
		Earlier:  r.earlier,
		Cause:    cause,
	}
}
