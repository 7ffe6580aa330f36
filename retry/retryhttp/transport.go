// Package retryhttp retries HTTP requests in an [http.RoundTripper], so that an
// [http.Client] and all code that uses it retries without changes.
//
//	delays := backoff.Take(backoff.FullJitter(100*time.Millisecond, 10*time.Second), 5)
//	client := &http.Client{
//		Transport: retryhttp.NewTransport(http.DefaultTransport, delays, retry.AttemptTimeout(10*time.Second)),
//		Timeout:   time.Minute, // of all attempts and delays together
//	}
//	resp, err := client.Get("https://example.com/")
//	if err != nil {
//		return err // no response, after all attempts
//	}
//	defer resp.Body.Close()
//	if resp.StatusCode != http.StatusOK {
//		return fmt.Errorf("example.com: %s", resp.Status) // such as 404, or the last 503
//	}
//
// As in net/http, check the status of the response: if the last attempt ends with 503,
// that response is returned, and [Stopped] tells why no other attempt followed.
//
// Make one client for a server, or for a program, and share it: it keeps connections
// and may be used by any number of goroutines. Use [retry.Do] around a request instead
// when only your own code can decide whether an answer is a failure, such as by its
// body.
//
// # Requests that are retried
//
// A request is retried if repeating it is safe and possible:
//
//   - its method is idempotent ([RFC 9110, section 9.2.2]): GET, HEAD, OPTIONS, TRACE,
//     PUT or DELETE; or it has an Idempotency-Key or X-Idempotency-Key header, which
//     tells the server to do a repeated POST once. As in net/http, a key without values,
//     req.Header["Idempotency-Key"] = nil, counts and is not sent;
//   - its URL is http or https;
//   - it has no body, or a GetBody function that makes the body again.
//     [http.NewRequest] sets that for a bytes.Buffer, a bytes.Reader and a
//     strings.Reader. A request with another body is sent once, and its failure has
//     the cause [ErrBodyOnce]. If GetBody fails, retrying stops with that error.
//
// All other requests, such as a plain POST, go to the base transport unchanged and are
// sent once.
//
// # Failures
//
// An attempt failed if there was no response, or if its status is 408, 425, 429, 500,
// 502, 503 or 504. With any other status it succeeded as soon as the header arrived: if
// the connection breaks during the body, the reader of the body gets the error.
//
// A failure is not retried if a retry cannot help: the request has no host or an invalid
// port, its method or a header is invalid, the server's certificate is not valid, or the
// server does not speak TLS.
//
// # What RoundTrip returns
//
//	outcome                                  result
//	a response of any other status           that response
//	retrying stopped after such a status     the last response, its body unread; Stopped tells why
//	retrying stopped after an error          a *retry.Error, inside of the *url.Error of the client
//	the request's context was done           the same, whatever the last attempt returned
//	an error or a status that If refuses     that error or that response
//
// The body of each earlier response is read and closed during the delay, so that its
// connection can be used again. Reading stops after 64 KiB, and after the delay or a
// second if that is shorter, but not before 100 ms.
//
// # Retry-After
//
// A Retry-After header, in seconds or as a date, can make the delay longer, never
// shorter: the transport waits for the schedule's delay or for the header's, whichever is
// longer. [retry.MaxAfter] limits it; default: [DefaultMaxAfter]. A date is compared with
// the response's Date, so the client's clock may be wrong. The server may send many
// clients to the same second, so up to a second of jitter is added to a date. A date in
// the past and a value that cannot be parsed are ignored.
//
// # Timeouts
//
// The client's Timeout and the context's deadline limit all attempts and delays
// together. If that time would pass during a delay, the transport gives up at once.
// [retry.AttemptTimeout] limits each attempt until the header of its response; the body
// may take longer.
//
// # Retries of net/http
//
// [http.Transport] has a retry of its own: if a connection that was kept alive turns out
// to be closed, it sends the request again at once, by similar rules but without PUT and
// DELETE. So one attempt may send a request twice.
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

// DefaultMaxAfter limits a Retry-After header unless [retry.MaxAfter] is set.
const DefaultMaxAfter = 5 * time.Minute

// ErrBodyOnce is the Cause in the [retry.Error] of a request that cannot be sent again,
// because its body can be read only once. Set GetBody, or make the request with a
// bytes.Reader.
var ErrBodyOnce = errors.New("request has a body and no GetBody to send it again")

// NewTransport returns a transport that sends requests by base. After a failure it waits
// for one delay of delays and sends the request again, if that is safe, until an attempt
// succeeds. The package comment has the rules. If base is nil, it is
// [http.DefaultTransport].
//
// The options are those of package retry. Their errors are those of base, and a
// [*StatusError] for a status that failed; [retry.If] can choose among both.
//
// Any number of goroutines may use the transport at once if they may use base.
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

// RoundTrip sends req, several times if necessary. It does not change req, and closes its
// body.
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
	case req.Context().Err() != nil: // so its body cannot be read
		x.resp.Body.Close()
		return nil, err
	default:
		return withStopped(x.resp, req, err), nil
	}
}

// CloseIdleConnections is called by [http.Client.CloseIdleConnections].
func (t *transport) CloseIdleConnections() {
	if base, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// repeatable reports whether sending req twice has the same effect as sending it once.
func repeatable(req *http.Request) bool {
	if req.URL == nil || req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return false // the base transport refuses it, or has a protocol of its own
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
	sent bool           // the base transport got the request's own body
	resp *http.Response // of the latest attempt, while it is open

	body  io.ReadCloser // for the next attempt, if the request has one
	lacks error         // why there is none
}

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

// next returns the request to send: first the caller's own, then copies with their own
// body.
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

// discard reads the latest response to its end and closes it, so that its connection can
// be used again. It stops where a new connection would be cheaper. It may take the time
// of the delay that follows.
func (x *exchange) discard(delay time.Duration) {
	const most = 64 << 10
	longest := min(max(delay, 100*time.Millisecond), time.Second)
	if x.resp == nil {
		return
	}
	body := x.resp.Body
	x.resp = nil
	defer body.Close()
	// Close ends a read that hangs.
	defer time.AfterFunc(longest, func() { body.Close() }).Stop()
	_, _ = io.CopyN(io.Discard, body, most+1) // one more, to see the end of a body of most
}
