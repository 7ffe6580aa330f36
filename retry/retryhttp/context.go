package retryhttp

import (
	"context"
	"sync"
	"time"
)

// onDemand is a context that can be cancelled. It makes a context of its own for that when
// its Done channel is first asked for, so that it costs nothing before.
type onDemand struct {
	joined
	also <-chan struct{} // cancels it too, if it is not nil

	mu      sync.Mutex
	own     context.Context // nil until Done is called
	end     context.CancelCauseFunc
	settled bool // nobody will cancel it any more
}

func (c *onDemand) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own == nil && c.settled {
		return c.joined.Done()
	}
	if c.own == nil {
		c.own, c.end = context.WithCancelCause(&c.joined)
		if c.also != nil {
			go c.wait(c.own.Done(), c.end)
		}
	}
	return c.own.Done()
}

// wait ends the context when the other channel is closed.
func (c *onDemand) wait(done <-chan struct{}, end context.CancelCauseFunc) {
	select {
	case <-c.also:
		end(c.alsoCause())
	case <-done:
	}
}

// alsoCause returns what it means that the other channel is closed. A client with a timeout
// closes it at the deadline of the context, and either may come first.
func (c *onDemand) alsoCause() error {
	if deadline, ok := c.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return context.Canceled
}

func (c *onDemand) Err() error {
	select {
	case <-c.also: // never, if it is nil
		// wait may not have seen it yet.
		if c.Done(); c.made() != nil {
			c.end(c.alsoCause())
		}
	default:
	}
	if own := c.made(); own != nil {
		return own.Err()
	}
	return c.joined.Err()
}

// Value finds the context of c's own, if there is one, so that package context attaches
// others to that and needs no goroutine.
func (c *onDemand) Value(key any) any {
	if own := c.made(); own != nil {
		return own.Value(key)
	}
	return c.joined.Value(key)
}

func (c *onDemand) made() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.own
}

// cancel ends c.
func (c *onDemand) cancel() {
	c.Done()
	c.release()
}

// cancelledBy ends c when ctx is done. detach undoes that, and reports whether ctx was not
// done yet.
func (c *onDemand) cancelledBy(ctx context.Context) (detach func() bool) {
	c.Done()
	return context.AfterFunc(ctx, func() { c.end(context.Cause(ctx)) })
}

// settle is called when nobody will cancel c any more. It reports whether c must be
// released later.
func (c *onDemand) settle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled = true
	return c.own != nil
}

// release ends the context of c's own, which its parent would keep otherwise.
func (c *onDemand) release() {
	if c.settle() {
		c.end(nil)
	}
}

// joined is a context that is done when one context is, and has the values of another.
type joined struct {
	context.Context
	values context.Context // derived from Context
}

func (j *joined) Value(key any) any {
	if v := j.values.Value(key); v != nil {
		return v
	}
	return j.Context.Value(key) // of package context's own, which WithoutCancel hides
}
