package indexes

import (
	"iter"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"example.com/backoff/adapt"
)

// Loopback ports where nothing listens.
const closed, alsoClosed = "127.0.0.1:1", "127.0.0.1:2"

// After a failed dial, franz-go retries only if there is another broker.
func franzRetryBackoff(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	c, err := kgo.NewClient(kgo.SeedBrokers(closed, alsoClosed), kgo.RequestRetries(enough), kgo.RetryBackoffFn(r.of(adapt.FuncFrom(1, seq))))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	wantError(t, kadm.NewClient(c).FindGroupCoordinators(t.Context(), group).Error(), nil)
}

const topic, group = "topic", "group"

func saramaMetadata(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	delay := r.of(adapt.Func(seq))
	c := saramaConfig()
	c.Metadata.Retry.Max = enough
	c.Metadata.Retry.BackoffFunc = func(retries, _ int) time.Duration { return delay(retries) }
	_, err := sarama.NewClient([]string{closed}, c)
	wantError(t, err, sarama.ErrOutOfBrokers)
}

func saramaConfig() *sarama.Config {
	c := sarama.NewConfig()
	c.ApiVersionsRequest = false // the broker below does not answer it
	return c
}

// kafka returns a broker that has one topic of one partition, answers what it must, and
// fails as failing says.
func kafka(t *testing.T, failing map[string]sarama.MockResponse) *sarama.MockBroker {
	b := sarama.NewMockBroker(t, 1)
	answers := map[string]sarama.MockResponse{
		"MetadataRequest": sarama.NewMockMetadataResponse(t).SetBroker(b.Addr(), b.BrokerID()).SetLeader(topic, 0, b.BrokerID()),
		"OffsetRequest":   sarama.NewMockOffsetResponse(t).SetOffset(topic, 0, sarama.OffsetOldest, 0).SetOffset(topic, 0, sarama.OffsetNewest, 9),
		"FindCoordinatorRequest": sarama.NewMockFindCoordinatorResponse(t).
			SetCoordinator(sarama.CoordinatorGroup, group, b),
	}
	for request, answer := range failing {
		answers[request] = answer
	}
	b.SetHandlerByMap(answers)
	return b
}

func saramaProducer(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	b := kafka(t, map[string]sarama.MockResponse{
		"ProduceRequest": sarama.NewMockProduceResponse(t).SetError(topic, 0, sarama.ErrNotEnoughReplicas),
	})
	defer b.Close()
	delay := r.of(adapt.FuncFrom(1, seq))
	c := saramaConfig()
	c.Producer.Return.Successes = true
	c.Producer.Retry.Max = enough
	c.Producer.Retry.BackoffFunc = func(retries, _ int) time.Duration { return delay(retries) }
	c.Metadata.Retry.Max = 0
	p, err := sarama.NewSyncProducer([]string{b.Addr()}, c)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, _, err = p.SendMessage(&sarama.ProducerMessage{Topic: topic})
	wantError(t, err, sarama.ErrNotEnoughReplicas)
}

func saramaConsumer(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	failed := new(sarama.FetchResponse)
	failed.Version = 11
	failed.AddError(topic, 0, sarama.ErrNotLeaderForPartition)
	b := kafka(t, map[string]sarama.MockResponse{"FetchRequest": sarama.NewMockWrapper(failed)})
	defer b.Close()
	delay := r.of(adapt.FuncFrom(1, seq))
	c := saramaConfig()
	c.Consumer.Retry.BackoffFunc = func(retries int) time.Duration { return delay(retries) }
	consumer, err := sarama.NewConsumer([]string{b.Addr()}, c)
	if err != nil {
		t.Fatal(err)
	}
	defer consumer.Close()
	p, err := consumer.ConsumePartition(topic, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r.wait(t)
}

// TestSaramaCountsDown: the offset manager of sarama calls Metadata.Retry.BackoffFunc
// with how many retries are left, where the client calls it with how many there were. So
// a function of the number alone gives a consumer group's first retry its longest delay.
// If this fails, sarama counts up: correct the table of hooks.
func TestSaramaCountsDown(t *testing.T) {
	b := kafka(t, map[string]sarama.MockResponse{
		"OffsetFetchRequest": sarama.NewMockOffsetFetchResponse(t).SetError(sarama.ErrOffsetsLoadInProgress).
			SetOffset(group, topic, 0, 0, "", sarama.ErrOffsetsLoadInProgress),
	})
	defer b.Close()
	r := newRecord()
	c := saramaConfig()
	c.Metadata.Retry.Max = enough
	c.Metadata.Retry.BackoffFunc = func(retries, maxRetries int) time.Duration {
		return r.call(retries, time.Millisecond)
	}
	client, err := sarama.NewClient([]string{b.Addr()}, c)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	m, err := sarama.NewOffsetManagerFromClient(group, client)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, err = m.ManagePartition(topic, 0)
	wantError(t, err, sarama.ErrOffsetsLoadInProgress)
	for i, c := range r.first() {
		if want := enough - i; c.Number != want {
			t.Errorf("call %d has the number %d, want %d", i, c.Number, want)
		}
	}
	if got := r.len(); got != enough {
		t.Errorf("%d calls, want %d", got, enough)
	}
}
