// Package kept measures how well an engine keeps the delays that a schedule asks for.
//
// A worker that always fails calls [Recorder.Attempt] at the start of each attempt, and
// [Recorder.Ask] when it gives a delay to the engine. [Judge] compares what came out with
// a [Bound], and measures again if the machine was too busy to tell.
package kept

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A Delay is one delay that was asked for, and the one that the engine kept: the time
// from the end of the attempt before it to the start of the one after it.
type Delay struct{ Asked, Kept time.Duration }

// Late returns how much longer the engine waited than it was asked to.
func (d Delay) Late() time.Duration { return d.Kept - d.Asked }

// A Recorder records the attempts of one job. Any number of goroutines may use it.
type Recorder struct {
	mu      sync.Mutex
	asked   time.Duration
	askedAt time.Time
	waiting bool
	delays  []Delay
}

// Attempt records that an attempt begins.
func (r *Recorder) Attempt() {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting {
		r.delays = append(r.delays, Delay{r.asked, now.Sub(r.askedAt)})
		r.waiting = false
	}
}

// Ask records that an attempt has failed and that the next one is wanted after delay,
// and returns delay.
func (r *Recorder) Ask(delay time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked, r.askedAt, r.waiting = delay, time.Now(), true
	return delay
}

// Delays returns the delays so far.
func (r *Recorder) Delays() []Delay {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.delays)
}

// A Bound tells how well an engine keeps delays.
type Bound struct {
	Early time.Duration // no delay is shorter than asked by more than this
	Late  time.Duration // nor longer by more than the larger of this
	Share float64       // and of this part of the delay
}

// Exact is the bound of an engine that sets a timer for each delay: 2 ms or 1 %.
var Exact = Bound{Early: time.Millisecond, Late: 2 * time.Millisecond, Share: 0.01}

// late returns by how much a delay may be late.
func (b Bound) late(asked time.Duration) time.Duration {
	return max(b.Late, time.Duration(b.Share*float64(asked)))
}

// check describes the first delay that is too short, and the first that is too long,
// with what it is longer by than b allows.
func (b Bound) check(delays []Delay) (early, late string, excess time.Duration) {
	for n, d := range delays {
		if early == "" && d.Late() < -b.Early {
			early = fmt.Sprintf("delay %d is %v, want %v or at most %v less", n, d.Kept, d.Asked, b.Early)
		}
		if late == "" && d.Late() > b.late(d.Asked) {
			late = fmt.Sprintf("delay %d is %v, want %v or at most %v more", n, d.Kept, d.Asked, b.late(d.Asked))
			excess = d.Late() - b.late(d.Asked)
		}
	}
	return early, late, excess
}

// Patience is how long a test waits for an engine. On a busy machine too, none of them
// needs so long.
const Patience = 5 * time.Minute

// Context returns a context of tb that ends after Patience. The error of a function that
// returns its cause tells what was waited for. An engine that breaks must fail its test
// with that, and not stop it until the time of go test is over.
func Context(tb testing.TB, what string) context.Context {
	ctx, cancel := waiting(tb, 0, what)
	tb.Cleanup(cancel)
	return ctx
}

// waiting returns a context that ends after Patience and more.
func waiting(tb testing.TB, more time.Duration, what string) (context.Context, context.CancelFunc) {
	wait := Patience + more
	return context.WithTimeoutCause(tb.Context(), wait, fmt.Errorf("waited %v for %s", wait, what))
}

// Receive returns what comes from ch. It fails the test, with a line that tells what was
// waited for, if nothing comes within Patience.
func Receive[T any](tb testing.TB, ch <-chan T, what string) (v T) {
	tb.Helper()
	ctx, cancel := waiting(tb, 0, what)
	defer cancel()
	select {
	case v = <-ch:
	case <-ctx.Done():
		tb.Fatal(context.Cause(ctx))
	}
	return v
}

// Judge calls measure, and fails the test unless each delay that was asked for is the
// wanted one, and was kept within b.
//
// A delay that was too short fails at once, because no other work on the machine makes a
// delay shorter. One that was too long may be the machine's fault: while measure runs,
// a goroutine that does nothing but sleep measures how late its own timers are. If one
// of them was late by more than a quarter of what the delay is too long by, the round
// does not count. The test fails when a delay is too long in three rounds that count, and
// passes after the first round in which none is. After nine rounds without either it
// skips.
//
// The context of measure ends after the wanted delays and Patience, and then the test fails.
//
// An engine that works in a server needs some calls of it for each retry, and a busy machine
// holds up each of them a little. Each of calls is made again and again too, and the time
// that the longest one took counts as that of a timer that was late. With calls an eighth
// is enough for a round that does not count.
func Judge(tb testing.TB, want []time.Duration, b Bound, measure func(ctx context.Context) ([]Delay, error), calls ...func()) {
	tb.Helper()
	part := time.Duration(4)
	if len(calls) > 0 {
		part = 8
	}
	judge(tb, want, b, part, measure, func() func() time.Duration {
		stops := []func() time.Duration{Watch()}
		for _, c := range calls {
			stops = append(stops, repeat(func() time.Duration {
				time.Sleep(10 * time.Millisecond) // so that the calls are no load
				start := time.Now()
				c()
				return time.Since(start)
			}))
		}
		return func() (latest time.Duration) {
			for _, stop := range stops {
				latest = max(latest, stop())
			}
			return latest
		}
	})
}

// judge is Judge with another watch, and with the part of what a delay is too long by that
// a timer must be late for a round not to count.
func judge(tb testing.TB, want []time.Duration, b Bound, part time.Duration, measure func(ctx context.Context) ([]Delay, error), watch func() (stop func() time.Duration)) {
	tb.Helper()
	var failed []string
	total := time.Duration(0)
	for _, d := range want {
		total += d
	}
	for round := range 9 {
		ctx, cancel := waiting(tb, total, fmt.Sprintf("an engine to keep %d delays", len(want)))
		stop := watch()
		delays, err := measure(ctx)
		busy := stop()
		ended := ctx.Err() != nil
		cancel()
		switch {
		case err != nil && ended:
			tb.Fatalf("%v: %v", context.Cause(ctx), err)
		case err != nil:
			tb.Fatal(err)
		}
		asked := make([]time.Duration, len(delays))
		for n, d := range delays {
			asked[n] = d.Asked
		}
		if diff := cmp.Diff(want, asked); diff != "" {
			tb.Fatalf("the delays asked for (-want +got):\n%s", diff)
		}
		early, late, excess := b.check(delays)
		switch {
		case early != "":
			tb.Fatal(early)
		case late == "":
			return
		case busy > excess/part:
			tb.Logf("round %d does not count: %s, but a timer or a call alone was %v late", round+1, late, busy)
		case len(failed) == 2:
			tb.Fatalf("%s; before that, %s", late, strings.Join(failed, ", and "))
		default:
			failed = append(failed, late)
			tb.Logf("round %d: %s; measured once more", round+1, late)
		}
	}
	tb.Skip("the machine is too busy to tell")
}

// Watch starts to measure how late timers are. Its result ends that, and returns how late
// the latest one was.
func Watch() (stop func() time.Duration) { return watch(time.Sleep) }

// watch is Watch with another time.Sleep.
func watch(sleep func(time.Duration)) (stop func() time.Duration) {
	return repeat(func() time.Duration {
		start := time.Now()
		sleep(time.Millisecond)
		return time.Since(start) - time.Millisecond
	})
}

// repeat calls f until stop is called, which returns the largest result.
func repeat(f func() time.Duration) (stop func() time.Duration) {
	done, latest := make(chan struct{}), make(chan time.Duration)
	go func() {
		worst := time.Duration(0)
		for {
			select {
			case <-done:
				latest <- worst
				return
			default:
				worst = max(worst, f())
			}
		}
	}()
	return func() time.Duration { close(done); return <-latest }
}
