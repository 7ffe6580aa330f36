package comingfrom

import (
	"context"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

func failsafeBefore(ctx context.Context, send func(context.Context) error) (err error) {
	policy := retrypolicy.NewBuilder[any]().
		WithMaxRetries(5).
		WithBackoff(100*time.Millisecond, 10*time.Second).
		WithJitterFactor(0.25).
		Build()
	err = failsafe.With(policy).WithContext(ctx).RunWithExecution(func(e failsafe.Execution[any]) error {
		return send(e.Context())
	})
	return err
}
