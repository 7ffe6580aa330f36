package retry

import (
	"context"
	"iter"
	"time"
)

// A Loop makes attempts in the body of a for statement, with the rules and the errors
// of [Do]:
//
//	loop := retry.NewLoop(ctx, delays)
//	for range loop.Attempts() {
//		loop.Fail(send(loop.Context()))
//	}
//	return loop.Err()
//
// Use Loop when the body must return from the function around it, or break or continue
// a loop there. Otherwise use Do, in which a failure cannot be forgotten.
//
// An attempt is a success unless Fail was called in it. A body that continues after an
// error without calling Fail has therefore succeeded: the loop ends and Err is nil.
//
//	for range loop.Attempts() {
//		if err := send(loop.Context()); err != nil {
//			continue // WRONG: the error is lost, and nothing is retried
//		}
//	}
//
// So give Fail the result of every attempt, as in the first example, before anything
// else in the body can continue. Fail(nil) is a success.
//
// A Loop is for one goroutine, and for one for statement at a time.
type Loop struct {
	runner  runner
	delays  iter.Seq[time.Duration]
	yield   func(int) bool  // the body of the current for statement
	attempt context.Context // of the current attempt; nil between loops
	failure error           // the argument of the last Fail in the current attempt
	err     error
}

// NewLoop returns a Loop that waits for one delay of delays after each failed attempt.
//
// It panics if ctx or delays is nil.
func NewLoop(ctx context.Context, delays iter.Seq[time.Duration], opts ...Option) *Loop {
	check("NewLoop", ctx, delays, false)
	l := &Loop{runner: runner{config: newConfig(opts), ctx: ctx}, delays: delays}
	l.runner.object = (*body)(l)
	return l
}

// Attempts returns an iterator over the numbers of the attempts, 1, 2, 3, ... It waits
// for the delays between them.
//
// The loop ends after an attempt in which [Loop.Fail] was not called, because that is a
// success, and wherever [Do] would stop. The body may also break or return. If the
// context is done before the first attempt, there is no attempt. Check [Loop.Err] after
// the loop.
//
// Ranging again starts again, with attempt 1 and the first delay.
func (l *Loop) Attempts() iter.Seq[int] {
	return func(yield func(int) bool) {
		l.yield, l.err = yield, nil
		defer func() { l.attempt = nil }()
		l.err = l.run()
	}
}

// run makes all attempts of one range. It does not copy the runner for the retries, as Do
// does, because a Loop is on the heap already.
func (l *Loop) run() error {
	r := &l.runner
	if r.attempts > 0 { // of the range before
		*r = runner{config: r.config, ctx: r.ctx, object: r.object}
	}
	if err, over := r.first(nil); over {
		return err
	}
	return r.rangeOver(l.delays)
}

// body is the body of a Loop's for statement, as an operation.
type body Loop

func (b *body) Attempt(ctx context.Context) error {
	b.attempt, b.failure = ctx, nil
	if !b.yield(b.runner.attempts) {
		return Permanent(b.failure) // the caller has left the loop
	}
	return b.failure
}

// Fail sets the result of the current attempt. If err is not nil, another attempt
// follows as far as the schedule and the limits allow it. err may be marked by
// [Permanent] and [After].
//
// Fail(nil) is a success, so loop.Fail(send(ctx)) needs no if. If Fail is called
// several times in one attempt, the last call wins. Fail does not leave the body:
// continue, or let the body end.
func (l *Loop) Fail(err error) { l.failure = err }

// Context returns the context of the current attempt, which [AttemptTimeout] limits.
// Outside of an attempt it returns the context given to [NewLoop].
func (l *Loop) Context() context.Context {
	if l.attempt != nil {
		return l.attempt
	}
	return l.runner.ctx
}

// Err returns the error that ended the loop, one of those of [Do]. It is nil if the last
// attempt succeeded. If the body called Fail(err) and then left the loop by break or
// return, Err returns err.
func (l *Loop) Err() error { return l.err }
