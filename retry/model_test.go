package retry_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/retry"
)

// setting is everything that a run depends on. Its times count from the start of the
// run, and 0 is unset.
//
// Two events at one instant may come in either order. So each kind of time is a whole
// number of milliseconds plus a few nanoseconds of its own. Only kinds whose order is
// fixed, such as a delay and MaxElapsed, can meet.
type setting struct {
	delays  []time.Duration
	endless bool // the last delay is repeated forever
	script  script

	canceled, deadline, attemptTimeout, maxElapsed, resetAfter time.Duration
	maxAfter                                                   time.Duration // < 0 is unset
	maxAttempts                                                int           // 0 is unset
	refused                                                    error         // by If
	keep                                                       int
}

func (c setting) String() string {
	type fields setting // without this method
	return fmt.Sprintf("%+v", fields(c))
}

func (c setting) schedule() iter.Seq[time.Duration] {
	if !c.endless {
		return list(c.delays...)
	}
	return backoff.Concat(list(c.delays...), backoff.Constant(c.delays[len(c.delays)-1]))
}

func (c setting) options() []retry.Option {
	var opts []retry.Option
	if c.attemptTimeout > 0 {
		opts = append(opts, retry.AttemptTimeout(c.attemptTimeout))
	}
	if c.maxElapsed > 0 {
		opts = append(opts, retry.MaxElapsed(c.maxElapsed))
	}
	if c.maxAttempts > 0 {
		opts = append(opts, retry.MaxAttempts(c.maxAttempts))
	}
	if c.resetAfter > 0 {
		opts = append(opts, retry.ResetAfter(c.resetAfter))
	}
	if c.maxAfter >= 0 {
		opts = append(opts, retry.MaxAfter(c.maxAfter))
	}
	if c.refused != nil {
		opts = append(opts, retry.If(func(err error) bool { return err != c.refused }))
	}
	if c.keep > 1 {
		opts = append(opts, retry.KeepErrors(c.keep))
	}
	return opts
}

// bucket is the model of a budget.
type bucket struct{ tokens, full, ratio float64 }

// expect returns the result that a run must have: the rules again, written as a
// simulation of one moment after another.
func (c setting) expect(b *bucket) result {
	var r result
	var now, hint time.Duration
	var last error
	var said []error // all that counts, the latest last
	stop := func(cause error) result {
		e := &retry.Error{Attempts: len(r.Calls), Elapsed: now, Last: said[len(said)-1], Cause: cause}
		e.Earlier = slices.Clone(said[max(0, len(said)-c.keep) : len(said)-1])
		r.Err = e
		r.End = now
		return r
	}
	finish := func(err error) result {
		r.Err, r.End = err, now
		return r
	}
	contextEnd, contextCause := time.Duration(math.MaxInt64), error(nil)
	if c.deadline > 0 {
		contextEnd, contextCause = c.deadline, context.DeadlineExceeded
	}
	if c.canceled > 0 && c.canceled < contextEnd {
		contextEnd, contextCause = c.canceled, errStop
	}

	place, sc := 0, c.script
	for {
		began := now
		r.Calls = append(r.Calls, now)
		var o try
		o, sc = sc.next()
		now, last = began+o.takes, o.err
		timedOut := c.attemptTimeout > 0 && o.takes > c.attemptTimeout
		if o.heeds {
			end, err := contextEnd, context.DeadlineExceeded
			if contextCause == errStop {
				err = context.Canceled
			}
			if c.attemptTimeout > 0 && began+c.attemptTimeout < end {
				end, err = began+c.attemptTimeout, context.DeadlineExceeded
			}
			if end < now {
				now, last = end, err
			}
		}

		if last == nil {
			b.tokens = math.Min(b.tokens+b.ratio, b.full)
			return finish(nil)
		}
		hint = 0
		switch m := last.(type) {
		case hinted:
			hint, last = m.after, m.err
		case final:
			return finish(m.err)
		}
		if now >= contextEnd {
			if len(said) == 0 || last != context.Canceled && last != context.DeadlineExceeded {
				said = append(said, last)
			}
			return stop(contextCause)
		}
		if c.refused != nil && last == c.refused && !timedOut {
			return finish(last)
		}
		said = append(said, last)
		b.tokens = math.Max(b.tokens-1, 0)

		if c.maxAttempts > 0 && len(r.Calls) >= c.maxAttempts {
			return stop(retry.ErrExhausted)
		}
		if c.resetAfter > 0 && place > 0 && now-began >= c.resetAfter {
			place = 0
		}
		if place >= len(c.delays) && !c.endless {
			return stop(retry.ErrExhausted)
		}
		delay := c.delays[min(place, len(c.delays)-1)]
		place++
		if c.maxAfter >= 0 {
			hint = min(hint, c.maxAfter)
		}
		delay = max(delay, hint)
		switch {
		case c.deadline > 0 && !earlierThan(now, delay, c.deadline):
			return stop(retry.ErrDeadline)
		case c.maxElapsed > 0 && earlierThan(c.maxElapsed, 0, now) || c.maxElapsed > 0 && !earlierThan(now, delay, c.maxElapsed+1):
			return stop(retry.ErrElapsed)
		case b.tokens <= b.full/2:
			return stop(retry.ErrBudget)
		}
		r.Events = append(r.Events, retry.Event{Attempt: len(r.Calls), Err: last, Delay: delay, Elapsed: now})
		if !earlierThan(now, delay, contextEnd) {
			now = contextEnd
			return stop(contextCause)
		}
		now += delay
	}
}

// earlierThan reports whether a + b < c, in numbers that cannot wrap.
func earlierThan(a, b, c time.Duration) bool { return uint64(a)+uint64(b) < uint64(c) }

// hinted and final stand in a model's script for errors marked by After and
// Permanent, with the marks where the model can see them.
type (
	hinted struct {
		err   error
		after time.Duration
	}
	final struct{ err error }
)

func (h hinted) Error() string { return fmt.Sprintf("%v after %v", h.err, h.after) }
func (f final) Error() string  { return fmt.Sprintf("%v for good", f.err) }

// marked returns the script with marks of package retry.
func (c setting) marked() script {
	sc := slices.Clone(c.script)
	for i, o := range sc {
		switch m := o.err.(type) {
		case hinted:
			sc[i].err = retry.After(m.err, m.after)
		case final:
			sc[i].err = retry.Permanent(m.err)
		}
	}
	return sc
}

// millis draws up to n milliseconds, often few.
func millis(n int) *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.IntRange(0, n), func(i int) time.Duration { return time.Duration(i) * ms })
}

// perhaps draws 0 in about half of the cases, or a time of 1 to n ms and grain ns.
func perhaps(n int, grain time.Duration) *rapid.Generator[time.Duration] {
	return rapid.Custom(func(t *rapid.T) time.Duration {
		if !rapid.Bool().Draw(t, "set") {
			return 0
		}
		return time.Duration(rapid.IntRange(1, n).Draw(t, "ms"))*ms + grain
	})
}

var settings = rapid.Custom(func(t *rapid.T) setting {
	c := setting{
		canceled:       perhaps(60, 5000).Draw(t, "canceled"),
		deadline:       perhaps(60, 9000).Draw(t, "deadline"),
		attemptTimeout: perhaps(8, 1).Draw(t, "attemptTimeout"),
		maxElapsed:     perhaps(60, 0).Draw(t, "maxElapsed"),
		resetAfter:     perhaps(8, 0).Draw(t, "resetAfter"),
		maxAfter:       -1,
		keep:           rapid.IntRange(1, 4).Draw(t, "keep"),
	}
	if rapid.Bool().Draw(t, "limited attempts") {
		c.maxAttempts = rapid.IntRange(1, 8).Draw(t, "maxAttempts")
	}
	if rapid.Bool().Draw(t, "bounded hints") {
		c.maxAfter = millis(10).Draw(t, "maxAfter")
	}
	if rapid.IntRange(0, 3).Draw(t, "refuses") == 0 {
		c.refused = errC
	}

	delay := millis(10)
	// An endless delay is allowed only if something else ends it.
	if c.canceled > 0 || c.deadline > 0 || c.maxElapsed > 0 {
		delay = rapid.OneOf(delay, delay, delay, rapid.Just(backoff.NoLimit), rapid.Just(backoff.NoLimit-time.Hour))
	}
	c.delays = rapid.SliceOfN(delay, 0, 8).Draw(t, "delays")
	c.endless = len(c.delays) > 0 && rapid.Bool().Draw(t, "endless")

	failure := rapid.Custom(func(t *rapid.T) error {
		err := rapid.SampledFrom([]error{errA, errA, errB, errB, errC}).Draw(t, "err")
		switch rapid.IntRange(0, 15).Draw(t, "mark") {
		case 0:
			return final{err}
		case 1, 2, 3, 4:
			return hinted{err, delay.Draw(t, "after")}
		}
		return err
	})
	c.script = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) try {
		return try{
			takes: rapid.OneOf(rapid.Just(time.Duration(0)), millis(12)).Draw(t, "takes"),
			err:   failure.Draw(t, "err"),
			heeds: rapid.Bool().Draw(t, "heeds"),
		}
	}), 0, 10).Draw(t, "script")
	// The last try is repeated forever, so it has to end a run.
	c.script = append(c.script, try{err: rapid.SampledFrom([]error{nil, final{errA}}).Draw(t, "at last")})
	return c
})

// A run of any operation, on any schedule, with any options, equals the model: the time
// of each call, every event, all fields of the error, and the time of the return. Runs
// in a row share a budget.
func testModel(t *rapid.T) {
	full := rapid.Float64Range(1, 40).Draw(t, "full")
	full = math.Round(full*4) / 4 // exact in the model and in millionths
	b := &bucket{tokens: full, full: full, ratio: rapid.SampledFrom([]float64{0.25, 0.5, 1, 3}).Draw(t, "ratio")}
	budget := retry.NewBudget(b.full, b.ratio)
	name := rapid.SampledFrom([]string{"Do", "Value", "Loop"}).Draw(t, "runner")

	for range rapid.IntRange(1, 4).Draw(t, "runs") {
		c := settings.Draw(t, "setting")
		want := c.expect(b)

		ctx, cancelAll := context.WithCancel(context.Background())
		defer cancelAll()
		if c.deadline > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, c.deadline)
			defer cancel()
		}
		if c.canceled > 0 {
			var cancel context.CancelCauseFunc
			ctx, cancel = context.WithCancelCause(ctx)
			defer time.AfterFunc(c.canceled, func() { cancel(errStop) }).Stop()
		}
		opts := append(c.options(), retry.WithBudget(budget))
		w := watching()
		observed := rapid.Bool().Draw(t, "Observe")
		if observed {
			opts = append(opts, w.option())
		}
		var got result
		if rapid.Bool().Draw(t, "OnRetry") {
			got = perform(runners[name], ctx, c.schedule(), c.marked(), opts...)
		} else {
			got = unheard(runners[name], ctx, c.schedule(), c.marked(), opts...)
			got.Events = want.Events // which nobody has seen, unless w has
		}
		if diff := cmp.Diff(want, got, sameError); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if got := budget.Tokens(); got != b.tokens {
			t.Fatalf("budget has %v tokens, want %v", got, b.tokens)
		}
		checkError(t, got.Err)
		if observed {
			w.check(t, got)
		}
	}
}

// checkError checks the laws of every *retry.Error.
func checkError(t *rapid.T, err error) {
	e, ok := errors.AsType[*retry.Error](err)
	if !ok {
		return
	}
	for _, part := range append([]error{e.Last, e.Cause}, e.Earlier...) {
		if !errors.Is(err, part) {
			t.Fatalf("errors.Is(%v, %v) is false", err, part)
		}
	}
	if e.Cause == retry.ErrDeadline && !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("%v is no context.DeadlineExceeded", err)
	}
}

func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, testModel) })
}
