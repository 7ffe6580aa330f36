package retryhttp

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// attempt is one request to the base transport, and its response.
type attempt struct {
	request  http.Request
	ctx      onDemand        // of request
	limit    context.Context // of the wait for a response; nil: ctx is the limit
	response *http.Response
	body     heldBody // of response, when the caller gets it
}

// begin prepares a copy of req, for an attempt with the context ctx.
//
// The response outlasts the attempt, and ctx may not: with [retry.AttemptTimeout] it is
// done when the attempt returns. So the request has a context with the values of ctx that
// is done with the caller's, and ctx limits the wait for a response alone.
func (a *attempt) begin(ctx context.Context, legacy *onDemand, req *http.Request) {
	caller := req.Context()
	if whole, ok := ctx.(*onDemand); ok && whole == legacy {
		ctx = caller // the base looks at the Cancel channel itself
	}
	a.ctx.joined = joined{caller, ctx}
	if ctx.Done() != caller.Done() {
		a.ctx.values = context.WithoutCancel(ctx)
		a.limit = ctx
	}
	a.request = *req.WithContext(&a.ctx)
}

// number sets a header, in canonical form, to the number of the attempt. HTTP does not
// distinguish upper from lower case, so it replaces the header in every form.
func (a *attempt) number(header string, n int) {
	h := a.request.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	maps.DeleteFunc(h, func(name string, _ []string) bool { return http.CanonicalHeaderKey(name) == header })
	h[header] = []string{strconv.Itoa(n)}
	a.request.Header = h
}

// send sends the request.
func (a *attempt) send(base http.RoundTripper) error {
	if a.limit == nil {
		return a.receive(base.RoundTrip(&a.request))
	}
	detach := a.ctx.cancelledBy(a.limit)
	err := a.receive(base.RoundTrip(&a.request))
	switch {
	case detach():
	case err == nil: // the response came too late
		a.drop()
		err = a.limit.Err()
	case errors.Is(err, context.Canceled): // the base does not return causes
		err = a.limit.Err()
	}
	return err
}

// receive keeps a response, and refuses a result that breaks the contract of a
// RoundTripper.
func (a *attempt) receive(resp *http.Response, err error) error {
	if resp == nil && err == nil {
		err = errors.New("retryhttp: the base transport returned neither a response nor an error")
	}
	if err != nil {
		a.ctx.release()
		return err
	}
	a.response = resp
	return nil
}

// drop gives up the response.
func (a *attempt) drop() {
	body := a.response.Body
	a.response = nil
	a.ctx.release()
	if body != nil {
		body.Close()
	}
}

// discard reads the response to its end, so that its connection can be used again, and
// gives it up. It stops where a new connection would be cheaper. It may take the time of
// the delay that follows.
func (a *attempt) discard(delay time.Duration) {
	const most = 64 << 10
	longest := min(max(delay, 100*time.Millisecond), time.Second)
	if a.response == nil {
		return
	}
	if body := a.response.Body; body != nil {
		// Cancelling ends a read that hangs. Close alone does not: that of a body which
		// net/http decompresses waits for the read. Close is for a base that ignores
		// contexts.
		closed := make(chan struct{})
		limit := time.AfterFunc(longest, func() {
			defer close(closed)
			a.ctx.cancel()
			body.Close()
		})
		_, _ = io.CopyN(io.Discard, body, most+1) // one more, to see the end of a body of most
		if !limit.Stop() {
			<-closed
		}
	}
	a.drop()
}
