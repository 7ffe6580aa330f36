package river

import (
	"context"
	"errors"
	"iter"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
	"example.com/backoff/interop/service"
)

const ms = time.Millisecond

// bound is River's poll interval with its jitter, and 20 ms for the statements of a poll.
var bound = kept.Bound{Early: ms, Late: PollInterval + 10*ms + 20*ms}

// batched is the bound of a delay below 250 ms, which is how often River writes failures.
var batched = kept.Bound{Early: ms, Late: 250*ms + bound.Late}

// judge is kept.Judge. A call is a transaction that PostgreSQL writes to its disk, as River's
// are.
func judge(t *testing.T, want []time.Duration, b kept.Bound, measure func(context.Context) ([]kept.Delay, error)) {
	t.Helper()
	db, err := open(t.Context(), "public")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Pool.Close()
	kept.Judge(t, want, b, measure, func() {
		db.Pool.Exec(context.WithoutCancel(t.Context()), "SELECT pg_logical_emit_message(true, 'backoff', '')") // measure has the errors
	})
}

// The first delay kept is delay 0 of a schedule whose delays all differ, and the last one
// is held.
func TestMeasure(t *testing.T) {
	service.Need(t, service.Postgres)
	t.Parallel()
	seq := backoff.Take(backoff.Linear(300*ms, 100*ms), 3)
	want := []time.Duration{300 * ms, 400 * ms, 500 * ms, 500 * ms}
	judge(t, want, bound, func(ctx context.Context) ([]kept.Delay, error) {
		return Measure(ctx, seq, len(want))
	})
}

func TestMeasureEndsWithItsContext(t *testing.T) {
	service.Need(t, service.Postgres)
	t.Parallel()
	for _, after := range []time.Duration{0, 20 * ms, 500 * ms} { // before, perhaps while and after it makes its tables
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("enough")
		time.AfterFunc(after, func() { cancel(cause) })
		if _, err := Measure(ctx, backoff.Constant(time.Hour), 1); !errors.Is(err, cause) {
			t.Errorf("after %v Measure returns %v, want %v", after, err, cause)
		}
	}
}

// Nothing is left in the database, even if the context has ended.
func TestDrop(t *testing.T) {
	service.Need(t, service.Postgres)
	db, err := NewDatabase(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	again, err := open(t.Context(), db.Schema)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Pool.Close()
	var n int
	err = again.Pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE nspname = $1", db.Schema).Scan(&n)
	if err != nil || n != 0 {
		t.Errorf("%d schemas are left, and error %v, want none", n, err)
	}
}

// River asks the worker before the RetryPolicy.
func TestWorkerFirst(t *testing.T) {
	service.Need(t, service.Postgres)
	t.Parallel()
	want := []time.Duration{300 * ms, 400 * ms}
	judge(t, want, bound, func(ctx context.Context) ([]kept.Delay, error) {
		rec := new(kept.Recorder)
		policy := recorded(rec, backoff.Constant(time.Minute))
		return measure(ctx, rec, len(want), policy, recorded(rec, backoff.Linear(300*ms, 100*ms)))
	})
}

// The scheduler of the leader makes a job available before a delay of more than its
// interval of 5 s is over.
func TestScheduler(t *testing.T) {
	service.Need(t, service.Postgres)
	t.Parallel()
	want := []time.Duration{5500 * ms}
	judge(t, want, bound, func(ctx context.Context) ([]kept.Delay, error) {
		return Measure(ctx, backoff.Constant(want[0]), len(want))
	})
}

// The time of a delay of 0 has not passed when River compares it. If it had, the retry
// would come after 0.9 s at the earliest.
func TestZero(t *testing.T) {
	service.Need(t, service.Postgres)
	t.Parallel()
	want := []time.Duration{0, 0, 0, 1, 1}
	judge(t, want, batched, func(ctx context.Context) ([]kept.Delay, error) {
		return Measure(ctx, backoff.Concat(backoff.Take(backoff.Constant(0), 3), backoff.Constant(1)), len(want))
	})
}

// A worker that returns a time that has passed gets neither that time nor the RetryPolicy,
// but 1 s ± 10 % of River's default policy. River reads its clock before it asks, so a
// plain time.Now() counts, but only because of that order.
func TestPast(t *testing.T) {
	service.Need(t, service.Postgres)
	plain := bound
	plain.Early, plain.Late = 100*ms, 100*ms+bound.Late
	tests := []struct {
		name  string
		hook  func(job *rivertype.JobRow) time.Time
		want  time.Duration
		bound kept.Bound
	}{
		{"time.Now counts", func(*rivertype.JobRow) time.Time { return time.Now() }, 0, batched},
		{"the start of the attempt is replaced by 1 s", func(job *rivertype.JobRow) time.Time { return *job.AttemptedAt }, time.Second, plain},
		{"a truncated time is replaced by 1 s", func(*rivertype.JobRow) time.Time { return time.Now().Truncate(time.Second) }, time.Second, plain},
		{"adapt.Time of an earlier moment is replaced by 1 s", func(job *rivertype.JobRow) time.Time {
			return adapt.Time(backoff.Constant(0), retries(job), *job.AttemptedAt)
		}, time.Second, plain},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			judge(t, []time.Duration{test.want}, test.bound, func(ctx context.Context) ([]kept.Delay, error) {
				rec := new(kept.Recorder)
				policy := adapt.NextRetry(backoff.Constant(3*time.Second), retries)
				return measure(ctx, rec, 1, policy, func(job *rivertype.JobRow) time.Time {
					rec.Ask(test.want)
					return test.hook(job)
				})
			})
		})
	}
}

// River stores the longest delay, 292 years, as a time like any other.
func TestLongest(t *testing.T) {
	service.Need(t, service.Postgres)
	t.Parallel()
	db, err := NewDatabase(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Drop(t.Context())
	workers := river.NewWorkers()
	river.AddWorker(workers, &failing{rec: new(kept.Recorder), n: 1})
	client, err := newClient(db, workers, river.Config{RetryPolicy: adapt.NextRetry(backoff.Constant(math.MaxInt64), retries)})
	if err != nil {
		t.Fatal(err)
	}
	failed, cancel := client.Subscribe(river.EventKindJobFailed)
	defer cancel()
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer client.StopAndCancel(context.WithoutCancel(t.Context()))
	if _, err := client.Insert(t.Context(), failingArgs{}, nil); err != nil {
		t.Fatal(err)
	}
	job := kept.Receive(t, failed, "the failure of a job").Job
	if year := time.Now().Year() + 292; job.State != rivertype.JobStateRetryable || job.ScheduledAt.Year() < year || job.ScheduledAt.Year() > year+1 {
		t.Errorf("the job is %s at %v, want retryable in %d", job.State, job.ScheduledAt, year)
	}
}

// A job has a path of delays of its own, which depends on its ID alone: another process
// that asks again, or replays the job, gets the same delays.
func TestKeyed(t *testing.T) {
	service.Need(t, service.Postgres)
	t.Parallel()
	newSeq := func(seed uint64) iter.Seq[time.Duration] {
		return backoff.Jitter(backoff.Exponential(400*ms, 1.5), 0.3, backoff.WithSeed(seed))
	}
	delay := adapt.Keyed(newSeq)
	const first = "1" // the ID of the first job of a schema
	want := []time.Duration{delay(first, 0), delay(first, 1), delay(first, 2)}
	judge(t, want, bound, func(ctx context.Context) ([]kept.Delay, error) {
		rec := new(kept.Recorder)
		inAnotherProcess := adapt.Keyed(newSeq)
		return measure(ctx, rec, len(want), nil, func(job *rivertype.JobRow) time.Time {
			d := inAnotherProcess(strconv.FormatInt(job.ID, 10), len(job.Errors))
			rec.Ask(d) // first, or the retry seems early if the process stands still in between
			return time.Now().Add(d)
		})
	})
	if other := []time.Duration{delay("2", 0), delay("2", 1), delay("2", 2)}; cmp.Equal(want, other) {
		t.Errorf("jobs 1 and 2 both wait %v", other)
	}
}
