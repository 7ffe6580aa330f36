package workqueue_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	"example.com/backoff"
	"example.com/backoff/adapt"
	engine "example.com/backoff/interop/engines/workqueue"
	"example.com/backoff/interop/kept"
)

// controller-runtime takes the same interface, for its Request, which is a NamespacedName.
var (
	_ workqueue.TypedRateLimiter[string]               = (*adapt.RateLimiter[string])(nil)
	_ workqueue.TypedRateLimiter[types.NamespacedName] = (*adapt.RateLimiter[types.NamespacedName])(nil)
	_ workqueue.TypedRateLimiter[any]                  = (*adapt.RateLimiter[any])(nil)
)

func TestMeasure(t *testing.T) {
	ms := time.Millisecond
	for _, test := range []struct {
		name string
		seq  iter.Seq[time.Duration]
		want []time.Duration
	}{
		{"the first delay is delay 0", backoff.Exponential(10*ms, 2), []time.Duration{10 * ms, 20 * ms, 40 * ms, 80 * ms, 160 * ms, 320 * ms}},
		{"the last delay is held", slices.Values([]time.Duration{30 * ms, 0, 50 * ms}), []time.Duration{30 * ms, 0, 50 * ms, 50 * ms, 50 * ms}},
		{"below a millisecond", backoff.Linear(100*time.Microsecond, 300*time.Microsecond), []time.Duration{100 * time.Microsecond, 400 * time.Microsecond, 700 * time.Microsecond}},
		{"no retry", backoff.Constant(time.Hour), []time.Duration{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			kept.Judge(t, test.want, kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
				return engine.Measure(ctx, test.seq, len(test.want))
			})
		})
	}
}

func TestMeasureEndsWithItsContext(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(stop) })
	_, err := engine.Measure(ctx, backoff.Constant(time.Hour), 1)
	if diff := cmp.Diff(stop.Error(), err.Error()); diff != "" {
		t.Errorf("the error (-want +got):\n%s", diff)
	}
}
