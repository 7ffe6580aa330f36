package workqueue_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"k8s.io/client-go/util/workqueue"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// CountEvery gives, call by call, what the stock limiter of the same base and limit gives,
// for any base that is not a power of 2.
func TestCountEveryIsTheStockLimiter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		base := time.Duration(3 * (1 + r.Int64N(1<<r.IntN(50))))
		limit := time.Duration(r.Int64N(1 << (10 + r.IntN(53))))
		theirs := workqueue.NewTypedItemExponentialFailureRateLimiter[int](base, limit)
		ours := adapt.NewRateLimiter[int](backoff.Cap(backoff.Exponential(base, 2), limit), adapt.CountEvery())
		for call := range 300 {
			item := r.IntN(3)
			if r.IntN(100) == 0 {
				theirs.Forget(item)
				ours.Forget(item)
			}
			if want, got := theirs.When(item), ours.When(item); got != want {
				t.Fatalf("base %v, limit %v, call %d: the delay is %v, want %v", base, limit, call, got, want)
			}
			if want, got := theirs.NumRequeues(item), ours.NumRequeues(item); got != want {
				t.Fatalf("base %v, limit %v, call %d: %d failures, want %d", base, limit, call, got, want)
			}
		}
	}
}

// If the base is a power of 2 in nanoseconds, the stock limiter meets exactly 2^63 on its
// way, which is not above float64(math.MaxInt64) and no time.Duration. On amd64 that is
// negative, and the queue retries at once.
func TestStockLimiterWraps(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("converting 2^63 to int64 differs between architectures")
	}
	theirs := workqueue.NewTypedItemExponentialFailureRateLimiter[string](1<<20, limit)
	ours := adapt.NewRateLimiter[string](backoff.Cap(backoff.Exponential(1<<20, 2), limit), adapt.CountEvery())
	for call := range 60 {
		want := theirs.When("item")
		if call == 43 {
			if want >= 0 {
				t.Errorf("client-go's limiter has changed: delay 43 is %v, want a negative one", want)
			}
			want = limit
		}
		if got := ours.When("item"); got != want {
			t.Errorf("delay %d is %v, want %v", call, got, want)
		}
	}
}
