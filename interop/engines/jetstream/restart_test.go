package jetstream

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// TestRestartedServer: a delay that waits while the server restarts ends early, but by
// less than 1 s, because the server stores times in whole seconds. The number of the
// delivery is kept.
func TestRestartedServer(t *testing.T) {
	for range 10 {
		if early := restartIn(t, 2*time.Second); early >= time.Second {
			t.Fatalf("a delay of 2s that a restart interrupts ended %v early, want less than 1s", early)
		} else if early > 200*ms {
			return
		}
	}
	t.Error("in 10 rounds no delay that a restart interrupts ended early")
}

// restartIn restarts the server during a delay, and returns how much too early the delay
// ends. The delay ends late in a second, so that the whole second before it is much earlier.
func restartIn(t *testing.T, delay time.Duration) (early time.Duration) {
	e := begin(t, 1)
	c := e.consumer(t, jetstream.ConsumerConfig{Durable: "worker"})
	msg, _ := take(t, c)
	now := time.Now()
	time.Sleep(now.Truncate(time.Second).Add(1600 * ms).Sub(now))
	asked := time.Now()
	check(t, msg.NakWithDelay(delay))
	check(t, e.conn.Flush())
	e.stop()
	js, err := e.run()
	check(t, err)
	c, err = js.Consumer(t.Context(), "jobs", "worker")
	check(t, err)
	_, n := take(t, c)
	early = delay - time.Since(asked)
	if n != 2 {
		t.Errorf("the delivery after the restart has number %d, want 2", n)
	}
	return early
}
