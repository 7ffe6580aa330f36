// Package kafka retries jobs on Kafka, which has no delay of its own: a job that fails goes
// to a topic whose records all wait equally long, one topic for each delay.
//
// franz-go needs no pause while a record waits. Its heartbeats and rebalances run in
// goroutines of their own, so a consumer that does not poll stays in its group.
package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A Worker makes the attempts of the jobs of a topic. A job that fails goes through topics
// that wait, and after its last retry to a topic that nobody reads. Each result of an
// attempt is one transaction: the record of the next retry and the offset of this one are
// both written, or neither is.
type Worker struct {
	Brokers []string
	Topic   string // of the jobs
	ID      string // the same after a restart, and another one in each process
	Rungs   adapt.Rungs

	// Attempt makes an attempt of a job: retry number retry, or the first attempt if that
	// is 0. It is called again for the same retry if its result could not be written, and
	// perhaps by two processes at once if the partition moved while the job waited.
	Attempt func(ctx context.Context, job *kgo.Record, retry int) error

	around func(job *kgo.Record, retry int, failure error, commit func() error) func() error // for tests
}

// Topics returns the topics that must exist: that of the jobs, one for each delay, and
// that of the jobs that have failed for good.
func (w *Worker) Topics() []string {
	topics := []string{w.Topic}
	for rung := range w.Rungs.Delays {
		topics = append(topics, w.retryTopic(rung))
	}
	return append(topics, w.deadTopic())
}

func (w *Worker) retryTopic(rung int) string { return fmt.Sprintf("%s-retry-%d", w.Topic, rung) }
func (w *Worker) deadTopic() string          { return w.Topic + "-dead" }

// Run makes attempts until ctx ends or an error comes that franz-go does not retry, and
// returns that. Nothing is lost then: call Run again.
func (w *Worker) Run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	consumers := 1 + len(w.Rungs.Delays)
	ended := make(chan error, consumers)
	go func() { ended <- w.consume(ctx, w.Topic, 0) }()
	for rung, delay := range w.Rungs.Delays {
		go func() { ended <- w.consume(ctx, w.retryTopic(rung), delay) }()
	}
	for range consumers {
		stop(<-ended)
	}
	return context.Cause(ctx)
}

// consume makes the attempts of one topic, in the order of its records: the first of a
// partition is due first, because all wait for the same delay.
func (w *Worker) consume(ctx context.Context, topic string, delay time.Duration) error {
	s, err := kgo.NewGroupTransactSession(
		kgo.SeedBrokers(w.Brokers...),
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), // no retry of a transaction that failed
		kgo.ConsumerGroup(topic),                     // of its own, so that a rebalance stops no other topic
		kgo.InstanceID(w.ID),                         // after a restart the partitions come back at once
		kgo.TransactionalID(topic+"-"+w.ID),          // and the transaction before it ends
		kgo.ProducerLinger(0),                        // a transaction has one record: wait for no other
	)
	if err != nil {
		return err
	}
	defer s.Close()
	// Ends the predecessor's transaction now. Its offsets and records are unreadable until
	// then, and it would last up to kgo.TransactionTimeout.
	if _, _, err := s.Client().ProducerID(ctx); err != nil {
		return err
	}
	for {
		fetches := s.PollRecords(ctx, 1) // one, because a transaction commits all that was polled
		if err := fetches.Err(); err != nil {
			return err
		}
		for job := range fetches.RecordsAll() {
			if err := backoff.Sleep(ctx, time.Until(job.Timestamp.Add(delay))); err != nil {
				return err
			}
			if err := w.attempt(ctx, s, job); err != nil {
				return err
			}
		}
	}
}

// attempt makes an attempt of a job, and writes what becomes of it.
func (w *Worker) attempt(ctx context.Context, s *kgo.GroupTransactSession, job *kgo.Record) error {
	retry := retryOf(job)
	failure := w.Attempt(ctx, job, retry)
	commit := func() error { return w.commit(ctx, s, job, retry, failure) }
	if w.around != nil {
		commit = w.around(job, retry, failure, commit)
	}
	if err := commit(); !errors.Is(err, errMoved) {
		return err
	}
	return nil
}

// errMoved tells that another consumer has got the partition, and gets the job again.
var errMoved = errors.New("kafka: the partition has moved")

func (w *Worker) commit(ctx context.Context, s *kgo.GroupTransactSession, job *kgo.Record, retry int, failure error) error {
	if err := s.Begin(); err != nil {
		return err
	}
	if failure != nil {
		if err := s.ProduceSync(ctx, w.next(job, retry)).FirstErr(); err != nil {
			_, abortErr := s.End(ctx, kgo.TryAbort)
			return errors.Join(err, abortErr)
		}
	}
	committed, err := s.End(ctx, kgo.TryCommit)
	if err == nil && !committed {
		return errMoved
	}
	return err
}

// next returns the record of the retry after retry number retry, or of a job that has had
// its last one.
func (w *Worker) next(job *kgo.Record, retry int) *kgo.Record {
	next := &kgo.Record{
		Topic:     w.deadTopic(),
		Key:       job.Key,
		Value:     job.Value,
		Headers:   slices.Clone(job.Headers),
		Timestamp: time.Now().Add(time.Millisecond - 1), // kgo rounds down to a millisecond, and the retry would be early
	}
	if retry < len(w.Rungs.Retries) {
		next.Topic = w.retryTopic(w.Rungs.Retries[retry])
		retry++
	}
	next.Headers = slices.DeleteFunc(next.Headers, isRetry)
	next.Headers = append(next.Headers, kgo.RecordHeader{Key: "retry", Value: strconv.AppendInt(nil, int64(retry), 10)})
	return next
}

func isRetry(h kgo.RecordHeader) bool { return h.Key == "retry" }

// retryOf returns the number of a job's retry, or 0 for its first attempt.
func retryOf(job *kgo.Record) int {
	if i := slices.IndexFunc(job.Headers, isRetry); i >= 0 {
		n, _ := strconv.Atoi(string(job.Headers[i].Value))
		return max(n, 0)
	}
	return 0
}
