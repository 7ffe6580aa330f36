package overload

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/sim/internal/engine"
	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A heapWorld is the same model written down plainly: every event is an entry of a
// container/heap, every request is an object, each of which the server looks at by
// itself, and every operation holds its schedule. Clients draw the same numbers in the
// same order, so that every second must come out the same, to the nanosecond.
type heapWorld struct {
	*world // for its configuration, times to think and statistics alone

	heap  []*heapEvent
	count int

	users   []*user
	idle    []*user
	slow    float64
	stopped bool

	running int // open requests
	// What the server last knew of that.
	seenRunning int
	seenLatency time.Duration
	queue       []*call
	outside     []*call
	takes       bool          // an accept is in the heap
	turn        int           // which one counts
	free        time.Duration // when the acceptor is
	deferred    []*heapEvent
}

type user struct {
	number int
	rand   engine.Rand
	tries  int
	next   func() (time.Duration, bool)
	stop   func()
}

type call struct {
	user   *user
	sent   time.Duration
	over   bool // for the client
	open   bool
	ticked time.Duration // the first tick after it opened
}

type heapEvent struct {
	at    time.Duration
	class int // the order of events at one time
	order int // and of those of one class
	do    func(now time.Duration)
}

const (
	classMark = iota
	classChange
	classAccept
	classLook
	classArrival
	classDue
	classReach
	classHear
	classTimeout
	classSend
)

func (w *heapWorld) Len() int { return len(w.heap) }
func (w *heapWorld) Less(i, j int) bool {
	a, b := w.heap[i], w.heap[j]
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.class, b.class), cmp.Compare(a.order, b.order)) < 0
}
func (w *heapWorld) Swap(i, j int) { w.heap[i], w.heap[j] = w.heap[j], w.heap[i] }
func (w *heapWorld) Push(e any)    { w.heap = append(w.heap, e.(*heapEvent)) }
func (w *heapWorld) Pop() any {
	e := w.heap[len(w.heap)-1]
	w.heap = w.heap[:len(w.heap)-1]
	return e
}

func (w *heapWorld) plan(at time.Duration, class, order int, do func(now time.Duration)) {
	if at <= w.end {
		w.count++
		if class != classSend {
			order = w.count
		}
		heap.Push(w, &heapEvent{at, class, order, do})
	}
}

// runHeap runs config's experiment that way.
func runHeap(config *Config, seed uint64) ([]Second, Verdict) {
	w := &heapWorld{world: newWorld(config, seed), slow: 1}
	for at := time.Second; ; at += time.Second {
		w.plan(min(at, w.end), classMark, 0, func(time.Duration) {
			if !w.stopped {
				w.seenRunning, w.seenLatency = w.running, w.latency()
			}
			w.stats.Open, w.stats.Queued = int64(w.seenRunning), int64(len(w.queue))
			w.stats.Latency = w.seenLatency
			if w.stats.OK > 0 {
				w.stats.Seen = w.stats.seen / time.Duration(w.stats.OK)
			}
			w.stats.seconds = append(w.stats.seconds, w.stats.Second)
			w.stats.Second, w.stats.seen = Second{}, 0
		})
		if at >= w.end {
			break
		}
	}
	if from, to := config.during(); from < to {
		w.plan(from, classChange, 0, w.begin)
		w.plan(to, classChange, 0, w.finish)
	}
	if config.Rate > 0 {
		r := engine.NewRand(engine.Seed(seed, 1))
		begun := uint64(0)
		var arrive func(now time.Duration)
		arrive = func(now time.Duration) {
			w.plan(w.begins(now, &r), classArrival, 0, arrive)
			u := &user{number: len(w.users)}
			if n := len(w.idle); n > 0 {
				u = w.idle[n-1]
				w.idle = w.idle[:n-1]
			} else {
				w.users = append(w.users, u)
			}
			u.rand = engine.NewRand(engine.Seed(seed, 0, begun))
			begun++
			w.send(u, now)
		}
		w.plan(w.begins(0, &r), classArrival, 0, arrive)
	}
	for i := range config.Clients {
		u := &user{number: i, rand: engine.NewRand(engine.Seed(seed, 0, uint64(i)))}
		w.users = append(w.users, u)
		w.plan(w.begins(0, &u.rand), classSend, i, func(now time.Duration) { w.send(u, now) })
	}
	for len(w.stats.seconds) == 0 || len(w.heap) > 0 && w.heap[0].at < w.end || len(w.stats.seconds) < int((w.end+time.Second-1)/time.Second) {
		e := heap.Pop(w).(*heapEvent)
		e.do(e.at)
	}
	for _, u := range w.users {
		u.end()
	}
	return w.stats.seconds, w.stats.verdict(config)
}

func (u *user) end() {
	if u.next != nil {
		u.stop()
		u.next = nil
	}
	u.tries = 0
}

func (w *heapWorld) latency() time.Duration {
	return slower(w.config.Latency.At(w.running), w.slow)
}

func (w *heapWorld) begin(now time.Duration) {
	switch w.config.Trigger.Kind {
	case Stop:
		w.seenRunning, w.seenLatency = w.running, w.latency()
		w.stopped = true
		w.takes = false
		w.turn++
	case SlowDown:
		w.slow = w.config.Trigger.Factor
	}
}

func (w *heapWorld) finish(now time.Duration) {
	switch w.config.Trigger.Kind {
	case Stop:
		w.stopped = false
		for _, e := range w.deferred {
			e.do(now)
		}
		w.deferred = nil
		if len(w.queue) > 0 {
			w.accept(max(now, w.free))
		}
		for _, c := range w.outside {
			if !c.over {
				w.again(c, now)
			}
		}
		w.outside = nil
	case SlowDown:
		w.slow = 1
	}
}

func (w *heapWorld) send(u *user, now time.Duration) {
	if u.tries == 0 {
		w.stats.First++
	} else {
		w.stats.Retries++
	}
	c := &call{user: u, sent: now}
	w.plan(now+w.config.Timeout, classTimeout, 0, func(now time.Duration) {
		if c.over {
			return
		}
		w.stats.Timeouts++
		if c.open && w.config.Abandoned == Drop {
			c.open = false
			w.running--
		}
		w.fail(c, now)
	})
	if w.config.Network == 0 {
		w.connect(c, now)
		return
	}
	w.plan(now+w.travels(u), classReach, 0, func(now time.Duration) { w.connect(c, now) })
}

func (w *heapWorld) travels(u *user) time.Duration {
	return time.Duration(u.rand.Exp() * float64(w.config.Network))
}

func (w *heapWorld) connect(c *call, now time.Duration) {
	switch {
	case !w.stopped && len(w.queue) == 0 && w.free <= now:
		w.open(c, now)
		w.free = now + w.config.Accept
	case len(w.queue) < w.config.Queue:
		w.queue = append(w.queue, c)
		if !w.stopped && !w.takes {
			w.accept(w.free)
		}
	case w.stopped:
		w.outside = append(w.outside, c)
	default:
		w.again(c, now)
	}
}

func (w *heapWorld) again(c *call, now time.Duration) {
	at := now + 1 + time.Duration(c.user.rand.Uint64N(uint64(w.config.Reconnect)))
	if at < c.sent+w.config.Timeout {
		w.plan(at, classSend, c.user.number, func(now time.Duration) { w.connect(c, now) })
	}
}

func (w *heapWorld) accept(at time.Duration) {
	w.takes = true
	w.turn++
	turn := w.turn
	w.plan(at, classAccept, 0, func(now time.Duration) {
		if turn != w.turn {
			return // A stop came between.
		}
		w.takes = false
		c := w.queue[0]
		w.queue = w.queue[1:]
		w.open(c, now)
		w.free = now + w.config.Accept
		if len(w.queue) > 0 {
			w.accept(w.free)
		}
	})
}

func (w *heapWorld) open(c *call, now time.Duration) {
	if c.over && w.config.Abandoned == Drop {
		return
	}
	c.open = true
	w.running++
	w.stats.peak = max(w.stats.peak, int64(w.running))
	poll := w.config.Poll
	if poll == 0 {
		if takes := w.latency(); takes < engine.Never-now {
			w.plan(now+takes, classDue, 0, w.whenRunning(func(now time.Duration) { w.answer(c, now) }))
		}
		return
	}
	width := max((poll+499)/500, 1)
	within := (now%poll/width + 1) * width
	c.ticked = now - now%poll + min(within, poll)
	w.looks(c, c.ticked)
}

// whenRunning puts do off to the end of a stop.
func (w *heapWorld) whenRunning(do func(now time.Duration)) func(now time.Duration) {
	return func(now time.Duration) {
		if w.stopped {
			w.deferred = append(w.deferred, &heapEvent{do: do})
			return
		}
		do(now)
	}
}

// looks plans the look at c at a tick, and in it the next. Of those at one tick the
// older request's comes first, so they take c's place in the order.
func (w *heapWorld) looks(c *call, tick time.Duration) {
	w.count++
	order := w.count
	missed := false
	var look func(now time.Duration)
	next := func(tick time.Duration) {
		if tick <= w.end {
			heap.Push(w, &heapEvent{tick, classLook, order, look})
		}
	}
	look = func(now time.Duration) {
		if w.stopped {
			if !missed {
				missed = true
				w.deferred = append(w.deferred, &heapEvent{do: func(now time.Duration) {
					if c.open && w.latency() <= now-c.ticked {
						w.answer(c, now)
					}
				}})
			}
			next(now + w.config.Poll)
			return
		}
		switch {
		case !c.open:
		case w.latency() <= now-c.ticked:
			w.answer(c, now)
		default:
			next(now + w.config.Poll)
		}
	}
	next(tick)
}

func (w *heapWorld) answer(c *call, now time.Duration) {
	if !c.open {
		return
	}
	c.open = false
	w.running--
	if c.over || w.config.Network == 0 {
		w.hear(c, now)
		return
	}
	w.plan(now+w.travels(c.user), classHear, 0, func(now time.Duration) { w.hear(c, now) })
}

func (w *heapWorld) hear(c *call, now time.Duration) {
	switch {
	case c.over:
		w.stats.Wasted++
	case w.config.Failures > 0 && c.user.rand.Float64() < w.config.Failures:
		w.stats.Refused++
		w.fail(c, now)
	default:
		w.stats.OK++
		w.stats.seen += now - c.sent
		if len(w.budgets) > 0 {
			w.budgets[c.user.number%len(w.budgets)].Succeeded()
		}
		w.finishOperation(c, now)
	}
}

func (w *heapWorld) fail(c *call, now time.Duration) {
	u := c.user
	allowed := len(w.budgets) == 0 || w.budgets[u.number%len(w.budgets)].Failed()
	if u.next == nil {
		u.next, u.stop = iter.Pull(w.config.Schedule(u.rand.Uint64()))
	}
	delay, more := u.next()
	switch {
	case !more:
		w.stats.GaveUp++
		w.finishOperation(c, now)
	case !allowed:
		w.stats.Denied++
		w.finishOperation(c, now)
	default:
		c.over = true
		u.tries++
		if delay < w.end-now {
			w.plan(now+delay, classSend, u.number, func(now time.Duration) { w.send(u, now) })
		}
	}
}

func (w *heapWorld) finishOperation(c *call, now time.Duration) {
	c.over = true
	u := c.user
	u.end()
	if w.config.Rate > 0 {
		w.idle = append(w.idle, u)
		return
	}
	w.plan(w.begins(now, &u.rand), classSend, u.number, func(now time.Duration) { w.send(u, now) })
}

func testEverySecondAsInHeap(t *rapid.T) {
	duration := func(name string, lo, hi time.Duration) time.Duration {
		return time.Duration(rapid.Int64Range(int64(lo), int64(hi)).Draw(t, name))
	}
	config := Default()
	s := rapid.SampledFrom(schedules).Draw(t, "schedule")
	config.Schedule = s.delay
	if rapid.Bool().Draw(t, "open arrivals") {
		config.Clients, config.Rate = 0, rapid.Float64Range(1, 20).Draw(t, "rate")
	} else {
		config.Clients = rapid.IntRange(1, 20).Draw(t, "clients")
		config.Think = duration("think", time.Millisecond, 3*time.Second)
	}
	config.Timeout = duration("timeout", 200*time.Millisecond, time.Second)
	config.Network = rapid.SampledFrom([]time.Duration{0, 0, time.Nanosecond, 20 * time.Millisecond, time.Second}).Draw(t, "network")
	config.Latency = ExponentialLatency{
		Base:   duration("base", 5*time.Millisecond, 200*time.Millisecond),
		Limit:  rapid.IntRange(0, 10).Draw(t, "limit"),
		Factor: rapid.Float64Range(1, 1.5).Draw(t, "factor"),
		Scale:  rapid.Float64Range(0.5, 10).Draw(t, "scale"),
	}
	if rapid.Bool().Draw(t, "linear") {
		config.Latency = LinearLatency{duration("base", 5*time.Millisecond, 200*time.Millisecond), duration("per open", 0, 10*time.Millisecond)}
	}
	config.Poll = rapid.OneOf(
		rapid.SampledFrom([]time.Duration{0, 20 * time.Millisecond, 17777 * time.Microsecond, 50 * time.Millisecond}),
		rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.Int64Range(1e7, 1e9).Draw(t, "poll"))
		})).Draw(t, "poll")
	config.Abandoned = rapid.SampledFrom([]Abandoned{Keep, Drop}).Draw(t, "abandoned")
	config.Failures = rapid.SampledFrom([]float64{0, 0, 0.1, 0.9}).Draw(t, "failures")
	config.Queue = rapid.SampledFrom([]int{0, 1, 5, 20, 4096}).Draw(t, "queue")
	config.Accept = duration("accept", 0, 20*time.Millisecond)
	config.Reconnect = duration("reconnect", 10*time.Millisecond, time.Second)
	config.Warmup = duration("warm-up", 2*time.Second, 3*time.Second)
	config.Trigger = Trigger{
		Kind:   rapid.SampledFrom([]TriggerKind{Stop, Stop, Stop, SlowDown, Spike}).Draw(t, "trigger"),
		For:    duration("for", 0, 3*time.Second),
		Factor: rapid.Float64Range(1, 5).Draw(t, "trigger's factor"),
	}
	config.After = duration("after", 5*time.Second, 6*time.Second)
	if rapid.Bool().Draw(t, "budget") {
		config.Budget = func() Budget { return retry.NewBudget(20, 0.1) }
		config.Processes = rapid.IntRange(1, 3).Draw(t, "processes")
	}
	if err := config.check(); err != nil {
		t.Fatal(err)
	}
	seed := rapid.Uint64().Draw(t, "seed")

	asInHeap(t, config, seed)
}

// asInHeap runs config both ways.
func asInHeap(t rapid.TB, config Config, seed uint64) {
	t.Helper()
	want, wantVerdict := runHeap(&config, seed)
	w := newWorld(&config, seed)
	w.run(context.Background(), func() {})
	if diff := gocmp.Diff(want, w.stats.seconds); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	if got := w.stats.verdict(&config); got != wantVerdict {
		t.Errorf("verdict %+v, want %+v", got, wantVerdict)
	}
}

func TestEverySecondAsInHeap(t *testing.T) { rapid.Check(t, testEverySecondAsInHeap) }

// What was decided before a stop and is due in it is answered when the server resumes,
// before it takes a request out of the queue: that one has fewer beside it.
func TestDueInStopAsInHeap(t *testing.T) {
	config := Default()
	config.Schedule = fixed
	config.Clients, config.Think, config.Timeout = 3, time.Millisecond, 200*time.Millisecond
	config.Latency = ExponentialLatency{Base: 5 * time.Millisecond, Factor: 1.25, Scale: 0.5}
	config.Poll, config.Queue, config.Accept, config.Reconnect = 0, 1, 0, 10*time.Millisecond
	config.Warmup, config.Trigger.For, config.After = 2*time.Second, 5136981, 5*time.Second
	asInHeap(t, config, 1)
}

// Of an operation with many retries every delay is used once, in order, and the end is
// where the schedule has it.
func TestManyRetriesAsInHeap(t *testing.T) {
	for _, n := range []int{longFrom - 1, longFrom, longFrom + 1, 2*longFrom - 1, 2 * longFrom, 1000, 1 << 20} {
		config := failing(1, 0)
		config.Clients, config.Think, config.Poll = 3, time.Millisecond, 0
		config.Latency = LinearLatency{Base: time.Millisecond}
		config.After = 5 * time.Second
		config.Schedule = func(seed uint64) iter.Seq[time.Duration] {
			return backoff.Take(backoff.Uniform(0, 2*time.Millisecond, backoff.WithSeed(seed)), n)
		}
		asInHeap(t, config, 1)
	}
}

// The published experiment, shortened, both ways.
func TestDefaultAsInHeap(t *testing.T) {
	for _, s := range schedules {
		for _, queue := range []int{128, 4096} {
			for _, abandoned := range []Abandoned{Keep, Drop} {
				t.Run(fmt.Sprintf("%s, %d, %v", s.name, queue, abandoned), func(t *testing.T) {
					config := Default()
					config.Schedule, config.Queue, config.Abandoned = s.delay, queue, abandoned
					config.Warmup, config.Trigger.For, config.After = 3*time.Second, 6*time.Second, 5*time.Second
					asInHeap(t, config, 7)
				})
			}
		}
	}
}

type schedule func(seed uint64) iter.Seq[time.Duration]

var schedules = []struct {
	name  string
	delay schedule
}{
	{"fixed", fixed},
	{"article", article},
	{"full jitter", func(seed uint64) iter.Seq[time.Duration] {
		return backoff.FullJitter(10*time.Millisecond, time.Second, backoff.WithSeed(seed))
	}},
	{"three tries", func(uint64) iter.Seq[time.Duration] { return backoff.Take(backoff.Constant(0), 2) }},
	{"one try", func(uint64) iter.Seq[time.Duration] { return backoff.Take(backoff.Constant(0), 0) }},
	{"at once", func(uint64) iter.Seq[time.Duration] { return backoff.Constant(0) }},
	{"for ever", func(seed uint64) iter.Seq[time.Duration] {
		return backoff.Concat(backoff.Take(backoff.Constant(time.Millisecond), rand.New(rand.NewPCG(seed, 0)).IntN(20)), backoff.Constant(backoff.NoLimit))
	}},
}
