package otelretry

import (
	"net/http"

	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// NewTransport returns a transport that sends requests by base, and sets the attribute
// http.request.resend_count of their spans: how often the request was sent before, by
// retries and by redirects. As the [conventions] want, it is absent from the span of a
// request that is sent for the first time. If base is nil, it is [http.DefaultTransport].
//
// Put it below the transport that makes the spans, which is below the one that retries:
//
//	base := otelretry.NewTransport(http.DefaultTransport)
//	client := &http.Client{
//		Transport: retryhttp.NewTransport(otelhttp.NewTransport(base), delays, otelretry.Observe()),
//	}
//
// Without a transport that makes spans, the attempt's own span gets the attribute. A
// request outside of an attempt of [Observe] has none, so neither has a plain POST, which
// retryhttp sends once. If an attempt of [retry.Do] uses a client, the redirects of the
// attempts before it do not count.
//
// Any number of goroutines may use the transport at once if they may use base.
//
// [conventions]: https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-request-retries-and-redirects
func NewTransport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return transport{base}
}

type transport struct{ base http.RoundTripper }

// RoundTrip sends req.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if n := resends(req); n > 0 {
		trace.SpanFromContext(req.Context()).SetAttributes(semconv.HTTPRequestResendCount(n))
	}
	return t.base.RoundTrip(req)
}

// CloseIdleConnections is called by [http.Client.CloseIdleConnections].
func (t transport) CloseIdleConnections() {
	if base, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// resends returns how often req was sent before. It follows redirects back to the first
// request, and counts the attempts before each. Redirects may all happen in one attempt,
// or each may have attempts of its own.
func resends(req *http.Request) int {
	latest := attemptOf(req)
	if latest == nil {
		return 0
	}
	n := latest.number - 1
	for req.Response != nil && req.Response.Request != nil {
		req = req.Response.Request
		n++
		if a := attemptOf(req); a != nil && a != latest {
			n += a.number - 1
			latest = a
		}
	}
	return n
}

type attemptKey struct{}

// attemptOf returns the attempt that sends req, or nil.
func attemptOf(req *http.Request) *attempt {
	a, _ := req.Context().Value(attemptKey{}).(*attempt)
	return a
}
