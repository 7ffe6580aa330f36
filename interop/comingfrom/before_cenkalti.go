package comingfrom

import (
	"context"

	"github.com/cenkalti/backoff/v5"
)

func cenkaltiBefore(ctx context.Context, send func(context.Context) error) (err error) {
	_, err = backoff.Retry(ctx, func() (struct{}, error) {
		return struct{}{}, send(ctx)
	})
	return err
}
