package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	avastretry "github.com/avast/retry-go/v4"
	avastv5 "github.com/avast/retry-go/v5"
	"github.com/aws/aws-sdk-go-v2/aws"
	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	cenkaltiv4 "github.com/cenkalti/backoff/v4"
	cenkalti "github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/googleapis/gax-go/v2"
	"github.com/hashicorp/go-retryablehttp"
	jpillora "github.com/jpillora/backoff"
	"k8s.io/apimachinery/pkg/util/wait"
	k8sretry "k8s.io/client-go/util/retry"

	"example.com/backoff/interop/observed"
)

var errFailed = errors.New("failed")

// TestRetryers runs the libraries that retry by themselves until they give up, and
// takes the delays of those that only compute them.
func TestRetryers(t *testing.T) {
	const random = 5000
	for _, test := range []struct {
		name       string
		module     string // which one, if several have the same defaults
		operations int    // how many fail; 1 if nothing is random
		endless    bool
		slack      time.Duration
		env        string
		delays     func(t *testing.T) []time.Duration
	}{
		{name: "Kubernetes client-go, DefaultRetry", operations: random, slack: 1, delays: conflict(k8sretry.DefaultRetry)},
		{name: "Kubernetes client-go, DefaultBackoff", operations: random, slack: 1, delays: conflict(k8sretry.DefaultBackoff)},
		{name: "AWS SDK for Go v2", operations: random, slack: 1, delays: func(t *testing.T) []time.Duration {
			return request(t, awsretry.NewStandard(), retryable{})
		}},
		{name: "AWS SDK for Go v2, MaxAttempts raised", operations: random, slack: 1, delays: func(t *testing.T) []time.Duration {
			return request(t, awsretry.AddWithMaxAttempts(awsretry.NewStandard(), 0), retryable{})
		}},
		{name: "AWS SDK for Go v2, AWS_NEW_RETRIES_2026=true", operations: random, slack: 1, env: "AWS_NEW_RETRIES_2026", delays: func(t *testing.T) []time.Duration {
			return request(t, awsretry.NewStandard(), retryable{})
		}},
		{name: "cenkalti/backoff", operations: random, slack: 10, delays: func(t *testing.T) []time.Duration {
			return observed.Gaps(func(attempt func()) {
				_, err := cenkalti.Retry(t.Context(), func() (int, error) { attempt(); return 0, errFailed })
				wantError(t, err, errFailed)
			})
		}},
		{name: "cenkalti/backoff", module: "v4", operations: random, slack: 10, delays: func(t *testing.T) []time.Duration {
			return observed.Gaps(func(attempt func()) {
				wantError(t, cenkaltiv4.Retry(func() error { attempt(); return errFailed }, cenkaltiv4.NewExponentialBackOff()), errFailed)
			})
		}},
		{name: "gax, for Google's clients", operations: random, endless: true, slack: 1, delays: func(*testing.T) []time.Duration {
			delays := make([]time.Duration, 20)
			var b gax.Backoff
			for i := range delays {
				delays[i] = b.Pause()
			}
			return delays
		}},
		{name: "hashicorp/go-retryablehttp", operations: 1, delays: func(t *testing.T) []time.Duration {
			return observed.Gaps(func(attempt func()) {
				c := retryablehttp.NewClient()
				c.Logger = nil
				c.HTTPClient.Transport = transport(func(*http.Request) (*http.Response, error) { attempt(); return nil, errFailed })
				_, err := c.Get("http://localhost")
				wantError(t, err, errFailed)
			})
		}},
		{name: "avast/retry-go", operations: random, slack: 1, delays: func(t *testing.T) []time.Duration {
			return observed.Gaps(func(attempt func()) {
				wantError(t, avastretry.Do(func() error { attempt(); return errFailed }), errFailed)
			})
		}},
		{name: "avast/retry-go", module: "v5", operations: random, slack: 1, delays: func(t *testing.T) []time.Duration {
			return observed.Gaps(func(attempt func()) {
				wantError(t, avastv5.New().Do(func() error { attempt(); return errFailed }), errFailed)
			})
		}},
		{name: "failsafe-go", operations: 1, delays: func(t *testing.T) []time.Duration {
			return observed.Gaps(func(attempt func()) {
				err := failsafe.With(retrypolicy.NewWithDefaults[any]()).Run(func() error { attempt(); return errFailed })
				wantError(t, err, errFailed)
			})
		}},
		{name: "jpillora/backoff", operations: 1, endless: true, delays: func(*testing.T) []time.Duration {
			delays := make([]time.Duration, 100)
			var b jpillora.Backoff
			for i := range delays {
				delays[i] = b.Duration()
			}
			return delays
		}},
	} {
		t.Run(test.name+" "+test.module, func(t *testing.T) {
			if test.env != "" {
				t.Setenv(test.env, "true")
			}
			rows := make([][]time.Duration, test.operations)
			synctest.Test(t, func(t *testing.T) {
				for i := range rows {
					rows[i] = test.delays(t)
				}
			})
			for _, d := range clientNamed(t, test.name).observed().Differences(rows, !test.endless, test.slack) {
				t.Error(d)
			}
		})
	}
}

func wantError(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("the error is %v, want %v", got, want)
	}
}

// conflict returns the delays of an update that always meets a conflict.
func conflict(b wait.Backoff) func(*testing.T) []time.Duration {
	return func(t *testing.T) []time.Duration {
		return observed.Gaps(func(attempt func()) {
			err := k8sretry.OnError(b, func(error) bool { return true }, func() error { attempt(); return errFailed })
			wantError(t, err, errFailed)
		})
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// retryable is an error that the SDK retries.
type retryable struct{}

func (retryable) Error() string        { return "failed" }
func (retryable) RetryableError() bool { return true }

// request returns the delays of a request to AWS that always fails.
func request(t *testing.T, r aws.Retryer, failure error) []time.Duration {
	return observed.Gaps(func(attempt func()) {
		m := awsretry.NewAttemptMiddleware(r, func(request any) any { return request })
		next := middleware.FinalizeHandlerFunc(func(context.Context, middleware.FinalizeInput) (middleware.FinalizeOutput, middleware.Metadata, error) {
			attempt()
			return middleware.FinalizeOutput{}, middleware.Metadata{}, failure
		})
		_, _, err := m.HandleFinalize(t.Context(), middleware.FinalizeInput{}, next)
		wantError(t, err, failure)
	})
}

// TestAWSBucket: without a limit of attempts the token bucket ends the retries,
// after timeouts twice as soon.
func TestAWSBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for failure, want := range map[error]int{retryable{}: 100, timeout{}: 50} {
			got := len(request(t, awsretry.AddWithMaxAttempts(awsretry.NewStandard(), 0), failure))
			if got != want {
				t.Errorf("%d retries after %T, want %d", got, failure, want)
			}
		}
	})
}

type timeout struct{ retryable }

func (timeout) Timeout() bool { return true }

// TestAWSThrottled: with AWS_NEW_RETRIES_2026 the base depends on the error.
func TestAWSThrottled(t *testing.T) {
	t.Setenv("AWS_NEW_RETRIES_2026", "true")
	rows := make([][]time.Duration, 5000)
	synctest.Test(t, func(t *testing.T) {
		for i := range rows {
			rows[i] = request(t, awsretry.NewStandard(), &smithy.GenericAPIError{Code: "ThrottlingException"})
		}
	})
	for _, d := range observed.Expr("full-jitter(1s, 2s) | take(2)").Differences(rows, true, 1) {
		t.Error(d)
	}
}

// TestRetryAfter: the header replaces the delay.
func TestRetryAfter(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		synctest.Test(t, func(t *testing.T) {
			delays := observed.Gaps(func(attempt func()) {
				c := retryablehttp.NewClient()
				c.Logger = nil
				c.HTTPClient.Transport = transport(func(r *http.Request) (*http.Response, error) {
					attempt()
					header := http.Header{"Retry-After": {"7"}}
					return &http.Response{StatusCode: status, Header: header, Body: http.NoBody, Request: r}, nil
				})
				if _, err := c.Get("http://localhost"); err == nil {
					t.Error("a request that always fails succeeded")
				}
			})
			for _, d := range observed.Expr("constant(7s) | take(4)").Differences([][]time.Duration{delays}, true, 0) {
				t.Errorf("after status %d: %s", status, d)
			}
		})
	}
}

// TestPolly compares the schedule with the formula in Polly's source, because Go
// cannot run Polly: RetryHelper.DecorrelatedJitterBackoffV2.
func TestPolly(t *testing.T) {
	const base = 2 * time.Second
	random := rand.New(rand.NewPCG(1, 2))
	rows := make([][]time.Duration, 20_000)
	for i := range rows {
		before := 0.0
		for attempt := range 3 {
			at := float64(attempt) + random.Float64()
			next := math.Pow(2, at) * math.Tanh(math.Sqrt(4*at))
			const tick = 100 * time.Nanosecond
			ticks := int64((next - before) / 1.4 * float64(base/tick))
			rows[i] = append(rows[i], time.Duration(ticks)*tick)
			before = next
		}
	}
	for _, d := range clientNamed(t, "Polly in .NET's standard HTTP handler").observed().Differences(rows, true, 100) {
		t.Error(d)
	}
}
