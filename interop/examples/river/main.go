// Command river retries a job of River, on PostgreSQL, with a schedule. The first three
// attempts fail.
//
//	GOWORK=off go -C interop run ./examples/river
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"example.com/backoff"
	"example.com/backoff/adapt"
	engine "example.com/backoff/interop/engines/river"
)

type letter struct{}

func (letter) Kind() string { return "letter" }

var start time.Time

func send(_ context.Context, job *river.Job[letter]) error {
	if job.Attempt == 1 {
		start = time.Now()
	}
	fmt.Printf("attempt %d after %v\n", job.Attempt, time.Since(start).Round(10*time.Millisecond))
	if job.Attempt <= 3 {
		return errors.New("no answer")
	}
	return nil
}

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	db, err := engine.NewDatabase(ctx) // a schema with River's tables, which this program drops in the end
	check(err)
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(send))
	client, err := river.NewClient(riverpgxv5.New(db.Pool), &river.Config{
		RetryPolicy: adapt.NextRetry(backoff.Exponential(100*time.Millisecond, 2), func(job *rivertype.JobRow) int {
			return len(job.Errors)
		}),
		FetchPollInterval: 100 * time.Millisecond, // or a retry can be 1 s late
		Logger:            slog.New(slog.DiscardHandler),
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 10}},
		Schema:            db.Schema,
		Workers:           workers,
	})
	check(err)
	completed, _ := client.Subscribe(river.EventKindJobCompleted)
	check(client.Start(ctx))
	_, err = client.Insert(ctx, letter{}, nil)
	check(err)
	<-completed
	check(client.Stop(ctx))
	check(db.Drop(ctx))
}

func check(err error) {
	if err != nil {
		log.Fatal(strings.Join(strings.Fields(err.Error()), " ")) // pgx's has lines
	}
}
