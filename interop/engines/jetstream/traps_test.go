package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// never is a delay that no test waits for.
const never = 24 * time.Hour

// patience is how long a test waits for a message that must come.
const patience = 2 * time.Minute

// begin starts an engine with n jobs that are called 0, 1, 2, ...
func begin(t *testing.T, n int) *engine {
	t.Helper()
	jobs := make([]string, n)
	for i := range jobs {
		jobs[i] = strconv.Itoa(i)
	}
	e, err := start(t.Context(), jobs...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	return e
}

func (e *engine) consumer(t *testing.T, cfg jetstream.ConsumerConfig) jetstream.Consumer {
	t.Helper()
	c, err := e.stream.CreateConsumer(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// take returns the next message, and how often it was delivered.
func take(t *testing.T, c jetstream.Consumer) (jetstream.Msg, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	msg, meta, err := next(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return msg, int(meta.NumDelivered)
}

// comes reports whether a message comes within d.
func comes(t *testing.T, c jetstream.Consumer, d time.Duration) bool {
	t.Helper()
	_, err := c.Next(jetstream.FetchMaxWait(d))
	if err != nil && !errors.Is(err, nats.ErrTimeout) {
		t.Fatal(err)
	}
	return err == nil
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestNakIgnoresBackOff: a plain Nak brings the message back at once, whatever the list.
func TestNakIgnoresBackOff(t *testing.T) {
	c := begin(t, 1).consumer(t, jetstream.ConsumerConfig{BackOff: []time.Duration{never, never}})
	for delivery := 1; delivery <= 5; delivery++ {
		msg, n := take(t, c)
		if n != delivery {
			t.Fatalf("delivery %d has number %d", delivery, n)
		}
		check(t, msg.Nak())
	}
}

// TestNoDelayIsNotSent: NakWithDelay sends a delay of 0 or less as a plain Nak, and the
// shortest one as what it is.
func TestNoDelayIsNotSent(t *testing.T) {
	e := begin(t, 1)
	answers, err := e.conn.SubscribeSync("$JS.ACK.>")
	check(t, err)
	c := e.consumer(t, jetstream.ConsumerConfig{AckWait: never})
	for _, tt := range []struct {
		delay time.Duration
		want  string
	}{
		{-time.Hour, "-NAK"},
		{0, "-NAK"},
		{1, `-NAK {"delay": 1}`},
		{never, `-NAK {"delay": 86400000000000}`},
	} {
		msg, _ := take(t, c)
		check(t, msg.NakWithDelay(tt.delay))
		answer, err := answers.NextMsg(patience)
		check(t, err)
		if got := string(answer.Data); got != tt.want {
			t.Errorf("NakWithDelay(%v) sends %q, want %q", tt.delay, got, tt.want)
		}
	}
}

// TestShortDelays: a delay above 0 that NakWithDelay sends lasts 10 ms or longer.
func TestShortDelays(t *testing.T) {
	delays, err := Measure(kept.Context(t, "four short delays"), slices.Values([]time.Duration{1, ms, 5 * ms, 9 * ms}), 4)
	check(t, err)
	for _, d := range delays {
		if d.Kept < 10*ms {
			t.Errorf("a delay of %v lasted %v, want at least 10ms: then the floor is no longer there", d.Asked, d.Kept)
		}
	}
	kept.Judge(t, []time.Duration{1, 1, 1}, kept.Bound{Late: 10*ms + 4*ms}, func(ctx context.Context) ([]kept.Delay, error) {
		return Measure(ctx, backoff.Constant(1), 3)
	})
}

// TestNakWithDelayAndBackOff: if a consumer has a list, then after redelivery k the server
// adds entry k of it, or the last one, to the delay, and subtracts entry 0.
func TestNakWithDelayAndBackOff(t *testing.T) {
	e := begin(t, 1)
	kept.Judge(t, []time.Duration{250 * ms, 350 * ms, 550 * ms, 550 * ms}, kept.Exact, func(ctx context.Context) ([]kept.Delay, error) {
		c, err := e.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{BackOff: []time.Duration{100 * ms, 200 * ms, 400 * ms}})
		if err != nil {
			return nil, err
		}
		var r kept.Recorder
		for _, wait := range []time.Duration{250 * ms, 350 * ms, 550 * ms, 550 * ms, never} {
			msg, _, err := next(ctx, c)
			if err != nil {
				return nil, err
			}
			r.Attempt()
			r.Ask(wait)
			if err := msg.NakWithDelay(250 * ms); err != nil {
				return nil, err
			}
		}
		return r.Delays(), nil
	})
}

// TestNaksPutOffRetries: while a consumer gives delays less than 10 ms apart, a message
// whose delay is over does not come back. A round says nothing if the message comes back
// after the busy machine has let 8 ms pass between two of these delays.
func TestNaksPutOffRetries(t *testing.T) {
	e := begin(t, 2)
	cameBack := 0
	for range 20 {
		c := e.consumer(t, jetstream.ConsumerConfig{})
		waiting, _ := take(t, c)
		other, _ := take(t, c)
		gap, last := time.Duration(0), time.Now()
		check(t, waiting.NakWithDelay(20*ms))
		came := make(chan error)
		go func() {
			_, err := c.Next(jetstream.FetchMaxWait(400 * ms))
			came <- err
		}()
		var err error
		for waits := true; waits; {
			select {
			case err = <-came:
				waits = false
			case <-time.After(ms):
				check(t, e.conn.Publish(other.Reply(), []byte(`-NAK {"delay": 86400000000000}`)))
				check(t, e.conn.Flush())
			}
			gap, last = max(gap, time.Since(last)), time.Now()
		}
		if errors.Is(err, nats.ErrTimeout) {
			return
		}
		check(t, err)
		if gap < 8*ms {
			cameBack++
		}
		if cameBack == 2 {
			t.Fatalf("a message came back after its 20ms, though other delays were given at most %v apart", gap)
		}
		check(t, e.stream.DeleteConsumer(t.Context(), c.CachedInfo().Name))
	}
	t.Skip("the machine is too busy to tell")
}

// TestWaitingCountsAsPending: messages that wait for a retry count for MaxAckPending, so
// new ones stay away.
func TestWaitingCountsAsPending(t *testing.T) {
	e := begin(t, 3)
	if got := e.consumer(t, jetstream.ConsumerConfig{}).CachedInfo().Config.MaxAckPending; got != 1000 {
		t.Errorf("MaxAckPending is %d by default, want 1000", got)
	}
	c := e.consumer(t, jetstream.ConsumerConfig{MaxAckPending: 2})
	for range 2 {
		msg, _ := take(t, c)
		check(t, msg.NakWithDelay(never))
	}
	if comes(t, c, 200*ms) {
		t.Error("a third message came, with 2 waiting and MaxAckPending 2")
	}
	info, err := c.Info(t.Context())
	check(t, err)
	if diff := cmp.Diff([]int{2, 1}, []int{info.NumAckPending, int(info.NumPending)}); diff != "" {
		t.Errorf("messages waiting and new (-want +got):\n%s", diff)
	}
}

// TestZeroInList: an entry of 0 lasts as long as the first one. If that is 0 too, nothing
// is redelivered.
func TestZeroInList(t *testing.T) {
	e := begin(t, 1)
	c := e.consumer(t, jetstream.ConsumerConfig{BackOff: []time.Duration{60 * ms, 0, never}})
	waits, err := unanswered(kept.Context(t, "two redeliveries"), c, 2)
	check(t, err)
	if waits[1] < 60*ms {
		t.Errorf("delay 1 of 60ms, 0, ... lasted %v, want at least 60ms", waits[1])
	}

	c = e.consumer(t, jetstream.ConsumerConfig{BackOff: []time.Duration{0, ms}})
	if got := c.CachedInfo().Config.AckWait; got != 0 {
		t.Errorf("AckWait is %v with a list that begins with 0, want 0", got)
	}
	take(t, c)
	if comes(t, c, 300*ms) {
		t.Error("a message came back with a list that begins with 0")
	}

	list := adapt.List(slices.Values([]time.Duration{0, ms, 0}), 3)
	_, err = unanswered(kept.Context(t, "five redeliveries"), e.consumer(t, jetstream.ConsumerConfig{BackOff: list}), 5)
	check(t, err) // which says that nothing came
}

// TestListRefused: the server refuses a negative entry, and a list longer than MaxDeliver.
func TestListRefused(t *testing.T) {
	e := begin(t, 0)
	for _, tt := range []struct {
		cfg  jetstream.ConsumerConfig
		want jetstream.ErrorCode // 0: accepted
	}{
		{jetstream.ConsumerConfig{BackOff: []time.Duration{ms, -1}}, 10184},
		{jetstream.ConsumerConfig{BackOff: []time.Duration{ms, ms}, MaxDeliver: 1}, 10116},
		{jetstream.ConsumerConfig{BackOff: []time.Duration{ms, ms}, MaxDeliver: 2}, 0},
		{jetstream.ConsumerConfig{BackOff: []time.Duration{ms, ms}, MaxDeliver: 3}, 0},
		{jetstream.ConsumerConfig{BackOff: []time.Duration{ms, ms}}, 0},
	} {
		_, err := e.stream.CreateConsumer(t.Context(), tt.cfg)
		got := jetstream.ErrorCode(0)
		if refused := (*jetstream.APIError)(nil); errors.As(err, &refused) {
			got = refused.ErrorCode
		} else {
			check(t, err)
		}
		if got != tt.want {
			t.Errorf("BackOff %v with MaxDeliver %d: error code %d, want %d", tt.cfg.BackOff, tt.cfg.MaxDeliver, got, tt.want)
		}
	}
}

// TestMaxDeliver: if MaxDeliver is the length of the list, the message comes that often.
// After the last delay the server reports that it gives up, but only to a worker that
// wants a message.
func TestMaxDeliver(t *testing.T) {
	e := begin(t, 1)
	reports, err := e.conn.SubscribeSync("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>")
	check(t, err)
	c := e.consumer(t, jetstream.ConsumerConfig{BackOff: []time.Duration{10 * ms, 20 * ms}, MaxDeliver: 2})
	_, err = unanswered(kept.Context(t, "a redelivery"), c, 1)
	check(t, err)
	for start := time.Now(); ; {
		if comes(t, c, 100*ms) {
			t.Fatal("a third message came, want 2")
		}
		if _, err := reports.NextMsg(100 * ms); err == nil {
			return
		}
		if time.Since(start) > patience {
			t.Fatal("the server does not report that it has given up")
		}
	}
}

// TestListReplacesAckWait: the first delay of the list is what the server calls AckWait.
func TestListReplacesAckWait(t *testing.T) {
	c := begin(t, 0).consumer(t, jetstream.ConsumerConfig{AckWait: never, BackOff: []time.Duration{ms, never}})
	if got := c.CachedInfo().Config.AckWait; got != ms {
		t.Errorf("AckWait is %v, want 1ms", got)
	}
}

// TestUnaskedRedelivery: a delivery that nobody answered counts, so the retry after it
// waits for the delay after it, and not for the one before.
func TestUnaskedRedelivery(t *testing.T) {
	e := begin(t, 1)
	c := e.consumer(t, jetstream.ConsumerConfig{AckWait: 20 * ms})
	delay := adapt.FuncFrom(1, backoff.Exponential(100*ms, 2))
	var asked []time.Duration
	for i := range 4 {
		msg, n := take(t, c)
		asked = append(asked, delay(n))
		if i == 2 {
			check(t, msg.NakWithDelay(delay(n))) // and the others are forgotten
		}
	}
	if diff := cmp.Diff([]time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms}, asked); diff != "" {
		t.Errorf("the delays of four deliveries (-want +got):\n%s", diff)
	}
}

// TestJitter: with NakWithDelay each message has a sample of its own, and comes back no
// earlier than that. A list is one sample for all.
func TestJitter(t *testing.T) {
	const jobs = 50
	e := begin(t, jobs)
	c := e.consumer(t, jetstream.ConsumerConfig{MaxAckPending: -1})
	delay := adapt.FuncFrom(1, backoff.FullJitter(400*ms, 400*ms))
	due := make(map[string]time.Time)
	samples := make(map[time.Duration]bool)
	for done := 0; done < jobs; {
		msg, n := take(t, c)
		job := string(msg.Data())
		if n == 1 {
			d := delay(n)
			samples[d] = true
			due[job] = time.Now().Add(d)
			check(t, msg.NakWithDelay(d))
			continue
		}
		if early := time.Until(due[job]); early > 0 {
			t.Errorf("job %s came %v too early", job, early)
		}
		check(t, msg.Ack())
		done++
	}
	if len(samples) < jobs {
		t.Errorf("%d jobs had %d different delays", jobs, len(samples))
	}
}

// TestSameDelay: of 3,000 messages with the same delay each comes back once, and none
// early.
func TestSameDelay(t *testing.T) {
	const jobs = 3000
	e := begin(t, 0)
	for i := range jobs {
		check(t, e.conn.Publish("jobs", fmt.Append(nil, i)))
	}
	c := e.consumer(t, jetstream.ConsumerConfig{AckWait: never, MaxAckPending: -1})
	messages, err := c.Messages()
	check(t, err)
	defer messages.Stop()
	due := make(map[string]time.Time)
	for done := 0; done < jobs; {
		msg, err := messages.Next(jetstream.NextMaxWait(patience))
		check(t, err)
		meta, err := msg.Metadata()
		check(t, err)
		job := string(msg.Data())
		switch meta.NumDelivered {
		case 1:
			due[job] = time.Now().Add(300 * ms)
			check(t, msg.NakWithDelay(300*ms))
		case 2:
			if early := time.Until(due[job]); early > 0 {
				t.Fatalf("job %s came %v too early", job, early)
			}
			check(t, msg.Ack())
			done++
		default:
			t.Fatalf("job %s came %d times", job, meta.NumDelivered)
		}
	}
}
