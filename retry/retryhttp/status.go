package retryhttp

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"example.com/backoff/internal/retryafter"
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
		After:      retryafter.Parse(resp.Header, time.Now()),
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
