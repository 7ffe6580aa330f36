package retry_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/retry"
)

func TestErrorText(t *testing.T) {
	refused := errors.New("connection refused")
	for _, row := range []struct {
		err  retry.Error
		want string
	}{
		{
			retry.Error{Attempts: 4, Elapsed: 3200 * ms, Last: refused, Cause: retry.ErrExhausted},
			"retry: 4 attempts in 3.2s: attempts exhausted: connection refused",
		},
		{
			retry.Error{Attempts: 1, Elapsed: 0, Last: refused, Cause: retry.ErrDeadline},
			"retry: 1 attempt in 0s: next delay passes the context's deadline: connection refused",
		},
		{
			retry.Error{Attempts: 2, Elapsed: 1_234_567, Last: refused, Cause: retry.ErrBudget},
			"retry: 2 attempts in 1.23ms: retry budget spent: connection refused",
		},
		{
			retry.Error{Attempts: 2, Elapsed: 83_456 * ms, Last: refused, Cause: retry.ErrElapsed},
			"retry: 2 attempts in 1m23.5s: next delay passes MaxElapsed: connection refused",
		},
		{
			retry.Error{Attempts: 2, Elapsed: 1<<63 - 1, Last: refused, Cause: context.Canceled},
			"retry: 2 attempts in 2561111h6m40s: context canceled: connection refused",
		},
		{
			retry.Error{Attempts: 2, Elapsed: 1_000_500, Last: refused, Cause: context.Canceled},
			"retry: 2 attempts in 1ms: context canceled: connection refused",
		},
		{
			retry.Error{Cause: context.Canceled},
			"retry: no attempt: context canceled",
		},
		{
			retry.Error{Attempts: 3, Elapsed: 999, Last: errC, Cause: retry.ErrExhausted, Earlier: []error{errA, errB}},
			"retry: 3 attempts in 999ns: attempts exhausted: c; before that: a, b",
		},
		{
			retry.Error{Attempts: 1, Last: errors.Join(errA, errB), Cause: retry.ErrExhausted},
			"retry: 1 attempt in 0s: attempts exhausted: a; b",
		},
	} {
		if got := row.err.Error(); got != row.want {
			t.Errorf("got  %s\nwant %s", got, row.want)
		}
	}
}

// timeout is found by its type.
type timeout struct{ error }

func TestErrorTree(t *testing.T) {
	var err error = &retry.Error{Last: timeout{errA}, Cause: retry.ErrDeadline, Earlier: []error{errB, timeout{errC}}}
	for _, part := range []error{timeout{errA}, errB, timeout{errC}, retry.ErrDeadline, context.DeadlineExceeded} {
		if !errors.Is(err, part) {
			t.Errorf("errors.Is(err, %v) is false", part)
		}
	}
	for _, other := range []error{errA, retry.ErrExhausted, retry.ErrBudget, retry.ErrElapsed, context.Canceled} {
		if errors.Is(err, other) {
			t.Errorf("errors.Is(err, %v) is true", other)
		}
	}
	if got, ok := errors.AsType[timeout](err); !ok || got.error != errA {
		t.Errorf("errors.As found %v, want the last error", got)
	}
	if got, ok := errors.AsType[net.Error](err); !ok || !got.Timeout() {
		t.Errorf("errors.As found no timeout")
	}
	if !errors.Is(&retry.Error{Cause: errStop}, errStop) || errors.Is(&retry.Error{Cause: errStop}, nil) {
		t.Errorf("an error without attempts has not exactly its cause")
	}
}

// The tree has no nil: code that walks it need not look for one.
func TestUnwrap(t *testing.T) {
	for _, row := range []struct {
		err  retry.Error
		want []error
	}{
		{retry.Error{}, nil},
		{retry.Error{Cause: errB}, []error{errB}},
		{retry.Error{Last: errA}, []error{errA}},
		{retry.Error{Last: errA, Cause: errB, Earlier: []error{errC, errStop}}, []error{errA, errB, errStop, errC}},
	} {
		if diff := cmp.Diff(row.want, row.err.Unwrap(), sameError); diff != "" {
			t.Errorf("Unwrap of %+v (-want +got):\n%s", row.err, diff)
		}
	}
}

// A mark of nil is nil, so an operation may mark whatever it returns.
func TestMarkedNil(t *testing.T) {
	if err := retry.Permanent(nil); err != nil {
		t.Errorf("Permanent(nil) is %#v, want nil", err)
	}
	if err := retry.After(nil, s); err != nil {
		t.Errorf("After(nil, 1s) is %#v, want nil", err)
	}
}

func TestErrorTimeout(t *testing.T) {
	for _, row := range []struct {
		last, cause error
		want        bool
	}{
		{errA, retry.ErrDeadline, true},
		{errA, context.DeadlineExceeded, true},
		{context.DeadlineExceeded, retry.ErrExhausted, true},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, retry.ErrBudget, true},
		{&net.OpError{Op: "dial", Err: errA}, retry.ErrExhausted, false},
		{errA, context.Canceled, false},
		{nil, context.Canceled, false},
		{&url.Error{Op: "Get", Err: fmt.Errorf("dial: %w", context.DeadlineExceeded)}, retry.ErrExhausted, true},
		{errors.Join(&net.OpError{Op: "dial", Err: errA}, context.DeadlineExceeded), retry.ErrExhausted, true},
	} {
		err := &url.Error{Op: "Get", URL: "http://a/", Err: &retry.Error{Last: row.last, Cause: row.cause}}
		if got := err.Timeout(); got != row.want {
			t.Errorf("Timeout of %v is %v, want %v", err, got, row.want)
		}
	}
}

// The error of an operation is found through two runners, one inside the other.
func TestErrorNested(t *testing.T) {
	err := retry.Do(t.Context(), list(0), func(ctx context.Context) error {
		return retry.Do(ctx, list(0, 0), func(context.Context) error { return errA })
	})
	outer, ok := errors.AsType[*retry.Error](err)
	if !ok || outer.Attempts != 2 {
		t.Fatalf("got %v, want an error of 2 attempts", err)
	}
	inner, ok := errors.AsType[*retry.Error](outer.Last)
	if !ok || inner.Attempts != 3 || !errors.Is(err, errA) {
		t.Errorf("got %v inside, want an error of 3 attempts and a", outer.Last)
	}
}

// odd is an error that has its marks in a method As.
type odd struct{ mark error }

func (odd) Error() string        { return "odd" }
func (o odd) As(target any) bool { return errors.As(o.mark, target) }

// A mark is found wherever errors.As finds it.
func TestMarkedAnywhere(t *testing.T) {
	for _, row := range []struct {
		name      string
		err       error
		delay     time.Duration
		permanent bool
	}{
		{"none", errA, s, false},
		{"outermost", retry.After(errA, time.Minute), time.Minute, false},
		{"a method", busy{time.Minute}, time.Minute, false},
		{"wrapped", fmt.Errorf("w: %w", retry.After(errA, time.Minute)), time.Minute, false},
		{"joined", errors.Join(errB, busy{time.Minute}), time.Minute, false},
		{"by As", odd{retry.After(errA, time.Minute)}, time.Minute, false},
		{"permanent", retry.Permanent(errA), 0, true},
		{"permanent, wrapped", fmt.Errorf("w: %w", retry.Permanent(errA)), 0, true},
		{"permanent, joined", errors.Join(errB, retry.Permanent(errA)), 0, true},
		{"permanent, by As", odd{retry.Permanent(errA)}, 0, true},
		{"permanent after", retry.After(retry.Permanent(errA), time.Minute), 0, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			got := perform(retry.Do, t.Context(), list(s), script{{err: row.err}, {}})
			want := []time.Duration{0, row.delay}
			if row.permanent {
				want = want[:1]
			}
			if diff := cmp.Diff(want, got.Calls); diff != "" {
				t.Errorf("%s (-want +got):\n%s", row.name, diff)
			}
		})
	}
}

// A mark changes neither the text nor the tree of an error.
func TestMarks(t *testing.T) {
	for _, err := range []error{retry.Permanent(timeout{errA}), retry.After(timeout{errA}, time.Second)} {
		if got := err.Error(); got != "a" {
			t.Errorf("text is %q, want %q", got, "a")
		}
		if _, ok := errors.AsType[timeout](err); !ok {
			t.Errorf("errors.As finds no timeout in %T", err)
		}
	}
}
