package comingfrom

import (
	"context"
	"time"

	"github.com/sethvargo/go-retry"
)

func sethvargoBefore(ctx context.Context, send func(context.Context) error) (err error) {
	delays := retry.WithMaxRetries(5, retry.NewFibonacci(time.Second))
	err = retry.Do(ctx, delays, func(ctx context.Context) error {
		return retry.RetryableError(send(ctx))
	})
	return err
}
