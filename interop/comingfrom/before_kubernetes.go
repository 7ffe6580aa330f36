package comingfrom

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

func kubernetesBefore(ctx context.Context, send func(context.Context) error) (err error) {
	policy := wait.Backoff{Duration: time.Second, Factor: 2, Jitter: 0.1, Steps: 5}
	err = wait.ExponentialBackoffWithContext(ctx, policy, func(ctx context.Context) (bool, error) {
		return send(ctx) == nil, nil
	})
	return err
}
