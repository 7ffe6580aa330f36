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
	denied   bool // by the budget, when it heard of last
	timer    *time.Timer

	// How the loop over the schedule ended. They are here because a variable that
	// its body shares would be one more on the heap.
	result     error
	over, anew bool
}

func newRunner(function string, ctx context.Context, delays iter.Seq[time.Duration], noOp bool, opts []Option) runner {
	notNil(function, "ctx", ctx == nil, "a context")
	notNil(function, "delays", delays == nil, "a schedule")
	notNil(function, "op", noOp, "a function")
	return runner{config: newConfig(opts), ctx: ctx}
}

// begin starts the clock, unless the context has ended before.
func (r *runner) begin() error {
	if r.ctx.Err() != nil {
		return &Error{Cause: context.Cause(r.ctx)}
	}
	r.start = time.Now()
	r.began = r.start
	return nil
}

// attempt makes one and looks at what it returned. If it is over, err is what the
// caller gets.
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

// judge does so. The attempt's own context may have timed out.
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
		// What says no more than the cause does not displace what went wrong before.
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
	return nil, false
}

// remember keeps the last errors, as many as were asked for.
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
	// The first attempt needs no schedule: what succeeds at once does not pay for one.
	if err, over := r.attempt(op); over {
		return err
	}
	return r.retries(delays, op)
}

// retries makes all attempts but the first, inside the range over delays. Its
// receiver is a copy: with the body of the loop it lives on the heap, and what the
// caller has need not.
func (r runner) retries(delays iter.Seq[time.Duration], op func(context.Context) error) error {
	for {
		r.anew = false // for a schedule that is empty the second time
		for d := range delays {
			if !r.retry(d, op) {
				break
			}
		}
		switch {
		case r.over:
			return r.result
		case !r.anew:
			return r.stop(ErrExhausted)
		}
	}
}

// retry makes one attempt after a delay of d, and reports whether the next delay is
// wanted. If not, either it is over or the schedule starts anew.
func (r *runner) retry(d time.Duration, op func(context.Context) error) bool {
	if r.result = r.await(d); r.result != nil {
		r.over = true
		return false
	}
	r.result, r.over = r.attempt(op)
	r.anew = r.resetAfter > 0 && time.Since(r.began) >= r.resetAfter
	return !r.over && !r.anew
}

// await waits for the delay before a retry, or returns why there is none.
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

// refusal returns why no retry may follow a delay of d, or nil. No sum is formed
// that could wrap.
func (r *runner) refusal(d, elapsed time.Duration) error {
	// At the deadline itself the context has ended: nothing could be tried then.
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

// announce says that a retry follows.
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

// sleep waits for d, and reports whether the context still lives.
func (r *runner) sleep(d time.Duration) bool {
	done := r.ctx.Done()
	switch {
	case d <= 0:
	case done == nil: // nothing can end it, and so no timer is needed
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

// stop makes the error of retrying that was stopped.
func (r *runner) stop(cause error) error {
	return &Error{
		Attempts: r.attempts,
		Elapsed:  time.Since(r.start),
		Last:     r.last,
		Earlier:  r.earlier,
		Cause:    cause,
	}
}
