package retryhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// roundTrip sends req by base. The timeout of an attempt limits the wait for a response,
// but not the reading of its body: ctx is done when the attempt returns, before the
// caller reads. So the request gets a context that is cancelled with ctx only until the
// response arrives, and after that when the body is closed.
func roundTrip(ctx context.Context, base http.RoundTripper, req *http.Request) (*http.Response, error) {
	if ctx.Done() == req.Context().Done() { // no such timeout
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
		err = ctx.Err() // the base does not return causes
	}
	cancel(nil)
	return nil, err
}

// exactlyOne refuses a result that breaks the contract of a RoundTripper.
func exactlyOne(resp *http.Response, err error) (*http.Response, error) {
	if resp == nil && err == nil {
		return nil, errors.New("retryhttp: the base transport returned neither a response nor an error")
	}
	return resp, err
}

// until returns body with a Close that also cancels a context.
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
