package backoff_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"example.com/backoff"
)

// show prints the first 6 delays of a schedule.
func show(seq iter.Seq[time.Duration]) {
	var delays []any
	for d := range backoff.Take(seq, 6) {
		delays = append(delays, d)
	}
	fmt.Println(delays...)
}

// seed makes the random examples repeatable. They also fix the delays of a seed.
var seed = backoff.WithSeed(1)

// unavailable returns an operation that fails n times and then succeeds.
func unavailable(n int) func(context.Context) error {
	return func(context.Context) error {
		if n--; n < 0 {
			return nil
		}
		return errors.New("unavailable")
	}
}

// Attempt, and wait between attempts. The loop ends when an attempt succeeds, when the
// schedule ends, or when the context is done; err is the last attempt's.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	send := unavailable(3)

	delays := backoff.FullJitter(time.Millisecond, 10*time.Millisecond)
	delays = backoff.Take(delays, 8) // 8 retries: at most 9 attempts

	attempts := 0
	var err error
	for attempts = range backoff.Attempts(ctx, delays) {
		if err = send(ctx); err == nil {
			break
		}
	}
	fmt.Println(attempts, err)
	// Output: 4 <nil>
}

// The same loop by hand: each attempt but the first comes after a delay, and no delay
// comes after the last attempt.
func Example_byHand() {
	ctx := context.Background()
	send := unavailable(3)
	delays := backoff.Take(backoff.FullJitter(time.Millisecond, 10*time.Millisecond), 8)

	err := send(ctx)
	for d := range delays {
		if err == nil || backoff.Sleep(ctx, d) != nil {
			break
		}
		err = send(ctx)
	}
	fmt.Println(err)
	// Output: <nil>
}

// A retry that a stop channel ends, besides the context.
func Example_select() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	stop := make(chan struct{})
	send := unavailable(100)

	retry := func() error {
		err := send(ctx)
		for d := range backoff.Exponential(time.Millisecond, 2) {
			if err == nil {
				return nil
			}
			select {
			case <-time.After(d):
				err = send(ctx)
			case <-stop:
				return fmt.Errorf("stopped: %w", err)
			case <-ctx.Done():
				return fmt.Errorf("%w: %w", context.Cause(ctx), err)
			}
		}
		return err
	}
	time.AfterFunc(20*time.Millisecond, func() { close(stop) })
	fmt.Println(retry())
	// Output: stopped: unavailable
}

// Cap, then jitter, then take.
func Example_compose() {
	delays := backoff.Exponential(100*time.Millisecond, 1.5)
	delays = backoff.Cap(delays, 500*time.Millisecond)
	delays = backoff.Jitter(delays, 0.5, backoff.WithSeed(1))
	delays = backoff.Take(delays, 5)
	show(delays)
	show(delays) // a seed gives the same delays again
	// Output:
	// 79.913048ms 81.683383ms 192.9776ms 172.745408ms 425.384524ms
	// 79.913048ms 81.683383ms 192.9776ms 172.745408ms 425.384524ms
}

func ExampleConstant() {
	show(backoff.Constant(time.Second))
	// Output: 1s 1s 1s 1s 1s 1s
}

func ExampleLinear() {
	show(backoff.Linear(time.Second, 500*time.Millisecond))
	// Output: 1s 1.5s 2s 2.5s 3s 3.5s
}

func ExampleExponential() {
	show(backoff.Exponential(100*time.Millisecond, 2))
	// Output: 100ms 200ms 400ms 800ms 1.6s 3.2s
}

func ExamplePolynomial() {
	show(backoff.Polynomial(100*time.Millisecond, 2))
	// Output: 100ms 400ms 900ms 1.6s 2.5s 3.6s
}

func ExampleFibonacci() {
	show(backoff.Fibonacci(time.Second))
	// Output: 1s 1s 2s 3s 5s 8s
}

func ExampleFunc() {
	steps := []time.Duration{0, time.Second, 5 * time.Second, time.Minute}
	show(backoff.Func(func(n int) time.Duration { return steps[min(n, len(steps)-1)] }))
	// Output: 0s 1s 5s 1m0s 1m0s 1m0s
}

func ExampleUniform() {
	show(backoff.Uniform(time.Second, 3*time.Second, seed))
	// Output: 2.196521898s 1.178223556s 2.43071289s 1.047352991s 2.403076188s 2.110910719s
}

func ExampleFullJitter() {
	show(backoff.FullJitter(100*time.Millisecond, time.Second, seed))
	// Output: 59.826095ms 17.822355ms 286.142578ms 18.941196ms 701.538094ms 555.45536ms
}

func ExampleEqualJitter() {
	show(backoff.EqualJitter(100*time.Millisecond, time.Second, seed))
	// Output: 79.913048ms 108.911177ms 343.071289ms 409.470598ms 850.769047ms 777.72768ms
}

func ExampleTopJitter() {
	show(backoff.TopJitter(100*time.Millisecond, time.Second, 0.25, seed))
	// Output: 89.956524ms 154.455588ms 371.535645ms 604.735299ms 925.384524ms 888.86384ms
}

func ExampleDecorrelatedJitter() {
	show(backoff.DecorrelatedJitter(100*time.Millisecond, time.Second, seed))
	// Output: 219.65219ms 149.809613ms 349.966172ms 121.308846ms 285.154521ms 519.626285ms
}

func ExampleSmoothJitter() {
	show(backoff.SmoothJitter(100*time.Millisecond, 2*time.Second, seed))
	// Output: 98.757602ms 48.59702ms 320.470801ms 111.951846ms 1.227638381s 853.917265ms
}

func ExampleNormalJitter() {
	show(backoff.NormalJitter(100*time.Millisecond, 10*time.Minute, 2.7, 0.1, seed))
	// Output: 100ms 276.718905ms 646.557563ms 1.845053816s 3.993720641s 11.353284873s
}

func ExampleTake() {
	// 4 retries, which are 5 attempts.
	show(backoff.Take(backoff.Exponential(time.Second, 2), 4))
	// Output: 1s 2s 4s 8s
}

func ExampleDrop() {
	show(backoff.Drop(backoff.Exponential(time.Second, 2), 2))
	// Output: 4s 8s 16s 32s 1m4s 2m8s
}

func ExampleCap() {
	show(backoff.Cap(backoff.Exponential(time.Second, 2), 5*time.Second))
	// Output: 1s 2s 4s 5s 5s 5s
}

func ExampleFloor() {
	show(backoff.Floor(backoff.Exponential(time.Second, 2), 3*time.Second))
	// Output: 3s 3s 4s 8s 16s 32s
}

func ExampleScale() {
	show(backoff.Scale(backoff.Fibonacci(time.Second), 0.5))
	// Output: 500ms 500ms 1s 1.5s 2.5s 4s
}

func ExampleMap() {
	// The server works once a second, so fractions of a second gain nothing.
	delays := backoff.Exponential(700*time.Millisecond, 2)
	show(backoff.Map(delays, func(d time.Duration) time.Duration { return d.Round(time.Second) }))
	// Output: 1s 1s 3s 6s 11s 22s
}

func ExampleJitter() {
	delays := backoff.Cap(backoff.Exponential(time.Second, 2), 5*time.Second)
	show(backoff.Jitter(delays, 0.25, seed))
	// Output: 899.565237ms 1.544555889s 3.715356445s 3.779595619s 4.626922618s 4.4443192s
}

func ExampleSpread() {
	show(backoff.Spread(backoff.Constant(10*time.Second), 0.1, seed))
	// Output: 10.196521898s 9.178223556s 10.43071289s 9.047352991s 10.403076188s 10.110910719s
}

func ExampleWithin() {
	// 1 s + 2 s + 4 s is 7 s; another 8 s would make 15 s.
	show(backoff.Within(backoff.Exponential(time.Second, 2), 10*time.Second))
	// Output: 1s 2s 4s
}

func ExampleConcat() {
	// The first retry at once, the others after growing delays.
	show(backoff.Concat(
		backoff.Take(backoff.Constant(0), 1),
		backoff.Exponential(time.Second, 2),
	))
	// Output: 0s 1s 2s 4s 8s 16s
}

func ExampleMax() {
	// At least 3 s, as the server asks.
	show(backoff.Max(backoff.Exponential(time.Second, 2), backoff.Constant(3*time.Second)))
	// Output: 3s 3s 4s 8s 16s 32s
}

func ExampleMin() {
	show(backoff.Min(backoff.Exponential(time.Second, 2), backoff.Linear(2*time.Second, 2*time.Second)))
	// Output: 1s 2s 4s 8s 10s 12s
}

func ExampleAdd() {
	// Jitter of at most 100 ms, whatever the delay.
	delays := backoff.Cap(backoff.Exponential(time.Second, 2), 10*time.Second)
	show(backoff.Add(delays, backoff.Uniform(0, 100*time.Millisecond, seed)))
	// Output: 1.059826095s 2.008911177s 4.071535645s 8.002367649s 10.07015381s 10.055545536s
}

func ExampleAt() {
	delays := backoff.Take(backoff.Exponential(time.Second, 2), 8)
	fmt.Println(backoff.At(delays, 7))
	fmt.Println(backoff.At(delays, 8))
	// Output:
	// 2m8s true
	// 0s false
}

func ExampleAttempts() {
	ctx := context.Background()
	fetch := unavailable(3)

	var err error
	for n := range backoff.Attempts(ctx, backoff.Take(backoff.Exponential(time.Millisecond, 2), 4)) {
		if err = fetch(ctx); err == nil {
			break
		}
		fmt.Println("attempt", n, "failed:", err)
	}
	fmt.Println("error:", err)
	// Output:
	// attempt 1 failed: unavailable
	// attempt 2 failed: unavailable
	// attempt 3 failed: unavailable
	// error: <nil>
}

// A deadline that the next delay would reach ends the attempts at once.
func ExampleAttempts_deadline() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fetch := unavailable(100)
	delays := backoff.Exponential(time.Millisecond, 100_000) // 1 ms, 1 m 40 s, ...

	var err error
	attempts := 0
	for attempts = range backoff.Attempts(ctx, delays) {
		if err = fetch(ctx); err == nil {
			break
		}
	}
	fmt.Println(attempts, "attempts:", err)
	// Output: 2 attempts: unavailable
}

// An event loop that connects, and serves other channels meanwhile.
func ExampleChan() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	messages, stop := make(chan string, 1), make(chan struct{})
	messages <- "hello"
	connect := unavailable(3)

	delays := backoff.Chan(ctx, backoff.Take(backoff.EqualJitter(10*time.Millisecond, time.Second), 8))
	timer := time.NewTimer(0) // attempt 1 at once
	defer timer.Stop()
	attempts, received, connected := 0, 0, false
	// The example ends when it is connected and has a message. A real loop goes on.
	for !connected || received == 0 {
		select {
		case <-timer.C:
			attempts++
			err := connect(ctx)
			if err == nil {
				connected = true
				continue // without Reset, so that the timer fires no more
			}
			d, ok := <-delays
			if !ok {
				fmt.Println("gave up:", err)
				return
			}
			timer.Reset(d) // the delay begins when the attempt is over
		case <-messages:
			received++
		case <-stop:
			fmt.Println("stopped")
			return
		case <-ctx.Done():
			fmt.Println(context.Cause(ctx))
			return
		}
	}
	fmt.Println("connected at attempt", attempts)
	fmt.Println("messages received:", received)
	// Output:
	// connected at attempt 4
	// messages received: 1
}

// Poll a job, first often and then less.
func ExampleTicks() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	polls := 0
	done := func() bool {
		polls++
		return polls == 5
	}

	delays := backoff.Cap(backoff.Exponential(time.Millisecond, 2), 4*time.Millisecond)
	for range backoff.Ticks(ctx, delays) {
		if done() {
			break
		}
	}
	fmt.Println(polls, "polls")
	// Output: 5 polls
}

func ExampleSleep() {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("shutting down"))
	fmt.Println(backoff.Sleep(ctx, time.Hour))
	// Output: shutting down
}

func ExampleWithSeed() {
	delays := backoff.FullJitter(time.Second, time.Minute, backoff.WithSeed(42))
	show(delays)
	show(delays)
	// Output:
	// 857.545582ms 1.921430252s 545.174847ms 708.069806ms 2.966822755s 30.924673301s
	// 857.545582ms 1.921430252s 545.174847ms 708.069806ms 2.966822755s 30.924673301s
}

func ExampleWithStream() {
	// Two random combinators under one seed: each needs random numbers of its own.
	delays := backoff.FullJitter(time.Second, time.Minute, backoff.WithSeed(42))
	delays = backoff.Spread(delays, 0.1, backoff.WithSeed(42), backoff.WithStream(1))
	show(delays)
	// Output: 802.845217ms 1.949589198s 553.232101ms 730.949171ms 3.251655132s 28.303209522s
}

func ExampleWithSource() {
	newSource := func() rand.Source { return rand.NewChaCha8([32]byte{1}) }
	delays := backoff.FullJitter(time.Second, time.Minute, backoff.WithSource(newSource))
	show(delays)
	// Output: 109.035331ms 561.113195ms 818.876539ms 6.915316176s 12.657334173s 22.928363385s
}
