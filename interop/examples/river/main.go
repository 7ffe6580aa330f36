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
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/service"
)

type letter struct{}

func (letter) Kind() string { return "letter" }

var start time.Time

func send(ctx context.Context, job *river.Job[letter]) error {
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
	if err := run(context.Background()); err != nil {
		log.Fatal(strings.Join(strings.Fields(err.Error()), " ")) // pgx's has lines
	}
}

func run(ctx context.Context) error {
	pool, err := pgxpool.New(ctx, service.Postgres.Value())
	if err != nil {
		return err
	}
	defer pool.Close()

	// A schema that is dropped at the end. A real program has its tables already.
	schema := fmt.Sprintf("backoff_example_%016x", rand.Uint64())
	if _, err := pool.Exec(ctx, "CREATE SCHEMA "+schema); err != nil {
		return err
	}
	defer pool.Exec(ctx, "DROP SCHEMA "+schema+" CASCADE")
	driver, logger := riverpgxv5.New(pool), slog.New(slog.DiscardHandler)
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Schema: schema, Logger: logger})
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}

	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(send))
	client, err := river.NewClient(driver, &river.Config{
		RetryPolicy: adapt.NextRetry(backoff.Exponential(100*time.Millisecond, 2), func(job *rivertype.JobRow) int {
			return len(job.Errors)
		}),
		FetchPollInterval: 100 * time.Millisecond, // or a retry can be 1 s late
		Logger:            logger,
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 10}},
		Schema:            schema,
		Workers:           workers,
	})
	if err != nil {
		return err
	}
	completed, cancel := client.Subscribe(river.EventKindJobCompleted)
	defer cancel()
	if err := client.Start(ctx); err != nil {
		return err
	}
	if _, err := client.Insert(ctx, letter{}, nil); err != nil {
		return err
	}
	<-completed
	return client.Stop(ctx)
}
