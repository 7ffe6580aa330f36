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
	ctx, cancel := context.WithCancel(withValues{caller, context.WithoutCancel(attempt)})
	detach := sync.OnceValue(context.AfterFunc(attempt, cancel))
	return lasting{ctx, detach, func() {
		detach()
		cancel()
	}}
}

// withValues is a context with the values of another one.
type withValues struct {
	context.Context
	values context.Context // is never done, so that package context finds no other end in it
}

func (c withValues) Value(key any) any { return c.values.Value(key) }

// AfterFunc saves a goroutine: package context calls it when it derives a context.
func (c withValues) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(c.Context, f) }
