package retry

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// ErrThrottled is the [Error.Cause] if a [Throttle] rejected an attempt.
var ErrThrottled = errors.New("throttled by the client")

// A Throttle rejects attempts of a process, first attempts too, while the server rejects
// most of them, because an overloaded server may spend most of its time on rejections
// (client-side throttling, adaptive throttling). It is a [Limiter].
//
// Before each attempt it counts the requests of the last window and those of them that the
// server accepted, and rejects the attempt with probability
//
//	max(0, (requests - k*accepts) / (requests + 1))
//
// A rejected attempt counts as a request, so that the probability stays high while
// callers go on asking. An attempt that was made counts when it ends: as accepted if it
// succeeds or fails with an error that is not retryable, because then the server has
// answered. One that the caller's context ends does not count, so with a server that hangs
// set [AttemptTimeout] to less than the caller's deadline.
//
// So the server gets about k times the requests that it accepts, and about one request in
// each window if it accepts none.
//
// A call whose first attempt is rejected makes no attempt, so [Observe] does not see it:
// count its error, of which [errors.Is] finds ErrThrottled, or RejectionProbability.
//
// Use a Throttle in a process that sends many requests in each window. In one that sends
// few, a single failure of the first requests makes it reject the next attempt half of the
// time.
//
// Share one Throttle among all calls to one server, by [WithLimiter]. Any number of
// goroutines may use it at once. Its random numbers have no seed.
//
// It is the client-side throttling of [Site Reliability Engineering], chapter 21.
//
// [Site Reliability Engineering]: https://sre.google/sre-book/handling-overload/#eq2101
type Throttle struct {
	k      float64
	random func() float64 // in [0, 1)
	start  time.Time

	mu                sync.Mutex
	requests, accepts window
}

// NewThrottle returns a Throttle that lets through about k times what the server accepts,
// counted over the last window. It counts in hundredths of the window, and an event counts for
// 99/100 of it at least.
//
// NewThrottle(2, 2*time.Minute) has the numbers of the book. A k near 1 saves the server
// more work, but rejects requests that it would accept. A k above 2 lets the
// client notice sooner that the server has recovered.
//
// It panics if k is not finite and >= 1, or if window <= 0.
func NewThrottle(k float64, window time.Duration) *Throttle {
	return newThrottle(k, window, rand.Float64)
}

func newThrottle(k float64, window time.Duration, random func() float64) *Throttle {
	if !(k >= 1 && k <= math.MaxFloat64) {
		reject("NewThrottle", "k", k, "a finite value >= 1")
	}
	if window <= 0 {
		reject("NewThrottle", "window", window, "> 0")
	}
	return &Throttle{
		k:        k,
		random:   random,
		start:    time.Now(),
		requests: newWindow(window),
		accepts:  newWindow(window),
	}
}

// RejectionProbability returns the probability, in [0, 1), with which the next attempt is
// rejected. Use it for a gauge.
func (t *Throttle) RejectionProbability() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.probability(time.Since(t.start))
}

func (t *Throttle) probability(now time.Duration) float64 {
	requests, accepts := float64(t.requests.count(now)), float64(t.accepts.count(now))
	return max(0, (requests-float64(t.k*accepts))/(requests+1))
}

// Allow returns [ErrThrottled] with the probability of rejection.
func (t *Throttle) Allow(int, error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Since(t.start)
	if p := t.probability(now); p > 0 && t.random() < p {
		t.requests.add(now)
		return ErrThrottled
	}
	return nil
}

// Done counts a request, and whether the server has accepted it.
func (t *Throttle) Done(r Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Since(t.start)
	t.requests.add(now)
	if r.Err == nil || !r.Retryable {
		t.accepts.add(now)
	}
}
