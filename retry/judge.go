package retry

import (
	"context"
	"errors"
)

// judge decides what follows an attempt.
func (r *runner) judge(failure error, timedOut bool) (err error, over bool) {
	if failure == nil {
		if r.budget != nil {
			r.budget.Succeeded()
		}
		if r.limiter != nil {
			r.limiter.Done(Result{Attempt: r.attempts, Last: r.last})
		}
		if r.done != nil {
			r.tell(Outcome{result: resultSuccess})
		}
		return nil, true
	}
	return r.judgeFailure(failure, timedOut)
}

func (r *runner) judgeFailure(failure error, timedOut bool) (err error, over bool) {
	hint, permanent := marks(failure)
	failure = unmarked(failure)
	if permanent {
		return r.permanent(failure), true
	}
	if r.ctx.Err() != nil {
		cause := context.Cause(r.ctx)
		// An error that only repeats the cause does not replace the last real error.
		if r.last == nil || !errors.Is(failure, r.ctx.Err()) && !errors.Is(failure, cause) {
			r.remember(failure)
		}
		return r.stopAfter(failure, cause, resultContext), true
	}
	if !timedOut && !r.mayRetry(failure) {
		return r.permanent(failure), true
	}
	if r.limiter != nil {
		r.limiter.Done(Result{Attempt: r.attempts, Last: r.last, Err: failure, Retryable: true})
	}
	r.remember(failure)
	if r.hint = hint; r.limitAfter {
		r.hint = min(hint, r.maxAfter)
	}
	r.denied = r.budget != nil && !r.budget.Failed()
	if r.nested {
		err := r.stop(ErrNested, "")
		if r.hint > 0 {
			err = After(err, r.hint) // for the call that retries
		}
		return err, true
	}
	if r.attempts == r.maxAttempts {
		return r.stop(ErrExhausted, ""), true
	}
	return nil, false
}

// mayRetry reports whether a retry could cure failure.
func (r *runner) mayRetry(failure error) bool {
	switch {
	case r.retryable != nil:
		return r.retryable(failure)
	case r.below != nil:
		return r.below.Retryable(failure)
	}
	return true
}

// permanent ends the run with an error that no retry can cure.
func (r *runner) permanent(failure error) error {
	if r.limiter != nil {
		r.limiter.Done(Result{Attempt: r.attempts, Last: r.last, Err: failure})
	}
	r.tell(Outcome{Err: failure, result: resultPermanent})
	return failure
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

// stop returns the Error of a run that ends with cause.
func (r *runner) stop(cause error, result string) error { return r.stopAfter(r.last, cause, result) }

// stopAfter is stop after an attempt that failed with failure, which need not be last.
func (r *runner) stopAfter(failure, cause error, result string) error {
	e := &Error{
		Attempts: r.attempts,
		Elapsed:  clock() - r.start,
		Last:     r.last,
		Earlier:  r.earlier,
		Cause:    cause,
	}
	r.tell(Outcome{Err: failure, Cause: cause, Elapsed: e.Elapsed, result: result})
	return e
}
