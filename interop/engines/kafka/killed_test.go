package kafka

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
	"example.com/backoff/interop/killed"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestMain(m *testing.M) { os.Exit(killed.Main(m, work)) }

const retries = 24

// rungs is the ladder of the worker that is killed: 24 delays from 20 ms to 250 ms, in six
// topics.
func rungs() adapt.Rungs { return adapt.Ladder(backoff.Linear(20*ms, 10*ms), retries, 6) }

// work is a worker whose jobs fail until their last retry.
func work(broker string) error {
	// Another goroutine makes the next attempt, on a busy machine perhaps before this one has
	// told that the retry is written. That would look as if the job fell back.
	var mu sync.Mutex
	told := map[string]chan struct{}{} // by job, closed afterwards
	w := &Worker{Brokers: []string{broker}, Topic: "jobs", ID: "0", Rungs: rungs()}
	w.Attempt = func(_ context.Context, job *kgo.Record, retry int) error {
		mu.Lock()
		last := told[string(job.Key)]
		mu.Unlock()
		if last != nil {
			<-last
		}
		killed.Begin(string(job.Key), retry)
		if retry < retries {
			return errFailed
		}
		killed.Done(string(job.Key), retry)
		return nil
	}
	w.around = func(job *kgo.Record, retry int, failure error, commit func() error) func() error {
		if failure == nil {
			return commit
		}
		return func() error {
			this := make(chan struct{})
			defer close(this)
			mu.Lock()
			told[string(job.Key)] = this
			mu.Unlock()
			return killed.Ask(string(job.Key), retry, asked(w.Rungs)[retry], commit)
		}
	}
	return w.Run(context.Background())
}

// TestKilled kills the worker 20 times. Kafka goes on in the process of the test.
func TestKilled(t *testing.T) {
	w := &Worker{Topic: "jobs", Rungs: rungs()}
	c := cluster(t, w, 2)
	var jobs []string
	for n := range 5 {
		job := string('a' + rune(n))
		jobs = append(jobs, job)
		if err := produce(t.Context(), w.Brokers, &kgo.Record{Topic: "jobs", Key: []byte(job)}); err != nil {
			t.Fatal(err)
		}
	}
	events := killed.Run(t, w.Brokers[0], jobs, 20)
	killed.Check(t, events, jobs, asked(w.Rungs))
	once(t, committed(t, c.ListenAddrs(), w.Topics()[1:]...), len(jobs)*retries)
}

// once fails the test unless there are want records, each of another retry.
func once(t *testing.T, records []*kgo.Record, want int) {
	t.Helper()
	written := map[string]int{}
	for _, r := range records {
		written[fmt.Sprintf("retry %d of %s in %s", retryOf(r), r.Key, r.Topic)]++
	}
	for what, n := range written {
		if n != 1 {
			t.Errorf("%s was written %d times", what, n)
		}
	}
	if len(written) != want {
		t.Errorf("%d records, want %d", len(written), want)
	}
}

// TestRestart starts a worker whose predecessor stands still just before the end of a
// transaction. The transaction is undone at once, not after kgo.TransactionTimeout, and
// the job is retried.
func TestRestart(t *testing.T) {
	ctx, stop := context.WithCancel(kept.Context(t, "the last retry of a job"))
	defer stop()
	first := &Worker{Topic: "jobs", ID: "0", Rungs: adapt.Ladder(backoff.Constant(10*ms), 2, 1)}
	c := cluster(t, first, 1)
	standing := make(chan struct{})
	c.ControlKey(int16(kmsg.EndTxn), func(kmsg.Request) (kmsg.Response, error, bool) {
		close(standing)
		return nil, nil, true // never answered
	})
	first.Attempt = func(context.Context, *kgo.Record, int) error { return errFailed }
	if err := produce(ctx, first.Brokers, &kgo.Record{Topic: "jobs", Key: []byte("a")}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	go func() { ended <- first.Run(ctx) }()
	kept.Receive(t, standing, "the end of a transaction")

	start := time.Now()
	second := *first
	second.Attempt = func(_ context.Context, _ *kgo.Record, retry int) error {
		if retry < 2 {
			return errFailed
		}
		return nil
	}
	second.around = func(_ *kgo.Record, retry int, _ error, commit func() error) func() error {
		return func() error {
			err := commit()
			if retry == 2 {
				stop()
			}
			return err
		}
	}
	go func() { ended <- second.Run(ctx) }()
	<-ended
	<-ended
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("the restart took %v, want less than the 40s of kgo.TransactionTimeout", took)
	}
	once(t, committed(t, c.ListenAddrs(), first.Topics()[1:]...), 2)
}
