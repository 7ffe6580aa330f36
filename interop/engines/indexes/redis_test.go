package indexes

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"example.com/backoff"
	"example.com/backoff/adapt"
	engine "example.com/backoff/interop/engines/asynq"
	"example.com/backoff/interop/service"
)

func redisDial(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	wantError(t, redisPing(t, r.of(adapt.Func(seq)), enough+1, -1), io.EOF)
}

// redisPing is a command that dials and fails, with an error after which a command is
// retried. Each attempt of the command dials as often as dials says.
func redisPing(t *testing.T, delay func(int) time.Duration, dials, maxRetries int) error {
	logging.Disable()
	defer logging.Enable()
	c := redis.NewClient(&redis.Options{
		Dialer:             func(context.Context, string, string) (net.Conn, error) { return nil, io.EOF },
		DialerRetries:      dials,
		DialerRetryBackoff: delay,
		MaxRetries:         maxRetries,
		MinRetryBackoff:    -1,
		MaxRetryBackoff:    -1,
	})
	defer c.Close()
	return c.Ping(t.Context()).Err()
}

// TestRedisStartsAgain: each retry of a command counts its dials from 0, so the delays of
// a schedule come MaxRetries+1 times. If this fails, correct the table of hooks.
func TestRedisStartsAgain(t *testing.T) {
	r := newRecord()
	wantError(t, redisPing(t, r.of(adapt.Func(backoff.Constant(0))), 3, 1), io.EOF)
	want := []call{{0, 0}, {1, 0}, {0, 0}, {1, 0}}
	if d := cmp.Diff(want, r.first()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func asynqRetryDelay(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	address := asynq.RedisClientOpt{Addr: service.Need(t, service.Redis), ReadTimeout: time.Minute}
	queue := fmt.Sprintf("backoff-indexes-%016x", rand.Uint64())
	delay := adapt.RetryDelay[*asynq.Task](seq)
	s := asynq.NewServer(address, asynq.Config{
		Concurrency:              1,
		Queues:                   map[string]int{queue: 1},
		TaskCheckInterval:        10 * time.Millisecond,
		DelayedTaskCheckInterval: 10 * time.Millisecond,
		LogLevel:                 asynq.FatalLevel,
		RetryDelayFunc: func(n int, err error, task *asynq.Task) time.Duration {
			return r.call(n, delay(n, err, task))
		},
	})
	if err := s.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error { return errFailed })); err != nil {
		t.Fatal(err)
	}
	defer func() {
		s.Shutdown()
		if err := engine.Remove(context.WithoutCancel(t.Context()), queue); err != nil {
			t.Error(err)
		}
	}()
	c := asynq.NewClient(address)
	defer c.Close()
	if _, err := c.EnqueueContext(t.Context(), asynq.NewTask("fails", nil), asynq.Queue(queue), asynq.MaxRetry(enough)); err != nil {
		t.Fatal(err)
	}
	r.wait(t)
}
