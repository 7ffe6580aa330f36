package retryhttp

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
)

// hopeless reports whether sending req again would fail with err again, because of req
// itself or because of what the server is.
func hopeless(req *http.Request, err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.AddrError](err); ok {
		return true
	}
	return req.URL.Host == "" || !isToken(req.Method) || !sendable(req.Header) || !sendable(req.Trailer)
}

// sendable reports whether a header may be sent, by RFC 9110, section 5: names are
// tokens, and values have no control characters but tabs.
func sendable(header http.Header) bool {
	control := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
	for name, values := range header {
		if name == "" || !isToken(name) {
			return false
		}
		for _, value := range values {
			if strings.ContainsFunc(value, control) {
				return false
			}
		}
	}
	return true
}

// isToken reports whether text is a token of RFC 9110, or empty.
func isToken(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		letter := r|0x20 >= 'a' && r|0x20 <= 'z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}
