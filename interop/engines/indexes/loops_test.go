package indexes

import (
	"iter"
	"testing"
	"testing/synctest"
	"time"

	avastv4 "github.com/avast/retry-go/v4"
	avastv5 "github.com/avast/retry-go/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/workqueue"

	"example.com/backoff/adapt"
)

func fail() error { return errFailed }

func avastV4DelayType(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	delay := r.of(adapt.FuncFrom(1, seq))
	wantError(t, avastv4.Do(fail, avastv4.Attempts(enough+1),
		avastv4.DelayType(func(n uint, _ error, _ *avastv4.Config) time.Duration { return delay(int(n)) })), errFailed)
}

func avastV5DelayType(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	delay := r.of(adapt.FuncFrom(1, seq))
	wantError(t, avastv5.New(avastv5.Attempts(enough+1),
		avastv5.DelayType(func(n uint, _ error, _ avastv5.DelayContext) time.Duration { return delay(int(n)) })).Do(fail), errFailed)
}

func failsafeAttempts(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	delay := r.of(adapt.FuncFrom(1, seq))
	failsafeRun(t, func(e failsafe.ExecutionAttempt[any]) time.Duration { return delay(e.Attempts()) })
}

func failsafeRetries(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	delay := r.of(adapt.Func(seq))
	failsafeRun(t, func(e failsafe.ExecutionAttempt[any]) time.Duration { return delay(e.Retries()) })
}

func failsafeRun(t *testing.T, delay failsafe.DelayFunc[any]) {
	policy := retrypolicy.NewBuilder[any]().WithMaxRetries(enough).WithDelayFunc(delay).Build()
	wantError(t, failsafe.With(policy).Run(fail), errFailed)
}

// A counted is the stock limiter with the delays of a schedule.
type counted struct {
	workqueue.TypedRateLimiter[string]
	delay func(retry int) time.Duration
}

func (c counted) When(item string) time.Duration {
	retry := c.NumRequeues(item)
	c.TypedRateLimiter.When(item)
	return c.delay(retry)
}

func workqueueWhen(_ *testing.T, seq iter.Seq[time.Duration], r *record) {
	q := workqueue.NewTypedRateLimitingQueue[string](counted{
		workqueue.NewTypedItemExponentialFailureRateLimiter[string](1, 1),
		r.of(adapt.Func(seq)),
	})
	defer q.ShutDown()
	defer time.AfterFunc(5*time.Minute, q.ShutDown).Stop() // or Get waits forever if an item is lost
	q.Add("item")
	for range enough {
		item, _ := q.Get()
		q.AddRateLimited(item)
		q.Done(item)
	}
}

// TestFailsafeHedges: Attempts counts hedges, so with a hedge policy inside of the retry
// policy it skips delays of a schedule. Retries counts retries alone. If this fails,
// correct the table of hooks.
func TestFailsafeHedges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var attempts, retries []int
		policy := retrypolicy.NewBuilder[any]().WithMaxRetries(3).
			WithDelayFunc(func(e failsafe.ExecutionAttempt[any]) time.Duration {
				attempts, retries = append(attempts, e.Attempts()), append(retries, e.Retries())
				return time.Second
			}).Build()
		hedge := hedgepolicy.NewWithDelay[any](time.Millisecond)
		wantError(t, failsafe.With(policy, hedge).Run(func() error {
			time.Sleep(time.Minute)
			return errFailed
		}), errFailed)
		time.Sleep(time.Hour) // until the hedges have ended too
		if d := cmp.Diff([]int{2, 4, 6}, attempts); d != "" {
			t.Errorf("Attempts (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]int{0, 1, 2}, retries); d != "" {
			t.Errorf("Retries (-want +got):\n%s", d)
		}
	})
}
