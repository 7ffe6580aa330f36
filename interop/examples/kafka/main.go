// Command kafka retries a job on Kafka, with a topic for each delay of a schedule. The
// broker is kfake, franz-go's Kafka in this process.
package main

import (
	"context"
	"fmt"
	"log"
	"strconv"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

var rungs = adapt.Ladder(backoff.Exponential(100*time.Millisecond, 2), 3, 3)

func main() {
	broker := kfake.MustCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "jobs", "wait-0", "wait-1", "wait-2", "dead"))
	defer broker.Close()
	var start time.Time
	done := make(chan struct{})
	attempt := func(retry int) (ok bool) {
		if retry == 0 {
			start = time.Now()
		}
		fmt.Printf("attempt %d after %v\n", retry+1, time.Since(start).Round(10*time.Millisecond))
		if retry == 3 {
			close(done)
		}
		return retry == 3
	}
	client := connect(broker, "jobs")
	go consume(client, 0, attempt)
	for rung, delay := range rungs.Delays { // a client for each topic, so that none waits for another
		go consume(connect(broker, fmt.Sprint("wait-", rung)), delay, attempt)
	}
	check(client.ProduceSync(context.Background(), &kgo.Record{Topic: "jobs"}).FirstErr())
	<-done
}

// consume attempts the jobs of one topic in their order: all wait for the same delay.
func consume(client *kgo.Client, delay time.Duration, attempt func(retry int) (ok bool)) {
	for ctx := context.Background(); ; {
		fetches := client.PollFetches(ctx)
		check(fetches.Err())
		for job := range fetches.RecordsAll() {
			time.Sleep(time.Until(job.Timestamp.Add(delay)))
			retry := 0
			for _, h := range job.Headers {
				retry, _ = strconv.Atoi(string(h.Value))
			}
			if !attempt(retry) {
				next := &kgo.Record{Topic: "dead", Value: job.Value}
				if retry < len(rungs.Retries) {
					next.Topic = fmt.Sprint("wait-", rungs.Retries[retry])
				}
				next.Headers = []kgo.RecordHeader{{Key: "retry", Value: []byte(strconv.Itoa(retry + 1))}}
				check(client.ProduceSync(ctx, next).FirstErr())
			}
			check(client.CommitRecords(ctx, job)) // after the next record is written, so that the job is not lost
		}
	}
}

func connect(broker *kfake.Cluster, topic string) *kgo.Client {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker.ListenAddrs()...), kgo.ConsumeTopics(topic),
		kgo.ConsumerGroup(topic), kgo.DisableAutoCommit(), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	check(err)
	return client
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
