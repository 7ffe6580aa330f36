// Failsafe runs a schedule of this library in a retry policy of failsafe-go, which counts
// its first retry as 0 and limits the retries itself.
package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func main() {
	delay := adapt.Func(backoff.Exponential(100*time.Millisecond, 2))

	start, attempt := time.Now(), 0
	policy := retrypolicy.NewBuilder[any]().
		WithMaxRetries(5).
		WithDelayFunc(func(e failsafe.ExecutionAttempt[any]) time.Duration { return delay(e.Retries()) }).
		Build()
	err := failsafe.With(policy).Run(func() error {
		attempt++
		fmt.Println("attempt", attempt, "after", time.Since(start).Round(10*time.Millisecond))
		if attempt <= 3 {
			return errors.New("connection refused")
		}
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
