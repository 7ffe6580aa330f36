package retryhttp

import (
	"net/http"
	"slices"
	"strconv"

	"example.com/backoff/internal/argument"
	"example.com/backoff/retry"
	"example.com/backoff/retry/internal/entry"
)

// settings are the options of this package.
type settings struct {
	failures   statuses
	repeatable func(*http.Request) bool
	once       error  // why a request that is not repeatable is sent once
	header     string // for the number of an attempt, in canonical form; empty: none
}

// setting is the value of an option of this package.
type setting func(*settings)

func newSettings(values []any) settings {
	s := settings{repeatable: Idempotent, once: errMethod}
	s.failures.add(http.StatusRequestTimeout, // 408
		http.StatusTooEarly,            // 425
		http.StatusTooManyRequests,     // 429
		http.StatusInternalServerError, // 500
		http.StatusBadGateway,          // 502
		http.StatusServiceUnavailable,  // 503
		http.StatusGatewayTimeout)      // 504
	for _, v := range values {
		if set, ok := v.(setting); ok {
			set(&s)
		}
	}
	return s
}

func option(set setting) retry.Option { return entry.Option[retry.Option](set) }

// Statuses makes these statuses failures too (retryable status codes), besides those that
// the package comment lists. Use it for what a server or a proxy answers while it is busy or
// restarting, such as 409 Conflict, 423 Locked, or the 520 to 526 of Cloudflare. Several
// Statuses add up.
//
// Where [retry.If] is set, it decides alone which statuses of 400 and above are retried, and
// Statuses is needed only for those below 400.
//
// It panics if a code is not in [200, 999].
func Statuses(codes ...int) retry.Option {
	for _, code := range codes {
		if code < 200 || code > lastStatus {
			argument.Reject("retryhttp", "Statuses", "code", code, "a status in [200, 999]")
		}
	}
	codes = slices.Clone(codes)
	return option(func(s *settings) { s.failures.add(codes...) })
}

// ServerErrors is [Statuses] for every status in [500, 599]. Use it for servers and proxies
// with statuses of their own. It includes 501 and 505, by which a server says that it does
// not know the method or the version of HTTP, and which a retry rarely cures.
func ServerErrors() retry.Option {
	return option(func(s *settings) {
		for code := 500; code <= 599; code++ {
			s.failures.add(code)
		}
	})
}

// Repeatable retries the requests for which f returns true, instead of those that are
// [Idempotent]. Use it for requests that are safe to repeat though their method does not
// promise that, such as a search by POST, or to except some that are not:
//
//	retryhttp.Repeatable(func(req *http.Request) bool {
//		return retryhttp.Idempotent(req) || req.URL.Path == "/search"
//	})
//
// f is called once for each request, possibly by many goroutines at once, and must not
// change it. A request whose body cannot be made again is still sent once.
//
// It panics if f is nil.
func Repeatable(f func(*http.Request) bool) retry.Option {
	if f == nil {
		argument.Reject("retryhttp", "Repeatable", "f", "nil", "a function")
	}
	return option(func(s *settings) { s.repeatable, s.once = f, errRepeatable })
}

// AnyMethod retries requests of every method, such as POST and PATCH. Use it only for a
// server on which a repeated request does no harm: a lost answer looks like a failure, so the
// server may do the same twice. It is [Repeatable] with a function that returns true.
func AnyMethod() retry.Option {
	return Repeatable(func(*http.Request) bool { return true })
}

// WithAttemptHeader sends the number of the attempt, 1, 2, 3, ..., as header name, such as
// "X-Attempt". Use it to count retries on the server, or to serve them last. It replaces a
// header of that name, in upper or lower case. Requests that may not be repeated are sent
// without it.
//
// It panics if name is not a valid name of a header, or is one that the base transport sets
// or that is about the connection: Connection, Content-Length, Host, Keep-Alive,
// Proxy-Connection, Te, Trailer, Transfer-Encoding or Upgrade.
func WithAttemptHeader(name string) retry.Option {
	if name == "" || !isToken(name) {
		argument.Reject("retryhttp", "WithAttemptHeader", "name", strconv.Quote(name), "the name of a header")
	}
	canonical := http.CanonicalHeaderKey(name)
	switch canonical {
	case "Connection", "Content-Length", "Host", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade":
		argument.Reject("retryhttp", "WithAttemptHeader", "name", strconv.Quote(name), "a header that reaches the server unchanged")
	}
	return option(func(s *settings) { s.header = canonical })
}

// Idempotent reports whether sending req twice has the same effect as sending it once: by its
// method ([RFC 9110, section 9.2.2]), or because it has an Idempotency-Key or
// X-Idempotency-Key header. Use it in a function for [Repeatable].
//
// [RFC 9110, section 9.2.2]: https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2
func Idempotent(req *http.Request) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	_, key := req.Header["Idempotency-Key"]
	_, xkey := req.Header["X-Idempotency-Key"]
	return key || xkey
}
