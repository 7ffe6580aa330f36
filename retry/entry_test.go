package retry_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/retry"
	"example.com/backoff/retry/internal/entry"
)

// object is an operation as the packages below have it: it notes what it is called for.
type object struct {
	errs []error
	said []string
}

func (o *object) Attempt(context.Context) error {
	o.said = append(o.said, "attempt")
	err := o.errs[0]
	o.errs = o.errs[1:]
	return err
}

func (o *object) Retryable(err error) bool {
	o.said = append(o.said, fmt.Sprint("retryable ", err))
	return err != errB
}

func (o *object) Retrying(delay time.Duration) {
	o.said = append(o.said, fmt.Sprint("retrying after ", delay))
}

func TestEntry(t *testing.T) {
	for _, row := range []struct {
		name string
		opts []retry.Option
		errs []error
		want []string
		err  error
	}{
		{"success", nil, []error{nil}, []string{"attempt"}, nil},
		{"retries", nil, []error{errA, retry.After(errA, time.Minute), nil}, []string{
			"attempt", "retryable a", "retrying after 1s", "attempt", "retryable a", "retrying after 1m0s", "attempt",
		}, nil},
		{"refused", nil, []error{errB}, []string{"attempt", "retryable b"}, errB},
		{"If instead", []retry.Option{retry.If(func(err error) bool { return err == errB })}, []error{errB, errA}, []string{
			"attempt", "retrying after 1s", "attempt",
		}, errA},
		{"after OnRetry", []retry.Option{retry.OnRetry(func(retry.Event) { time.Sleep(100 * ms) })}, []error{errA, nil}, []string{
			"attempt", "retryable a", "retrying after 1s", "attempt",
		}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &object{errs: row.errs}
				if err := entry.Prepare(row.opts).Run(t.Context(), list(s, s), o); err != row.err {
					t.Errorf("error is %v, want %v", err, row.err)
				}
				if diff := cmp.Diff(row.want, o.said); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// The values of options reach the package below, in their order, and do nothing else.
func TestEntryValues(t *testing.T) {
	one, two := entry.Option[retry.Option](1), entry.Option[retry.Option]("two")
	runner := entry.Prepare([]retry.Option{one, retry.MaxAttempts(2), two})
	for range 2 {
		if diff := cmp.Diff([]any{1, "two"}, runner.Values()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if diff := cmp.Diff([]any{"two"}, entry.Prepare([]retry.Option{two}).Values()); diff != "" {
		t.Errorf("an option remembers those before it (-want +got):\n%s", diff)
	}
	if err := retry.Do(t.Context(), list(), succeed, one, two); err != nil {
		t.Errorf("Do with values of another package: %v", err)
	}
}

// Retryable decides as Run does, by the error or the options or the operation.
func TestEntryRetryable(t *testing.T) {
	onlyB := retry.If(func(err error) bool { return err == errB })
	for _, row := range []struct {
		name string
		opts []retry.Option
		err  error
		want bool
		said []string
	}{
		{"the operation accepts", nil, errA, true, []string{"retryable a"}},
		{"the operation refuses", nil, errB, false, []string{"retryable b"}},
		{"If accepts", []retry.Option{onlyB}, errB, true, nil},
		{"If refuses", []retry.Option{onlyB}, errA, false, nil},
		{"without its mark", []retry.Option{onlyB}, retry.After(errB, time.Minute), true, nil},
		{"permanent", nil, retry.Permanent(errA), false, nil},
		{"permanent, If accepts", []retry.Option{onlyB}, retry.Permanent(errB), false, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runner := entry.Prepare(row.opts)
				asked := &object{}
				if got := runner.Retryable(asked, row.err); got != row.want {
					t.Errorf("Retryable is %v, want %v", got, row.want)
				}
				if diff := cmp.Diff(row.said, asked.said); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				ran := &object{errs: []error{row.err, nil}}
				runner.Run(t.Context(), list(0), ran)
				if got := len(ran.errs) == 0; got != row.want {
					t.Errorf("Run retries: %v, want %v", got, row.want)
				}
			})
		})
	}
}

// Warn is the caller's logger.
func TestEntryWarn(t *testing.T) {
	var log strings.Builder
	if entry.Prepare([]retry.Option{}).Warn() != nil {
		t.Error("without a logger there is something to log to")
	}
	entry.Prepare([]retry.Option{retry.WithLogger(timelessLogger(&log))}).Warn()(t.Context(), "not retried", "method", "POST")
	if got, want := log.String(), "level=WARN msg=\"not retried\" method=POST\n"; got != want {
		t.Errorf("log is %q, want %q", got, want)
	}
}

// An operation that is one object, with options folded before, allocates nothing if it
// succeeds.
func TestEntryAllocations(t *testing.T) {
	retry.Unmark()
	runner := entry.Prepare([]retry.Option{retry.MaxAttempts(3), retry.WithBudget(retry.NewBudget(10, 0.1))})
	o, delays, errs := &object{said: make([]string, 0, 1)}, list(0), []error{nil}
	if got := testing.AllocsPerRun(100, func() {
		o.errs, o.said = errs, o.said[:0]
		runner.Run(t.Context(), delays, o)
	}); got != 0 {
		t.Errorf("%v allocations, want 0", got)
	}
}
