package kafka

import (
	"context"
	"testing"
	"time"

	"example.com/backoff/interop/kept"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestPauseIsLate shows why a Worker does not pause a topic while a record waits. A client
// has one fetch at a time with each broker. One that began without the paused topic goes
// on after ResumeFetchTopics, until another topic has a record or FetchMaxWait is over.
func TestPauseIsLate(t *testing.T) {
	const maxWait = time.Second // 5 s unless set
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "paused", "idle"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fetched := make(chan int, 1000) // how many topics a fetch added or left out
	c.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		f := r.(*kmsg.FetchRequest)
		fetched <- len(f.Topics) + len(f.ForgottenTopics)
		return nil, nil, false
	})
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.ConsumeTopics("paused", "idle"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(maxWait))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := produce(t.Context(), c.ListenAddrs(), &kgo.Record{Topic: "paused"}); err != nil {
		t.Fatal(err)
	}
	if err := client.PollFetches(kept.Context(t, "a record of the topic")).Err(); err != nil {
		t.Fatal(err)
	}
	client.PauseFetchTopics("paused")
	for len(fetched) > 0 {
		<-fetched
	}
	kept.Receive(t, fetched, "a fetch without the topic") // the fetch at the time of the pause has ended, and this one leaves the topic out
	if err := produce(t.Context(), c.ListenAddrs(), &kgo.Record{Topic: "paused"}); err != nil {
		t.Fatal(err)
	}
	resumed := time.Now()
	client.ResumeFetchTopics("paused")
	if err := client.PollFetches(kept.Context(t, "a record of the topic")).Err(); err != nil {
		t.Fatal(err)
	}
	late := time.Since(resumed)
	t.Logf("a record came %v after its topic was resumed", late)
	if late < maxWait/4 {
		t.Errorf("a record came %v after its topic was resumed, want about %v: franz-go now ends the fetch, and a topic may be paused", late, maxWait)
	}
}

// TestWaitingStaysInGroup shows why a Worker need not poll while a record waits: heartbeats
// go on, and a partition moves to a consumer that joins.
func TestWaitingStaysInGroup(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "t"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	beats := make(chan struct{}, 1000)
	c.ControlKey(int16(kmsg.Heartbeat), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		select {
		case beats <- struct{}{}:
		default: // enough, and the broker must not wait for the test
		}
		return nil, nil, false
	})
	join := func(opts ...kgo.Opt) *kgo.Client {
		client, err := kgo.NewClient(append(opts, kgo.SeedBrokers(c.ListenAddrs()...), kgo.ConsumeTopics("t"),
			kgo.ConsumerGroup("g"), kgo.HeartbeatInterval(20*time.Millisecond), kgo.DisableAutoCommit(),
			kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		return client
	}
	if err := produce(t.Context(), c.ListenAddrs(), &kgo.Record{Topic: "t"}); err != nil {
		t.Fatal(err)
	}
	waiting := join()
	if err := waiting.PollRecords(kept.Context(t, "a record"), 1).Err(); err != nil {
		t.Fatal(err)
	}
	for len(beats) > 0 {
		<-beats
	}
	for range 10 { // which do not come if a consumer must poll for them
		kept.Receive(t, beats, "a heartbeat")
	}
	assigned := make(chan []int32, 10)
	join(kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, got map[string][]int32) { assigned <- got["t"] }))
	for len(kept.Receive(t, assigned, "one of two partitions")) != 1 {
	}
}
