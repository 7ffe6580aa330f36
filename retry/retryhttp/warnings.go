package retryhttp

import (
	"errors"
	"net/http"
	"sync/atomic"
)

// warned tells which warnings a transport has logged. Each is logged once, because the same
// requests would cause it again and again.
type warned struct {
	method, body atomic.Bool
}

var errMethod = errors.New("request may not be sent twice, by its method")

// warnOfMethod logs that a request failed which is not retried because of its method.
func (t *transport) warnOfMethod(req *http.Request, resp *http.Response, err error) {
	switch {
	case req.Context().Err() != nil, err == nil && resp == nil:
		return
	case err == nil && !t.failures.has(resp.StatusCode), err != nil && hopeless(req, err):
		return
	case err == nil:
		err = newStatusError(resp)
	}
	t.warn(&t.warned.method, req, errMethod, err)
}

// warn logs once why a request that failed with err is not retried.
func (t *transport) warn(warned *atomic.Bool, req *http.Request, why, err error) {
	if !warned.Swap(true) {
		t.runner.Warn(req.Context(), "attempt failed, not retrying",
			"reason", why, "method", req.Method, "host", req.URL.Host, "err", err)
	}
}
