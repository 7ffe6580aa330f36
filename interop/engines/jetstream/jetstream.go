// Package jetstream verifies how JetStream keeps the delays of a schedule. Its NATS server
// runs in the process.
//
// The server counts deliveries from 1, and counts those that nobody answered too. So
// [adapt.FuncFrom] with 1 gives the delay of the retry that follows.
//
// Use NakWithDelay where each message needs a sample of its own. The server keeps its
// delay to about 1 ms, except that:
//
//   - a delay above 0 lasts at least 10 ms, because the server looks at waiting messages
//     10 ms after it reads the delay;
//   - each further NakWithDelay starts these 10 ms again: while a consumer gives delays
//     less than 10 ms apart, none of its messages comes back;
//   - a message that waits counts for MaxAckPending, 1000 by default. With that many, the
//     consumer gets no new messages;
//   - a consumer with a BackOff list waits longer: after the k-th redelivery BackOff[k],
//     or the last one, is added, and BackOff[0] subtracted.
//
// A server that restarts ends the delays that wait up to 1 s too early, because it stores
// them in whole seconds. The number of a delivery survives.
//
// Use the list in ConsumerConfig.BackOff, made by [adapt.List], for workers that do not
// answer when they fail. The server starts each of its delays at the delivery, so it must
// be longer than an attempt takes. After the end of the list the last delay is held. The
// list replaces AckWait, and plain Nak ignores it.
//
// MaxDeliver counts deliveries and must not be less than the length of the list. If it is
// the length, the last delay has no delivery after it. An entry of 0 lasts as long as the
// first one, and if the first one is 0, nothing is redelivered.
//
// This is how nats-server 2.15.2 and nats.go 1.55.0 behave; the tests fail if a later
// version behaves otherwise.
package jetstream

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// Measure runs a job that always fails. Its worker answers each message with
// NakWithDelay. Measure returns the first n delays.
func Measure(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	e, err := start(ctx, "job")
	if err != nil {
		return nil, err
	}
	defer e.close()
	c, err := e.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "worker"})
	if err != nil {
		return nil, err
	}
	delay := adapt.FuncFrom(1, seq)
	var r kept.Recorder
	for range n + 1 {
		msg, meta, err := next(ctx, c)
		if err != nil {
			return nil, err
		}
		r.Attempt()
		if err := msg.NakWithDelay(r.Ask(delay(int(meta.NumDelivered)))); err != nil {
			return nil, err
		}
	}
	return r.Delays(), nil
}

// MeasureList runs a job that no worker ever answers, with the first n delays of seq as
// the consumer's BackOff. It returns the first n delays, from one delivery to the next.
func MeasureList(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	list := adapt.List(seq, n)
	if len(list) == 0 {
		return nil, errors.New("the schedule has no delay")
	}
	e, err := start(ctx, "job")
	if err != nil {
		return nil, err
	}
	defer e.close()
	c, err := e.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "worker", BackOff: list, MaxDeliver: n + 1})
	if err != nil {
		return nil, err
	}
	waits, err := unanswered(ctx, c, n)
	var delays []kept.Delay
	for i, wait := range waits {
		delays = append(delays, kept.Delay{Asked: list[min(i, len(list)-1)], Kept: wait})
	}
	return delays, err
}

// unanswered takes one message n+1 times without an answer, and returns the n times
// between its deliveries by the server's clock. By the worker's clock a delay would seem
// too short whenever a busy machine holds up the delivery before it.
func unanswered(ctx context.Context, c jetstream.Consumer, n int) (waits []time.Duration, err error) {
	var last time.Time
	for i := range n + 1 {
		if _, _, err := next(ctx, c); err != nil {
			return nil, err
		}
		info, err := c.Info(ctx)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			waits = append(waits, info.Delivered.Last.Sub(last))
		}
		last = *info.Delivered.Last
	}
	return waits, nil
}
