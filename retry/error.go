package retry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// An Error describes retries that stopped without a success. Its text is one line, such
// as
//
//	retry: 4 attempts in 3.2s: attempts exhausted: connection refused
//
// with the elapsed time to three digits.
type Error struct {
	Attempts int           // number of attempts
	Elapsed  time.Duration // since the first attempt began
	Last     error         // the operation's last error, without outermost marks; nil if there was no attempt
	Cause    error         // why it stopped: ErrExhausted, ErrDeadline, ErrElapsed, ErrBudget, ErrNested, a Limiter's error, or context.Cause(ctx)
	Earlier  []error       // with KeepErrors, the errors before Last, oldest first
}

// The values of [Error.Cause], unless the context was done: then it is [context.Cause]
// of the context.
var (
	// ErrExhausted: the schedule has no further delay, or [MaxAttempts] were made.
	ErrExhausted = errors.New("attempts exhausted")

	// ErrDeadline: the context's deadline would have passed before the next attempt.
	// For [errors.Is] it is also [context.DeadlineExceeded].
	ErrDeadline error = deadlineError{}

	// ErrBudget: the [Budget], or another [Limiter] of retries, allowed no retry.
	ErrBudget = errors.New("retry budget spent")

	// ErrElapsed: the next attempt would have begun after [MaxElapsed].
	ErrElapsed = errors.New("next delay passes MaxElapsed")

	// ErrNested: the call was inside of an attempt of another one, and had [NotNested].
	ErrNested = errors.New("no retry inside of a retry")
)

type deadlineError struct{}

func (deadlineError) Error() string { return "next delay passes the context's deadline" }

func (deadlineError) Unwrap() error { return context.DeadlineExceeded }

// Error returns all fields in one line.
func (e *Error) Error() string {
	var b strings.Builder
	switch e.Attempts {
	case 0:
		b.WriteString("retry: no attempt")
	case 1:
		b.WriteString("retry: 1 attempt")
	default:
		fmt.Fprintf(&b, "retry: %d attempts", e.Attempts)
	}
	if e.Attempts > 0 {
		fmt.Fprintf(&b, " in %v", threeDigits(e.Elapsed))
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	if e.Last != nil {
		fmt.Fprintf(&b, ": %v", e.Last)
	}
	for i, err := range e.Earlier {
		if i == 0 {
			b.WriteString("; before that: ")
		} else {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, err)
	}
	return strings.ReplaceAll(b.String(), "\n", "; ") // errors.Join has lines
}

// threeDigits rounds d to three digits.
func threeDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

// Unwrap returns Last, Cause and then Earlier from the newest to the oldest, without nil
// errors.
func (e *Error) Unwrap() []error {
	errs := make([]error, 0, 2+len(e.Earlier))
	if e.Last != nil {
		errs = append(errs, e.Last)
	}
	if e.Cause != nil {
		errs = append(errs, e.Cause)
	}
	for i := len(e.Earlier) - 1; i >= 0; i-- {
		errs = append(errs, e.Earlier[i])
	}
	return errs
}

// Timeout reports whether Cause or Last is a timeout: an error that has, or wraps an
// error that has, a method Timeout which returns true. [ErrDeadline] and
// [context.DeadlineExceeded] are timeouts. [net/url.Error] and other code of the
// standard library call this method.
func (e *Error) Timeout() bool {
	return isTimeout(e.Cause) || isTimeout(e.Last)
}

// isTimeout looks at all errors in the tree, because one that is no timeout by itself may
// wrap one that is.
func isTimeout(err error) bool {
	if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
		return true
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return isTimeout(e.Unwrap())
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), isTimeout)
	}
	return false
}

// RetryAfter returns the wait that Last asks for, as an error marked by [After] does, or
// 0. So a call around the one that failed waits as long as the server has asked for,
// and not for what one of Earlier asked for.
func (e *Error) RetryAfter() time.Duration {
	after, _ := marks(e.Last)
	return after
}
