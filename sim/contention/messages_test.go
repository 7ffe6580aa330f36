package contention

import (
	"container/heap"
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/sim/internal/engine"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A heapRace is the same model without the shortcuts of a race: each of the four messages of
// an attempt is an event in a container/heap, and the server counts versions. Clients draw
// the same numbers in the same order, so every write must arrive at the same nanosecond with
// the same success.
type heapRace struct {
	hop, deviation time.Duration
	clients        []heapClient
	version        int
	events         []heapEvent
	outcome
}

type heapClient struct {
	rand engine.Rand
	next func() (time.Duration, bool)
	stop func()
	seen int // the version that it read
}

type heapEvent struct {
	at     time.Duration
	client int
	kind   heapKind
}

type heapKind int

const (
	readArrives heapKind = iota
	readAnswered
	writeArrives
	writeFailed
)

func (r *heapRace) Len() int { return len(r.events) }
func (r *heapRace) Less(i, j int) bool {
	a, b := r.events[i], r.events[j]
	return a.at < b.at || a.at == b.at && a.client < b.client
}
func (r *heapRace) Swap(i, j int) { r.events[i], r.events[j] = r.events[j], r.events[i] }
func (r *heapRace) Push(e any)    { r.events = append(r.events, e.(heapEvent)) }
func (r *heapRace) Pop() any {
	e := r.events[len(r.events)-1]
	r.events = r.events[:len(r.events)-1]
	return e
}

func newHeapRace(config Config, clients int, seed uint64) *heapRace {
	r := &heapRace{hop: config.Hop, deviation: config.HopDeviation}
	for i := range clients {
		c := heapClient{rand: engine.NewRand(engine.Seed(seed, uint64(i)))}
		c.next, c.stop = iter.Pull(config.Schedule(c.rand.Uint64()))
		r.clients = append(r.clients, c)
		heap.Push(r, heapEvent{r.message(i), i, readArrives})
	}
	return r
}

func (r *heapRace) message(i int) time.Duration {
	d := r.hop + time.Duration(float64(r.deviation)*r.clients[i].rand.Normal())
	return max(d, -d)
}

func (r *heapRace) close() {
	for _, c := range r.clients {
		c.stop()
	}
}

// A write is the arrival of a write. The two versions of the model must agree on all.
type write struct {
	Client  int
	At      time.Duration
	Success bool
}

// step handles one event; wrote is false if it was not the arrival of a write.
func (r *heapRace) step() (w write, wrote bool) {
	e := heap.Pop(r).(heapEvent)
	c := &r.clients[e.client]
	switch e.kind {
	case readArrives:
		c.seen = r.version
		heap.Push(r, heapEvent{e.at + r.message(e.client), e.client, readAnswered})
	case readAnswered:
		heap.Push(r, heapEvent{e.at + r.message(e.client), e.client, writeArrives})
	case writeArrives:
		r.calls++
		known := e.at + r.message(e.client)
		if c.seen == r.version {
			r.version++
			r.time = max(r.time, known)
			return write{e.client, e.at, true}, true
		}
		heap.Push(r, heapEvent{known, e.client, writeFailed})
		return write{e.client, e.at, false}, true
	case writeFailed:
		delay, ok := c.next()
		if !ok || delay > horizon-e.at {
			r.gaveUp++
			break
		}
		heap.Push(r, heapEvent{e.at + delay + r.message(e.client), e.client, readArrives})
	}
	return write{}, false
}

func testEqual(t *rapid.T) {
	config := Default()
	config.Hop = time.Duration(rapid.Int64Range(1000, 1e7).Draw(t, "hop"))
	config.HopDeviation = time.Duration(rapid.Int64Range(0, 2*int64(config.Hop)).Draw(t, "deviation"))
	if rapid.Bool().Draw(t, "many draws") {
		// With messages of a few ns many arrive at the same time, in the order of
		// their clients' numbers. None takes 0 ns, which is 10 deviations away.
		config.Hop = time.Duration(rapid.Int64Range(10, 50).Draw(t, "short hop"))
		config.HopDeviation = config.Hop / 10
	}
	s := rapid.SampledFrom(schedules).Draw(t, "schedule")
	config.Schedule = s.delay
	clients := rapid.IntRange(1, 70).Draw(t, "clients")
	seed := rapid.Uint64().Draw(t, "seed")

	asWithAllMessages(t, config, clients, seed)
}

// asWithAllMessages runs one repetition both ways, write by write, and returns its outcome.
func asWithAllMessages(t rapid.TB, config Config, clients int, seed uint64) outcome {
	t.Helper()
	want := newHeapRace(config, clients, seed)
	defer want.close()
	got := newRace(&config)
	got.reset(context.Background(), clients, seed)
	for want.Len() > 0 {
		w, wrote := want.step()
		if !wrote {
			continue
		}
		i, at := got.writes.Next()
		g := write{i, at, got.write(i, at)}
		if g != w {
			t.Fatalf("write %d: got %+v, want %+v", want.calls, g, w)
		}
	}
	if _, at := got.writes.Next(); at != engine.Never {
		t.Errorf("a write is left, at %v", at)
	}
	if diff := cmp.Diff(want.outcome, got.outcome, cmp.AllowUnexported(outcome{})); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	return got.outcome
}

func TestEveryWriteAsWithAllMessages(t *testing.T) { rapid.Check(t, testEqual) }

// Of writes that arrive at the same nanosecond, the one of the client with the lower number
// comes first. With messages of 20 ns there are many.
func TestWritesAtOneTime(t *testing.T) {
	config := Default()
	config.Schedule, config.Hop, config.HopDeviation = none, 20, 2
	for seed := range uint64(20) {
		asWithAllMessages(t, config, 40, seed)
	}
}

// A client gives up after the last delay of its schedule and not before, also if that is the
// first or the last of a block.
func TestLastDelay(t *testing.T) {
	config := Default()
	for _, n := range []int{0, 1, firstBlock - 1, firstBlock, firstBlock + 1, 2*firstBlock - 1, 2 * firstBlock, 2*firstBlock + 1} {
		config.Schedule = func(uint64) iter.Seq[time.Duration] { return backoff.Take(backoff.Constant(0), n) }
		if o := asWithAllMessages(t, config, 60, 1); o.gaveUp == 0 {
			t.Errorf("no client gave up after %d retries, so the test shows nothing", n)
		}
	}
}

// If the times of messages differ much, answers overtake each other: the last client to
// succeed is not always the last to know.
func TestOvertakingAnswers(t *testing.T) {
	config := Default()
	config.Schedule, config.HopDeviation = none, 2*config.Hop
	got := newRace(&config)
	for seed := range uint64(300) {
		want := newHeapRace(config, 3, seed)
		for want.Len() > 0 {
			want.step()
		}
		want.close()
		if o, _ := got.run(context.Background(), 3, seed); o != want.outcome {
			t.Errorf("seed %d: got %+v, want %+v", seed, o, want.outcome)
		}
	}
}

// A race uses its memory again, without a trace of the repetition before.
func TestRaceAgain(t *testing.T) {
	config := Default()
	for _, s := range schedules {
		config.Schedule = s.delay
		used := newRace(&config)
		for seed := range uint64(20) {
			clients := 1 + int(seed*7%30)
			want, _ := newRace(&config).run(context.Background(), clients, seed)
			got, ok := used.run(context.Background(), clients, seed)
			if got != want || !ok {
				t.Fatalf("%s, seed %d: got %+v, %v, want %+v", s.name, seed, got, ok, want)
			}
		}
	}
}

func BenchmarkRep(b *testing.B) {
	for _, s := range schedules[:6] {
		config := Default()
		config.Schedule = s.delay
		const clients = 100
		for _, engine := range []string{"writes in a tree", "messages in a heap"} {
			b.Run(fmt.Sprintf("%s/%s", s.name, engine), func(b *testing.B) {
				b.ReportAllocs()
				r := newRace(&config)
				seed, calls := uint64(0), int64(0)
				for b.Loop() {
					if engine == "writes in a tree" {
						o, _ := r.run(b.Context(), clients, seed)
						calls += o.calls
					} else {
						h := newHeapRace(config, clients, seed)
						for h.Len() > 0 {
							h.step()
						}
						h.close()
						calls += h.calls
					}
					seed++
				}
				b.ReportMetric(4e3*float64(calls)/float64(b.Elapsed().Nanoseconds()), "Mmessages/s")
			})
		}
	}
}

// The published experiment with its five schedules has 60 million messages.
func BenchmarkGrid(b *testing.B) {
	five := slices.Concat(schedules[:4], schedules[5:6])
	for b.Loop() {
		calls := 0.0
		for _, s := range five {
			config := Default()
			config.Schedule = s.delay
			result, err := Run(context.Background(), config)
			if err != nil {
				b.Fatal(err)
			}
			for _, cell := range result.Cells {
				calls += cell.Calls * float64(cell.Reps)
			}
		}
		b.ReportMetric(4*calls/1e6, "Mmessages/op")
	}
}
