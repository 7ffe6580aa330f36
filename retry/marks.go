package retry

import (
	"errors"
	"time"
)

// Permanent marks err as one that no retry will cure. The runner makes no other
// attempt, whatever [If] says, and the caller gets err, without the mark if it is
// outermost. Wrapping keeps the mark: fmt.Errorf("open: %w", Permanent(err)) is
// permanent too.
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

// After marks err with the least time to wait before the retry, because a server or
// a lock said so. The runner waits for the schedule's delay if that is longer, and
// jitter never shortens what After asks for. [MaxAfter] bounds it. A delay that lasts
// until the context's deadline ends retrying at once, with [ErrDeadline]; a delay
// of 0 or less asks for nothing.
//
// An error of the operation's own that has a method RetryAfter() time.Duration,
// itself or in the chain that it wraps, counts as so marked. Of several the first
// counts that [errors.As] finds.
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

// marks returns what the marks in the chain of err say.
func marks(err error) (after time.Duration, permanent bool) {
	if e, ok := errors.AsType[interface {
		error
		RetryAfter() time.Duration
	}](err); ok {
		after = e.RetryAfter()
	}
	_, permanent = errors.AsType[*permanentError](err)
	return after, permanent
}

// unmarked returns err without the marks around it: they speak to the runner, and
// nobody else.
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
