package retrygrpc

import (
	"context"
	"sync"
)

// lasting is a context for a stream. The context of an attempt is done when the attempt
// returns, which is with the stream's first message.
type lasting struct {
	ctx     context.Context
	detach  func() bool // from the attempt; false if that was done before
	release func()      // everything that ctx holds
}

// outlast returns a context with the values of that of the attempt. It is done together
// with that until it is detached, and together with the caller's.
func outlast(attempt, caller context.Context) lasting {
	if attempt.Done() == caller.Done() { // the attempt has no end of its own
		return lasting{attempt, func() bool { return true }, func() {}}
	}
	ctx, cancel := withDeadlineOf(caller, context.WithoutCancel(attempt))
	stop := context.AfterFunc(caller, func() {
		if caller.Err() == context.Canceled { // ctx has the same deadline
			cancel()
		}
	})
	detach := sync.OnceValue(context.AfterFunc(attempt, cancel))
	return lasting{ctx, detach, func() {
		stop()
		detach()
		cancel()
	}}
}

func withDeadlineOf(caller, ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := caller.Deadline(); ok {
		return context.WithDeadline(ctx, deadline)
	}
	return context.WithCancel(ctx)
}
