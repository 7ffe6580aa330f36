package expvarretry_test

import (
	"context"
	"errors"
	"expvar"
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/expvarretry"
)

func ExampleObserve() {
	counts := new(expvar.Map) // in a program: expvar.NewMap("payments.retry")
	counted := expvarretry.Observe(counts)

	calls := 0
	err := retry.Do(context.Background(), backoff.Constant(time.Millisecond), func(ctx context.Context) error {
		calls++
		if calls < 3 {
			return errors.New("connection refused")
		}
		return nil
	}, counted)
	fmt.Println(err)
	fmt.Println(counts)
	// Output:
	// <nil>
	// {"attempts": {"retry": 2, "success": 1}, "calls": {"success": 1}, "delay_ns": 2000000, "delays": 2}
}

func ExampleTokens() {
	budget := retry.NewBudget(10, 0.1)
	counts := new(expvar.Map)
	counts.Set("tokens", expvarretry.Tokens(budget))

	_ = retry.Do(context.Background(), backoff.Take(backoff.Constant(0), 2), func(ctx context.Context) error {
		return errors.New("connection refused")
	}, retry.WithBudget(budget))
	fmt.Println(counts)
	// Output: {"tokens": 7}
}
