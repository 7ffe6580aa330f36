package retryhttp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"example.com/backoff"
)

// failed reports whether a status says that the same request may succeed later.
func failed(status int) bool {
	switch status {
	case http.StatusRequestTimeout, // 408
		http.StatusTooEarly,            // 425
		http.StatusTooManyRequests,     // 429
		http.StatusInternalServerError, // 500
		http.StatusBadGateway,          // 502
		http.StatusServiceUnavailable,  // 503
		http.StatusGatewayTimeout:      // 504
		return true
	}
	return false
}

// A StatusError is what a response of status 408, 425, 429, 500, 502, 503 or 504 is to
// the options of package retry, and the last error where retrying stopped after one.
type StatusError struct {
	StatusCode int           // such as 503
	Status     string        // such as "503 Service Unavailable"
	After      time.Duration // what Retry-After asks for, 0 if nothing
}

func newStatusError(resp *http.Response) *StatusError {
	status := resp.Status
	if status == "" {
		status = fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	return &StatusError{
		StatusCode: resp.StatusCode,
		Status:     status,
		After:      retryAfter(resp.Header, time.Now()),
	}
}

func (e *StatusError) Error() string {
	if e.After > 0 {
		return fmt.Sprintf("server answered %s, to retry after %v", e.Status, e.After)
	}
	return "server answered " + e.Status
}

// RetryAfter returns After, where package retry looks for it.
func (e *StatusError) RetryAfter() time.Duration { return e.After }

// retryAfter returns what a Retry-After header asks for, 0 if nothing that can be
// read: a number of seconds in digits, or a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if seconds, ok := digits(value); ok {
		return seconds
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent
	}
	d := date.Sub(now) // saturates
	if d <= 0 {
		return 0
	}
	jitter := time.Duration(rand.Int64N(int64(time.Second)))
	return d + min(jitter, backoff.NoLimit-d)
}

// digits returns a number of seconds, NoLimit where it is more than that. ok is
// false if value is anything but digits.
func digits(value string) (d time.Duration, ok bool) {
	const limit = int64(backoff.NoLimit / time.Second)
	var seconds int64
	for _, c := range []byte(value) {
		if c < '0' || c > '9' {
			return 0, false
		}
		seconds = min(10*seconds+int64(c-'0'), limit+1) // stays there, and 10 times that fits
	}
	if seconds > limit {
		return backoff.NoLimit, true
	}
	return time.Duration(seconds) * time.Second, true
}

type stoppedKey struct{}

// Stopped returns why resp was not retried though its status says that the request
// failed: a [*retry.Error] with a [*StatusError] as its last error, or the StatusError
// itself if [retry.If] refused it. It is nil if resp is of another status, or did not
// come through a transport of this package as a request that is retried.
func Stopped(resp *http.Response) error {
	if resp == nil || resp.Request == nil {
		return nil
	}
	err, _ := resp.Request.Context().Value(stoppedKey{}).(error)
	return err
}

// withStopped notes err in the request of resp, where it survives what a client does
// to a response.
func withStopped(resp *http.Response, req *http.Request, err error) *http.Response {
	if resp.Request != nil {
		req = resp.Request
	}
	resp.Request = req.WithContext(context.WithValue(req.Context(), stoppedKey{}, err))
	return resp
}
