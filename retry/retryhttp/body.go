package retryhttp

import (
	"io"
	"net/http"
)

// handOut returns the response for the caller. Closing its body releases the attempt's
// context.
func (a *attempt) handOut(req *http.Request) *http.Response {
	resp := a.response
	if resp.Request == &a.request {
		resp.Request = req // its context is not done when the body is closed
	}
	switch {
	case !a.ctx.settle(): // nothing depends on the context
	case resp.Body == nil || resp.Body == http.NoBody:
		a.ctx.release()
	default:
		a.body = heldBody{resp.Body, &a.ctx}
		resp.Body = a.body.withWrites()
	}
	return resp
}

// heldBody is a body whose Close also releases a context.
type heldBody struct {
	io.ReadCloser
	ctx *onDemand
}

func (b *heldBody) Close() error {
	defer b.ctx.release()
	return b.ReadCloser.Close()
}

// closeWriter is a connection that can be closed for writing alone.
type closeWriter interface{ CloseWrite() error }

// withWrites returns b with the other methods that the body of 101 Switching Protocols
// has, if the base's body has them.
func (b *heldBody) withWrites() io.ReadCloser {
	w, ok := b.ReadCloser.(io.Writer)
	if !ok {
		return b
	}
	if c, ok := b.ReadCloser.(closeWriter); ok {
		return struct {
			*heldBody
			io.Writer
			closeWriter
		}{b, w, c}
	}
	return struct {
		*heldBody
		io.Writer
	}{b, w}
}
