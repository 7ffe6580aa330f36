// Cenkalti runs a schedule of this library in Retry of cenkalti/backoff. A BackOff fits
// v4, v5, v6 and v7.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	cenkalti "github.com/cenkalti/backoff/v7"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func main() {
	delays := backoff.Take(backoff.Exponential(100*time.Millisecond, 2), 5)

	start, attempt := time.Now(), 0
	_, err := cenkalti.Retry(context.Background(), func() (string, error) {
		attempt++
		fmt.Println("attempt", attempt, "after", time.Since(start).Round(10*time.Millisecond))
		if attempt <= 3 {
			return "", errors.New("connection refused")
		}
		return "connected", nil
	}, cenkalti.WithBackOff(adapt.NewBackOff(delays)), cenkalti.WithMaxElapsedTime(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
