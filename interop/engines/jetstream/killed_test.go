package jetstream

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/killed"
)

func TestMain(m *testing.M) { os.Exit(killed.Main(m, work)) }

// schedule is what the worker that is killed keeps: 20, 40, ..., 320 ms.
var schedule = backoff.Take(backoff.Exponential(20*ms, 2), 5)

// work fails each job once for each delay of the schedule.
func work(url string) error {
	ctx := context.Background()
	conn, err := nats.Connect(url, nats.Timeout(time.Minute))
	if err != nil {
		return err
	}
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(time.Minute))
	if err != nil {
		return err
	}
	c, err := js.Consumer(ctx, "jobs", "worker")
	if err != nil {
		return err
	}
	retries := len(adapt.List(schedule, 10))
	delay := adapt.FuncFrom(1, schedule)
	for {
		msg, meta, err := next(ctx, c)
		if err != nil {
			return err
		}
		job, n := string(msg.Data()), int(meta.NumDelivered)
		killed.Begin(job, n-1)
		time.Sleep(ms) // so that some are killed in an attempt
		if n > retries {
			killed.Done(job, n-1)
			if err := msg.DoubleAck(ctx); err != nil {
				return err
			}
			continue
		}
		err = killed.Ask(job, n-1, delay(n), func() error {
			if err := msg.NakWithDelay(delay(n)); err != nil {
				return err
			}
			return conn.Flush() // because the client has only buffered it
		})
		if err != nil {
			return err
		}
	}
}

// TestKilled: a worker is killed 20 times between its attempts. No job is lost, none falls
// back in its schedule, and none is retried early. A message that the server had given to
// a worker when it died comes to the next one after AckWait, with the next number.
func TestKilled(t *testing.T) {
	const kills = 20
	var jobs []string
	for i := range 40 {
		jobs = append(jobs, strconv.Itoa(i))
	}
	e, err := start(t.Context(), jobs...)
	check(t, err)
	defer e.close()
	e.consumer(t, jetstream.ConsumerConfig{Durable: "worker", AckWait: 200 * ms})
	events := killed.Run(t, e.server.ClientURL(), jobs, kills)
	killed.Check(t, events, jobs, adapt.List(schedule, 10))
	t.Log(summary(events))
}

func summary(events []killed.Event) string {
	what := make(map[string]int)
	for _, e := range events {
		what[e.What]++
	}
	return fmt.Sprint(what)
}
