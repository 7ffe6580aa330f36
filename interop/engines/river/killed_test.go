package river

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/killed"
	"example.com/backoff/interop/service"
)

const (
	// A job whose worker was killed during an attempt comes back if the attempt began
	// before this. River accepts anything that is not less than the limit of an attempt,
	// which is 1 minute unless set.
	rescueAfter = 800 * ms
	attemptTime = 500 * ms

	failures     = 30       // of a job, before it succeeds
	slow         = 300 * ms // an attempt of every fourth job, so that kills find it in one
	slowFailures = 15
)

// shortDelays are longer than the 250 ms in which River writes failures, which would hide
// a retry that comes too early.
var shortDelays = backoff.Take(backoff.Linear(350*ms, 5*ms), failures)

func TestMain(m *testing.M) { os.Exit(killed.Main(m, work)) }

// TestKilled kills the worker 20 times between attempts of eight jobs. Two of them have
// attempts so long that some of the kills find them in one. River counts that as a failure.
func TestKilled(t *testing.T) {
	service.Need(t, service.Postgres)
	if testing.Short() {
		t.Skip("takes 30 s")
	}
	t.Parallel()
	db, err := NewDatabase(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Drop(t.Context())
	client, err := newClient(db, river.NewWorkers(), river.Config{SkipUnknownJobCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	var jobs []string
	for range 8 {
		inserted, err := client.Insert(t.Context(), killedArgs{}, &river.InsertOpts{MaxAttempts: 10 * failures})
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, name(inserted.Job))
	}
	killed.Check(t, killed.Run(t, db.Schema, jobs, 20), jobs, slices.Collect(shortDelays))

	var rescued int
	err = db.Pool.QueryRow(t.Context(), "SELECT coalesce(sum((metadata->>'river:rescue_count')::int), 0) FROM "+db.Schema+".river_job").Scan(&rescued)
	if err != nil || rescued == 0 {
		t.Errorf("%d attempts were cut off by a kill, and error %v, want at least one", rescued, err)
	}
	t.Logf("%d attempts were cut off by a kill", rescued)
}

// What the comment of rescueAfter says about its limits.
func TestRescueAfter(t *testing.T) {
	service.Need(t, service.Postgres)
	db, err := open(t.Context(), "public")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Pool.Close()
	workers := river.NewWorkers()
	river.AddWorker(workers, &failing{})
	for _, test := range []struct {
		attempt, rescue time.Duration
		ok              bool
	}{
		{attemptTime, rescueAfter, true},
		{1, 1, true},
		{ms, ms - 1, false},
		{0, time.Minute, true},
		{0, time.Minute - 1, false},
	} {
		_, err := newClient(db, workers, river.Config{JobTimeout: test.attempt, RescueStuckJobsAfter: test.rescue})
		if (err == nil) != test.ok {
			t.Errorf("JobTimeout %v and RescueStuckJobsAfter %v: error %v, want none: %v", test.attempt, test.rescue, err, test.ok)
		}
	}
}

func name(job *rivertype.JobRow) string { return strconv.FormatInt(job.ID, 10) }

// work is the worker that is killed. It works on the jobs of a schema until it is.
func work(schema string) error {
	ctx := context.Background()
	db, err := open(ctx, schema)
	if err != nil {
		return err
	}
	// A killed leader would lead for up to 15 s more, and only a leader rescues jobs. It
	// does so once as it is elected, and then every 30 s. The server may still work on the
	// last statements of the killed worker.
	time.Sleep(rescueAfter + 200*ms)
	if _, err := db.Pool.Exec(ctx, "DELETE FROM "+schema+".river_leader"); err != nil {
		return err
	}

	w := &surviving{
		policy: adapt.NextRetry(shortDelays, retries),
		asking: make(map[int64]*question),
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	client, err := newClient(db, workers, river.Config{
		FetchPollInterval:    PollInterval,
		JobTimeout:           attemptTime,
		RescueStuckJobsAfter: rescueAfter,
	})
	if err != nil {
		return err
	}
	events, _ := client.Subscribe(river.EventKindJobFailed, river.EventKindJobCompleted)
	// Nobody may have read what the worker before this one told of its last moments.
	completed, err := client.JobList(ctx, river.NewJobListParams().States(rivertype.JobStateCompleted))
	if err != nil {
		return err
	}
	for _, job := range completed.Jobs {
		killed.Done(name(job), retries(job))
	}
	if err := client.Start(ctx); err != nil {
		return err
	}
	for event := range events {
		if event.Kind == river.EventKindJobCompleted {
			killed.Done(name(event.Job), retries(event.Job))
		} else {
			w.stored(event.Job)
		}
	}
	return errors.New("the client has stopped")
}

type killedArgs struct{}

func (killedArgs) Kind() string { return "killed" }

// surviving is a worker that tells what it does.
type surviving struct {
	river.WorkerDefaults[killedArgs]
	policy adapt.NextRetryFunc[*rivertype.JobRow]

	mu     sync.Mutex
	asking map[int64]*question // by the ID of a job that fails
}

// A question is a call of NextRetry whose answer River may not have stored.
type question struct {
	retry  int  // of the attempt that failed
	asked  bool // the call has begun
	stored chan struct{}
	told   chan struct{} // closed after it has been told that the answer is stored
}

func (w *surviving) Work(_ context.Context, job *river.Job[killedArgs]) error {
	if q := w.stored(job.JobRow); q != nil {
		<-q.told // before the next attempt begins
	}
	killed.Begin(name(job.JobRow), retries(job.JobRow))
	enough := failures
	if job.ID%4 == 0 {
		time.Sleep(slow)
		enough = slowFailures
	}
	if retries(job.JobRow) >= enough {
		return nil
	}
	w.mu.Lock()
	w.asking[job.ID] = &question{retry: retries(job.JobRow), stored: make(chan struct{}), told: make(chan struct{})}
	w.mu.Unlock()
	return errors.New("not yet")
}

// NextRetry returns the policy's time, and tells of it when River has stored it. The leader
// asks too, for a job whose worker was killed during an attempt; that tells nothing,
// because River does not report when it has stored the answer.
func (w *surviving) NextRetry(job *river.Job[killedArgs]) time.Time {
	w.mu.Lock()
	q := w.asking[job.ID]
	first := q != nil && !q.asked
	if first {
		q.asked = true
	}
	w.mu.Unlock()
	if !first {
		return w.policy(job.JobRow)
	}
	at := make(chan time.Time, 1)
	go func() {
		delay, _ := backoff.At(shortDelays, q.retry)
		killed.Ask(name(job.JobRow), q.retry, delay, func() error {
			at <- w.policy(job.JobRow)
			<-q.stored
			return nil
		})
		close(q.told)
	}()
	return <-at
}

// stored returns the question of a job, if River has stored its answer and job is what was
// read afterwards, or else nil.
func (w *surviving) stored(job *rivertype.JobRow) *question {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.asking[job.ID]
	if q == nil || !q.asked || retries(job) <= q.retry {
		return nil
	}
	select {
	case <-q.stored:
	default:
		close(q.stored)
	}
	return q
}
