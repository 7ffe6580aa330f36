package comingfrom

import (
	"context"
	"time"
)

func loopBefore(ctx context.Context, send func(context.Context) error) (err error) {
	for i := 0; i < 5; i++ {
		if err = send(ctx); err == nil {
			break
		}
		time.Sleep(time.Second << i)
	}
	return err
}
