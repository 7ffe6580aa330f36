// Avast runs a schedule of this library in avast/retry-go, which counts its first retry
// as 1 and limits the attempts itself.
package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/avast/retry-go/v5"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func main() {
	delay := adapt.FuncFrom(1, backoff.Exponential(100*time.Millisecond, 2))

	start, attempt := time.Now(), 0
	retrier := retry.New(
		retry.Attempts(6),
		retry.DelayType(func(n uint, _ error, _ retry.DelayContext) time.Duration { return delay(int(n)) }))
	err := retrier.Do(func() error {
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
