package comingfrom

import (
	"context"

	"github.com/avast/retry-go/v5"
)

func avastBefore(ctx context.Context, send func(context.Context) error) (err error) {
	err = retry.New(retry.Context(ctx)).Do(func() error {
		return send(ctx)
	})
	return err
}
