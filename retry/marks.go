package retry

import (
	"errors"
	"time"
)

// Permanent marks err as an error that no retry can cure (a non-retryable error). [Do]
// stops, whatever [If] returns, and the caller gets err, without the mark if it is
// outermost. Wrapping keeps the mark: fmt.Errorf("open: %w", Permanent(err)) is
// permanent too.
//
// Use Permanent inside the operation, where the error occurs. Use [If] to decide about
// the errors of code that does not know this package.
//
// Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// After marks err with the minimum wait before the retry. Use After when the server
// says how long to wait, such as by a Retry-After header. [Do] waits for the
// schedule's delay if that is longer; jitter never shortens the wait to less than delay.
// [MaxAfter] limits it. If the wait would last until the context's deadline, Do gives up
// at once with [ErrDeadline]. A delay <= 0 has no effect.
//
// An error with a method
//
//	RetryAfter() time.Duration
//
// is marked in the same way, and may be wrapped. If there are several, the first one
// that [errors.As] finds wins.
//
// After(nil, delay) is nil.
func After(err error, delay time.Duration) error {
	if err == nil {
		return nil
	}
	return &afterError{err, delay}
}

type afterError struct {
	error
	delay time.Duration
}

func (e *afterError) Unwrap() error { return e.error }

func (e *afterError) RetryAfter() time.Duration { return e.delay }

// marks returns the marks in the tree of err.
func marks(err error) (after time.Duration, permanent bool) {
	switch e := err.(type) {
	case interface{ Unwrap() error }, interface{ Unwrap() []error }, interface{ As(any) bool }:
	case hinting:
		return e.RetryAfter(), false
	default:
		return 0, false // most errors, for which errors.AsType takes as long as the rest of a retry
	}
	if e, ok := errors.AsType[hinting](err); ok {
		after = e.RetryAfter()
	}
	_, permanent = errors.AsType[*permanentError](err)
	return after, permanent
}

// hinting is an error that asks for a wait before the retry.
type hinting interface {
	error
	RetryAfter() time.Duration
}

// unmarked returns err without its outermost marks, which are for the runner alone.
func unmarked(err error) error {
	for {
		switch e := err.(type) {
		case *permanentError:
			err = e.error
		case *afterError:
			err = e.error
		default:
			return err
		}
	}
}
