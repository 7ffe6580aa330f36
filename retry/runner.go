package retry

import (
	"context"
	"errors"
	"iter"
	"time"

	"example.com/backoff/internal/saturating"
	"example.com/backoff/retry/internal/entry"
)

// runner is the state of one call of Do, one of Value, or one range over a Loop.
type runner struct {
	config
	ctx   context.Context // the caller's
	inner context.Context // marked for the attempts; nil if they get ctx
	below entry.Operation // nil unless the call comes from a package below this one

	// Times since epoch, and a time since start.
	start    time.Duration // when the first attempt began
	began    time.Duration // when the latest attempt began; kept for ResetAfter alone
	deadline time.Duration // of ctx; 0: not read yet; < 0: none

	attempts int
	last     error   // of the latest attempt that failed by itself
	earlier  []error // before last, oldest first, at most keepErrors-1
	hint     time.Duration
	timer    *time.Timer

	// Of the latest attempt, for an observer.
	done []func(Outcome) // one for each observer, or nil
	took time.Duration
	told bool // that the call ends

	// The operation is op, or object if that is not nil.
	op     func(context.Context) error
	object interface{ Attempt(context.Context) error }

	// How the range over the schedule ended.
	result error

	ranging ranging
	over    bool // the run is
	again   bool // from the first delay
	denied  bool // by the budget, after last
	nested  bool // so there is only one attempt
}

// epoch makes the clock cheap: the time since a time that was read before needs one of
// the two clocks that time.Now reads.
var epoch = time.Now()

func clock() time.Duration { return time.Since(epoch) }

// check panics if an argument is missing.
func check(function string, ctx context.Context, delays iter.Seq[time.Duration], noOp bool) {
	notNil(function, "ctx", ctx == nil, "a context")
	notNil(function, "delays", delays == nil, "a schedule")
	notNil(function, "op", noOp, "a function")
}

// run makes all attempts.
func (r *runner) run(delays iter.Seq[time.Duration], op func(context.Context) error) error {
	if err, over := r.first(op); over {
		return err
	}
	return r.retries(delays, op)
}

// first makes the first attempt. That needs no schedule, so a success at once does not
// range over it. If over is true, err is the result of the run.
func (r *runner) first(op func(context.Context) error) (err error, over bool) {
	if err := r.begin(); err != nil {
		return err, true
	}
	return r.attempt(op, 0)
}

// begin starts the clock. It fails if no attempt may be made.
func (r *runner) begin() error {
	if r.ctx.Err() != nil {
		return &Error{Cause: context.Cause(r.ctx)}
	}
	if r.notNested {
		r.nested = marked(r.ctx) > 0 || stacked() > 0
	}
	if r.limiter != nil {
		if err := r.limiter.Allow(1, nil); err != nil {
			return &Error{Cause: err}
		}
	}
	r.start = clock()
	return nil
}

// attempt calls op once, after a delay, and judges the result. If over is true, err is
// the result of the run.
func (r *runner) attempt(op func(context.Context) error, delay time.Duration) (err error, over bool) {
	r.attempts++
	if r.inner == nil && marking.Load() {
		r.inner = mark(r.ctx)
	}
	ctx := r.ctx
	if r.inner != nil {
		ctx = r.inner
	}
	if r.observers != nil {
		return r.observed(ctx, op, delay)
	}
	return r.judge(r.perform(ctx, op))
}

// perform calls op. timedOut reports that the attempt's own context was done.
func (r *runner) perform(ctx context.Context, op func(context.Context) error) (failure error, timedOut bool) {
	if r.attemptTimeout == 0 {
		return r.call(ctx, op), false
	}
	return r.callInTime(ctx, op)
}

// call is the only function that calls operations.
func (r *runner) call(ctx context.Context, op func(context.Context) error) error {
	if r.object != nil {
		return r.object.Attempt(ctx)
	}
	return op(ctx)
}

// callInTime is perform with AttemptTimeout.
func (r *runner) callInTime(ctx context.Context, op func(context.Context) error) (failure error, timedOut bool) {
	ctx, cancel := context.WithTimeout(ctx, r.attemptTimeout)
	defer cancel()
	failure = r.call(ctx, op)
	return failure, ctx.Err() != nil
}

// observed is attempt with an observer.
func (r *runner) observed(ctx context.Context, op func(context.Context) error, delay time.Duration) (err error, over bool) {
	r.told, r.took = false, 0
	var began time.Duration // the observers' time is not the attempt's
	calling, returned := false, false
	defer func() {
		if calling {
			r.took = clock() - began
		}
		if !returned {
			r.panicked()
		}
	}()
	ctx = r.begins(ctx, Attempt{Number: r.attempts, Delay: delay, Start: time.Now()})
	began, calling = clock(), true
	if r.resetAfter > 0 {
		r.began = began
	}
	failure, timedOut := r.perform(ctx, op)
	r.took, calling = clock()-began, false
	err, over = r.judge(failure, timedOut)
	returned = true
	return err, over
}

// panicked tells an observer that the call ends by a panic, of the attempt or of a
// function that decides what follows it.
func (r *runner) panicked() {
	if !r.told {
		r.tell(Outcome{Cause: errPanic, result: resultPanic})
	}
}

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

// ranging is the state of a range over the schedule. The range calls the schedule with a
// method, which costs less than a for statement, and makes that statement's checks.
type ranging uint8

const (
	finished ranging = iota // the schedule may not call next
	waiting                 // it may
	inBody                  // it has, and next has not returned
)

// retries makes all attempts except the first. Its receiver is a copy, because rangeOver
// moves it to the heap; the caller's runner can stay on the stack.
func (r runner) retries(delays iter.Seq[time.Duration], op func(context.Context) error) error {
	r.op = op
	return r.rangeOver(delays)
}

// rangeOver makes all attempts except the first, inside of the range over delays.
func (r *runner) rangeOver(delays iter.Seq[time.Duration]) error {
	next := r.next
	if r.observers != nil {
		defer r.panicked() // which does nothing if the range ends
	}
	for {
		r.again = false // in case the schedule is empty the second time
		r.ranging = waiting
		delays(next)
		if r.ranging == inBody {
			panic("retry: the schedule has recovered a panic of the attempt, want it to go on")
		}
		r.ranging = finished
		switch {
		case r.over:
			return r.result
		case !r.again:
			return r.stop(ErrExhausted, "")
		}
	}
}

// next makes one attempt after a delay of d, and reports whether the next delay is
// wanted. If not, the run is over or the schedule starts again.
func (r *runner) next(d time.Duration) bool {
	if r.ranging != waiting {
		panic("retry: the schedule has called yield after it returned false, or while another call of it runs")
	}
	r.ranging = inBody
	more := r.retry(d)
	r.ranging = finished
	if more {
		r.ranging = waiting
	}
	return more
}

func (r *runner) retry(d time.Duration) bool {
	d = max(d, r.hint, 0)
	if r.result = r.await(d); r.result != nil {
		r.over = true
		return false
	}
	r.result, r.over = r.attempt(r.op, d)
	r.again = r.resetAfter > 0 && clock()-r.began >= r.resetAfter
	return !r.over && !r.again
}

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

// tell passes the last outcome of the run to the observer of the latest attempt.
func (r *runner) tell(o Outcome) {
	if r.done == nil {
		return
	}
	r.told = true
	o.Attempts, o.Took = r.attempts, r.took
	if o.Elapsed == 0 {
		o.Elapsed = clock() - r.start
	}
	r.ends(o)
}
