package retry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// An Error says why retrying was stopped. Its text is one line, such as
//
//	retry: 4 attempts in 3.2s: schedule exhausted: connection refused
//
// with the elapsed time to three digits.
type Error struct {
	Attempts int           // how many were made
	Elapsed  time.Duration // since the first of them began
	Last     error         // what the operation said last, but for the end of the context; nil if there was no attempt
	Cause    error         // why no other attempt was made: ErrExhausted, ErrDeadline, ErrElapsed, ErrBudget, or the cause of the context's end
	Earlier  []error       // with KeepErrors the errors before Last, oldest first
}

// Why retrying was stopped, in [Error.Cause]. If the context ended, its cause is
// there instead, see [context.Cause].
var (
	// ErrExhausted says that the schedule had no further delay.
	ErrExhausted = errors.New("schedule exhausted")

	// ErrDeadline says that the context would have reached its deadline before the
	// next attempt. It is a [context.DeadlineExceeded] to errors.Is.
	ErrDeadline error = deadlineError{}

	// ErrBudget says that the budget allowed no retry.
	ErrBudget = errors.New("retry budget spent")

	// ErrElapsed says that the next attempt would have begun after [MaxElapsed].
	ErrElapsed = errors.New("next delay passes MaxElapsed")
)

type deadlineError struct{}

func (deadlineError) Error() string { return "next delay passes the context's deadline" }

func (deadlineError) Unwrap() error { return context.DeadlineExceeded }

// Error returns everything that the fields say, in one line.
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

// threeDigits rounds d to three digits, which is what a reader wants to know.
func threeDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

// Unwrap returns Last, Cause and Earlier, the newest of these first, without those
// that are nil.
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

// Timeout reports whether Cause or Last says that time ran out, by a method of this
// name: [ErrDeadline] does, and [context.DeadlineExceeded]. A cause that the caller
// gave to the context speaks for itself. [net/url.Error] asks for this method.
func (e *Error) Timeout() bool {
	for _, err := range []error{e.Cause, e.Last} {
		if t, ok := errors.AsType[interface {
			error
			Timeout() bool
		}](err); ok && t.Timeout() {
			return true
		}
	}
	return false
}
