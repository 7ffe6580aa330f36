package retry

import (
	"context"
	"iter"
	"time"
)

// A Loop makes attempts in the body of a for statement:
//
//	loop := retry.NewLoop(ctx, delays)
//	for n := range loop.Attempts() {
//		loop.Fail(call(loop.Context(), n))
//	}
//	return loop.Err()
//
// It is what [Do] is, with the same errors, for a body that returns, breaks and
// continues as a loop does. A Loop is for one goroutine.
type Loop struct {
	runner  runner // as every range begins with it
	delays  iter.Seq[time.Duration]
	n       int             // of the attempt being made
	attempt context.Context // of that
	failure error           // what Fail was told of it
	err     error
}

// NewLoop returns a Loop that waits for one delay of delays after each attempt that
// failed.
//
// It panics if ctx or delays is nil.
func NewLoop(ctx context.Context, delays iter.Seq[time.Duration], opts ...Option) *Loop {
	r := newRunner("NewLoop", ctx, delays, false, opts)
	return &Loop{runner: r, delays: delays}
}

// Attempts returns an iterator over the numbers of the attempts, 1, 2, 3, ... The
// delay before a retry is waited for between two of them. An attempt that was not
// failed is the last, and so is one whose body breaks or returns. Nothing is yielded
// if the context has ended before.
//
// Ranging again begins again, with attempt 1 and the first delay.
func (l *Loop) Attempts() iter.Seq[int] {
	return func(yield func(int) bool) {
		l.n, l.err = 0, nil
		defer func() { l.attempt = nil }()
		r := l.runner
		l.err = r.run(l.delays, func(ctx context.Context) error {
			l.n++
			l.attempt, l.failure = ctx, nil
			if !yield(l.n) {
				return Permanent(l.failure) // the caller has left the loop
			}
			return l.failure
		})
	}
}

// Fail says that the attempt being made failed with err, so that another one follows
// if the schedule and the limits allow it. Of several calls in one attempt the last
// counts, and Fail(nil) takes the failure back: loop.Fail(call()) is enough. err may
// be marked by [Permanent] and [After].
func (l *Loop) Fail(err error) { l.failure = err }

// Context returns the context of the attempt being made, which [AttemptTimeout]
// limits, and the context that the loop was made with where there is none.
func (l *Loop) Context() context.Context {
	if l.attempt != nil {
		return l.attempt
	}
	return l.runner.ctx
}

// Err returns the error with which the loop ended; see the package comment. It is
// nil if the last attempt was not failed. A loop that was left after Fail(err), by
// break or return, ended with err.
func (l *Loop) Err() error { return l.err }
