package runners

import (
	"iter"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/googleapis/gax-go/v2"
	"github.com/hashicorp/go-retryablehttp"
	"github.com/hibiken/asynq"
	jpillora "github.com/jpillora/backoff"
	"github.com/sethvargo/go-retry"
	"k8s.io/apimachinery/pkg/util/wait"
	k8sretry "k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"

	avastv4 "github.com/avast/retry-go/v4"
	avastv5 "github.com/avast/retry-go/v5"
	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	cenkaltiv4 "github.com/cenkalti/backoff/v4"
	cenkaltiv5 "github.com/cenkalti/backoff/v5"
	cenkaltiv6 "github.com/cenkalti/backoff/v6"
	cenkaltiv7 "github.com/cenkalti/backoff/v7"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/backofftest"
	"example.com/backoff/expr"
)

// kubernetes returns the delays of a wait.Backoff before which wait.ExponentialBackoff
// retries.
func kubernetes(b wait.Backoff) iter.Seq[time.Duration] {
	return adapt.FromPolicy(
		func() *wait.Backoff { b := b; return &b },
		func(b *wait.Backoff) (time.Duration, bool) {
			d := b.Step()
			return d, b.Steps > 0
		})
}

// avastV4Delays returns the delays of avast/retry-go v4 with these options. Its
// BackOffDelay keeps a number in the Config at the first call, so each range has a Config
// of its own.
func avastV4Delays(delay avastv4.DelayTypeFunc, opts ...avastv4.Option) iter.Seq[time.Duration] {
	type policy struct {
		config avastv4.Config
		n      uint
	}
	return adapt.FromPolicy(
		func() *policy {
			p := new(policy)
			for _, o := range opts {
				o(&p.config)
			}
			return p
		},
		func(p *policy) (time.Duration, bool) {
			p.n++
			return delay(p.n, nil, &p.config), true
		})
}

// policies are the default policies of other libraries as schedules, with bounds for
// delay n that come from their documentation, as expressions of package expr. Both
// bounds of a policy without jitter are the same.
var policies = []struct {
	name            string
	seq             iter.Seq[time.Duration]
	lowest, highest string
}{
	{
		"Kubernetes wait.Backoff, DefaultRetry", kubernetes(k8sretry.DefaultRetry),
		"constant(10ms) | take(4)", "constant(11ms) | take(4)",
	}, {
		"Kubernetes wait.Backoff, DefaultBackoff", kubernetes(k8sretry.DefaultBackoff),
		"exponential(10ms, 5) | take(3)", "exponential(11ms, 5) | take(3)",
	}, {
		// The Cap ends it before its Steps do.
		"Kubernetes wait.Backoff with a Cap", kubernetes(wait.Backoff{Duration: time.Second, Factor: 2, Steps: 10, Cap: 5 * time.Second}),
		"exponential(1s, 2) | take(2)", "exponential(1s, 2) | take(2)",
	}, {
		"gax", adapt.FromPolicy(
			func() *gax.Backoff { return new(gax.Backoff) },
			func(b *gax.Backoff) (time.Duration, bool) { return b.Pause(), true }),
		"constant(1ns)", "exponential(1s, 2) | cap(30s)",
	}, {
		"jpillora", adapt.FromPolicy(
			func() *jpillora.Backoff { return new(jpillora.Backoff) },
			func(b *jpillora.Backoff) (time.Duration, bool) { return b.Duration(), true }),
		"exponential(100ms, 2) | cap(10s)", "exponential(100ms, 2) | cap(10s)",
	}, {
		"jpillora with jitter", adapt.FromPolicy(
			func() *jpillora.Backoff { return &jpillora.Backoff{Jitter: true} },
			func(b *jpillora.Backoff) (time.Duration, bool) { return b.Duration(), true }),
		"constant(100ms)", "exponential(100ms, 2) | cap(10s)",
	}, {
		"cenkalti v4", adapt.FromBackOff(func() *cenkaltiv4.ExponentialBackOff { return cenkaltiv4.NewExponentialBackOff() }),
		"exponential(250ms, 1.5) | cap(30s)", "exponential(751ms, 1.5) | cap(91s)",
	}, {
		"cenkalti v5", adapt.FromBackOff(cenkaltiv5.NewExponentialBackOff),
		"exponential(250ms, 1.5) | cap(30s)", "exponential(751ms, 1.5) | cap(91s)",
	}, {
		"cenkalti v6", adapt.FromBackOff(cenkaltiv6.NewExponentialBackOff),
		"exponential(250ms, 1.5) | cap(30s)", "exponential(751ms, 1.5) | cap(91s)",
	}, {
		"cenkalti v7", adapt.FromBackOff(cenkaltiv7.NewExponentialBackOff),
		"exponential(250ms, 1.5) | cap(30s)", "exponential(751ms, 1.5) | cap(91s)",
	}, {
		"sethvargo", adapt.FromNext(func() retry.Backoff { return retry.NewFibonacci(time.Second) }),
		"fibonacci(1s) | drop(1)", "fibonacci(1s) | drop(1)",
	}, {
		"sethvargo with modifiers", adapt.FromNext(func() retry.Backoff {
			return retry.WithMaxRetries(5, retry.WithCappedDuration(3*time.Second, retry.NewExponential(time.Second)))
		}),
		"exponential(1s, 2) | cap(3s) | take(5)", "exponential(1s, 2) | cap(3s) | take(5)",
	}, {
		"avast v4", avastV4Delays(avastv4.BackOffDelay, avastv4.Delay(100*time.Millisecond)),
		"exponential(100ms, 2)", "exponential(100ms, 2)",
	}, {
		"avast v4, random", avastV4Delays(avastv4.CombineDelay(avastv4.BackOffDelay, avastv4.RandomDelay),
			avastv4.Delay(100*time.Millisecond), avastv4.MaxJitter(100*time.Millisecond)),
		"exponential(100ms, 2) | cap(1000000h)", "exponential(200ms, 2)",
	}, {
		"avast v5", func() iter.Seq[time.Duration] {
			defaults := avastv5.New()
			return adapt.From(func(retry int) time.Duration { return avastv5.BackOffDelay(uint(retry)+1, nil, defaults) })
		}(),
		"exponential(100ms, 2) | cap(1000000h)", "exponential(100ms, 2)",
	}, {
		"AWS", func() iter.Seq[time.Duration] {
			b := awsretry.NewExponentialJitterBackoff(20 * time.Second)
			return adapt.From(func(retry int) time.Duration {
				d, err := b.BackoffDelay(retry+1, nil)
				if err != nil {
					panic(err) // there is no randomness
				}
				return d
			})
		}(),
		"constant(0s)", "exponential(2s, 2) | cap(20s)",
	}, {
		"client-go's limiter of each item", adapt.FromPolicy(
			func() workqueue.TypedRateLimiter[int] {
				return workqueue.NewTypedItemExponentialFailureRateLimiter[int](5*time.Millisecond, 1000*time.Second)
			},
			func(l workqueue.TypedRateLimiter[int]) (time.Duration, bool) { return l.When(0), true }),
		"exponential(5ms, 2) | cap(1000s)", "exponential(5ms, 2) | cap(1000s)",
	}, {
		"retryablehttp", adapt.From(func(retry int) time.Duration {
			return retryablehttp.DefaultBackoff(time.Second, 30*time.Second, retry, nil)
		}),
		"exponential(1s, 2) | cap(30s)", "exponential(1s, 2) | cap(30s)",
	}, {
		"asynq", adapt.From(func(retry int) time.Duration { return asynq.DefaultRetryDelayFunc(retry, nil, nil) }),
		"constant(15s) | take(1) | then(polynomial(1s, 4))", "polynomial(45s, 4)",
	},
}

// TestFrom: the schedule of each policy lies between its bounds, ends where they do, and
// keeps the contract.
func TestFrom(t *testing.T) {
	for _, p := range policies {
		t.Run(p.name, func(t *testing.T) {
			lowest, highest := delays(t, p.lowest), delays(t, p.highest)
			if got := len(first(p.seq, 11)); got != len(lowest) {
				t.Fatalf("%d delays or more, want %d", got, len(lowest))
			}
			for range 200 { // a random policy gives other delays
				for n, d := range first(p.seq, 11) {
					if d < lowest[n] || d > highest[n] {
						t.Fatalf("delay %d is %v, want between %v and %v", n, d, lowest[n], highest[n])
					}
				}
			}
			opts := []backofftest.Option{backofftest.Depth(300)}
			if p.lowest != p.highest {
				opts = append(opts, backofftest.Unseeded())
			}
			backofftest.Run(t, func(uint64) iter.Seq[time.Duration] { return p.seq }, opts...)
		})
	}
}

// delays returns the first 11 delays of an expression.
func delays(t *testing.T, text string) []time.Duration {
	t.Helper()
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return first(e.Schedule(), 11)
}

// TestKubernetesRetries: wait.ExponentialBackoff retries after each delay of the schedule.
// If a Cap ends a wait.Backoff, it waits once more, and does not retry after that.
func TestKubernetesRetries(t *testing.T) {
	for _, test := range []struct {
		backoff wait.Backoff
		waits   time.Duration
	}{
		{wait.Backoff{Duration: time.Second, Factor: 2, Steps: 4}, 7 * time.Second},
		{wait.Backoff{Duration: time.Second, Factor: 2, Steps: 1}, 0},
		{wait.Backoff{Duration: time.Second, Factor: 2, Steps: 9, Cap: 5 * time.Second}, 7 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			delays := slices.Collect(kubernetes(test.backoff))
			start, retries := time.Now(), -1
			err := wait.ExponentialBackoff(test.backoff, func() (bool, error) { retries++; return false, nil })
			if !wait.Interrupted(err) {
				t.Fatal(err)
			}
			if retries != len(delays) || time.Since(start) != test.waits {
				t.Errorf("%d retries in %v, want %d in %v", retries, time.Since(start), len(delays), test.waits)
			}
		})
	}
}

// TestShared: a policy that is shared by all ranges breaks the contract, and backofftest
// says how.
func TestShared(t *testing.T) {
	shared := new(jpillora.Backoff)
	seq := adapt.FromPolicy(
		func() *jpillora.Backoff { return shared },
		func(b *jpillora.Backoff) (time.Duration, bool) { return b.Duration(), true })
	err := backofftest.Check(func(uint64) iter.Seq[time.Duration] { return seq })
	if err == nil || !strings.Contains(err.Error(), "state outlives a range") {
		t.Errorf("Check returns %v, want that state outlives a range", err)
	}
}

// TestElapsed: a policy of cenkalti/backoff v4 ends by the clock, 15 minutes after it was
// reset, so in a loop that only looks it never ends.
func TestElapsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 15 * time.Minute
		seq := adapt.FromBackOff(func() *cenkaltiv4.ExponentialBackOff { return cenkaltiv4.NewExponentialBackOff() })
		if got := len(first(seq, 1000)); got != 1000 {
			t.Errorf("a loop that looks has %d delays, want 1000 and more", got)
		}
		start := time.Now()
		for d := range seq {
			time.Sleep(d)
		}
		// The longest delay is 90 s.
		if got := time.Since(start); got > limit || got < limit-91*time.Second {
			t.Errorf("a loop that waits ends after %v, want at most 90 s before %v", got, limit)
		}
		total := time.Duration(0)
		for d := range backoff.Within(adapt.FromBackOff(cenkaltiv7.NewExponentialBackOff), limit) {
			total += d
		}
		if total > limit || total < limit-91*time.Second {
			t.Errorf("Within has a total of %v, want at most 90 s less than %v", total, limit)
		}
	})
}

// TestNegativeOfCenkalti: the runners stop at −1 alone, and retry at once after another
// negative delay. FromBackOff ends at each, because such a delay has wrapped.
func TestNegativeOfCenkalti(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		newPolicy := func() *cenkaltiv7.ConstantBackOff { return cenkaltiv7.NewConstantBackOff(-2) }
		var a attempts
		start := time.Now()
		_, err := cenkaltiv7.Retry(t.Context(), func() (int, error) {
			if a == 5 {
				return 0, nil
			}
			return 0, a.fail()
		}, cenkaltiv7.WithBackOff(newPolicy()))
		if err != nil || a != 5 || time.Since(start) != 0 {
			t.Errorf("%d attempts that failed in %v, then %v, want 5 at once, then success", a, time.Since(start), err)
		}
		if got := first(adapt.FromBackOff(newPolicy), 1); len(got) != 0 {
			t.Errorf("FromBackOff gives %v, want no delay", got)
		}
	})
}

// TestWraps: what some policies give beyond the retries that their libraries expect.
func TestWraps(t *testing.T) {
	asynqDelays := adapt.From(func(retry int) time.Duration { return asynq.DefaultRetryDelayFunc(retry, nil, nil) })
	// 350^4 s is more than a time.Duration holds, and less than twice that. MaxRetry is 25
	// unless set.
	if got, _ := backoff.At(asynqDelays, 350); got != 0 {
		t.Errorf("asynq: delay 350 is %v, want a negative one that is raised to 0", got)
	}
	if got, _ := backoff.At(asynqDelays, 300); got < 300*300*300*300*time.Second {
		t.Errorf("asynq: delay 300 is %v, want more than 300^4 s", got)
	}

	linear := adapt.From(func(retry int) time.Duration {
		return retryablehttp.LinearJitterBackoff(math.MaxInt64/2, math.MaxInt64/2, retry, &http.Response{})
	})
	if got := first(linear, 4); got[2] != 0 {
		t.Errorf("retryablehttp, linear: %v, want 0 as delay 2", got)
	}

	if runtime.GOARCH != "amd64" {
		return // where a float64 that is too large becomes another integer
	}
	steps := kubernetes(wait.Backoff{Duration: time.Second, Factor: 2, Steps: math.MaxInt32})
	err := backofftest.Check(func(uint64) iter.Seq[time.Duration] { return steps })
	if err == nil {
		t.Errorf("a wait.Backoff without a Cap passes, want a delay that wrapped: %v", first(steps, 40)[30:])
	}
}

// TestRoundTrip: a schedule that a runner of another library was given comes back from it.
func TestRoundTrip(t *testing.T) {
	want := first(backoff.Exponential(time.Second, 1.5), 10)
	seq := adapt.FromBackOff(func() cenkaltiv7.BackOff { return adapt.NewBackOff(slices.Values(want)) })
	if d := cmp.Diff(want, slices.Collect(seq)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
