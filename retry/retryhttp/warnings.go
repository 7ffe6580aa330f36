package retryhttp

import (
	"errors"
	"net/http"
	"sync/atomic"
)

// warned tells which warnings a transport has logged. Each is logged once, because the same
// requests would cause it again and again.
type warned struct {
	once, body atomic.Bool
}

// Why a request is sent once.
var (
	errMethod     = errors.New("request may not be sent twice, by its method")
	errRepeatable = errors.New("request may not be sent twice, by the function of Repeatable")
)

// warnOfOnce logs that a request failed which would be retried if it might be sent twice.
// It does not call the function of [retry.If] if there is nothing to log.
func (t *transport) warnOfOnce(req *http.Request, resp *http.Response, err error) {
	if t.log == nil || t.warned.once.Load() || req.Context().Err() != nil {
		return
	}
	if err == nil && resp != nil {
		err = t.failure(resp)
	}
	if err != nil && t.runner.Retryable(&exchange{transport: t, req: req}, err) {
		t.warn(&t.warned.once, req, t.once, err)
	}
}

// warn logs once why a request that failed with err is not retried.
func (t *transport) warn(warned *atomic.Bool, req *http.Request, why, err error) {
	if t.log != nil && !warned.Swap(true) {
		t.log(req.Context(), "attempt failed, not retrying",
			"reason", why, "method", req.Method, "host", req.URL.Host, "err", err)
	}
}
