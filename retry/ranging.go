package retry

import (
	"context"
	"iter"
	"time"
)

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
