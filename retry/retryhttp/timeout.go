package retryhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// roundTrip sends req by base. An attempt's own timeout ends the waiting for a
// response, but not the reading of its body: ctx ends with the attempt, and the
// caller has yet to read. So the request gets a context that ends with ctx only until
// the response is there, and after that with the body.
func roundTrip(ctx context.Context, base http.RoundTripper, req *http.Request) (*http.Response, error) {
	if ctx.Done() == req.Context().Done() { // there is no such timeout
		return exactlyOne(base.RoundTrip(req))
	}
	lasting, cancel := context.WithCancelCause(req.Context())
	detach := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	resp, err := exactlyOne(base.RoundTrip(req.WithContext(lasting)))
	attached := detach()
	if err == nil && attached {
		resp.Body = until(resp.Body, cancel)
		return resp, nil
	}
	if err == nil { // the timeout came with the response
		resp.Body.Close()
		err = ctx.Err()
	} else if !attached && errors.Is(err, context.Canceled) {
		err = ctx.Err() // what a base that knows no causes means
	}
	cancel(nil)
	return nil, err
}

// exactlyOne refuses what a RoundTripper must not return.
func exactlyOne(resp *http.Response, err error) (*http.Response, error) {
	if resp == nil && err == nil {
		return nil, errors.New("retryhttp: the base transport returned neither a response nor an error")
	}
	return resp, err
}

// until returns body, cancelling a context when it is closed.
func until(body io.ReadCloser, cancel context.CancelCauseFunc) io.ReadCloser {
	closing := closingBody{body, cancel}
	if w, ok := body.(io.Writer); ok { // of 101 Switching Protocols
		return struct {
			closingBody
			io.Writer
		}{closing, w}
	}
	return closing
}

type closingBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b closingBody) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}
