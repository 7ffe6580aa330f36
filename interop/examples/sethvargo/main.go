// Sethvargo runs a schedule of this library in Do of sethvargo/go-retry, which retries
// the errors that RetryableError marks.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sethvargo/go-retry"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func main() {
	delays := backoff.Take(backoff.Exponential(100*time.Millisecond, 2), 5)

	start, attempt := time.Now(), 0
	err := retry.Do(context.Background(), adapt.NewBackOff(delays), func(context.Context) error {
		attempt++
		fmt.Println("attempt", attempt, "after", time.Since(start).Round(10*time.Millisecond))
		if attempt <= 3 {
			return retry.RetryableError(errors.New("connection refused"))
		}
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
