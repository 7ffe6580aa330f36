package kafka

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// worst is how far a rung may be from its delay. It gives one topic to two delays of a
// schedule that doubles, with an error of a third.
const worst = 0.34

// Measure runs a job that always fails on franz-go and kfake, a Kafka in this process,
// and returns its first n delays, or all if seq has fewer. A delay that was asked for is
// that of a topic, which differs from the delay of seq by up to 34 %.
func Measure(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	return measure(ctx, adapt.LadderWithin(seq, n, worst))
}

func measure(ctx context.Context, rungs adapt.Rungs) ([]kept.Delay, error) {
	ctx, done := context.WithCancel(ctx)
	defer done()
	var recorder kept.Recorder
	w := &Worker{Topic: "jobs", ID: "0", Rungs: rungs}
	w.Attempt = func(_ context.Context, _ *kgo.Record, retry int) error {
		recorder.Attempt()
		if retry == len(rungs.Retries) {
			done()
			return nil
		}
		recorder.Ask(rungs.Delays[rungs.Retries[retry]])
		return errFailed
	}
	c, err := start(w, 1)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := produce(ctx, w.Brokers, &kgo.Record{Topic: w.Topic, Value: []byte("job")}); err != nil {
		return nil, err
	}
	err = w.Run(ctx)
	delays := recorder.Delays()
	if len(delays) < len(rungs.Retries) {
		return nil, fmt.Errorf("kafka: %d delays of %d: %w", len(delays), len(rungs.Retries), err)
	}
	return delays, nil
}

var errFailed = errors.New("the job fails")

// start starts a Kafka in this process with the topics of w, and tells w where it is.
func start(w *Worker, partitions int32) (*kfake.Cluster, error) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, w.Topics()...))
	if err == nil {
		w.Brokers = c.ListenAddrs()
	}
	return c, err
}

// produce writes records outside of a transaction.
func produce(ctx context.Context, brokers []string, records ...*kgo.Record) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		return err
	}
	defer client.Close()
	return client.ProduceSync(ctx, records...).FirstErr()
}
