package comingfrom

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	avastv4 "github.com/avast/retry-go/v4"
	avast "github.com/avast/retry-go/v5"
	cenkaltiv4 "github.com/cenkalti/backoff/v4"
	cenkalti "github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/hashicorp/go-retryablehttp"
	sethvargo "github.com/sethvargo/go-retry"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"

	"example.com/backoff/interop/observed"
)

var errFailed = errors.New("failed")

// operations is the number of failed operations of a random schedule.
const operations = 5000

// rounding is what the libraries and this one may differ by: cenkalti rounds at every
// step.
const rounding = 10

// rows runs operations that fail, in virtual time.
func rows(t *testing.T, s observed.Schedule, operation func(ctx context.Context, attempt func())) [][]time.Duration {
	n := 1
	if s.Random {
		n = operations
	}
	all := make([][]time.Duration, n)
	synctest.Test(t, func(t *testing.T) {
		for i := range all {
			all[i] = observed.Gaps(func(attempt func()) { operation(t.Context(), attempt) })
		}
	})
	return all
}

// TestPrograms: each program of the page has the delays that its expression says.
func TestPrograms(t *testing.T) {
	for _, p := range programs {
		s := observed.Expr(p.text)
		for what, run := range map[string]func(context.Context, func(context.Context) error) error{"before": p.before, "after": p.after} {
			if run == nil {
				continue
			}
			got := rows(t, s, func(ctx context.Context, attempt func()) {
				err := run(ctx, func(context.Context) error { attempt(); return errFailed })
				if err == nil {
					t.Fatalf("%s, %s: no error", p.library, what)
				}
			})
			for _, d := range s.Differences(got, true, rounding) {
				t.Errorf("%s, %s: %s", p.library, what, d)
			}
		}
		section(t, p.library) // there is one
	}
}

// The test cannot replace the transport of retryablehttpBefore, so it only compiles.
// interop/defaults runs that client.
var _ = retryablehttpBefore

// TestRetryableHTTPAfter runs the program with a transport that always fails.
func TestRetryableHTTPAfter(t *testing.T) {
	before := http.DefaultTransport
	defer func() { http.DefaultTransport = before }()
	s := observed.Expr("exponential(1s, 2) | cap(30s) | take(4)")
	got := rows(t, s, func(_ context.Context, attempt func()) {
		http.DefaultTransport = transport(func(*http.Request) (*http.Response, error) { attempt(); return nil, errFailed })
		if _, err := retryablehttpAfter(); !errors.Is(err, errFailed) {
			t.Fatalf("the error is %v", err)
		}
	})
	for _, d := range s.Differences(got, true, 0) {
		t.Error(d)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestPlusMinus: the schedule in Go is sethvargo's WithJitter.
func TestPlusMinus(t *testing.T) {
	const n = 6
	theirs := make([][]time.Duration, operations)
	ours := make([][]time.Duration, operations)
	for i := range theirs {
		theirs[i] = first(n, sethvargo.WithJitter(500*time.Millisecond, sethvargo.NewExponential(time.Second)))
		for d := range plusMinus() {
			if ours[i] = append(ours[i], d); len(ours[i]) == n {
				break
			}
		}
	}
	// 500ms is taken off every delay, and given back to the expression's.
	s := observed.Expr("exponential(1s, 2) | add(uniform(0s, 1s))")
	for name, rows := range map[string][][]time.Duration{"theirs": theirs, "ours": ours} {
		for i := range rows {
			for j := range rows[i] {
				rows[i][j] += 500 * time.Millisecond
			}
		}
		for _, d := range s.Differences(rows, false, 1) {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// first returns the first n delays of a backoff of sethvargo's.
func first(n int, b sethvargo.Backoff) []time.Duration {
	var delays []time.Duration
	for range n {
		d, stop := b.Next()
		if stop {
			break
		}
		delays = append(delays, d)
	}
	return delays
}

// TestTables: options of the Go libraries have the delays of the expressions that
// the tables give.
func TestTables(t *testing.T) {
	const n = 8
	endless := func(delay func() time.Duration) func() []time.Duration {
		return func() []time.Duration {
			delays := make([]time.Duration, n)
			for i := range delays {
				delays[i] = delay()
			}
			return delays
		}
	}
	backoffs := func(b func() sethvargo.Backoff) func() []time.Duration {
		return func() []time.Duration { return first(n, b()) }
	}
	policy := func(build func(retrypolicy.Builder[any]) retrypolicy.Builder[any]) func() []time.Duration {
		return func() []time.Duration {
			return observed.Gaps(func(attempt func()) {
				p := build(retrypolicy.NewBuilder[any]()).WithMaxRetries(n).Build()
				failsafe.With(p).Run(func() error { attempt(); return errFailed })
			})
		}
	}
	retries := func(opts ...avast.Option) func() []time.Duration {
		return func() []time.Duration {
			return observed.Gaps(func(attempt func()) {
				avast.New(append(opts, avast.Attempts(n+1))...).Do(func() error { attempt(); return errFailed })
			})
		}
	}
	limited := func(l workqueue.TypedRateLimiter[string]) func() []time.Duration {
		return endless(func() time.Duration { return l.When("item") })
	}
	type builder = retrypolicy.Builder[any]
	for _, test := range []struct {
		section, text string
		delays        func() []time.Duration
	}{
		{"cenkalti/backoff", "constant(1s)", endless(cenkalti.NewConstantBackOff(time.Second).NextBackOff)},
		{"avast/retry-go", "exponential(100ms, 2) | add(uniform(0s, 100ms)) | cap(1s)", retries(avast.MaxDelay(time.Second))},
		{"avast/retry-go", "exponential(100ms, 2)", retries(avast.DelayType(avast.BackOffDelay))},
		{"avast/retry-go", "constant(100ms)", retries(avast.DelayType(avast.FixedDelay))},
		{"avast/retry-go", "uniform(0s, 100ms)", retries(avast.DelayType(avast.RandomDelay))},
		{"avast/retry-go", "full-jitter(2s, 10s)", retries(avast.DelayType(avast.FullJitterBackoffDelay), avast.Delay(time.Second), avast.MaxDelay(10*time.Second))},
		{"avast/retry-go", "full-jitter(2s, 10s)", func() []time.Duration {
			return observed.Gaps(func(attempt func()) {
				avastv4.Do(func() error { attempt(); return errFailed }, avastv4.Attempts(n+1),
					avastv4.DelayType(avastv4.FullJitterBackoffDelay), avastv4.Delay(time.Second), avastv4.MaxDelay(10*time.Second))
			})
		}},
		{"sethvargo/go-retry", "constant(1s)", backoffs(func() sethvargo.Backoff { return sethvargo.NewConstant(time.Second) })},
		{"sethvargo/go-retry", "exponential(1s, 2)", backoffs(func() sethvargo.Backoff { return sethvargo.NewExponential(time.Second) })},
		{"sethvargo/go-retry", "fibonacci(1s) | drop(1)", backoffs(func() sethvargo.Backoff { return sethvargo.NewFibonacci(time.Second) })},
		{"sethvargo/go-retry", "exponential(1s, 2) | cap(10s)", backoffs(func() sethvargo.Backoff {
			return sethvargo.WithCappedDuration(10*time.Second, sethvargo.NewExponential(time.Second))
		})},
		{"sethvargo/go-retry", "exponential(1s, 2) | jitter(1)", backoffs(func() sethvargo.Backoff {
			return sethvargo.WithFullJitter(sethvargo.NewExponential(time.Second))
		})},
		{"sethvargo/go-retry", "uniform(500ms, 1.5s)", backoffs(func() sethvargo.Backoff {
			return sethvargo.WithJitter(500*time.Millisecond, sethvargo.NewConstant(time.Second))
		})},
		{"failsafe-go", "constant(1s)", policy(func(b builder) builder { return b.WithDelay(time.Second) })},
		{"failsafe-go", "exponential(1s, 2) | cap(30s)", policy(func(b builder) builder { return b.WithBackoff(time.Second, 30*time.Second) })},
		{"failsafe-go", "exponential(1s, 1.5) | cap(30s)", policy(func(b builder) builder { return b.WithBackoffFactor(time.Second, 30*time.Second, 1.5) })},
		{"failsafe-go", "uniform(1s, 2s)", policy(func(b builder) builder { return b.WithRandomDelay(time.Second, 2*time.Second) })},
		{"hashicorp/go-retryablehttp", "linear(800ms, 800ms) | add(linear(400ms, 400ms) | jitter(1))", func() []time.Duration {
			delays := make([]time.Duration, n)
			for i := range delays {
				delays[i] = retryablehttp.LinearJitterBackoff(800*time.Millisecond, 1200*time.Millisecond, i, nil)
				time.Sleep(delays[i]) // as its client does: its seed is the clock
			}
			return delays
		}},
		{"Kubernetes", "exponential(5ms, 2) | cap(16m40s)", limited(workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 1000*time.Second))},
		{"Kubernetes", "constant(1s) | take(3) | then(constant(1m))", limited(workqueue.NewTypedItemFastSlowRateLimiter[string](time.Second, time.Minute, 3))},
		{"Kubernetes", "constant(1s) | within(10s)", func() []time.Duration {
			return observed.Gaps(func(attempt func()) {
				wait.PollUntilContextTimeout(context.Background(), time.Second, 10*time.Second, true, func(context.Context) (bool, error) { attempt(); return false, nil })
			})[:n]
		}},
	} {
		if !strings.Contains(strings.ReplaceAll(section(t, test.section), `\|`, "|"), "`"+test.text+"`") {
			t.Errorf("%s: the page has no `%s`", test.section, test.text)
		}
		s := observed.Expr(test.text)
		all := make([][]time.Duration, 1)
		if s.Random {
			all = make([][]time.Duration, operations)
		}
		synctest.Test(t, func(*testing.T) {
			for i := range all {
				all[i] = test.delays()
			}
		})
		if len(all[0]) != n {
			t.Errorf("%s: %d delays for %s, want %d", test.section, len(all[0]), test.text, n)
		}
		for _, d := range s.Differences(all, false, rounding) {
			t.Errorf("%s: %s: %s", test.section, test.text, d)
		}
	}
}

// TestCounts: which options count attempts and which retries, and how libraries
// behave at the end, as the page says.
func TestCounts(t *testing.T) {
	fail := func(attempt func()) func() error { return func() error { attempt(); return errFailed } }
	for _, test := range []struct {
		name      string
		operation func(ctx context.Context, attempt func())
		want      int           // attempts
		after     time.Duration // from the first attempt to the end
	}{
		{"cenkalti v5, WithMaxTries", func(ctx context.Context, attempt func()) {
			cenkalti.Retry(ctx, func() (int, error) { attempt(); return 0, errFailed },
				cenkalti.WithBackOff(cenkalti.NewConstantBackOff(time.Second)), cenkalti.WithMaxTries(4))
		}, 4, 3 * time.Second},
		{"cenkalti v4, WithMaxRetries", func(ctx context.Context, attempt func()) {
			cenkaltiv4.Retry(fail(attempt), cenkaltiv4.WithMaxRetries(cenkaltiv4.NewConstantBackOff(time.Second), 4))
		}, 5, 4 * time.Second},
		{"cenkalti v5, RetryAfter waits exactly that long", func(ctx context.Context, attempt func()) {
			cenkalti.Retry(ctx, func() (int, error) { attempt(); return 0, cenkalti.RetryAfter(1) },
				cenkalti.WithBackOff(cenkalti.NewConstantBackOff(time.Minute)), cenkalti.WithMaxTries(3))
		}, 3, 2 * time.Second},
		{"avast, Attempts", func(ctx context.Context, attempt func()) {
			avast.New(avast.Attempts(4), avast.DelayType(avast.FixedDelay), avast.Delay(time.Second)).Do(fail(attempt))
		}, 4, 3 * time.Second},
		{"sethvargo, WithMaxRetries", func(ctx context.Context, attempt func()) {
			sethvargo.Do(ctx, sethvargo.WithMaxRetries(4, sethvargo.NewConstant(time.Second)),
				func(context.Context) error { attempt(); return sethvargo.RetryableError(errFailed) })
		}, 5, 4 * time.Second},
		{"sethvargo, an error without a mark", func(ctx context.Context, attempt func()) {
			sethvargo.Do(ctx, sethvargo.NewConstant(time.Second), func(context.Context) error { attempt(); return errFailed })
		}, 1, 0},
		{"sethvargo, WithMaxDuration shortens the last delay", func(ctx context.Context, attempt func()) {
			sethvargo.Do(ctx, sethvargo.WithMaxDuration(5*time.Second, sethvargo.NewConstant(2*time.Second)),
				func(context.Context) error { attempt(); return sethvargo.RetryableError(errFailed) })
		}, 4, 5 * time.Second},
		{"failsafe-go, WithMaxAttempts", func(ctx context.Context, attempt func()) {
			failsafe.With(retrypolicy.NewBuilder[any]().WithDelay(time.Second).WithMaxAttempts(4).Build()).Run(fail(attempt))
		}, 4, 3 * time.Second},
		{"failsafe-go, WithMaxRetries", func(ctx context.Context, attempt func()) {
			failsafe.With(retrypolicy.NewBuilder[any]().WithDelay(time.Second).WithMaxRetries(4).Build()).Run(fail(attempt))
		}, 5, 4 * time.Second},
		{"Kubernetes, Steps", func(ctx context.Context, attempt func()) {
			wait.ExponentialBackoff(wait.Backoff{Duration: time.Second, Factor: 2, Steps: 4}, func() (bool, error) { attempt(); return false, nil })
		}, 4, 7 * time.Second},
		{"Kubernetes, Cap ends the retries, after a delay", func(ctx context.Context, attempt func()) {
			wait.ExponentialBackoff(wait.Backoff{Duration: time.Second, Factor: 2, Steps: 10, Cap: 5 * time.Second}, func() (bool, error) { attempt(); return false, nil })
		}, 3, 7 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, got := time.Now(), 0
			test.operation(t.Context(), func() { got++ })
			if after := time.Since(began); got != test.want || after != test.after {
				t.Errorf("%s: %d attempts in %v, want %d in %v", test.name, got, after, test.want, test.after)
			}
		})
	}
}
