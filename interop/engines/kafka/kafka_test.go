package kafka

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

const ms = time.Millisecond

// bound is kept.Exact and the millisecond that a record's timestamp is rounded up to. No
// delay is shorter than its topic's.
var bound = kept.Bound{Early: 100 * time.Microsecond, Late: kept.Exact.Late + ms, Share: kept.Exact.Share}

// asked returns the delays of the topics in the order of the retries.
func asked(r adapt.Rungs) []time.Duration {
	delays := make([]time.Duration, len(r.Retries))
	for n, rung := range r.Retries {
		delays[n] = r.Delays[rung]
	}
	return delays
}

// TestDelays gives a topic to each delay, in another order than that of the topics.
func TestDelays(t *testing.T) {
	want := []time.Duration{60 * ms, 20 * ms, 120 * ms, 20 * ms, 250 * ms}
	kept.Judge(t, want, bound, func(ctx context.Context) ([]kept.Delay, error) {
		return measure(ctx, adapt.Ladder(slices.Values(want), len(want), len(want)))
	})
}

// TestFloor asks for no delay. The first retry of a process waits about 10 ms for what
// franz-go has to know of a topic, and each retry about 1 ms for its transaction.
func TestFloor(t *testing.T) {
	failed := 0
	for range 20 {
		stop := kept.Watch()
		delays, err := measure(kept.Context(t, "a retry without a delay"), adapt.Ladder(backoff.Constant(0), 5, 1))
		busy := stop()
		if err != nil {
			t.Fatal(err)
		}
		if delays[1].Kept < 8*ms { // with the 10 ms that franz-go lingers unless set, it is about 11 ms
			return
		}
		if busy < 2*ms {
			failed++
		}
		if failed == 3 {
			t.Fatalf("delays %v, want a second one below 8 ms: does franz-go linger?", delays)
		}
	}
	t.Skip("the machine is too busy to tell")
}

// TestLadder shares the topics, and compares what was kept with the schedule itself.
func TestLadder(t *testing.T) {
	const n = 5
	seq := backoff.Exponential(30*ms, 2)
	rungs := adapt.LadderWithin(seq, n, worst)
	if got := len(rungs.Delays); got != 3 {
		t.Errorf("%d topics, want 3", got)
	}
	kept.Judge(t, asked(rungs), bound, func(ctx context.Context) ([]kept.Delay, error) {
		delays, err := Measure(ctx, seq, n)
		if err != nil {
			return nil, err
		}
		largest := 0.0
		for i, d := range adapt.List(seq, n) {
			off := math.Abs(float64(delays[i].Asked-d)) / float64(d)
			largest = max(largest, off)
			if early := d.Seconds()*(1-rungs.Error) - delays[i].Kept.Seconds(); early > bound.Early.Seconds() {
				t.Errorf("delay %d of %v was kept as %v, want at most %.3f less", i, d, delays[i].Kept, rungs.Error)
			}
		}
		if largest != rungs.Error {
			t.Errorf("the largest error is %v, want %v", largest, rungs.Error)
		}
		return delays, nil
	})
}

// committed returns the records of topics that are not of an aborted or an open transaction.
func committed(t *testing.T, brokers []string, topics ...string) (records []*kgo.Record) {
	t.Helper()
	ctx := kept.Context(t, "the last record that is committed")
	c, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumeTopics(topics...), kgo.KeepControlRecords(),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ends, err := kadm.NewClient(c).ListCommittedOffsets(ctx, topics...)
	if err != nil {
		t.Fatal(err)
	}
	missing := 0 // partitions that are not read to their end
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			missing++
		}
	})
	for missing > 0 {
		fetches := c.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatal(errors.Join(err, context.Cause(ctx)))
		}
		for r := range fetches.RecordsAll() {
			if end, _ := ends.Lookup(r.Topic, r.Partition); r.Offset == end.Offset-1 {
				missing--
			}
			if !r.Attrs.IsControl() {
				records = append(records, r)
			}
		}
	}
	return records
}

// TestDead gives a job its last retry, and looks at what is left of it.
func TestDead(t *testing.T) {
	ctx, stop := context.WithCancel(kept.Context(t, "the last retry of a job"))
	defer stop()
	var retries []int
	w := &Worker{Topic: "jobs", ID: "0", Rungs: adapt.Ladder(backoff.Constant(5*ms), 3, 1)}
	w.Attempt = func(_ context.Context, _ *kgo.Record, retry int) error {
		retries = append(retries, retry)
		return errFailed
	}
	w.around = func(_ *kgo.Record, retry int, _ error, commit func() error) func() error {
		return func() error {
			err := commit()
			if retry == len(w.Rungs.Retries) {
				stop()
			}
			return err
		}
	}
	c := cluster(t, w, 1)
	if err := produce(ctx, w.Brokers, &kgo.Record{
		Topic: w.Topic, Key: []byte("k"), Value: []byte("v"),
		Headers: []kgo.RecordHeader{{Key: "trace", Value: []byte("1")}},
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Run(ctx); err != context.Canceled {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3}, retries); diff != "" {
		t.Errorf("retries (-want +got):\n%s", diff)
	}
	var got []string
	for _, r := range committed(t, c.ListenAddrs(), w.Topics()...) {
		got = append(got, fmt.Sprintf("%s %s=%s %s", r.Topic, r.Key, r.Value, r.Headers))
	}
	slices.Sort(got)
	want := []string{
		"jobs k=v [{trace 1}]",
		"jobs-dead k=v [{trace 1} {retry 3}]",
		"jobs-retry-0 k=v [{trace 1} {retry 1}]",
		"jobs-retry-0 k=v [{trace 1} {retry 2}]",
		"jobs-retry-0 k=v [{trace 1} {retry 3}]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func cluster(t *testing.T, w *Worker, partitions int32) *kfake.Cluster {
	t.Helper()
	c, err := start(w, partitions)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestMoves starts a second worker while jobs wait in the first. The attempt of a job
// whose partition moves is made twice, and its result is written once.
func TestMoves(t *testing.T) {
	ctx, stop := context.WithCancel(kept.Context(t, "the last retry of each job"))
	defer stop()
	const jobs, retries = 4, 6
	first := &Worker{Topic: "jobs", ID: "0", Rungs: adapt.Ladder(backoff.Linear(40*ms, 10*ms), retries, 3)}
	c := cluster(t, first, 2)
	var (
		mu       sync.Mutex
		dead     = map[string]bool{}
		workers  = map[string]int{}
		attempts int
		join     = make(chan struct{})
		joins    sync.Once
	)
	attempt := func(id string) func(context.Context, *kgo.Record, int) error {
		return func(_ context.Context, job *kgo.Record, retry int) error {
			mu.Lock()
			defer mu.Unlock()
			workers[id]++
			attempts++
			if retry == 1 {
				joins.Do(func() { close(join) })
			}
			return errFailed
		}
	}
	around := func(job *kgo.Record, retry int, _ error, commit func() error) func() error {
		return func() error {
			err := commit()
			if err == nil && retry == retries {
				mu.Lock()
				defer mu.Unlock()
				if dead[string(job.Key)] = true; len(dead) == jobs {
					stop()
				}
			}
			return err
		}
	}
	first.Attempt, first.around = attempt("0"), around
	second := *first
	second.ID, second.Attempt = "1", attempt("1")
	for n := range jobs {
		if err := produce(ctx, c.ListenAddrs(), &kgo.Record{Topic: "jobs", Key: []byte{'a' + byte(n)}}); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 2)
	go func() { ended <- first.Run(ctx) }()
	kept.Receive(t, join, "a first retry")
	go func() { ended <- second.Run(ctx) }()
	for range 2 {
		if err := <-ended; err != context.Canceled {
			t.Error(err)
		}
	}
	once(t, committed(t, c.ListenAddrs(), first.Topics()[1:]...), jobs*(retries+1))
	t.Logf("%d attempts of %d, by worker: %v", attempts, jobs*(retries+1), workers)
}
