// Package river measures how well River keeps the delays of a schedule, on PostgreSQL.
//
// These facts are of version 0.51.1. River asks Worker.NextRetry first, and the RetryPolicy
// of its configuration if that returns the zero time. The number of errors of the job is 0
// at the first failure. A time that is before the failure is replaced by that of River's
// own default policy, 1 s after the first failure, and not by that of the RetryPolicy.
//
// A delay of up to 5 s needs no leader: the job is available at once, with its time. For a
// longer one a scheduler in the leader makes the job available up to 5 s before its time.
// In both cases the workers find the job when they poll: every FetchPollInterval, 1 s
// unless set, and up to 10 % or 10 ms later. River writes failures in batches, every
// 250 ms if there are few, so a delay below that is longer too.
package river

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// PollInterval is the FetchPollInterval of the workers that Measure starts.
const PollInterval = 100 * time.Millisecond

// Measure runs a job that always fails with seq as the RetryPolicy, and returns its first
// n delays.
func Measure(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	rec := new(kept.Recorder)
	return measure(ctx, rec, n, recorded(rec, seq), nil)
}

// recorded returns seq as a RetryPolicy that tells rec the delays it draws.
func recorded(rec *kept.Recorder, seq iter.Seq[time.Duration]) adapt.NextRetryFunc[*rivertype.JobRow] {
	return adapt.NextRetry(func(yield func(time.Duration) bool) {
		for d := range seq {
			// NextRetry draws up to the delay that it wants, and reads the clock after that. In
			// the other order a retry would seem early if the process stands still in between.
			if !yield(rec.Ask(d)) {
				return
			}
		}
	}, retries)
}

func retries(job *rivertype.JobRow) int { return len(job.Errors) }

// measure runs a job with a RetryPolicy, and with hook as the NextRetry of its worker
// unless that is nil.
func measure(ctx context.Context, rec *kept.Recorder, n int, policy river.ClientRetryPolicy, hook func(job *rivertype.JobRow) time.Time) (delays []kept.Delay, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, context.Cause(ctx)) // which pgx does not return
		}
	}()
	db, err := NewDatabase(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Drop(ctx)) }()

	w := &failing{rec: rec, n: n, hook: hook, enough: make(chan struct{})}
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	client, err := newClient(db, workers, river.Config{FetchPollInterval: PollInterval, RetryPolicy: policy})
	if err != nil {
		return nil, err
	}
	if err := client.Start(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, client.StopAndCancel(context.WithoutCancel(ctx))) }()
	if _, err := client.Insert(ctx, failingArgs{}, &river.InsertOpts{MaxAttempts: n + 2}); err != nil {
		return nil, err
	}
	select {
	case <-w.enough:
		return rec.Delays()[:n], nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// newClient returns a client whose workers use the schema of db and config, which needs
// no more than what differs.
func newClient(db *Database, workers *river.Workers, config river.Config) (*river.Client[pgx.Tx], error) {
	config.Schema = db.Schema
	config.Logger = quiet
	config.Workers = workers
	config.Queues = map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 10}}
	config.TestOnly = true // or its services start up to 1 s later
	return river.NewClient(riverpgxv5.New(db.Pool), &config)
}

type failingArgs struct{}

func (failingArgs) Kind() string { return "failing" }

// failing is a worker whose job fails until n delays are over.
type failing struct {
	river.WorkerDefaults[failingArgs]
	rec    *kept.Recorder
	n      int
	hook   func(job *rivertype.JobRow) time.Time
	enough chan struct{}
	once   sync.Once
}

func (w *failing) Work(context.Context, *river.Job[failingArgs]) error {
	w.rec.Attempt()
	if len(w.rec.Delays()) >= w.n {
		w.once.Do(func() { close(w.enough) })
		return nil
	}
	return errors.New("always")
}

func (w *failing) NextRetry(job *river.Job[failingArgs]) time.Time {
	if w.hook == nil {
		return time.Time{}
	}
	return w.hook(job.JobRow)
}
