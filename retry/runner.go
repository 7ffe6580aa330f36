package retry

import (
	"context"
	"iter"
	"time"

	"example.com/backoff/retry/internal/entry"
)

// runner is the state of one call of Do, one of Value, or one range over a Loop.
type runner struct {
	config
	ctx   context.Context // the caller's
	inner context.Context // marked for the attempts; nil if they get ctx
	below entry.Operation // nil unless the call comes from a package below this one

	start    time.Duration // since epoch: when the first attempt began
	began    time.Duration // since epoch: when the latest attempt began; kept for ResetAfter alone
	deadline time.Duration // since start: that of ctx; 0: not read yet; < 0: none

	attempts int
	last     error   // of the latest attempt that failed by itself
	earlier  []error // before last, oldest first, at most keepErrors-1
	hint     time.Duration
	timer    *time.Timer

	// Of the latest attempt, for an observer.
	done []func(Outcome) // one for each observer, or nil
	took time.Duration
	told bool // whether the observers know that the call ends

	// The operation is op, or object if that is not nil.
	op     func(context.Context) error
	object interface{ Attempt(context.Context) error }

	// How the range over the schedule ended.
	result error

	ranging ranging
	over    bool // whether the run is over
	again   bool // whether the schedule starts again from its first delay
	denied  bool // whether the budget allows no retry after last
	nested  bool // whether NotNested allows only one attempt
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
