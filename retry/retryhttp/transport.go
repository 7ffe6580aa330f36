// Package retryhttp retries HTTP requests in an [http.RoundTripper], so that an
// [http.Client] and all code that uses it retries without changes.
//
//	delays := backoff.Take(backoff.FullJitter(100*time.Millisecond, 10*time.Second), 5)
//	client := &http.Client{
//		Transport: retryhttp.NewTransport(http.DefaultTransport, delays, retry.AttemptTimeout(10*time.Second)),
//		Timeout:   time.Minute, // of all attempts and delays together
//	}
//	resp, err := client.Get("https://example.com/") // a plain POST would be sent once
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
// A plain POST is sent once. A request is retried if repeating it is safe and possible:
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
// sent once. The first of them with a failure that would be retried otherwise, and the
// first with ErrBodyOnce, are logged by [retry.WithLogger]. [AnyMethod] and [Repeatable]
// retry other requests than these.
//
// # Failures
//
// An attempt failed if there was no response, or if its status is 408, 425, 429, 500,
// 502, 503 or 504, or one that [Statuses] or [ServerErrors] adds. With any other status it
// succeeded as soon as the header arrived: if the connection breaks during the body, the
// reader of the body gets the error.
//
// A failure is not retried if a retry cannot help: the request has no host or an invalid
// port, its method or a header is invalid, the server's certificate is not valid, or the
// server does not speak TLS.
//
// [retry.If] replaces both rules. Its function gets every error of the base transport, and
// a [*StatusError] for every response whose status is 400 or above, such as 404, or is a
// failure. What it accepts is retried. A status that it refuses ends the call as it would
// without retries. If there is a logger, the function is also called for requests that are
// sent once, until the failure of one has been logged.
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
// second if that is shorter, but not before 100 ms. Then the attempt is cancelled.
//
// The base transport gets a copy of the request for each attempt, with a context of its
// own. The context has the values of the one that [retry.Observe] returned, such as a span,
// and is done when the body is closed. Close the body of every response, as with net/http.
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
// The Cancel channel of a request, which contexts have replaced, ends delays as well.
// [retry.AttemptTimeout] limits each attempt until the header of its response; the body
// may take longer.
//
// If the client's Timeout is over, the text of the error may be net/http's or this
// package's. Check the method Timeout of the [net.Error], not the text.
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
	"iter"
	"net/http"
	"time"

	"example.com/backoff/internal/argument"
	"example.com/backoff/retry"
	"example.com/backoff/retry/internal/entry"
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
// If delays is endless, set the client's Timeout, a deadline of the request's context,
// [retry.MaxAttempts] or [retry.MaxElapsed]. Otherwise a request to a server that always
// fails is sent forever.
//
// The options are those of package retry, and [Statuses], [ServerErrors], [Repeatable],
// [AnyMethod] and [WithAttemptHeader], which change nothing elsewhere. The errors that they
// get are those of base, and a [*StatusError] for a status that failed; [retry.If] can choose
// among both.
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
	runner := entry.Prepare(append([]retry.Option{retry.MaxAfter(DefaultMaxAfter)}, opts...))
	return &transport{
		base:     base,
		delays:   delays,
		runner:   runner,
		hasIf:    runner.HasIf(),
		log:      runner.Warn(),
		settings: newSettings(runner.Values()),
	}
}

type transport struct {
	base   http.RoundTripper
	delays iter.Seq[time.Duration]
	runner entry.Runner
	hasIf  bool // so that decides which failures are retried

	log func(ctx context.Context, msg string, args ...any) // nil: there is no logger
	settings
	warned warned
}

// RoundTrip sends req, several times if necessary. It does not change req, and closes its
// body.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !ofHTTP(req) { // the base transport refuses it, or has a protocol of its own
		return t.base.RoundTrip(req)
	}
	if !t.repeatable(req) {
		resp, err := t.base.RoundTrip(req)
		t.warnOfOnce(req, resp, err)
		return resp, err
	}
	return t.exchange(req)
}

// failure returns why an attempt with this response failed, or nil if it succeeded.
func (t *transport) failure(resp *http.Response) error {
	if t.failures.has(resp.StatusCode) || t.hasIf && resp.StatusCode >= 400 {
		return newStatusError(resp)
	}
	return nil
}

func ofHTTP(req *http.Request) bool {
	return req.URL != nil && (req.URL.Scheme == "http" || req.URL.Scheme == "https")
}

// CloseIdleConnections is called by [http.Client.CloseIdleConnections].
func (t *transport) CloseIdleConnections() {
	if base, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}
