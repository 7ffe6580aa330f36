// Command jetstream retries a job on a NATS server with JetStream, which it runs itself.
// The worker answers a failure with the delay of the retry that follows.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func main() {
	dir := must(os.MkdirTemp("", "jetstream"))
	defer os.RemoveAll(dir)
	s := must(server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: dir}))
	s.Start()
	defer s.Shutdown()
	conn := must(nats.Connect("", nats.InProcessServer(s)))
	js := must(jetstream.New(conn))
	ctx := context.Background()
	must(js.CreateStream(ctx, jetstream.StreamConfig{Name: "jobs", Subjects: []string{"jobs"}}))
	must(js.Publish(ctx, "jobs", []byte("a job")))
	worker := must(js.CreateConsumer(ctx, "jobs", jetstream.ConsumerConfig{Durable: "worker"}))

	delay := adapt.FuncFrom(1, backoff.Exponential(100*time.Millisecond, 2))
	var start time.Time
	for {
		msg := must(worker.Next())
		n := int(must(msg.Metadata()).NumDelivered)
		if n == 1 {
			start = time.Now()
		}
		fmt.Printf("attempt %d after %v\n", n, time.Since(start).Round(10*time.Millisecond))
		if n > 3 {
			check(msg.Ack())
			return
		}
		check(msg.NakWithDelay(delay(n))) // because the job has failed
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
