package backoff

import (
	"context"
	"iter"
	"time"
)

// Attempts returns the numbers 1, 2, 3, ... of the attempts that seq allows, and waits
// between them: after n delays it ends with attempt n+1. Use it for a loop of your own,
// and break when an attempt succeeds:
//
//	var err error
//	for range backoff.Attempts(ctx, delays) {
//		if err = send(ctx); err == nil {
//			break
//		}
//	}
//
// Attempt 1 always comes, even if ctx is already done, so err is the error of an
// attempt and never nil because there was none. After each attempt it ends
//
//   - without drawing a delay, if ctx is done;
//   - at once, if ctx has a deadline that the next delay would reach: no attempt could
//     follow, so it does not wait;
//   - during the delay, as soon as ctx is done.
//
// The error of the last attempt does not tell which of these it was, or that seq ended. Use
// package retry if you need to know: its error says why it stopped. It also has limits,
// hints of servers and budgets, and makes no attempt if ctx is done before the first.
//
// The attempts are lazy, reusable and concurrent, as far as seq is: see the contract
// in the package comment. They do wait, so they read the clock.
//
// It panics if ctx or seq is nil.
func Attempts(ctx context.Context, seq iter.Seq[time.Duration]) iter.Seq[int] {
	checkUse("Attempts", ctx, seq)
	return func(yield func(n int) bool) {
		n := 1
		if !yield(n) || ctx.Err() != nil {
			return
		}
		for d := range seq {
			if deadline, ok := ctx.Deadline(); ok && max(d, 0) >= time.Until(deadline) {
				return
			}
			if Sleep(ctx, d) != nil {
				return
			}
			n++
			if !yield(n) || ctx.Err() != nil {
				return
			}
		}
	}
}
