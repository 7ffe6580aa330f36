package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
)

// flaky returns a function that fails with these errors, one a call, and then succeeds.
func flaky(errs ...error) func(context.Context) error {
	return func(context.Context) error {
		if len(errs) == 0 {
			return nil
		}
		err := errs[0]
		errs = errs[1:]
		return err
	}
}

var errRefused = errors.New("connection refused")

// quick is a schedule for examples, which must not take long: 3 delays of 1 ms.
var quick = backoff.Take(backoff.Constant(time.Millisecond), 3)

func ExampleDo() {
	delays := backoff.Exponential(time.Millisecond, 2)
	delays = backoff.Cap(delays, 10*time.Millisecond)
	delays = backoff.Jitter(delays, 1)
	delays = backoff.Take(delays, 8)

	calls := 0
	err := retry.Do(context.Background(), delays, func(ctx context.Context) error {
		calls++
		if calls < 3 {
			return errRefused
		}
		return nil
	})
	fmt.Println(calls, err)
	// Output: 3 <nil>
}

func ExampleValue() {
	calls := 0
	answer, err := retry.Value(context.Background(), quick, func(ctx context.Context) (string, error) {
		calls++
		if calls == 1 {
			return "", errRefused
		}
		return "pong", nil
	})
	fmt.Println(answer, err)
	// Output: pong <nil>
}

func ExampleNewLoop() {
	loop := retry.NewLoop(context.Background(), quick)
	for n := range loop.Attempts() {
		if n < 3 {
			fmt.Println("attempt", n, "failed")
			loop.Fail(errRefused)
			continue
		}
		fmt.Println("attempt", n, "succeeded")
	}
	fmt.Println(loop.Err())
	// Output:
	// attempt 1 failed
	// attempt 2 failed
	// attempt 3 succeeded
	// <nil>
}

func ExampleLoop_Attempts() {
	loop := retry.NewLoop(context.Background(), quick)
	for n := range loop.Attempts() {
		fmt.Println("attempt", n)
		loop.Fail(errRefused)
		if n == 2 {
			break // the failure stands
		}
	}
	fmt.Println(loop.Err())
	// Output:
	// attempt 1
	// attempt 2
	// connection refused
}

func ExampleLoop_Fail() {
	call := flaky(errRefused, errRefused)
	loop := retry.NewLoop(context.Background(), quick)
	attempts := 0
	for attempts = range loop.Attempts() {
		loop.Fail(call(loop.Context())) // Fail(nil) is a success
	}
	fmt.Println(attempts, loop.Err())
	// Output: 3 <nil>
}

func ExampleLoop_Context() {
	loop := retry.NewLoop(context.Background(), quick, retry.AttemptTimeout(time.Minute))
	for range loop.Attempts() {
		_, limited := loop.Context().Deadline()
		fmt.Println("the attempt has a deadline:", limited)
	}
	// Output: the attempt has a deadline: true
}

func ExampleLoop_Err() {
	loop := retry.NewLoop(context.Background(), backoff.Take(backoff.Constant(0), 3))
	for range loop.Attempts() {
		loop.Fail(errRefused)
	}
	fmt.Println(errors.Is(loop.Err(), retry.ErrExhausted), errors.Is(loop.Err(), errRefused))
	// Output: true true
}

func ExampleError() {
	err := retry.Do(context.Background(), quick, func(context.Context) error { return errRefused })

	var stopped *retry.Error
	if errors.As(err, &stopped) {
		fmt.Println("attempts:", stopped.Attempts)
		fmt.Println("at least 3 ms:", stopped.Elapsed >= 3*time.Millisecond)
		fmt.Println("cause:", stopped.Cause)
		fmt.Println("last:", stopped.Last)
	}
	// Output:
	// attempts: 4
	// at least 3 ms: true
	// cause: attempts exhausted
	// last: connection refused
}

func ExampleError_Error() {
	err := &retry.Error{
		Attempts: 4,
		Elapsed:  3_204_417_833,
		Last:     errRefused,
		Cause:    retry.ErrExhausted,
	}
	fmt.Println(err)
	// Output: retry: 4 attempts in 3.2s: attempts exhausted: connection refused
}

func ExampleError_Unwrap() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	// The delay is a day and the context has an hour left, so Do does not sleep.
	err := retry.Do(ctx, backoff.Constant(24*time.Hour), func(context.Context) error { return errRefused })

	fmt.Println(errors.Is(err, retry.ErrDeadline))
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	fmt.Println(errors.Is(err, errRefused))
	// Output:
	// true
	// true
	// true
}

func ExampleError_Timeout() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	err := retry.Do(ctx, backoff.Constant(24*time.Hour), func(context.Context) error { return errRefused })

	var stopped *retry.Error
	fmt.Println(errors.As(err, &stopped) && stopped.Timeout())
	// Output: true
}

func ExampleError_RetryAfter() {
	err := retry.Do(context.Background(), backoff.Take(quick, 0), func(context.Context) error {
		return fmt.Errorf("busy: %w", retry.After(errRefused, 20*time.Second))
	})
	stopped, _ := errors.AsType[*retry.Error](err)
	fmt.Println(stopped.RetryAfter())
	// Output: 20s
}

func ExamplePermanent() {
	errForbidden := errors.New("403 forbidden")
	err := retry.Do(context.Background(), quick, flaky(errRefused, retry.Permanent(errForbidden)))
	fmt.Println(err, err == errForbidden)
	// Output: 403 forbidden true
}

func ExampleAfter() {
	busy := retry.After(errors.New("busy"), 5*time.Millisecond)
	err := retry.Do(context.Background(), backoff.Take(backoff.Constant(0), 3), flaky(busy),
		retry.OnRetry(func(e retry.Event) { fmt.Println("the server asked for", e.Delay) }))
	fmt.Println(err)
	// Output:
	// the server asked for 5ms
	// <nil>
}

func ExampleIf() {
	errNotFound := errors.New("not found")
	op := flaky(errRefused, errNotFound)
	err := retry.Do(context.Background(), quick, op,
		retry.If(func(err error) bool { return errors.Is(err, errRefused) }))
	fmt.Println(err)
	// Output: not found
}

func ExampleAttemptTimeout() {
	attempts := 0
	err := retry.Do(context.Background(), quick, func(ctx context.Context) error {
		attempts++
		if attempts == 1 {
			<-ctx.Done() // a call that hangs
			return ctx.Err()
		}
		return nil
	}, retry.AttemptTimeout(10*time.Millisecond))
	fmt.Println(attempts, err)
	// Output: 2 <nil>
}

func ExampleMaxAttempts() {
	forever := backoff.Constant(time.Millisecond) // endless, and shared with others
	attempts := 0
	err := retry.Do(context.Background(), forever, func(context.Context) error {
		attempts++
		return errRefused
	}, retry.MaxAttempts(3))
	fmt.Println(attempts, errors.Is(err, retry.ErrExhausted))
	// Output: 3 true
}

func ExampleMaxElapsed() {
	err := retry.Do(context.Background(), backoff.Constant(time.Hour),
		func(context.Context) error { return errRefused },
		retry.MaxElapsed(time.Minute))
	fmt.Println(errors.Is(err, retry.ErrElapsed))
	// Output: true
}

func ExampleMaxAfter() {
	nextYear := retry.After(errors.New("busy"), 365*24*time.Hour)
	err := retry.Do(context.Background(), backoff.Take(backoff.Constant(0), 3), flaky(nextYear),
		retry.MaxAfter(time.Millisecond),
		retry.OnRetry(func(e retry.Event) { fmt.Println(e.Delay) }))
	fmt.Println(err)
	// Output:
	// 1ms
	// <nil>
}

func ExampleResetAfter() {
	delays := backoff.Exponential(time.Millisecond, 10) // 1 ms, 10 ms, ...
	attempts := 0
	err := retry.Do(context.Background(), delays, func(context.Context) error {
		attempts++
		switch attempts {
		case 1:
			return errRefused
		case 2:
			time.Sleep(20 * time.Millisecond) // a connection that held on, and broke
			return io.ErrUnexpectedEOF
		default:
			return nil
		}
	},
		retry.ResetAfter(20*time.Millisecond),
		retry.OnRetry(func(e retry.Event) { fmt.Printf("%v; next in %v\n", e.Err, e.Delay) }))
	fmt.Println(attempts, err)
	// Output:
	// connection refused; next in 1ms
	// unexpected EOF; next in 1ms
	// 3 <nil>
}

func ExampleOnRetry() {
	err := retry.Do(context.Background(), quick, func(context.Context) error { return errRefused },
		retry.OnRetry(func(e retry.Event) { fmt.Printf("attempt %d: %v; next in %v\n", e.Attempt, e.Err, e.Delay) }))
	fmt.Println(errors.Is(err, retry.ErrExhausted))
	// Output:
	// attempt 1: connection refused; next in 1ms
	// attempt 2: connection refused; next in 1ms
	// attempt 3: connection refused; next in 1ms
	// true
}

func ExampleWithLogger() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "elapsed" {
				return slog.Attr{} // different in every run
			}
			return a
		},
	}))
	_ = retry.Do(context.Background(), quick, flaky(errRefused), retry.WithLogger(logger))
	// Output: level=WARN msg="attempt failed, retrying" attempt=1 err="connection refused" delay=1ms
}

func ExampleKeepErrors() {
	op := flaky(errors.New("first"), errors.New("second"), errors.New("third"), errors.New("fourth"))
	err := retry.Do(context.Background(), quick, op, retry.KeepErrors(3))

	var stopped *retry.Error
	errors.As(err, &stopped)
	fmt.Println(stopped.Earlier, stopped.Last)
	// Output: [second third] fourth
}

func ExampleNewBudget() {
	// One budget for all calls to one server.
	budget := retry.NewBudget(10, 0.1)

	for request := range 3 {
		calls := 0
		err := retry.Do(context.Background(), quick, func(context.Context) error {
			calls++
			return errRefused
		}, retry.WithBudget(budget))
		fmt.Println("request", request, "calls", calls, "budget spent:", errors.Is(err, retry.ErrBudget))
	}
	// Output:
	// request 0 calls 4 budget spent: false
	// request 1 calls 1 budget spent: true
	// request 2 calls 1 budget spent: true
}

func ExampleWithBudget() {
	budget := retry.NewBudget(2, 0.1) // at most half full after one failure
	err := retry.Do(context.Background(), quick, func(context.Context) error { return errRefused }, retry.WithBudget(budget))
	fmt.Println(errors.Is(err, retry.ErrBudget))
	// Output: true
}

func ExampleBudget_Tokens() {
	budget := retry.NewBudget(10, 0.5)
	_ = retry.Do(context.Background(), quick, flaky(errRefused, errRefused), retry.WithBudget(budget))
	fmt.Println(budget.Tokens()) // 10 - 2 failures + half a token for the success
	// Output: 8.5
}

func ExampleBudget_Failed() {
	// A retry loop of your own: after two failures half of the 4 tokens are left.
	budget := retry.NewBudget(4, 1)
	fmt.Println(budget.Failed(), budget.Failed())
	budget.Succeeded()
	fmt.Println(budget.Tokens(), "tokens, and a retry may follow:", budget.Failed())
	// Output:
	// true false
	// 3 tokens, and a retry may follow: false
}

func ExampleBudget_Succeeded() {
	budget := retry.NewBudget(4, 0.5)
	budget.Failed()
	budget.Succeeded()
	fmt.Println(budget.Tokens(), "of 4 tokens")
	// Output: 3.5 of 4 tokens
}
