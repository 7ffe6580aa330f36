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
)

// A hook is a function that an engine asks for the delay before a retry.
type hook struct {
	engine, name string
	first        int // the number of the first retry

	// run puts seq into the hook by a function of package adapt, and lets the engine
	// retry until r is full or somewhat longer.
	run func(t *testing.T, seq iter.Seq[time.Duration], r *record)
}

// hooks are the rows of the test.
var hooks = []hook{
	{"AWS SDK v2", "BackoffDelay", 1, awsBackoffDelay("")},
	{"AWS SDK v2, AWS_NEW_RETRIES_2026", "BackoffDelay", 0, awsBackoffDelay("true")},
	{"asynq", "Config.RetryDelayFunc", 0, asynqRetryDelay},
	{"avast/retry-go v4", "DelayType", 1, avastV4DelayType},
	{"avast/retry-go v5", "DelayType", 1, avastV5DelayType},
	{"elastic-transport-go", "Config.RetryBackoff", 1, elasticRetryBackoff},
	{"elastic (olivere)", "Backoff.Next", 1, olivereNext},
	{"failsafe-go", "ExecutionAttempt.Attempts in WithDelayFunc", 1, failsafeAttempts},
	{"failsafe-go", "ExecutionAttempt.Retries in WithDelayFunc", 0, failsafeRetries},
	{"franz-go", "RetryBackoffFn", 1, franzRetryBackoff},
	{"go-grpc-middleware", "WithBackoff, unary calls", 1, grpcUnary},
	{"go-grpc-middleware", "WithBackoff, opening a stream", 1, grpcStream},
	{"go-grpc-middleware", "WithBackoff, receiving from a stream", 1, grpcReceive},
	{"go-redis", "Options.DialerRetryBackoff", 0, redisDial},
	{"JetStream", "MsgMetadata.NumDelivered for NakWithDelay", 1, jetStreamNumDelivered},
	{"nats.go", "CustomReconnectDelay, a first connection", 1, natsConnect},
	{"nats.go", "CustomReconnectDelay, a lost connection", 1, natsReconnect},
	{"retryablehttp", "Client.Backoff", 0, retryableBackoff},
	{"sarama", "Metadata.Retry.BackoffFunc, the client", 0, saramaMetadata},
	{"sarama", "Producer.Retry.BackoffFunc", 1, saramaProducer},
	{"sarama", "Consumer.Retry.BackoffFunc", 1, saramaConsumer},
	{"Temporal", "activity.Info.Attempt for NextRetryDelay", 1, temporalAttempt},
	{"workqueue", "NumRequeues before When", 0, workqueueWhen},
}

// TestIndexes: each engine gives its hook the numbers first, first+1, first+2, ..., and
// so gets delay 0, 1, 2, ...
func TestIndexes(t *testing.T) {
	if len(hooks) < 15 {
		t.Errorf("%d hooks, want 15 or more", len(hooks))
	}
	seq := backoff.Linear(time.Millisecond, time.Millisecond) // all different
	for _, h := range hooks {
		t.Run(h.engine+" "+h.name, func(t *testing.T) {
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
