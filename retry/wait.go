package retry

import (
	"context"
	"time"

	"example.com/backoff/internal/saturating"
)

// await waits for the delay before a retry, or returns why no retry follows.
func (r *runner) await(d time.Duration) error {
	announced := r.done != nil || r.logRetry != nil || r.onRetry != nil || r.below != nil
	var elapsed time.Duration
	if announced || r.maxElapsed > 0 || r.hasDeadline() { // otherwise nobody needs the clock
		elapsed = clock() - r.start
	}
	if cause := r.refusal(d, elapsed); cause != nil {
		return r.stop(cause, "")
	}
	if announced {
		r.announce(d, elapsed)
		d -= clock() - r.start - elapsed
	}
	if !r.sleep(d) {
		return r.stop(context.Cause(r.ctx), resultContext)
	}
	if r.resetAfter > 0 {
		r.began = clock()
	}
	return nil
}

// refusal returns why no retry may follow a delay of d, or nil.
func (r *runner) refusal(d, elapsed time.Duration) error {
	// The comparisons form no sum, which could wrap. At the deadline itself the context
	// is done, so no attempt could be made.
	if r.hasDeadline() && d >= r.deadline-elapsed {
		return ErrDeadline
	}
	if r.maxElapsed > 0 && d > r.maxElapsed-elapsed {
		return ErrElapsed
	}
	if r.denied {
		return ErrBudget
	}
	if r.limiter != nil {
		return r.limiter.Allow(r.attempts+1, r.last)
	}
	return nil
}

// hasDeadline reports whether the context has a deadline. The first call converts it.
func (r *runner) hasDeadline() bool {
	if r.deadline == 0 {
		r.deadline = -1
		if t, ok := r.ctx.Deadline(); ok {
			r.deadline = saturating.Add(max(time.Until(t), 0), clock()-r.start)
		}
	}
	return r.deadline >= 0
}

// announce tells of a retry before its delay.
func (r *runner) announce(d, elapsed time.Duration) {
	o := Outcome{Attempts: r.attempts, Err: r.last, Took: r.took, Elapsed: elapsed, Retry: true, Delay: d, result: resultRetry}
	if r.done != nil {
		r.ends(o)
	}
	if r.logRetry != nil {
		r.logRetry(r.ctx, o)
	}
	if r.onRetry != nil {
		r.onRetry(o)
	}
	if r.below != nil {
		r.below.Retrying(d)
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
