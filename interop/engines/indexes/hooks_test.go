package indexes

import (
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// A hook is a function that an engine asks for the delay before a retry.
type hook struct {
	engine adapt.Engine
	name   string // empty: the one in the engine's row of package adapt
	first  int    // the number of the first retry

	// run puts seq into the hook by a function of package adapt, and lets the engine
	// retry until r is full or somewhat longer.
	run func(t *testing.T, seq iter.Seq[time.Duration], r *record)
}

// hooks are the rows of the test.
var hooks = []hook{
	{adapt.AWS, "", 1, awsBackoffDelay("")},
	{adapt.AWS, "the same with AWS_NEW_RETRIES_2026", 0, awsBackoffDelay("true")},
	{adapt.Asynq, "", 0, asynqRetryDelay},
	{adapt.Avast, "", 1, avastV5DelayType},
	{adapt.Avast, "DelayType of v4", 1, avastV4DelayType},
	{adapt.Elastic, "", 1, elasticRetryBackoff},
	{adapt.Engine{Name: "olivere/elastic"}, "Backoff.Next", 1, olivereNext},
	{adapt.Failsafe, "", 0, failsafeRetries},
	{adapt.Failsafe, "WithDelayFunc, exec.Attempts()", 1, failsafeAttempts},
	{adapt.FranzGo, "", 1, franzRetryBackoff},
	{adapt.GoGRPCMiddleware, "", 1, grpcUnary},
	{adapt.GoGRPCMiddleware, "retry.WithBackoff, opening a stream", 1, grpcStream},
	{adapt.GoGRPCMiddleware, "retry.WithBackoff, receiving from a stream", 1, grpcReceive},
	{adapt.GoRedis, "", 0, redisDial},
	{adapt.JetStream, "", 1, jetStreamNumDelivered},
	{adapt.NATSReconnect, "", 1, natsReconnect},
	{adapt.NATSReconnect, "nats.CustomReconnectDelay, a first connection", 1, natsConnect},
	{adapt.RetryableHTTP, "", 0, retryableBackoff},
	{adapt.Sarama, "", 1, saramaProducer},
	{adapt.Sarama, "Config.Consumer.Retry.BackoffFunc", 1, saramaConsumer},
	{adapt.Sarama, "Config.Metadata.Retry.BackoffFunc", 0, saramaMetadata},
	{adapt.Temporal, "", 1, temporalAttempt},
	{adapt.Workqueue, "NumRequeues before When", 0, workqueueWhen},
}

// elsewhere are engines that give a number, and have no row above.
var elsewhere = map[string]string{
	adapt.Inngest.Name:   "is a service",
	adapt.PubSub.Name:    "is a service",
	adapt.River.Name:     "is run by the folder river beside this one",
	adapt.SQS.Name:       "is a service",
	adapt.Watermill.Name: "gives no number: the middleware counts",
}

// TestIndexes: each engine gives its hook the numbers first, first+1, first+2, ..., and
// so gets delay 0, 1, 2, ...
func TestIndexes(t *testing.T) {
	seq := backoff.Linear(time.Millisecond, time.Millisecond) // all different
	for _, h := range hooks {
		name := h.name
		if name == "" {
			name = h.engine.Hook
		}
		t.Run(h.engine.Name+" "+name, func(t *testing.T) {
			r := newRecord()
			h.run(t, seq, r)
			var want []call
			for d := range backoff.Take(seq, enough) {
				want = append(want, call{h.first + len(want), d})
			}
			if d := cmp.Diff(want, r.first()); d != "" {
				t.Errorf("the engine counts otherwise than the table says (-want +got):\n%s", d)
			}
		})
	}
}

// TestTable: the first number of each engine in package adapt is the one that a row above
// has from the engine itself.
func TestTable(t *testing.T) {
	if len(hooks) < 15 {
		t.Errorf("%d hooks, want 15 or more", len(hooks))
	}
	for _, e := range adapt.Engines() {
		i := slices.IndexFunc(hooks, func(h hook) bool { return h.name == "" && h.engine.Name == e.Name })
		switch {
		case i >= 0:
			if got := hooks[i].first; e.Number == "" || got != e.First {
				t.Errorf("%s: %s is %d at the first retry, want %d", e.Name, e.Number, e.First, got)
			}
		case e.Number != "" && elsewhere[e.Name] == "":
			t.Errorf("%s has no row", e.Name)
		}
	}
}

// enough is how many calls of a hook are compared.
const enough = 4

// A call is a call of a hook: the number that the engine gave, and the delay that it got.
type call struct {
	Number int
	Delay  time.Duration
}

// A record holds the calls of one hook. An engine may call from any goroutine.
type record struct {
	mu    sync.Mutex
	calls []call
	full  chan struct{} // closed at the last of the calls that are compared
}

func newRecord() *record { return &record{full: make(chan struct{})} }

// call records a call, and returns delay.
func (r *record) call(number int, delay time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, call{number, delay})
	if len(r.calls) == enough {
		close(r.full)
	}
	return delay
}

// of returns a function like delay whose calls are recorded.
func (r *record) of(delay func(int) time.Duration) func(int) time.Duration {
	return func(n int) time.Duration { return r.call(n, delay(n)) }
}

// first returns the calls that are compared.
func (r *record) first() []call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls[:min(enough, len(r.calls))])
}

// len returns the number of all calls.
func (r *record) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls)
}

// wait returns when r is full. It fails the test if that takes minutes.
func (r *record) wait(t *testing.T) {
	t.Helper()
	select {
	case <-r.full:
	case <-time.After(5 * time.Minute):
		t.Fatalf("after 5 minutes the hook was called %d times, want %d", r.len(), enough)
	}
}

var errFailed = errors.New("failed")

// wantError fails the test unless err is want, or if want is nil any error.
func wantError(t *testing.T, err, want error) {
	t.Helper()
	if err == nil || want != nil && !errors.Is(err, want) {
		t.Fatalf("the error is %v, want %v", err, want)
	}
}
