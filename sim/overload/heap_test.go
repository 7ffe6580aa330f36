package overload

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"iter"
	"math"
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
// container/heap, every request is an object, each of which the server polls by itself,
// every operation holds its schedule, and every count is added to the second that the
// event is in. It shares with the model the configuration, with it the latency and the
// schedules, and the random numbers: clients draw the same ones in the same order, so
// that every second must come out the same, to the nanosecond. When operations begin,
// what is counted and what a verdict is made of it computes itself.
type heapWorld struct {
	config *Config
	end    time.Duration
	events []*heapEvent
	added  int // events so far

	users   []*user
	idle    []*user // of open arrivals: users whose operation is over
	budgets []Budget

	slow    float64 // how many times as long the server takes
	stopped bool

	open int // requests that the server is at
	// The two as the server last noticed them: a stopped one notices nothing.
	noticedOpen    int
	noticedLatency time.Duration
	queue          []*call
	outside        []*call       // while stopped: found the queue full
	accepting      bool          // an accept is among the events
	acceptNumber   int           // which of them counts
	acceptFree     time.Duration // when the server can accept again
	deferred       []*heapEvent  // to the end of the stop

	seconds   []Second
	latencies [][]time.Duration // by second: what each answered request took
}

type user struct {
	number  int
	rand    engine.Rand
	retries int // of the operation so far
	next    func() (time.Duration, bool)
	stop    func()
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
	classSecondEnds = iota
	classTrigger
	classAccept
	classPoll
	classArrival
	classDue
	classRequestArrives
	classAnswerArrives
	classTimeout
	classSend
)

func (w *heapWorld) Len() int { return len(w.events) }
func (w *heapWorld) Less(i, j int) bool {
	a, b := w.events[i], w.events[j]
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.class, b.class), cmp.Compare(a.order, b.order)) < 0
}
func (w *heapWorld) Swap(i, j int) { w.events[i], w.events[j] = w.events[j], w.events[i] }
func (w *heapWorld) Push(e any)    { w.events = append(w.events, e.(*heapEvent)) }
func (w *heapWorld) Pop() any {
	e := w.events[len(w.events)-1]
	w.events = w.events[:len(w.events)-1]
	return e
}

// plan adds an event. Those of one time and class come in the order in which they were
// added, except sends, which come in the order of the users.
func (w *heapWorld) plan(at time.Duration, class int, do func(now time.Duration)) {
	w.added++
	w.planAs(w.added, at, class, do)
}

func (w *heapWorld) planSend(u *user, at time.Duration, do func(now time.Duration)) {
	w.planAs(u.number, at, classSend, do)
}

func (w *heapWorld) planAs(order int, at time.Duration, class int, do func(now time.Duration)) {
	if at < w.end || at == w.end && class == classSecondEnds {
		heap.Push(w, &heapEvent{at, class, order, do})
	}
}

// runHeap runs config's experiment that way.
func runHeap(config *Config, seed uint64) ([]Second, Verdict) {
	w := &heapWorld{config: config, end: config.Warmup + config.Trigger.For + config.After, slow: 1}
	if config.Budget != nil {
		for range config.Processes {
			w.budgets = append(w.budgets, config.Budget())
		}
	}
	for began := time.Duration(0); began < w.end; began += time.Second {
		second := len(w.seconds)
		w.seconds, w.latencies = append(w.seconds, Second{}), append(w.latencies, nil)
		w.plan(min(began+time.Second, w.end), classSecondEnds, func(time.Duration) { w.measure(second) })
	}
	if config.Trigger.For > 0 {
		w.plan(config.Warmup, classTrigger, w.startTrigger)
		w.plan(config.Warmup+config.Trigger.For, classTrigger, w.endTrigger)
	}
	if config.Rate > 0 {
		w.openArrivals(seed)
	}
	for i := range config.Clients {
		u := &user{number: i, rand: engine.NewRand(engine.Seed(seed, 0, uint64(i)))}
		w.users = append(w.users, u)
		w.think(u, 0)
	}
	for w.Len() > 0 {
		e := heap.Pop(w).(*heapEvent)
		e.do(e.at)
	}
	for _, u := range w.users {
		u.forgetOperation()
	}
	return w.seconds, w.verdict()
}

// openArrivals plans the operations of open arrivals, each of a user that has none.
func (w *heapWorld) openArrivals(seed uint64) {
	r := engine.NewRand(engine.Seed(seed, 1))
	operations := uint64(0)
	var arrive func(now time.Duration)
	arrive = func(now time.Duration) {
		w.plan(w.after(now, &r, 1e9/w.config.Rate), classArrival, arrive)
		u := &user{number: len(w.users)}
		if n := len(w.idle); n > 0 {
			u = w.idle[n-1]
			w.idle = w.idle[:n-1]
		} else {
			w.users = append(w.users, u)
		}
		u.rand = engine.NewRand(engine.Seed(seed, 0, operations))
		operations++
		w.send(u, now)
	}
	w.plan(w.after(0, &r, 1e9/w.config.Rate), classArrival, arrive)
}

// think plans the next operation of a user of closed arrivals.
func (w *heapWorld) think(u *user, now time.Duration) {
	at := w.after(now, &u.rand, float64(w.config.Think))
	w.planSend(u, at, func(now time.Duration) { w.send(u, now) })
}

// after returns the time that is an exponentially distributed number of that mean after
// now. During a spike, time counts as many times as its factor says. So there are three
// phases at most, each of which uses up a part of the number.
func (w *heapWorld) after(now time.Duration, r *engine.Rand, mean float64) time.Duration {
	type phase struct {
		until  time.Duration
		factor float64
	}
	phases := []phase{{engine.Never, 1}}
	if w.config.Trigger.Kind == Spike {
		from := w.config.Warmup
		phases = []phase{{from, 1}, {from + w.config.Trigger.For, w.config.Trigger.Factor}, {engine.Never, 1}}
	}
	left := float64(r.Exp() * mean)
	for _, p := range phases {
		if now >= p.until {
			continue
		}
		most := float64(float64(p.until-now) * p.factor)
		if left <= most {
			return now + time.Duration(left/p.factor)
		}
		left -= most
		now = p.until
	}
	return engine.Never
}

// count returns the second that now is in.
func (w *heapWorld) count(now time.Duration) *Second { return &w.seconds[now/time.Second] }

// measure notes what is known at the end of a second.
func (w *heapWorld) measure(second int) {
	if !w.stopped {
		w.notice()
	}
	s := &w.seconds[second]
	s.Open, s.Latency, s.Queued = int64(w.noticedOpen), w.noticedLatency, int64(len(w.queue))
	s.PeakOpen = max(s.PeakOpen, s.Open)
	if second > 0 {
		s.PeakOpen = max(s.PeakOpen, w.seconds[second-1].Open) // how the second began
	}
	sum := time.Duration(0)
	for _, took := range w.latencies[second] {
		sum += took
	}
	if n := len(w.latencies[second]); n > 0 {
		s.Seen = sum / time.Duration(n)
	}
}

func (w *heapWorld) notice() { w.noticedOpen, w.noticedLatency = w.open, w.latency() }

// verdict says how the run ended.
func (w *heapWorld) verdict() Verdict {
	answered := func(from, to int) (n float64) { // in seconds from <= s < to
		for s := from; s < to; s++ {
			n += float64(w.seconds[s].OK)
		}
		return n
	}
	resumed := w.config.Warmup + w.config.Trigger.For
	var after []int // whole seconds after the trigger
	for s := range w.seconds {
		if at := time.Duration(s) * time.Second; at >= resumed && at+time.Second <= w.end {
			after = append(after, s)
		}
	}
	first, end := after[0], after[len(after)-1]+1
	third := end - int(math.Ceil(float64(len(after))/3))
	warm := 0 // whole seconds of the warm-up
	for time.Duration(warm+1)*time.Second <= w.config.Warmup {
		warm++
	}
	before := answered(1, warm) / float64(warm-1)
	enough := func(from, to int) bool {
		expected := float64(0.9 * before * float64(to-from))
		n := answered(from, to)
		return n > 0 && n >= expected-float64(2*math.Sqrt(expected))
	}
	v := Verdict{Before: before, End: answered(third, end) / float64(end-third)}
	for _, s := range w.seconds {
		v.PeakOpen = max(v.PeakOpen, s.PeakOpen)
	}
	if before > 0 && enough(third, end) {
		for s := first; s+5 <= end && !v.Recovered; s++ {
			if enough(s, s+1) && enough(s, s+5) {
				v.Recovered, v.After = true, time.Duration(s)*time.Second-resumed
			}
		}
	}
	return v
}

// forgetOperation lets go of the user's schedule.
func (u *user) forgetOperation() {
	if u.next != nil {
		u.stop()
		u.next = nil
	}
	u.retries = 0
}

func (w *heapWorld) latency() time.Duration {
	d := w.config.Latency.At(w.open)
	if w.slow == 1 {
		return d
	}
	if slowed := float64(d) * w.slow; slowed < math.MaxInt64 {
		return time.Duration(slowed)
	}
	return engine.Never
}

func (w *heapWorld) startTrigger(time.Duration) {
	switch w.config.Trigger.Kind {
	case Stop:
		w.notice()
		w.stopped = true
		w.accepting = false
		w.acceptNumber++
	case SlowDown:
		w.slow = w.config.Trigger.Factor
	}
}

func (w *heapWorld) endTrigger(now time.Duration) {
	switch w.config.Trigger.Kind {
	case Stop:
		w.stopped = false
		for _, e := range w.deferred {
			e.do(now)
		}
		w.deferred = nil
		if len(w.queue) > 0 {
			w.planAccept(max(now, w.acceptFree))
		}
		for _, c := range w.outside {
			if !c.over {
				w.reconnect(c, now)
			}
		}
		w.outside = nil
	case SlowDown:
		w.slow = 1
	}
}

func (w *heapWorld) send(u *user, now time.Duration) {
	if u.retries == 0 {
		w.count(now).First++
	} else {
		w.count(now).Retries++
	}
	c := &call{user: u, sent: now}
	w.plan(now+w.config.Timeout, classTimeout, func(now time.Duration) {
		if c.over {
			return
		}
		w.count(now).Timeouts++
		if c.open && w.config.Abandoned == Cancel {
			c.open = false
			w.open--
		}
		w.fail(c, now)
	})
	if w.config.Network == 0 {
		w.connect(c, now)
		return
	}
	w.plan(now+w.travelTime(u), classRequestArrives, func(now time.Duration) { w.connect(c, now) })
}

func (w *heapWorld) travelTime(u *user) time.Duration {
	return time.Duration(u.rand.Exp() * float64(w.config.Network))
}

func (w *heapWorld) connect(c *call, now time.Duration) {
	switch {
	case !w.stopped && len(w.queue) == 0 && w.acceptFree <= now:
		w.openRequest(c, now)
		w.acceptFree = now + w.config.Accept
	case len(w.queue) < w.config.Queue:
		w.queue = append(w.queue, c)
		if !w.stopped && !w.accepting {
			w.planAccept(w.acceptFree)
		}
	case w.stopped:
		w.outside = append(w.outside, c)
	default:
		w.reconnect(c, now)
	}
}

func (w *heapWorld) reconnect(c *call, now time.Duration) {
	at := now + 1 + time.Duration(c.user.rand.Uint64N(uint64(w.config.Reconnect)))
	if at < c.sent+w.config.Timeout {
		w.planSend(c.user, at, func(now time.Duration) { w.connect(c, now) })
	}
}

func (w *heapWorld) planAccept(at time.Duration) {
	w.accepting = true
	w.acceptNumber++
	number := w.acceptNumber
	w.plan(at, classAccept, func(now time.Duration) {
		if number != w.acceptNumber {
			return // A stop came between.
		}
		w.accepting = false
		c := w.queue[0]
		w.queue = w.queue[1:]
		w.openRequest(c, now)
		w.acceptFree = now + w.config.Accept
		if len(w.queue) > 0 {
			w.planAccept(w.acceptFree)
		}
	})
}

func (w *heapWorld) openRequest(c *call, now time.Duration) {
	if c.over && w.config.Abandoned == Cancel {
		return
	}
	c.open = true
	w.open++
	w.count(now).PeakOpen = max(w.count(now).PeakOpen, int64(w.open))
	poll := w.config.Poll
	if poll == 0 {
		if takes := w.latency(); takes < engine.Never-now {
			w.plan(now+takes, classDue, func(now time.Duration) {
				if w.stopped {
					w.deferred = append(w.deferred, &heapEvent{do: func(now time.Duration) { w.answer(c, now) }})
					return
				}
				w.answer(c, now)
			})
		}
		return
	}
	// The clock ticks 500 times in a poll, and less often in one under 500 ns.
	width := max((poll+499)/500, 1)
	within := (now%poll/width + 1) * width
	c.ticked = now - now%poll + min(within, poll)
	w.pollFrom(c, c.ticked)
}

// pollFrom plans the poll of c at a tick, and in it the next. Of the polls at one tick
// the older request's comes first, so all of c's have one place in the order.
func (w *heapWorld) pollFrom(c *call, tick time.Duration) {
	w.added++
	order := w.added
	missed := false
	answerIfDue := func(now time.Duration) (done bool) {
		if c.open && w.latency() > now-c.ticked {
			return false
		}
		w.answer(c, now)
		return true
	}
	var poll func(now time.Duration)
	poll = func(now time.Duration) {
		switch {
		case w.stopped && missed:
		case w.stopped:
			missed = true
			w.deferred = append(w.deferred, &heapEvent{do: func(now time.Duration) { answerIfDue(now) }})
		case answerIfDue(now):
			return
		}
		w.planAs(order, now+w.config.Poll, classPoll, poll)
	}
	w.planAs(order, tick, classPoll, poll)
}

// answer answers a request that is open, and leaves another alone.
func (w *heapWorld) answer(c *call, now time.Duration) {
	if !c.open {
		return
	}
	c.open = false
	w.open--
	if c.over || w.config.Network == 0 {
		w.receive(c, now)
		return
	}
	w.plan(now+w.travelTime(c.user), classAnswerArrives, func(now time.Duration) { w.receive(c, now) })
}

func (w *heapWorld) receive(c *call, now time.Duration) {
	switch {
	case c.over:
		w.count(now).Wasted++
	case w.config.Failures > 0 && c.user.rand.Float64() < w.config.Failures:
		w.count(now).Refused++
		w.fail(c, now)
	default:
		w.count(now).OK++
		w.latencies[now/time.Second] = append(w.latencies[now/time.Second], now-c.sent)
		if len(w.budgets) > 0 {
			w.budgets[c.user.number%len(w.budgets)].Succeeded()
		}
		w.endOperation(c, now)
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
		w.count(now).GaveUp++
		w.endOperation(c, now)
	case !allowed:
		w.count(now).Denied++
		w.endOperation(c, now)
	default:
		c.over = true
		u.retries++
		if delay < w.end-now {
			w.planSend(u, now+delay, func(now time.Duration) { w.send(u, now) })
		}
	}
}

func (w *heapWorld) endOperation(c *call, now time.Duration) {
	c.over = true
	u := c.user
	u.forgetOperation()
	if w.config.Rate > 0 {
		w.idle = append(w.idle, u)
		return
	}
	w.think(u, now)
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
	config.Abandoned = rapid.SampledFrom([]Abandoned{Keep, Cancel}).Draw(t, "abandoned")
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
	if err := config.Validate(); err != nil {
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
	if got := Judge(w.stats.seconds, config); got != wantVerdict {
		t.Errorf("verdict %+v, want %+v", got, wantVerdict)
	}
}

func TestEverySecondAsInHeap(t *testing.T) { rapid.Check(t, testEverySecondAsInHeap) }

// A request that is due during a stop is answered when the server resumes,
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

// A request that is sent in the last nanosecond of a second counts in that second, and one
// that is sent at its end in the next.
func TestSentAtTheEndOfASecondAsInHeap(t *testing.T) {
	for _, every := range []time.Duration{time.Second / 3, time.Second / 2} {
		const latency = 100 * time.Millisecond
		config := failing(1, 0)
		config.Schedule = func(uint64) iter.Seq[time.Duration] { return backoff.Constant(every - latency) }
		config.Clients, config.Think, config.Poll = 1, 0, 0
		config.Latency, config.After = LinearLatency{Base: latency}, 5*time.Second
		asInHeap(t, config, 1)
	}
}

// A server that resumes first checks each request once that it should have checked during
// the stop. If it resumes at a tick, it accepts a request before it checks those of that
// tick.
func TestResumedAtATickAsInHeap(t *testing.T) {
	for seed := range uint64(40) {
		config := Default()
		config.Schedule = fixed
		config.Clients, config.Think, config.Timeout = 10, 100*time.Millisecond, 500*time.Millisecond
		config.Latency = LinearLatency{10 * time.Millisecond, 20 * time.Millisecond}
		config.Poll, config.Queue, config.Accept = 20*time.Millisecond, 20, time.Millisecond
		config.Warmup, config.After = 2*time.Second, 5*time.Second
		config.Trigger.For = time.Second
		w := newWorld(&config, seed)
		w.ctx = context.Background()
		w.startClients()
		for now := time.Duration(0); now <= config.Warmup; {
			now, _ = w.step()
		}
		resumed := w.server.missed // the first tick that the stop makes it miss
		for range 20 {
			config.Trigger.For = resumed.at - config.Warmup
			asInHeap(t, config, seed)
			for range 3 {
				resumed = w.server.after(resumed)
			}
		}
	}
}

// A server that has fallen behind by more than the timeout first serves the requests of
// clients that are gone, or drops them, and then those of clients that wait. It checks all of
// them at the same tick, because it accepts one in each Poll.
func TestFallenBehindAsInHeap(t *testing.T) {
	for seed := range uint64(40) {
		for _, poll := range []time.Duration{20 * time.Millisecond, 500 * time.Millisecond} {
			config := Default()
			config.Schedule = func(uint64) iter.Seq[time.Duration] { return backoff.Constant(5 * poll) }
			config.Clients, config.Think, config.Timeout = 8, poll/2, 10*poll
			config.Latency = LinearLatency{3 * poll, poll / 4}
			config.Poll, config.Accept = poll, poll
			config.Abandoned = Abandoned(seed % 2)
			config.Warmup, config.After = 2*time.Second+time.Duration(seed)*poll/4, 20*time.Second
			config.Trigger = Trigger{SlowDown, 50 * poll, 4}
			asInHeap(t, config, seed)
		}
	}
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
			for _, abandoned := range []Abandoned{Keep, Cancel} {
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
	{"forever", func(seed uint64) iter.Seq[time.Duration] {
		return backoff.Concat(backoff.Take(backoff.Constant(time.Millisecond), rand.New(rand.NewPCG(seed, 0)).IntN(20)), backoff.Constant(backoff.NoLimit))
	}},
}
