package retry_test

import (
	"bytes"
	"context"
	"io"
	"iter"
	"log/slog"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/retry"
)

func TestBadArguments(t *testing.T) {
	ctx, delays := t.Context(), list()
	var noCtx context.Context
	var noDelays iter.Seq[time.Duration]
	for _, row := range []struct {
		want string
		f    func()
	}{
		{"retry: Do: ctx is nil, want a context", func() { retry.Do(noCtx, delays, succeed) }},
		{"retry: Do: delays is nil, want a schedule", func() { retry.Do(ctx, noDelays, succeed) }},
		{"retry: Do: op is nil, want a function", func() { retry.Do(ctx, delays, nil) }},
		{"retry: Value: ctx is nil, want a context", func() { retry.Value(noCtx, delays, succeedWith) }},
		{"retry: Value: op is nil, want a function", func() { retry.Value[int](ctx, delays, nil) }},
		{"retry: NewLoop: ctx is nil, want a context", func() { retry.NewLoop(noCtx, delays) }},
		{"retry: NewLoop: delays is nil, want a schedule", func() { retry.NewLoop(ctx, noDelays) }},
		{"retry: If: retryable is nil, want a function", func() { retry.If(nil) }},
		{"retry: AttemptTimeout: d is -1s, want > 0", func() { retry.AttemptTimeout(-s) }},
		{"retry: AttemptTimeout: d is 0s, want > 0", func() { retry.AttemptTimeout(0) }},
		{"retry: MaxAttempts: n is 0, want > 0", func() { retry.MaxAttempts(0) }},
		{"retry: MaxAttempts: n is -1, want > 0", func() { retry.MaxAttempts(-1) }},
		{"retry: MaxElapsed: d is 0s, want > 0", func() { retry.MaxElapsed(0) }},
		{"retry: MaxAfter: d is -1ns, want >= 0", func() { retry.MaxAfter(-1) }},
		{"retry: ResetAfter: d is 0s, want > 0", func() { retry.ResetAfter(0) }},
		{"retry: OnRetry: f is nil, want a function", func() { retry.OnRetry(nil) }},
		{"retry: WithLogger: logger is nil, want a logger", func() { retry.WithLogger(nil) }},
		{"retry: Observe: f is nil, want a function", func() { retry.Observe(nil) }},
		{"retry: WithLimiter: l is nil, want a limiter", func() { retry.WithLimiter(nil) }},
		{"retry: KeepErrors: n is 0, want > 0", func() { retry.KeepErrors(0) }},
		{"retry: WithBudget: b is nil, want a budget", func() { retry.WithBudget(nil) }},
		{"retry: NewBudget: maxTokens is 0, want a value in [0.000001, 1e12]", func() { retry.NewBudget(0, 1) }},
		{"retry: NewBudget: maxTokens is NaN, want a value in [0.000001, 1e12]", func() { retry.NewBudget(math.NaN(), 1) }},
		{"retry: NewBudget: maxTokens is +Inf, want a value in [0.000001, 1e12]", func() { retry.NewBudget(math.Inf(1), 1) }},
		{"retry: NewBudget: maxTokens is 1.0000000000000001e+12, want a value in [0.000001, 1e12]", func() { retry.NewBudget(math.Nextafter(1e12, 2e12), 1) }},
		{"retry: NewBudget: ratio is 1.0000000000000001e+12, want a value in [0.000001, 1e12]", func() { retry.NewBudget(1, math.Nextafter(1e12, 2e12)) }},
		{"retry: NewBudget: ratio is -0.1, want a value in [0.000001, 1e12]", func() { retry.NewBudget(1, -0.1) }},
		{"retry: NewBudget: ratio is 1e-07, want a value in [0.000001, 1e12]", func() { retry.NewBudget(1, 1e-7) }},
		{"retry: NewTokenBucket: maxTokens is 0, want a value in [0.000001, 1e12]", func() { retry.NewTokenBucket(0, 1) }},
		{"retry: NewTokenBucket: ratio is NaN, want a value in [0.000001, 1e12]", func() { retry.NewTokenBucket(1, math.NaN()) }},
		{"retry: NewQuota: maxTokens is 0, want a value in [1, 1e9]", func() { retry.NewQuota(0, 1, 1, 0) }},
		{"retry: NewQuota: maxTokens is 1000000001, want a value in [1, 1e9]", func() { retry.NewQuota(1e9+1, 1, 1, 0) }},
		{"retry: NewQuota: retryCost is 0, want a value in [1, maxTokens]", func() { retry.NewQuota(9, 0, 1, 0) }},
		{"retry: NewQuota: retryCost is 10, want a value in [1, maxTokens]", func() { retry.NewQuota(9, 10, 1, 0) }},
		{"retry: NewQuota: timeoutCost is 0, want a value in [1, maxTokens]", func() { retry.NewQuota(9, 1, 0, 0) }},
		{"retry: NewQuota: timeoutCost is 10, want a value in [1, maxTokens]", func() { retry.NewQuota(9, 1, 10, 0) }},
		{"retry: NewQuota: noRetryIncrement is -1, want a value in [0, maxTokens]", func() { retry.NewQuota(9, 1, 1, -1) }},
		{"retry: NewQuota: noRetryIncrement is 10, want a value in [0, maxTokens]", func() { retry.NewQuota(9, 1, 1, 10) }},
		{"retry: NewRatioBudget: ratio is NaN, want a value in [0, 1000]", func() { retry.NewRatioBudget(math.NaN(), 1, s) }},
		{"retry: NewRatioBudget: ratio is -1, want a value in [0, 1000]", func() { retry.NewRatioBudget(-1, 1, s) }},
		{"retry: NewRatioBudget: ratio is 1001, want a value in [0, 1000]", func() { retry.NewRatioBudget(1001, 1, s) }},
		{"retry: NewRatioBudget: minPerSecond is NaN, want a value in [0, 1e6]", func() { retry.NewRatioBudget(1, math.NaN(), s) }},
		{"retry: NewRatioBudget: minPerSecond is -1, want a value in [0, 1e6]", func() { retry.NewRatioBudget(1, -1, s) }},
		{"retry: NewRatioBudget: minPerSecond is 1.000001e+06, want a value in [0, 1e6]", func() { retry.NewRatioBudget(1, 1e6+1, s) }},
		{"retry: NewRatioBudget: window is 0s, want a value in (0, 24h]", func() { retry.NewRatioBudget(1, 1, 0) }},
		{"retry: NewRatioBudget: window is 24h0m1s, want a value in (0, 24h]", func() { retry.NewRatioBudget(1, 1, 24*time.Hour+s) }},
		{"retry: NewThrottle: k is 0.99, want a finite value >= 1", func() { retry.NewThrottle(0.99, s) }},
		{"retry: NewThrottle: k is NaN, want a finite value >= 1", func() { retry.NewThrottle(math.NaN(), s) }},
		{"retry: NewThrottle: k is +Inf, want a finite value >= 1", func() { retry.NewThrottle(math.Inf(1), s) }},
		{"retry: NewThrottle: window is 0s, want > 0", func() { retry.NewThrottle(1, 0) }},
	} {
		if got := panicOf(row.f); got != row.want {
			t.Errorf("panic is %v\nwant        %s", got, row.want)
		}
	}
}

func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestOnRetryTwice(t *testing.T) {
	var calls []string
	note := func(name string) retry.Option {
		return retry.OnRetry(func(retry.Event) { calls = append(calls, name) })
	}
	err := retry.Do(t.Context(), list(0), failTimes(1), note("a"), note("b"), note("c"))
	if want := []string{"a", "b", "c"}; err != nil || !slices.Equal(calls, want) {
		t.Errorf("called %v with error %v, want %v", calls, err, want)
	}
}

// The time that OnRetry takes is part of the delay.
func TestOnRetrySlow(t *testing.T) {
	for takes, want := range map[time.Duration]time.Duration{0: 3 * time.Second, time.Second: 3 * time.Second, 5 * time.Second: 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			got := perform(retry.Do, t.Context(), list(3*time.Second), failing(errA, nil), retry.OnRetry(func(retry.Event) { time.Sleep(takes) }))
			if diff := cmp.Diff([]time.Duration{0, want}, got.Calls); diff != "" {
				t.Errorf("it takes %v: calls (-want +got):\n%s", takes, diff)
			}
		})
	}
}

// The runner stops at once if OnRetry cancels the context, with any delay.
func TestOnRetryCancels(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			got := perform(retry.Do, ctx, list(delay), failing(errA), retry.OnRetry(func(retry.Event) { cancel(errStop) }))
			want := result{
				Calls:  []time.Duration{0},
				Events: []retry.Event{{Attempt: 1, Err: errA, Delay: delay}},
				Err:    &retry.Error{Attempts: 1, Last: errA, Cause: errStop},
			}
			if diff := cmp.Diff(want, got, sameError); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The clock starts with the first attempt, not when a limit or a loop is made.
func TestClockStartsWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := []retry.Option{retry.MaxElapsed(3 * s), retry.WithBudget(retry.NewBudget(100, 1))}
		loop := retry.NewLoop(t.Context(), list(s, s), opts...)
		for range 2 {
			time.Sleep(time.Hour)
			attempts := 0
			for attempts = range loop.Attempts() {
				loop.Fail(errA)
			}
			got, ok := loop.Err().(*retry.Error)
			if !ok || attempts != 3 || got.Elapsed != 2*s || got.Cause != retry.ErrExhausted {
				t.Errorf("%d attempts and %v, want 3 in 2 s", attempts, loop.Err())
			}
		}
	})
}

// timelessLogger returns a logger that writes no times.
func timelessLogger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

func TestWithLogger(t *testing.T) {
	var out bytes.Buffer
	logger := timelessLogger(&out)
	synctest.Test(t, func(t *testing.T) {
		called := 0
		err := retry.Do(t.Context(), list(1*s, 2*s), func(context.Context) error { return errA },
			retry.WithLogger(logger), retry.OnRetry(func(retry.Event) { called++ }))
		if err == nil || called != 2 {
			t.Errorf("error is %v after %d events, want one after 2", err, called)
		}
	})
	want := `level=WARN msg="attempt failed, retrying" attempt=1 err=a delay=1s elapsed=0s
level=WARN msg="attempt failed, retrying" attempt=2 err=a delay=2s elapsed=1s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// tracing is a slog.Handler that notes a value of the context that it gets.
type tracing struct {
	slog.Handler
	seen *[]any
}

func (h tracing) Enabled(context.Context, slog.Level) bool { return true }

func (h tracing) Handle(ctx context.Context, _ slog.Record) error {
	*h.seen = append(*h.seen, ctx.Value(key{}))
	return nil
}

// The logger gets the caller's context, in which a handler may find a trace.
func TestWithLoggerContext(t *testing.T) {
	for name, run := range runners {
		var seen []any
		ctx := context.WithValue(t.Context(), key{}, "trace 1")
		run(ctx, list(0, 0), failTo(errA), retry.WithLogger(slog.New(tracing{slog.DiscardHandler, &seen})))
		if diff := cmp.Diff([]any{"trace 1", "trace 1"}, seen); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The last option of a kind wins, and options have no state: one list serves any number
// of calls.
func TestOptionsAreValues(t *testing.T) {
	opts := []retry.Option{retry.KeepErrors(9), retry.KeepErrors(2), retry.OnRetry(func(retry.Event) {})}
	for range 2 {
		err := retry.Do(t.Context(), list(0, 0), func(context.Context) error { return errA }, opts...)
		e, ok := err.(*retry.Error)
		if !ok || e.Attempts != 3 || len(e.Earlier) != 1 {
			t.Errorf("got %v, want 3 attempts and 1 earlier error", err)
		}
	}
}

// The zero Option sets nothing, at any place.
func TestZeroOption(t *testing.T) {
	err := retry.Do(t.Context(), list(0, 0), func(context.Context) error { return errA },
		retry.Option{}, retry.KeepErrors(2), retry.Option{})
	if e, ok := err.(*retry.Error); !ok || e.Attempts != 3 || len(e.Earlier) != 1 {
		t.Errorf("got %v, want 3 attempts and 1 earlier error", err)
	}
}
