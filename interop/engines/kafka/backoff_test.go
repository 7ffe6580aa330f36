package kafka

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestRetryBackoffFn gives a schedule to franz-go's own retries. A broker closes the
// connection at each request of one kind.
func TestRetryBackoffFn(t *testing.T) {
	want := []time.Duration{40 * ms, 20 * ms, 90 * ms, 60 * ms}
	tests := []struct {
		name string
		key  kmsg.Key
		do   func(context.Context, *kgo.Client)
	}{
		{"request", kmsg.ListGroups, func(ctx context.Context, c *kgo.Client) {
			kmsg.NewPtrListGroupsRequest().RequestWith(ctx, c)
		}},
		{"produce", kmsg.Produce, func(ctx context.Context, c *kgo.Client) {
			c.ProduceSync(ctx, &kgo.Record{Topic: "t"})
		}},
		{"fetch", kmsg.Fetch, func(ctx context.Context, c *kgo.Client) {
			c.PollFetches(ctx)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			kept.Judge(t, want, kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
				c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
				if err != nil {
					return nil, err
				}
				defer c.Close()
				ctx, done := context.WithCancel(ctx)
				defer done()
				var recorder kept.Recorder
				c.ControlKey(int16(tt.key), func(kmsg.Request) (kmsg.Response, error, bool) {
					recorder.Attempt()
					if len(recorder.Delays()) == len(want) {
						done()
						return nil, nil, false
					}
					c.KeepControl()
					return nil, errFailed, true
				})
				delay := adapt.FuncFrom(1, slices.Values(want))
				client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.ConsumeTopics("t"), kgo.AlwaysRetryEOF(),
					kgo.RetryBackoffFn(func(fails int) time.Duration { return recorder.Ask(delay(fails)) }))
				if err != nil {
					return nil, err
				}
				defer client.Close()
				tt.do(ctx, client)
				<-ctx.Done()
				return recorder.Delays(), nil
			})
		})
	}
}

// TestFirstReadIsNotRetried shows when franz-go does not ask for a delay: a connection that
// the broker closes before its first response looks like a broker that wants SASL.
func TestFirstReadIsNotRetried(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.ControlKey(int16(kmsg.ListGroups), func(kmsg.Request) (kmsg.Response, error, bool) {
		return nil, errFailed, true
	})
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = kmsg.NewPtrListGroupsRequest().RequestWith(t.Context(), client)
	if _, ok := errors.AsType[*kgo.ErrFirstReadEOF](err); !ok {
		t.Errorf("a broker that closes the connection at once: %v, want an ErrFirstReadEOF and no retry", err)
	}
}
