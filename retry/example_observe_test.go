package retry_test

import (
	"context"
	"errors"
	"fmt"

	"example.com/backoff/retry"
)

func ExampleObserve() {
	type span struct{}
	err := retry.Do(context.Background(), quick, flaky(errRefused),
		retry.Observe(func(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
			fmt.Printf("attempt %d, after %v\n", a.Number, a.Delay)
			return context.WithValue(ctx, span{}, a.Number), func(o retry.Outcome) {
				fmt.Printf("attempt %d: %v: %s\n", o.Attempts, o.Err, o.Result())
			}
		}))
	fmt.Println(err)
	// Output:
	// attempt 1, after 0s
	// attempt 1: connection refused: retry
	// attempt 2, after 1ms
	// attempt 2: <nil>: success
	// <nil>
}

// How many attempts did a success take?
func ExampleObserve_attempts() {
	attempts := 0
	err := retry.Do(context.Background(), quick, flaky(errRefused, errRefused),
		retry.Observe(func(_ context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
			attempts = a.Number
			return nil, nil
		}))
	fmt.Println(attempts, err)
	// Output: 3 <nil>
}

func ExampleOutcome_Result() {
	results := map[string]int{} // such as a metric with one label
	count := retry.Observe(func(context.Context, retry.Attempt) (context.Context, func(retry.Outcome)) {
		return nil, func(o retry.Outcome) { results[o.Result()]++ }
	})
	_ = retry.Do(context.Background(), quick, flaky(errRefused, errRefused), count)
	_ = retry.Do(context.Background(), quick, func(context.Context) error { return errRefused }, count)
	_ = retry.Do(context.Background(), quick, flaky(retry.Permanent(errRefused)), count)
	fmt.Println(results)
	// Output: map[exhausted:1 permanent:1 retry:5 success:1]
}

// oneInThree allows one attempt in three.
type oneInThree struct{ attempts int }

var errNotNow = errors.New("not now")

func (l *oneInThree) Allow(int, error) error {
	l.attempts++
	if l.attempts%3 != 1 {
		return errNotNow
	}
	return nil
}

func (l *oneInThree) Done(retry.Result) {}

func ExampleWithLimiter() {
	limiter := &oneInThree{}
	for range 3 {
		fmt.Println(retry.Do(context.Background(), quick, flaky(), retry.WithLimiter(limiter)))
	}
	// Output:
	// <nil>
	// retry: no attempt: not now
	// retry: no attempt: not now
}

func ExampleNotNested() {
	calls := 0
	fetch := func(ctx context.Context) error { // retries, and may be called by a function that retries
		return retry.Do(ctx, quick, func(context.Context) error {
			calls++
			return errRefused
		}, retry.NotNested())
	}
	_ = fetch(context.Background())
	fmt.Println(calls, "calls alone")

	calls = 0
	err := retry.Do(context.Background(), quick, fetch)
	fmt.Println(calls, "calls inside of another retry:", errors.Is(err, retry.ErrNested))
	// Output:
	// 4 calls alone
	// 4 calls inside of another retry: true
}

func ExampleDepth() {
	ctx := context.Background()
	fmt.Println(retry.Depth(ctx))
	_ = retry.Do(ctx, quick, func(ctx context.Context) error {
		fmt.Println(retry.Depth(ctx))
		return retry.Do(ctx, quick, func(ctx context.Context) error {
			fmt.Println(retry.Depth(ctx))
			return nil
		})
	})
	// Output:
	// 0
	// 1
	// 2
}
