package retryhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"example.com/backoff/retry"
)

// exchange is the state of one RoundTrip. It is one object, with its first attempt in it,
// so that a request that succeeds at once costs one allocation. It costs 6 if the base
// derives a context from the request's, as that of net/http does.
type exchange struct {
	*transport
	req      *http.Request
	ctx      context.Context // of the whole exchange
	legacy   onDemand        // this is ctx if the request has a Cancel channel
	first    attempt
	latest   *attempt
	attempts int

	body  io.ReadCloser // for the next attempt, if the request has one
	lacks error         // why there is none
}

// exchange sends req until an attempt succeeds or retrying stops.
func (t *transport) exchange(req *http.Request) (*http.Response, error) {
	x := exchange{transport: t, req: req, ctx: req.Context()}
	if cancelled := cancelChannel(req); cancelled != nil {
		x.legacy = onDemand{joined: joined{x.ctx, x.ctx}, also: cancelled}
		defer x.legacy.release()
		x.ctx = &x.legacy
	}
	delays := t.delays
	if hasBody(req) {
		delays = x.bodies(delays)
	}
	return x.result(t.runner.Run(x.ctx, delays, &x))
}

// cancelChannel returns what ended requests before they had a context. A client with a
// timeout still sets it.
func cancelChannel(req *http.Request) <-chan struct{} {
	return req.Cancel //lint:ignore SA1019 requests may have it
}

// result returns what the caller gets when the run has ended with err.
func (x *exchange) result(err error) (*http.Response, error) {
	if x.attempts == 0 && x.req.Body != nil {
		x.req.Body.Close()
	}
	if x.body != nil {
		x.body.Close()
	}
	stopped, ok := err.(*retry.Error)
	if ok && stopped.Cause == retry.ErrExhausted && x.lacks != nil {
		stopped.Cause = x.lacks
		x.warn(&x.warned.body, x.req, x.lacks, stopped.Last)
	}
	if x.latest == nil || x.latest.response == nil {
		return nil, err
	}
	if err != nil && x.ctx.Err() != nil { // so its body cannot be read
		x.latest.drop()
		return nil, err
	}
	resp := x.latest.handOut(x.req)
	if ok || err != nil && x.failures.has(resp.StatusCode) {
		withStopped(resp, x.req, err)
	}
	return resp, nil
}

func hasBody(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }

// bodies returns a schedule that ends with delays, or earlier if the request's body
// cannot be made again. A schedule is lazy, so each body is made after the failure that
// its delay follows, while the response is still there for the caller.
func (x *exchange) bodies(delays iter.Seq[time.Duration]) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for d := range delays {
			if x.req.GetBody == nil {
				x.lacks = ErrBodyOnce
				return
			}
			if x.body == nil {
				body, err := x.req.GetBody()
				if err != nil {
					x.lacks = fmt.Errorf("retryhttp: GetBody: %w", err)
					return
				}
				x.body = body
			}
			if !yield(d) {
				return
			}
		}
	}
}

// Attempt sends the request once.
func (x *exchange) Attempt(ctx context.Context) error {
	a := x.next(ctx)
	if err := a.send(x.base); err != nil {
		return x.unrepeated(err)
	}
	return x.failure(a.response)
}

// next prepares an attempt: the first with the caller's body, and later ones with bodies of
// their own. A base transport may still use the attempt before.
func (x *exchange) next(ctx context.Context) *attempt {
	x.attempts++
	a := &x.first
	if x.attempts > 1 {
		a = new(attempt)
	}
	x.latest = a
	a.begin(ctx, &x.legacy, x.req)
	if x.body != nil {
		a.request.Body, x.body = x.body, nil
	}
	if x.header != "" {
		a.number(x.header, x.attempts)
	}
	return a
}

// Retryable is called unless the caller has set [retry.If].
func (x *exchange) Retryable(err error) bool {
	_, answered := err.(*StatusError)
	return answered || !hopeless(x.req, err)
}

// Retrying is called before a delay.
func (x *exchange) Retrying(delay time.Duration) { x.latest.discard(delay) }

// unrepeated returns err with another text if it only repeats why the exchange is over,
// because a [retry.Error] has the text of that already.
func (x *exchange) unrepeated(err error) error {
	if x.ctx.Err() == nil {
		return err
	}
	cause := context.Cause(x.ctx)
	if errors.Is(err, cause) && err.Error() == cause.Error() {
		return &noResponse{err}
	}
	return err
}

// noResponse is the error of an attempt that ended with the exchange.
type noResponse struct{ err error }

func (*noResponse) Error() string { return "no response" }

func (e *noResponse) Unwrap() error { return e.err }
