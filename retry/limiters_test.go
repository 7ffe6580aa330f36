package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff"
)

// plain is a model of a Limiter, as simple as its rule. It keeps every event, and gets the
// time since it was made.
type plain interface {
	allow(now time.Duration, attempt int, last error) error
	done(now time.Duration, r Result)
	gauge(now time.Duration) float64
}

// plainBucket is a bucket of whole millionths.
type plainBucket struct{ left, full int }

func (b *plainBucket) add(n int)                   { b.left = max(min(b.left+n, b.full), 0) }
func (b *plainBucket) gauge(time.Duration) float64 { return float64(b.left) / 1e6 }

func (b *plainBucket) take(n int) error {
	if b.left < n {
		return ErrBudget
	}
	b.left -= n
	return nil
}

type plainBudget struct {
	plainBucket
	ratio int
}

func (b *plainBudget) allow(_ time.Duration, attempt int, _ error) error {
	if attempt > 1 && float64(b.left) <= float64(b.full)/2 {
		return ErrBudget
	}
	return nil
}

func (b *plainBudget) done(_ time.Duration, r Result) {
	if r.Err == nil {
		b.add(b.ratio)
	} else if r.Retryable {
		b.add(-1e6)
	}
}

type plainTokenBucket struct {
	plainBucket
	ratio int
}

func (b *plainTokenBucket) allow(_ time.Duration, attempt int, _ error) error {
	if attempt == 1 {
		return nil
	}
	return b.take(1e6)
}

func (b *plainTokenBucket) done(_ time.Duration, r Result) {
	if r.Err == nil {
		b.add(b.ratio)
	}
}

type plainQuota struct {
	plainBucket
	cost, timeout, increment int
}

// isTimedOut reports whether an error of the property is a timeout.
func isTimedOut(err error) bool {
	return err == context.DeadlineExceeded || err == os.ErrDeadlineExceeded
}

func (q *plainQuota) allow(_ time.Duration, attempt int, last error) error {
	switch {
	case attempt == 1:
		return nil
	case isTimedOut(last):
		return q.take(q.timeout * 1e6)
	}
	return q.take(q.cost * 1e6)
}

func (q *plainQuota) done(_ time.Duration, r Result) {
	switch {
	case r.Err != nil:
	case r.Attempt == 1:
		q.add(q.increment * 1e6)
	case isTimedOut(r.Last):
		q.add(q.timeout * 1e6)
	default:
		q.add(q.cost * 1e6)
	}
}

// plainWindow has the times of all events.
type plainWindow struct {
	length time.Duration
	events []time.Duration
}

func (w *plainWindow) add(now time.Duration) { w.events = append(w.events, now) }

// count counts the events of this hundredth of the window and the 99 before it.
func (w *plainWindow) count(now time.Duration) (n int) {
	part := max(w.length/100, 1)
	for _, t := range w.events {
		if t/part+100 > now/part {
			n++
		}
	}
	return n
}

type plainRatioBudget struct {
	requests, retries plainWindow
	ratio, reserve    int // in millionths of a retry
}

func (b *plainRatioBudget) gauge(now time.Duration) float64 {
	allowed := (b.ratio*b.requests.count(now) + b.reserve) / 1e6
	return float64(max(allowed-b.retries.count(now), 0))
}

func (b *plainRatioBudget) allow(now time.Duration, attempt int, _ error) error {
	if attempt == 1 {
		b.requests.add(now)
		return nil
	}
	if b.gauge(now) == 0 {
		return ErrBudget
	}
	b.retries.add(now)
	return nil
}

func (b *plainRatioBudget) done(time.Duration, Result) {}

type plainThrottle struct {
	requests, accepts plainWindow
	k                 float64
	random            func() float64
}

func (t *plainThrottle) gauge(now time.Duration) float64 {
	r, a := float64(t.requests.count(now)), float64(t.accepts.count(now))
	return max(0, (r-float64(t.k*a))/(r+1))
}

func (t *plainThrottle) allow(now time.Duration, _ int, _ error) error {
	if p := t.gauge(now); p > 0 && t.random() < p {
		t.requests.add(now)
		return ErrThrottled
	}
	return nil
}

func (t *plainThrottle) done(now time.Duration, r Result) {
	t.requests.add(now)
	if r.Err == nil || !r.Retryable {
		t.accepts.add(now)
	}
}

// limiters draw a Limiter and its model, and return its gauge too.
var limiters = map[string]func(*rapid.T) (Limiter, func() float64, plain){
	"Budget": func(t *rapid.T) (Limiter, func() float64, plain) {
		full, ratio := rapid.IntRange(1, 9e6).Draw(t, "full"), rapid.IntRange(1, 3e6).Draw(t, "ratio")
		b := NewBudget(float64(full)/1e6, float64(ratio)/1e6)
		return b, b.Tokens, &plainBudget{plainBucket{full, full}, ratio}
	},
	"TokenBucket": func(t *rapid.T) (Limiter, func() float64, plain) {
		full, ratio := rapid.IntRange(1, 9e6).Draw(t, "full"), rapid.IntRange(1, 3e6).Draw(t, "ratio")
		b := NewTokenBucket(float64(full)/1e6, float64(ratio)/1e6)
		return b, b.Tokens, &plainTokenBucket{plainBucket{full, full}, ratio}
	},
	"Quota": func(t *rapid.T) (Limiter, func() float64, plain) {
		full := rapid.IntRange(1, 50).Draw(t, "full")
		cost, timeout := rapid.IntRange(1, full).Draw(t, "cost"), rapid.IntRange(1, full).Draw(t, "timeout")
		increment := rapid.IntRange(0, full).Draw(t, "increment")
		q := NewQuota(full, cost, timeout, increment)
		return q, q.Tokens, &plainQuota{plainBucket{full * 1e6, full * 1e6}, cost, timeout, increment}
	},
	"RatioBudget": func(t *rapid.T) (Limiter, func() float64, plain) {
		ratio, perSecond := rapid.IntRange(0, 2e6).Draw(t, "ratio"), rapid.IntRange(0, 2e6).Draw(t, "per second")
		seconds := rapid.IntRange(1, 5).Draw(t, "window")
		length := time.Duration(seconds) * time.Second
		b := NewRatioBudget(float64(ratio)/1e6, float64(perSecond)/1e6, length)
		return b, func() float64 { return float64(b.Balance()) },
			&plainRatioBudget{plainWindow{length: length}, plainWindow{length: length}, ratio, perSecond * seconds}
	},
	"Throttle": func(t *rapid.T) (Limiter, func() float64, plain) {
		k, seed := rapid.Float64Range(1, 5).Draw(t, "k"), rapid.Uint64().Draw(t, "seed")
		length := rapid.SampledFrom([]time.Duration{time.Second, 3 * time.Second, 7}).Draw(t, "window")
		random := func() func() float64 { return rand.New(rand.NewPCG(seed, 0)).Float64 }
		th := newThrottle(k, length, random())
		length = max(length, 10) // a slice is at least 1 ns
		return th, th.RejectionProbability, &plainThrottle{plainWindow{length: length}, plainWindow{length: length}, k, random()}
	},
}

// Whatever is asked and reported at whatever times, a Limiter does what its model does.
func TestLimitersAgainstModels(t *testing.T) {
	errA := errors.New("a")
	for name, draw := range limiters {
		property := func(t *rapid.T) {
			l, gauge, model := draw(t)
			start := time.Now()
			allowed := func() {
				attempt, last := 1, error(nil)
				if rapid.IntRange(0, 2).Draw(t, "retry") > 0 {
					attempt = rapid.IntRange(2, 4).Draw(t, "attempt")
					last = rapid.SampledFrom([]error{errA, context.DeadlineExceeded, os.ErrDeadlineExceeded}).Draw(t, "last")
				}
				want := model.allow(time.Since(start), attempt, last)
				if got := l.Allow(attempt, last); got != want {
					t.Fatalf("after %v: Allow(%d, %v) = %v, want %v", time.Since(start), attempt, last, got, want)
				}
				if want != nil {
					return
				}
				time.Sleep(rapid.SampledFrom([]time.Duration{0, 1, 500 * time.Millisecond, 4 * time.Second}).Draw(t, "takes"))
				r := Result{Attempt: attempt, Last: last}
				if rapid.IntRange(0, 2).Draw(t, "fails") > 0 {
					r.Err, r.Retryable = errA, rapid.Bool().Draw(t, "retryable")
				}
				model.done(time.Since(start), r)
				l.Done(r)
			}
			for range rapid.IntRange(1, 60).Draw(t, "steps") {
				switch rapid.IntRange(0, 9).Draw(t, "step") {
				case 0:
					time.Sleep(time.Duration(rapid.IntRange(0, 2e9).Draw(t, "sleep")))
				case 1:
					time.Sleep(time.Duration(rapid.IntRange(0, 5).Draw(t, "sleep")))
				case 2:
					time.Sleep(time.Duration(rapid.IntRange(1, 60).Draw(t, "tenths")) * time.Second / 10)
				default:
					allowed()
				}
				if got, want := gauge(), model.gauge(time.Since(start)); got != want {
					t.Fatalf("after %v: gauge %v, want %v", time.Since(start), got, want)
				}
			}
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, property) })
		})
	}
}

// A ratio and a reserve are rounded to the nearest millionth: each of these products is a
// whole number that float64 misses, above or below.
func TestRatioBudgetRounds(t *testing.T) {
	for _, row := range []struct {
		ratio, perSecond float64
		window           time.Duration
		requests         int
		want             int64
	}{
		{2.01, 0, time.Second, 100, 201},
		{0, 0.29, 100 * time.Second, 0, 29},
		{0, 0.25, 10 * time.Second, 0, 2},
		{0, 0.4, 2500 * time.Millisecond, 0, 1},
		{0.0000005, 0, time.Second, 1_000_000, 1},
		{0.0000004, 0, time.Second, 1_000_000, 0},
		{0, 0.9999994, time.Second, 0, 0},
		{0, 0.9999995, time.Second, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := NewRatioBudget(row.ratio, row.perSecond, row.window)
			for range row.requests {
				b.Allow(1, nil)
			}
			if got := b.Balance(); got != row.want {
				t.Errorf("balance of %v, %v, %v after %d requests is %d, want %d", row.ratio, row.perSecond, row.window, row.requests, got, row.want)
			}
		})
	}
}

// Requests are forgotten before the retries that they allowed. Then no retry is allowed
// until those are forgotten too.
func TestRatioBudgetForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewRatioBudget(1, 0, 10*time.Second)
		call := func(attempt, times int) {
			for range times {
				if err := b.Allow(attempt, nil); err != nil {
					t.Fatalf("attempt %d: %v", attempt, err)
				}
			}
		}
		call(1, 3)
		time.Sleep(5 * time.Second)
		call(2, 3)
		time.Sleep(5 * time.Second)
		call(1, 2)
		if got := b.Balance(); got != 0 {
			t.Errorf("balance %d with 2 requests and 3 retries, want 0", got)
		}
		if err := b.Allow(2, nil); err != ErrBudget {
			t.Errorf("a retry with 2 requests and 3 retries: %v, want %v", err, ErrBudget)
		}
		time.Sleep(5 * time.Second)
		call(2, 2)
	})
}

// Do calls the methods of a Limiter as its rule needs: no attempt counts twice, and only
// errors that a retry could cure count as failures.
func TestLimitersInDo(t *testing.T) {
	errA, bad := errors.New("a"), Permanent(errors.New("bad request"))
	timeout := fmt.Errorf("slow: %w", context.DeadlineExceeded)
	// call returns how many attempts were made and why they ended.
	call := func(l Limiter, results ...error) string {
		made := 0
		err := Do(context.Background(), backoff.Constant(0), func(context.Context) error {
			made++
			return results[made-1]
		}, WithLimiter(l))
		if stopped, ok := errors.AsType[*Error](err); ok {
			err = stopped.Cause
		}
		return fmt.Sprint(made, " ", err)
	}

	budget := NewBudget(4, 0.5)
	bucket := NewTokenBucket(2, 0.5)
	quota := NewQuota(20, 5, 10, 1)
	ratio := NewRatioBudget(0.5, 0, time.Hour)
	balance := func() float64 { return float64(ratio.Balance()) }
	throttle := newThrottle(2, time.Hour, func() float64 { return 0.5 })
	for _, row := range []struct {
		l       Limiter
		results []error
		want    string
		gauge   func() float64
		left    float64
	}{
		{budget, []error{errA, errA}, "2 retry budget spent", budget.Tokens, 2},
		{budget, []error{nil}, "1 <nil>", budget.Tokens, 2.5},
		{budget, []error{bad}, "1 bad request", budget.Tokens, 2.5},
		{budget, []error{errA}, "1 retry budget spent", budget.Tokens, 1.5},

		{bucket, []error{errA, nil}, "2 <nil>", bucket.Tokens, 1.5},
		{bucket, []error{errA, errA}, "2 retry budget spent", bucket.Tokens, 0.5}, // less than a token is left
		{bucket, []error{nil}, "1 <nil>", bucket.Tokens, 1},
		{bucket, []error{errA, bad}, "2 bad request", bucket.Tokens, 0}, // to the last token

		{quota, []error{errA, nil}, "2 <nil>", quota.Tokens, 20},
		{quota, []error{errA, timeout, nil}, "3 <nil>", quota.Tokens, 15}, // takes 5 and 10, gives 10 back
		{quota, []error{nil}, "1 <nil>", quota.Tokens, 16},
		{quota, []error{timeout, errA, errA}, "3 retry budget spent", quota.Tokens, 1},

		{ratio, []error{errA}, "1 retry budget spent", balance, 0},
		{ratio, []error{errA, errA}, "2 retry budget spent", balance, 0},
		{ratio, []error{nil}, "1 <nil>", balance, 0},
		{ratio, []error{nil}, "1 <nil>", balance, 1},

		{throttle, []error{nil}, "1 <nil>", throttle.RejectionProbability, 0},
		{throttle, []error{bad}, "1 bad request", throttle.RejectionProbability, 0}, // an answer
		// After 6 failures the probability is (8-4)/9. After 7 it is (9-4)/10, no more
		// than 0.5, and after 8 it is (10-4)/11. The rejected attempt counts too.
		{throttle, []error{errA, errA, errA, errA, errA, errA, errA, errA}, "8 throttled by the client", throttle.RejectionProbability, 7.0 / 12},
		{throttle, nil, "0 throttled by the client", throttle.RejectionProbability, 8.0 / 13}, // the first attempt
	} {
		if diff := cmp.Diff(row.want, call(row.l, row.results...)); diff != "" {
			t.Errorf("%T, results %v (-want +got):\n%s", row.l, row.results, diff)
		}
		if got := row.gauge(); got != row.left {
			t.Errorf("%T, results %v: gauge %v, want %v", row.l, row.results, got, row.left)
		}
	}
}
