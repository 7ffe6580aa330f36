// Package retryhttp retries HTTP requests in an [http.RoundTripper], so that an
// [http.Client], and whatever is built on one, need not know of it.
//
//	delays := backoff.Take(backoff.FullJitter(100*time.Millisecond, 10*time.Second), 5)
//	client := &http.Client{Transport: retryhttp.NewTransport(http.DefaultTransport, delays)}
//	resp, err := client.Get("https://example.com/")
//
// # What is retried
//
// A request is retried if sending it twice does what sending it once does, and if it
// can be sent twice:
//
//   - its method is idempotent ([RFC 9110, section 9.2.2]): GET, HEAD, OPTIONS, TRACE,
//     PUT or DELETE; or it has an Idempotency-Key or X-Idempotency-Key header. As in
//     net/http a key without values, req.Header["Idempotency-Key"] = nil, counts and
//     is not sent;
//   - its URL is http or https;
//   - it has no body, or a GetBody to make the body anew. [http.NewRequest] sets that
//     for a bytes.Buffer, a bytes.Reader and a strings.Reader. With another body the
//     request is sent once, and a failure says so, by [ErrBodyOnce]; and if GetBody
//     fails, retrying stops and says that.
//
// Any other request goes to the base transport as it is.
//
// A request has failed if no response came, or if its status is 408, 425, 429, 500,
// 502, 503 or 504. Once the header of any other response has arrived the request has
// succeeded: a connection that breaks in the middle of its body is the reader's to
// notice. No retry follows where none can help: the request has no host, or a method
// or a header that may not be sent; its port is none; the server's certificate does
// not verify, or it does not speak TLS.
//
// # What comes back
//
//	a response of any other status           that response
//	retrying stopped after one of these      the last response, its body unread; Stopped says why
//	retrying stopped after an error          a *retry.Error, in the *url.Error of the client
//	the request's context ended              the same, whatever came last
//	an error or status that If refuses       that error or that response
//
// A response that is not the last is read to its end, so that its connection can be
// used again, and closed. That takes place in the delay. A response of more than 64
// KiB, or one that takes longer than the delay or a second, is closed before its end;
// 100 ms it has in any case.
//
// # Retry-After
//
// A failed response's Retry-After header, in seconds or as a date, makes the delay
// longer and never shorter: the wait is the schedule's delay or what the server asks
// for, whichever is more. [retry.MaxAfter] bounds what it may ask for, to
// [DefaultMaxAfter] unless set. A date is compared with the response's Date, so that
// a client's clock may be wrong. As it names a whole second, to which many clients
// may be sent, up to a second of jitter is added to it. What is in the past asks for
// nothing, and what cannot be read is ignored.
//
// # Time
//
// The client's Timeout and the context's deadline limit the whole: a delay that would
// last until then is not begun. [retry.AttemptTimeout] limits each attempt until its
// response's header has arrived; the body may take longer.
//
// # Beside net/http
//
// [http.Transport] itself sends a request again, once and at once, if it is safe by a
// rule like the one above, without PUT and DELETE, and if a connection that was kept
// alive turns out to be closed. This goes on below: one attempt may be two sendings.
//
// [RFC 9110, section 9.2.2]: https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2
package retryhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"time"

	"example.com/backoff/internal/argument"
	"example.com/backoff/retry"
)

// DefaultMaxAfter is the most that a Retry-After header may ask for where no
// [retry.MaxAfter] is set.
const DefaultMaxAfter = 5 * time.Minute

// ErrBodyOnce is the cause in the [retry.Error] of a request that could not be
// retried because its body can be read only once.
var ErrBodyOnce = errors.New("request has a body and no GetBody to send it again")

// NewTransport returns a transport that sends requests by base, and those that may be
// sent again once more after each delay of delays, until one succeeds; see the package
// comment. Where base is nil it is [http.DefaultTransport]. Options are those of
// package retry; what they see as an error is that of base or a [*StatusError]. The
// transport may be used by any number of goroutines at once, as far as base may.
//
// It panics if delays is nil.
func NewTransport(base http.RoundTripper, delays iter.Seq[time.Duration], opts ...retry.Option) http.RoundTripper {
	if delays == nil {
		argument.Reject("retryhttp", "NewTransport", "delays", "nil", "a schedule")
	}
	if base == nil {
		base = http.DefaultTransport
	}
	return &transport{
		base:   base,
		delays: delays,
		opts:   append([]retry.Option{retry.MaxAfter(DefaultMaxAfter)}, opts...),
	}
}

type transport struct {
	base   http.RoundTripper
	delays iter.Seq[time.Duration]
	opts   []retry.Option
}

// RoundTrip sends req, again if need be. It does not change req, and closes its body.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !repeatable(req) {
		return t.base.RoundTrip(req)
	}
	x := exchange{base: t.base, req: req}
	delays := t.delays
	if hasBody(req) {
		delays = x.bodies(delays)
	}
	opts := append(slices.Clip(t.opts), retry.OnRetry(func(e retry.Event) { x.discard(e.Delay) }))
	err := retry.Do(req.Context(), delays, x.attempt, opts...)
	if !x.sent && req.Body != nil {
		req.Body.Close()
	}
	if x.body != nil {
		x.body.Close()
	}
	if stopped, ok := err.(*retry.Error); ok && stopped.Cause == retry.ErrExhausted && x.lacks != nil {
		stopped.Cause = x.lacks
	}
	switch {
	case err == nil:
		return x.resp, nil
	case x.resp == nil:
		return nil, err
	case req.Context().Err() != nil: // its body could not be read
		x.resp.Body.Close()
		return nil, err
	default:
		return withStopped(x.resp, req, err), nil
	}
}

// CloseIdleConnections is what [http.Client.CloseIdleConnections] looks for.
func (t *transport) CloseIdleConnections() {
	if base, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// repeatable reports whether sending req twice does what sending it once does.
func repeatable(req *http.Request) bool {
	if req.URL == nil || req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return false // the base transport's to refuse, or a protocol of its own
	}
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	_, key := req.Header["Idempotency-Key"]
	_, xkey := req.Header["X-Idempotency-Key"]
	return key || xkey
}

func hasBody(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }

// exchange is the state of one RoundTrip.
type exchange struct {
	base http.RoundTripper
	req  *http.Request
	sent bool           // the base transport has had the request's own body
	resp *http.Response // of the latest attempt, while it is open

	body  io.ReadCloser // for the next attempt, if the request has one
	lacks error         // why there is none
}

// bodies returns the schedule that ends where delays does, or where the request cannot
// be made anew. A schedule is lazy, so the body is made after the failure that its
// delay follows, and the response to that is still there for the caller.
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

// attempt sends the request once.
func (x *exchange) attempt(ctx context.Context) error {
	resp, err := roundTrip(ctx, x.base, x.next())
	if err != nil {
		if hopeless(x.req, err) {
			return retry.Permanent(err)
		}
		return err
	}
	x.resp = resp
	if failed(resp.StatusCode) {
		return newStatusError(resp)
	}
	return nil
}

// next returns the request to send: the caller's own at first, and then copies with a
// body of their own.
func (x *exchange) next() *http.Request {
	if !x.sent {
		x.sent = true
		return x.req
	}
	again := x.req.WithContext(x.req.Context())
	if x.body != nil {
		again.Body, x.body = x.body, nil
	}
	return again
}

// discard closes the latest response, if there is one, and reads it to its end so
// that its connection can be used again, as long as that is cheaper than a new one.
// It may take the delay that follows.
func (x *exchange) discard(delay time.Duration) {
	const most = 64 << 10
	longest := min(max(delay, 100*time.Millisecond), time.Second)
	if x.resp == nil {
		return
	}
	body := x.resp.Body
	x.resp = nil
	defer body.Close()
	// Closing is what ends a read that hangs.
	defer time.AfterFunc(longest, func() { body.Close() }).Stop()
	_, _ = io.CopyN(io.Discard, body, most+1) // one more is where the end of most is seen
}
