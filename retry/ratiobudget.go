package retry

import (
	"math"
	"sync"
	"time"
)

// A RatioBudget limits the retries of a process to a share of its initial requests (retry
// budget, retry ratio). It is a [Limiter].
//
// Use a RatioBudget to bound the load that retries add, such as 10 %, whether requests
// succeed or not. A retry is allowed while the retries of the last window, this one
// included, are at most
//
//	ratio*requests + minPerSecond*window
//
// Requests are first attempts, counted when they begin. The second term allows some
// retries to a process that sends few requests or has just begun.
//
// Share one RatioBudget among all calls to one server, by [WithLimiter]. Any number of
// goroutines may use it at once.
//
// It is the RetryBudget of [Finagle] and the retryBudget of [Linkerd]. That of [Envoy] has
// no window: it is a share of the requests that are open at the moment.
//
// [Finagle]: https://finagle.github.io/blog/2016/02/08/retry-budgets/
// [Linkerd]: https://linkerd.io/2.15/tasks/configuring-retries/#retry-budgets
// [Envoy]: https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/cluster/v3/circuit_breaker.proto#config-cluster-v3-circuitbreakers-thresholds-retrybudget
type RatioBudget struct {
	ratio, reserve int64 // in millionths of a retry, as the tokens of a bucket
	start          time.Time

	mu                sync.Mutex
	requests, retries window
}

// NewRatioBudget returns a RatioBudget of ratio retries for each initial request, and
// minPerSecond for each second, counted over the last window. It counts in hundredths of the
// window, and an event counts for 99/100 of it at least. ratio and
// minPerSecond*window are rounded to millionths.
//
// NewRatioBudget(0.2, 10, 10*time.Second) has the numbers of Finagle and Linkerd. They let
// a process retry 100 times in the first window, so in one that sends few requests choose
// a smaller minPerSecond.
//
// It panics if ratio is not in [0, 1000], if minPerSecond is not in [0, 1e6], or if window
// is not in (0, 24h].
func NewRatioBudget(ratio, minPerSecond float64, window time.Duration) *RatioBudget {
	const function = "NewRatioBudget"
	if !(ratio >= 0 && ratio <= 1000) {
		reject(function, "ratio", ratio, "a value in [0, 1000]")
	}
	if !(minPerSecond >= 0 && minPerSecond <= 1e6) {
		reject(function, "minPerSecond", minPerSecond, "a value in [0, 1e6]")
	}
	if window <= 0 || window > 24*time.Hour {
		reject(function, "window", window, "a value in (0, 24h]")
	}
	return &RatioBudget{
		ratio:    int64(math.Round(ratio * token)),
		reserve:  int64(math.Round(minPerSecond * window.Seconds() * token)),
		start:    time.Now(),
		requests: newWindow(window),
		retries:  newWindow(window),
	}
}

// Balance returns the number of retries that could be made now. Use it for a gauge. Other
// goroutines may have changed the number when it returns.
func (b *RatioBudget) Balance() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.balance(time.Since(b.start))
}

// balance is not below 0, though requests are forgotten before the retries that they
// allowed.
func (b *RatioBudget) balance(now time.Duration) int64 {
	allowed := (b.ratio*b.requests.count(now) + b.reserve) / token
	return max(allowed-b.retries.count(now), 0)
}

// Allow counts an initial request or a retry, or returns [ErrBudget] if there are too many
// retries for the requests.
func (b *RatioBudget) Allow(attempt int, _ error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Since(b.start)
	switch {
	case attempt == 1:
		b.requests.add(now)
	case b.balance(now) == 0:
		return ErrBudget
	default:
		b.retries.add(now)
	}
	return nil
}

// Done does nothing, because results do not matter.
func (b *RatioBudget) Done(Result) {}
