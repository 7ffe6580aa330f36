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

const lastStatus = 999

// statuses is a set of statuses.
type statuses [lastStatus + 1]bool

func (s *statuses) add(codes ...int) {
	for _, code := range codes {
		s[code] = true
	}
}

func (s *statuses) has(code int) bool { return code >= 0 && code <= lastStatus && s[code] }

// A StatusError represents a response whose status is a failure: for the options of package
// retry, and as the last error if retrying stopped after it.
type StatusError struct {
	StatusCode int           // such as 503
	Status     string        // such as "503 Service Unavailable"
	After      time.Duration // the wait of Retry-After; 0 if there is none
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
		return fmt.Sprintf("server answered %s, retry after %v", e.Status, e.After)
	}
	return "server answered " + e.Status
}

// RetryAfter returns After. Package retry calls it.
func (e *StatusError) RetryAfter() time.Duration { return e.After }

// retryAfter returns the wait of a Retry-After header, which is a number of seconds in
// digits or a date. It is 0 without a header that can be parsed.
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

// digits returns a number of seconds, at most NoLimit. ok is false if value has anything
// else than digits.
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

// Stopped returns why resp was not retried although its status is a failure: a
// [*retry.Error] with a [*StatusError] as its last error, or the StatusError itself if
// [retry.If] refused it. It returns nil if the status is not a failure by the package
// comment, if the request was not one that is retried, or if resp came from another
// transport.
//
// Use Stopped to turn a last 503 into an error that tells the number of attempts.
func Stopped(resp *http.Response) error {
	if resp == nil || resp.Request == nil {
		return nil
	}
	err, _ := resp.Request.Context().Value(stoppedKey{}).(error)
	return err
}

// withStopped stores err in the request of resp, where it survives the changes that a
// client makes to a response.
func withStopped(resp *http.Response, req *http.Request, err error) {
	if resp.Request != nil {
		req = resp.Request
	}
	resp.Request = req.WithContext(context.WithValue(req.Context(), stoppedKey{}, err))
}
