package retry

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"example.com/backoff"
)

// throttled simulates processes that have a Throttle each, in a bubble. In each window,
// each of them makes n calls without retries. server answers what is sent, and is called
// with nil when a step begins. It returns how many requests are sent in each step.
func throttled(t *testing.T, k float64, processes, n, windows int, server func(*error)) (sent []int) {
	const step = 100 * time.Millisecond
	sent = make([]int, n*windows)
	once := backoff.Take(backoff.Constant(0), 0)
	synctest.Test(t, func(t *testing.T) {
		var opts []Option
		for p := range processes {
			opts = append(opts, WithLimiter(newThrottle(k, time.Duration(n)*step, rand.New(rand.NewPCG(1, uint64(p))).Float64)))
		}
		for i := range sent {
			server(nil)
			for p := range processes {
				// Another process is the first in each step, so that none is preferred.
				o := opts[(p+7*i)%processes]
				Do(t.Context(), once, func(context.Context) (err error) {
					sent[i]++
					server(&err)
					return err
				}, o)
			}
			time.Sleep(step)
		}
	})
	return sent
}

func total(sent []int) (sum float64) {
	for _, s := range sent {
		sum += float64(s)
	}
	return sum
}

var errOverloaded = errors.New("overloaded")

// A server that rejects everything gets the requests that the formula says, within 3 %.
//
// If r requests are in the window and none was accepted, the next is sent with probability
// 1 - r/(r+1) = 1/(r+1), and it counts, sent or not. In the first window r goes from 0 to
// n-1, so 1 + 1/2 + ... + 1/n requests are sent. From then on r is n-1, because each
// request finds the one of a window ago forgotten, so each of the n is sent with
// probability 1/n, and a window sends one.
//
// The standard deviation of the 42,000 requests is 0.5 %, so another seed fails once in
// 10⁹ times.
func TestThrottleTotalRejection(t *testing.T) {
	const processes, n, windows = 400, 20, 100
	sent := throttled(t, 2, processes, n, windows, func(err *error) {
		if err != nil {
			*err = errOverloaded
		}
	})
	first := 0.0
	for r := range n {
		first += 1 / float64(r+1)
	}
	got, want := total(sent), processes*(first+windows-1)
	t.Logf("%v requests sent, %.0f by the formula, of %d", got, want, processes*n*windows)
	if math.Abs(got/want-1) > 0.03 {
		t.Errorf("%v requests sent, want %.0f within 3 %%", got, want)
	}
}

// A server that can accept a tenth of what clients ask for gets k times that, within 5 %:
// with r requests and a accepts in the window a request is sent with probability
// (1 + k*a)/(r + 1). That is for processes that share what the server accepts equally.
// Those here soon have different shares, so they send 1 % less on average, with a standard
// deviation of 0.8 %: another seed fails once in 10⁶ times.
func TestThrottleOverload(t *testing.T) {
	const processes, n, windows, capacity = 200, 100, 8, 20
	for _, k := range []float64{1.25, 1.5, 2} {
		left := 0
		sent := throttled(t, k, processes, n, windows, func(err *error) {
			switch {
			case err == nil:
				left = capacity // in each step
			case left == 0:
				*err = errOverloaded
			default:
				left--
			}
		})
		// After the first window r is n-1, and a is a tenth of r.
		const r = n - 1
		got := total(sent[n:])
		want := processes * n * (windows - 1) * (1 + k*r*capacity/processes) / (r + 1)
		t.Logf("k = %v: %v requests sent, %.0f by the formula", k, got, want)
		if math.Abs(got/want-1) > 0.05 {
			t.Errorf("k = %v: %v requests sent, want %.0f within 5 %%", k, got, want)
		}
	}
}
