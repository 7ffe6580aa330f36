package retry_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/backoff"
	"example.com/backoff/retry"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

var (
	errA    = errors.New("a")
	errB    = errors.New("b")
	errC    = errors.New("c")
	errStop = errors.New("stop")
)

// try is one attempt of a script: it takes some time and returns err. If it heeds its
// context, it returns the context's error as soon as that is done.
type try struct {
	takes time.Duration
	err   error
	heeds bool
}

func (o try) run(ctx context.Context) error {
	if !o.heeds {
		time.Sleep(o.takes)
		return o.err
	}
	if backoff.Sleep(ctx, o.takes) != nil {
		return ctx.Err()
	}
	return o.err
}

// script is the tries of an operation; the last is repeated forever.
type script []try

func (sc script) next() (try, script) {
	if len(sc) == 1 {
		return sc[0], sc
	}
	return sc[0], sc[1:]
}

// failing is a script of attempts that take no time.
func failing(errs ...error) script {
	var sc script
	for _, err := range errs {
		sc = append(sc, try{err: err})
	}
	return sc
}

// list is a schedule of these delays.
func list(delays ...time.Duration) iter.Seq[time.Duration] { return slices.Values(delays) }

// runners are the ways to run an operation. Each has to obey every rule.
var runners = map[string]runner{
	"Do": retry.Do,
	"Value": func(ctx context.Context, delays iter.Seq[time.Duration], op func(context.Context) error, opts ...retry.Option) error {
		calls := 0
		n, err := retry.Value(ctx, delays, func(ctx context.Context) (int, error) {
			calls++
			return calls, op(ctx)
		}, opts...)
		if n != calls {
			return fmt.Errorf("Value returned %d, and the last attempt %d", n, calls)
		}
		return err
	},
	"Loop": func(ctx context.Context, delays iter.Seq[time.Duration], op func(context.Context) error, opts ...retry.Option) error {
		calls := 0
		loop := retry.NewLoop(ctx, delays, opts...)
		for n := range loop.Attempts() {
			calls++
			if n != calls {
				return fmt.Errorf("Attempts yielded %d, want %d", n, calls)
			}
			loop.Fail(op(loop.Context()))
		}
		return loop.Err()
	},
}

// runner is one of runners.
type runner = func(context.Context, iter.Seq[time.Duration], func(context.Context) error, ...retry.Option) error

// result is a run as seen from outside. Times count from its start.
type result struct {
	Calls  []time.Duration // when each attempt began
	Events []retry.Event
	Err    error
	End    time.Duration
}

// perform runs a script in the bubble it is called in.
func perform(run runner, ctx context.Context, delays iter.Seq[time.Duration], sc script, opts ...retry.Option) result {
	var events []retry.Event
	opts = append(opts, retry.OnRetry(func(e retry.Event) { events = append(events, e) }))
	r := unheard(run, ctx, delays, sc, opts...)
	r.Events = events
	return r
}

// unheard is perform without a hook, for which the runner reads the clock less often. The
// result has no events.
func unheard(run runner, ctx context.Context, delays iter.Seq[time.Duration], sc script, opts ...retry.Option) result {
	var r result
	start := time.Now()
	r.Err = run(ctx, delays, func(ctx context.Context) error {
		r.Calls = append(r.Calls, time.Since(start))
		if len(r.Calls) == 1000 {
			return retry.Permanent(errors.New("the run has no end"))
		}
		var o try
		o, sc = sc.next()
		return o.run(ctx)
	}, opts...)
	r.End = time.Since(start)
	return r
}

// sameError compares an *Error by its fields, every other error by identity.
var sameError = cmp.Options{
	cmp.FilterValues(func(a, b error) bool {
		_, okA := a.(*retry.Error)
		_, okB := b.(*retry.Error)
		return !okA || !okB
	}, cmp.Comparer(func(a, b error) bool { return a == b })),
	cmpopts.EquateEmpty(),
}

func TestRules(t *testing.T) {
	stopped := func(attempts int, elapsed time.Duration, last, cause error, earlier ...error) error {
		return &retry.Error{Attempts: attempts, Elapsed: elapsed, Last: last, Cause: cause, Earlier: earlier}
	}
	event := func(attempt int, err error, delay, elapsed time.Duration) retry.Event {
		return retry.Event{Attempt: attempt, Err: err, Delay: delay, Elapsed: elapsed}
	}
	wrapped := fmt.Errorf("open: %w", retry.Permanent(errA))

	type row struct {
		name     string
		delays   iter.Seq[time.Duration]
		script   script
		opts     func() []retry.Option // nil: none. A function, for a budget has state
		deadline time.Duration         // 0: none
		cancel   time.Duration         // when the context is cancelled by errStop; 0: never, < 0: before the run
		want     result
	}
	options := func(opts ...retry.Option) func() []retry.Option {
		return func() []retry.Option { return opts }
	}
	rows := []row{
		{
			name: "a success ends it", delays: list(s, s), script: failing(nil),
			want: result{Calls: []time.Duration{0}},
		},
		{
			name: "a success after failures", delays: list(1*s, 2*s, 4*s), script: failing(errA, errB, nil),
			want: result{
				Calls:  []time.Duration{0, 1 * s, 3 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0), event(2, errB, 2*s, 1*s)},
				End:    3 * s,
			},
		},
		{
			name: "n delays are n+1 attempts, and no sleep follows the last", delays: list(1*s, 2*s), script: failing(errA, errB, errC),
			want: result{
				Calls:  []time.Duration{0, 1 * s, 3 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0), event(2, errB, 2*s, 1*s)},
				Err:    stopped(3, 3*s, errC, retry.ErrExhausted),
				End:    3 * s,
			},
		},
		{
			name: "the empty schedule is one attempt", delays: list(), script: failing(errA),
			want: result{Calls: []time.Duration{0}, Err: stopped(1, 0, errA, retry.ErrExhausted)},
		},
		{
			name: "elapsed counts the attempts too", delays: list(1 * s), script: script{{takes: 5 * s, err: errA}, {takes: 7 * s, err: errB}},
			want: result{
				Calls:  []time.Duration{0, 6 * s},
				Events: []retry.Event{event(1, errA, 1*s, 5*s)},
				Err:    stopped(2, 13*s, errB, retry.ErrExhausted),
				End:    13 * s,
			},
		},
		{
			name: "a negative delay is none", delays: list(-1*s, math.MinInt64), script: failing(errA),
			want: result{
				Calls:  []time.Duration{0, 0, 0},
				Events: []retry.Event{event(1, errA, 0, 0), event(2, errA, 0, 0)},
				Err:    stopped(3, 0, errA, retry.ErrExhausted),
			},
		},

		{
			name: "a permanent error is returned unchanged", delays: list(s, s), script: failing(errA, retry.Permanent(errB)),
			want: result{
				Calls:  []time.Duration{0, 1 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0)},
				Err:    errB, End: 1 * s,
			},
		},
		{
			name: "a wrapped permanent error too", delays: list(s), script: failing(wrapped),
			want: result{Calls: []time.Duration{0}, Err: wrapped},
		},
		{
			name: "twice permanent is permanent", delays: list(s), script: failing(retry.Permanent(retry.After(retry.Permanent(errA), s))),
			want: result{Calls: []time.Duration{0}, Err: errA},
		},
		{
			name: "Permanent beats If", delays: list(s), script: failing(retry.Permanent(errA)),
			opts: options(retry.If(func(error) bool { return true })),
			want: result{Calls: []time.Duration{0}, Err: errA},
		},
		{
			name: "Permanent beats a hint", delays: list(s), script: failing(retry.After(retry.Permanent(errA), s)),
			want: result{Calls: []time.Duration{0}, Err: errA},
		},
		{
			name: "Permanent(nil) and After(nil) are successes", delays: list(s), script: failing(retry.After(retry.Permanent(nil), s)),
			want: result{Calls: []time.Duration{0}},
		},
		{
			name: "an error that If refuses is returned unchanged", delays: list(s, s), script: failing(errA, errB),
			opts: options(retry.If(func(err error) bool { return err == errA })),
			want: result{
				Calls:  []time.Duration{0, 1 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0)},
				Err:    errB, End: 1 * s,
			},
		},
		{
			name: "If sees the error without its marks", delays: list(s), script: failing(retry.After(errA, 2*s), nil),
			opts: options(retry.If(func(err error) bool { return err == errA })),
			want: result{
				Calls:  []time.Duration{0, 2 * s},
				Events: []retry.Event{event(1, errA, 2*s, 0)},
				End:    2 * s,
			},
		},

		{
			name: "a hint lengthens", delays: list(1*s, 1*s, 1*s), script: failing(retry.After(errA, 3*s), retry.After(errB, 1*ms), errC, nil),
			want: result{
				Calls:  []time.Duration{0, 3 * s, 4 * s, 5 * s},
				Events: []retry.Event{event(1, errA, 3*s, 0), event(2, errB, 1*s, 3*s), event(3, errC, 1*s, 4*s)},
				End:    5 * s,
			},
		},
		{
			name: "a hint may be anywhere in the chain, of any type", delays: list(1 * s), script: failing(fmt.Errorf("get: %w", busy{4 * s}), nil),
			opts: options(retry.If(func(err error) bool { return errors.As(err, new(busy)) })),
			want: result{
				Calls:  []time.Duration{0, 4 * s},
				Events: []retry.Event{{Attempt: 1, Delay: 4 * s}},
				End:    4 * s,
			},
		},
		{
			name: "a negative hint asks for nothing", delays: list(1 * s), script: failing(retry.After(errA, math.MinInt64), nil),
			want: result{
				Calls:  []time.Duration{0, 1 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0)},
				End:    1 * s,
			},
		},
		{
			name: "a negative delay and a negative hint are none", delays: list(-1 * s), script: failing(retry.After(errA, -2*s), nil),
			want: result{Calls: []time.Duration{0, 0}, Events: []retry.Event{event(1, errA, 0, 0)}},
		},
		{
			name: "MaxAfter bounds a hint, and not the schedule", delays: list(1*s, 9*s), script: failing(retry.After(errA, math.MaxInt64), retry.After(errB, 1*s), nil),
			opts: options(retry.MaxAfter(3 * s)),
			want: result{
				Calls:  []time.Duration{0, 3 * s, 12 * s},
				Events: []retry.Event{event(1, errA, 3*s, 0), event(2, errB, 9*s, 3*s)},
				End:    12 * s,
			},
		},
		{
			name: "MaxAfter(0) ignores hints", delays: list(1 * s), script: failing(retry.After(errA, 5*s), nil),
			opts: options(retry.MaxAfter(0)),
			want: result{
				Calls:  []time.Duration{0, 1 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0)},
				End:    1 * s,
			},
		},
		{
			name: "a hint past the deadline stops at once", delays: list(1 * s), script: failing(retry.After(errA, math.MaxInt64)),
			deadline: 10 * s,
			want:     result{Calls: []time.Duration{0}, Err: stopped(1, 0, errA, retry.ErrDeadline)},
		},
		{
			name: "a hint cannot make a retry that the schedule lacks", delays: list(), script: failing(retry.After(errA, 1*s)),
			want: result{Calls: []time.Duration{0}, Err: stopped(1, 0, errA, retry.ErrExhausted)},
		},

		{
			name: "a context that has ended makes no attempt", delays: list(s), script: failing(errA),
			cancel: -1,
			want:   result{Err: stopped(0, 0, nil, errStop)},
		},
		{
			name: "a context that ends during a delay", delays: list(2*s, 2*s), script: failing(errA, errB),
			cancel: 3 * s,
			want: result{
				Calls:  []time.Duration{0, 2 * s},
				Events: []retry.Event{event(1, errA, 2*s, 0), event(2, errB, 2*s, 2*s)},
				Err:    stopped(2, 3*s, errB, errStop),
				End:    3 * s,
			},
		},
		{
			name: "a context that ends during an attempt", delays: list(2 * s), script: script{{takes: 5 * s, err: errA}},
			cancel: 3 * s,
			want:   result{Calls: []time.Duration{0}, Err: stopped(1, 5*s, errA, errStop), End: 5 * s},
		},
		{
			name: "an attempt that heeds the context", delays: list(2 * s), script: script{{takes: 5 * s, err: errA, heeds: true}},
			cancel: 3 * s,
			want:   result{Calls: []time.Duration{0}, Err: stopped(1, 3*s, context.Canceled, errStop), End: 3 * s},
		},
		{
			name: "a success counts although the context has ended", delays: list(2 * s), script: script{{takes: 5 * s}},
			cancel: 3 * s,
			want:   result{Calls: []time.Duration{0}, End: 5 * s},
		},
		{
			name: "a permanent error counts although the context has ended", delays: list(2 * s), script: script{{takes: 5 * s, err: retry.Permanent(errA)}},
			cancel: 3 * s,
			want:   result{Calls: []time.Duration{0}, Err: errA, End: 5 * s},
		},

		{
			name: "no sleep that would pass the deadline", delays: list(1*s, 10*s), script: failing(errA, errB),
			deadline: 5 * s,
			want: result{
				Calls:  []time.Duration{0, 1 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0)},
				Err:    stopped(2, 1*s, errB, retry.ErrDeadline),
				End:    1 * s,
			},
		},
		{
			name: "nor one that would reach it", delays: list(1*s, 4*s), script: failing(errA, errB),
			deadline: 5 * s,
			want: result{
				Calls:  []time.Duration{0, 1 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0)},
				Err:    stopped(2, 1*s, errB, retry.ErrDeadline),
				End:    1 * s,
			},
		},
		{
			name: "but one that ends just before", delays: list(1*s, 4*s-1), script: failing(errA, errB, nil),
			deadline: 5 * s,
			want: result{
				Calls:  []time.Duration{0, 1 * s, 5*s - 1},
				Events: []retry.Event{event(1, errA, 1*s, 0), event(2, errB, 4*s-1, 1*s)},
				End:    5*s - 1,
			},
		},
		{
			name: "the deadline ends a long attempt", delays: list(1 * s), script: script{{takes: 9 * s, err: errA, heeds: true}},
			deadline: 5 * s,
			want:     result{Calls: []time.Duration{0}, Err: stopped(1, 5*s, context.DeadlineExceeded, context.DeadlineExceeded), End: 5 * s},
		},
		{
			name: "the largest delay does not wrap", delays: backoff.Constant(backoff.NoLimit), script: failing(errA),
			deadline: 5 * s,
			want:     result{Calls: []time.Duration{0}, Err: stopped(1, 0, errA, retry.ErrDeadline)},
		},

		{
			name: "an attempt's own timeout is retried", delays: list(1*s, 1*s), script: script{{takes: time.Hour, heeds: true}, {takes: 1 * s}},
			opts: options(retry.AttemptTimeout(3 * s)),
			want: result{
				Calls:  []time.Duration{0, 4 * s},
				Events: []retry.Event{event(1, context.DeadlineExceeded, 1*s, 3*s)},
				End:    5 * s,
			},
		},
		{
			name: "each attempt has a timeout of its own", delays: list(1 * s), script: script{{takes: time.Hour, heeds: true}},
			opts: options(retry.AttemptTimeout(3 * s)),
			want: result{
				Calls:  []time.Duration{0, 4 * s},
				Events: []retry.Event{event(1, context.DeadlineExceeded, 1*s, 3*s)},
				Err:    stopped(2, 7*s, context.DeadlineExceeded, retry.ErrExhausted),
				End:    7 * s,
			},
		},
		{
			name: "the parent's end is not an attempt's timeout", delays: list(1 * s), script: script{{takes: time.Hour, heeds: true}},
			opts:   options(retry.AttemptTimeout(3 * s)),
			cancel: 2 * s,
			want:   result{Calls: []time.Duration{0}, Err: stopped(1, 2*s, context.Canceled, errStop), End: 2 * s},
		},
		{
			name: "If is not called for an attempt's timeout", delays: list(1 * s), script: script{{takes: time.Hour, heeds: true}, {takes: 1 * s, err: errA}},
			opts: options(retry.AttemptTimeout(3*s), retry.If(func(error) bool { return false })),
			want: result{
				Calls:  []time.Duration{0, 4 * s},
				Events: []retry.Event{event(1, context.DeadlineExceeded, 1*s, 3*s)},
				Err:    errA, End: 5 * s,
			},
		},
		{
			name: "Permanent beats an attempt's timeout", delays: list(1 * s), script: script{{takes: 4 * s, err: retry.Permanent(errA)}},
			opts: options(retry.AttemptTimeout(3 * s)),
			want: result{Calls: []time.Duration{0}, Err: errA, End: 4 * s},
		},
		{
			name: "the end of the context does not replace the last real error", delays: list(1 * s), script: script{{err: errA}, {takes: time.Hour, heeds: true}},
			cancel: 2 * s,
			want: result{
				Calls:  []time.Duration{0, 1 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0)},
				Err:    stopped(2, 2*s, errA, errStop), End: 2 * s,
			},
		},
		{
			name: "an error beside the end of the context does", delays: list(1 * s), script: script{{err: errA}, {takes: 3 * s, err: errB}},
			cancel: 2 * s,
			want: result{
				Calls:  []time.Duration{0, 1 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0)},
				Err:    stopped(2, 4*s, errB, errStop), End: 4 * s,
			},
		},
		{
			name: "the cause of the end replaces no error either", delays: list(1 * s), script: script{{err: errA}, {takes: 3 * s, err: errStop}},
			cancel: 2 * s,
			want: result{
				Calls:  []time.Duration{0, 1 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0)},
				Err:    stopped(2, 4*s, errA, errStop), End: 4 * s,
			},
		},
		{
			name: "the deadline counts from the beginning", delays: list(4*s, 4*s), script: script{{takes: 5 * s, err: errA}, {err: errB}},
			deadline: 10 * s,
			want: result{
				Calls:  []time.Duration{0, 9 * s},
				Events: []retry.Event{event(1, errA, 4*s, 5*s)},
				Err:    stopped(2, 9*s, errB, retry.ErrDeadline), End: 9 * s,
			},
		},
		{
			name: "the end of the context beats If", delays: list(1 * s), script: script{{takes: time.Hour, heeds: true}},
			opts:   options(retry.If(func(error) bool { return false })),
			cancel: 2 * s,
			want:   result{Calls: []time.Duration{0}, Err: stopped(1, 2*s, context.Canceled, errStop), End: 2 * s},
		},

		{
			name: "MaxAttempts counts the first, and no sleep follows the last", delays: backoff.Constant(s), script: failing(errA, errB, errC),
			opts: options(retry.MaxAttempts(3)),
			want: result{
				Calls:  []time.Duration{0, 1 * s, 2 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0), event(2, errB, 1*s, 1*s)},
				Err:    stopped(3, 2*s, errC, retry.ErrExhausted),
				End:    2 * s,
			},
		},
		{
			name: "MaxAttempts(1) is one attempt", delays: backoff.Constant(s), script: failing(errA),
			opts: options(retry.MaxAttempts(1)),
			want: result{Calls: []time.Duration{0}, Err: stopped(1, 0, errA, retry.ErrExhausted)},
		},
		{
			name: "the last of MaxAttempts may succeed", delays: backoff.Constant(s), script: failing(errA, nil),
			opts: options(retry.MaxAttempts(2)),
			want: result{
				Calls:  []time.Duration{0, 1 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0)},
				End:    1 * s,
			},
		},
		{
			name: "a shorter schedule ends before MaxAttempts", delays: list(s), script: failing(errA),
			opts: options(retry.MaxAttempts(math.MaxInt)),
			want: result{
				Calls:  []time.Duration{0, 1 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0)},
				Err:    stopped(2, 1*s, errA, retry.ErrExhausted),
				End:    1 * s,
			},
		},
		{
			name: "the last of MaxAttempts may be permanent", delays: backoff.Constant(s), script: failing(retry.Permanent(errA)),
			opts: options(retry.MaxAttempts(1)),
			want: result{Calls: []time.Duration{0}, Err: errA},
		},
		{
			name: "or be refused by If", delays: backoff.Constant(s), script: failing(errA),
			opts: options(retry.MaxAttempts(1), retry.If(func(error) bool { return false })),
			want: result{Calls: []time.Duration{0}, Err: errA},
		},
		{
			name: "MaxAttempts comes before the deadline", delays: backoff.Constant(time.Hour), script: failing(errA), deadline: 1 * s,
			opts: options(retry.MaxAttempts(1)),
			want: result{Calls: []time.Duration{0}, Err: stopped(1, 0, errA, retry.ErrExhausted)},
		},
		{
			name: "MaxAttempts counts on through ResetAfter", delays: list(1*s, 2*s), script: script{{takes: time.Minute, err: errA}},
			opts: options(retry.ResetAfter(time.Minute), retry.MaxAttempts(4)),
			want: result{
				Calls:  []time.Duration{0, 61 * s, 122 * s, 183 * s},
				Events: []retry.Event{event(1, errA, 1*s, 60*s), event(2, errA, 1*s, 121*s), event(3, errA, 1*s, 182*s)},
				Err:    stopped(4, 243*s, errA, retry.ErrExhausted),
				End:    243 * s,
			},
		},
		{
			name: "Take counts again after ResetAfter", delays: backoff.Take(backoff.Constant(s), 1), script: script{{err: errA}, {takes: time.Minute, err: errA}, {err: errB}},
			opts: options(retry.ResetAfter(time.Minute)),
			want: result{
				Calls:  []time.Duration{0, 1 * s, 62 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0), event(2, errA, 1*s, 61*s)},
				Err:    stopped(3, 62*s, errB, retry.ErrExhausted),
				End:    62 * s,
			},
		},

		{
			name: "MaxElapsed allows a retry at its very end", delays: backoff.Constant(2 * s), script: failing(errA),
			opts: options(retry.MaxElapsed(4 * s)),
			want: result{
				Calls:  []time.Duration{0, 2 * s, 4 * s},
				Events: []retry.Event{event(1, errA, 2*s, 0), event(2, errA, 2*s, 2*s)},
				Err:    stopped(3, 4*s, errA, retry.ErrElapsed),
				End:    4 * s,
			},
		},
		{
			name: "and no delay that ends after it", delays: backoff.Constant(2 * s), script: failing(errA),
			opts: options(retry.MaxElapsed(4*s - 1)),
			want: result{
				Calls:  []time.Duration{0, 2 * s},
				Events: []retry.Event{event(1, errA, 2*s, 0)},
				Err:    stopped(2, 2*s, errA, retry.ErrElapsed),
				End:    2 * s,
			},
		},
		{
			name: "MaxElapsed counts the attempts", delays: backoff.Constant(0), script: script{{takes: 3 * s, err: errA}},
			opts: options(retry.MaxElapsed(4 * s)),
			want: result{
				Calls:  []time.Duration{0, 3 * s},
				Events: []retry.Event{event(1, errA, 0, 3*s)},
				Err:    stopped(2, 6*s, errA, retry.ErrElapsed),
				End:    6 * s,
			},
		},
		{
			name: "MaxElapsed of 1 s and a delay that would wrap a sum", delays: backoff.Constant(backoff.NoLimit), script: script{{takes: 500 * ms, err: errA}},
			opts: options(retry.MaxElapsed(1 * s)),
			want: result{Calls: []time.Duration{0}, Err: stopped(1, 500*ms, errA, retry.ErrElapsed), End: 500 * ms},
		},
		{
			name: "MaxElapsed bounds a hint", delays: backoff.Constant(0), script: failing(retry.After(errA, 2*s)),
			opts: options(retry.MaxElapsed(1 * s)),
			want: result{Calls: []time.Duration{0}, Err: stopped(1, 0, errA, retry.ErrElapsed)},
		},

		{
			name: "a long attempt starts the schedule again", delays: list(1*s, 2*s),
			script: script{{err: errA}, {err: errA}, {takes: time.Minute, err: errB}, {err: errC}},
			opts:   options(retry.ResetAfter(time.Minute)),
			want: result{
				Calls:  []time.Duration{0, 1 * s, 3 * s, 64 * s, 66 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0), event(2, errA, 2*s, 1*s), event(3, errB, 1*s, 63*s), event(4, errC, 2*s, 64*s)},
				Err:    stopped(5, 66*s, errC, retry.ErrExhausted),
				End:    66 * s,
			},
		},
		{
			name: "a shorter one does not", delays: list(1*s, 2*s, 4*s),
			script: script{{err: errA}, {takes: time.Minute - 1, err: errB}, {err: errC}},
			opts:   options(retry.ResetAfter(time.Minute)),
			want: result{
				Calls:  []time.Duration{0, 1 * s, 63*s - 1, 67*s - 1},
				Events: []retry.Event{event(1, errA, 1*s, 0), event(2, errB, 2*s, 61*s-1), event(3, errC, 4*s, 63*s-1)},
				Err:    stopped(4, 67*s-1, errC, retry.ErrExhausted),
				End:    67*s - 1,
			},
		},
		{
			name: "the delay is no part of an attempt's time", delays: list(1*time.Hour, 2*s), script: failing(errA),
			opts: options(retry.ResetAfter(time.Minute)),
			want: result{
				Calls:  []time.Duration{0, time.Hour, time.Hour + 2*s},
				Events: []retry.Event{event(1, errA, time.Hour, 0), event(2, errA, 2*s, time.Hour)},
				Err:    stopped(3, time.Hour+2*s, errA, retry.ErrExhausted),
				End:    time.Hour + 2*s,
			},
		},
		{
			name: "nor is the attempt before it, though there is no delay", delays: list(1*s, 0, 2*s),
			script: script{{err: errA}, {takes: 40 * s, err: errB}, {takes: 30 * s, err: errC}},
			opts:   options(retry.ResetAfter(time.Minute)),
			want: result{
				Calls:  []time.Duration{0, 1 * s, 41 * s, 73 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0), event(2, errB, 0, 41*s), event(3, errC, 2*s, 71*s)},
				Err:    stopped(4, 103*s, errC, retry.ErrExhausted),
				End:    103 * s,
			},
		},
		{
			name: "MaxElapsed goes on through ResetAfter", delays: list(1 * s), script: script{{takes: time.Minute, err: errA}},
			opts: options(retry.ResetAfter(time.Minute), retry.MaxElapsed(100*s)),
			want: result{
				Calls:  []time.Duration{0, 61 * s},
				Events: []retry.Event{event(1, errA, 1*s, 60*s)},
				Err:    stopped(2, 121*s, errA, retry.ErrElapsed),
				End:    121 * s,
			},
		},
		{
			name: "an empty schedule cannot start again", delays: list(), script: script{{takes: time.Minute, err: errA}},
			opts: options(retry.ResetAfter(time.Second)),
			want: result{Calls: []time.Duration{0}, Err: stopped(1, time.Minute, errA, retry.ErrExhausted), End: time.Minute},
		},

		{
			name: "KeepErrors keeps the last", delays: list(0, 0, 0), script: failing(errA, errB, errC, errA),
			opts: options(retry.KeepErrors(3)),
			want: result{
				Calls:  []time.Duration{0, 0, 0, 0},
				Events: []retry.Event{event(1, errA, 0, 0), event(2, errB, 0, 0), event(3, errC, 0, 0)},
				Err:    stopped(4, 0, errA, retry.ErrExhausted, errB, errC),
			},
		},
		{
			name: "KeepErrors(1) keeps the last", delays: list(0), script: failing(errA, errB),
			opts: options(retry.KeepErrors(1)),
			want: result{
				Calls:  []time.Duration{0, 0},
				Events: []retry.Event{event(1, errA, 0, 0)},
				Err:    stopped(2, 0, errB, retry.ErrExhausted),
			},
		},
		{
			name: "KeepErrors of more than there are", delays: list(0), script: failing(errA, errB),
			opts: options(retry.KeepErrors(9)),
			want: result{
				Calls:  []time.Duration{0, 0},
				Events: []retry.Event{event(1, errA, 0, 0)},
				Err:    stopped(2, 0, errB, retry.ErrExhausted, errA),
			},
		},

		{
			name: "a budget at half allows no retry", delays: backoff.Constant(s), script: failing(errA),
			opts: func() []retry.Option { return []retry.Option{retry.WithBudget(retry.NewBudget(4, 1))} },
			want: result{
				Calls:  []time.Duration{0, 1 * s},
				Events: []retry.Event{event(1, errA, 1*s, 0)},
				Err:    stopped(2, 1*s, errA, retry.ErrBudget), End: 1 * s,
			},
		},
		{
			name: "a budget of one token allows none", delays: backoff.Constant(s), script: failing(errA),
			opts: func() []retry.Option { return []retry.Option{retry.WithBudget(retry.NewBudget(1, 1))} },
			want: result{Calls: []time.Duration{0}, Err: stopped(1, 0, errA, retry.ErrBudget)},
		},
		{
			name: "the deadline comes before the budget", delays: backoff.Constant(s), script: failing(errA), deadline: 1 * s,
			opts: func() []retry.Option { return []retry.Option{retry.WithBudget(retry.NewBudget(1, 1))} },
			want: result{Calls: []time.Duration{0}, Err: stopped(1, 0, errA, retry.ErrDeadline)},
		},
	}
	for _, row := range rows {
		for name, run := range runners {
			check := func(t *testing.T, perform func(runner, context.Context, iter.Seq[time.Duration], script, ...retry.Option) result, want result) {
				synctest.Test(t, func(t *testing.T) {
					ctx := t.Context()
					if row.deadline > 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, row.deadline)
						defer cancel()
					}
					if row.cancel != 0 {
						var cancel context.CancelCauseFunc
						ctx, cancel = context.WithCancelCause(ctx)
						if row.cancel < 0 {
							cancel(errStop)
						} else {
							defer time.AfterFunc(row.cancel, func() { cancel(errStop) }).Stop()
						}
					}
					var opts []retry.Option
					if row.opts != nil {
						opts = row.opts()
					}
					got := perform(run, ctx, row.delays, row.script, opts...)
					for i, e := range got.Events {
						if errors.As(e.Err, new(busy)) {
							got.Events[i].Err = nil // made afresh in its row
						}
					}
					if diff := cmp.Diff(want, got, sameError); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
				})
			}
			t.Run(row.name+"/"+name, func(t *testing.T) { check(t, perform, row.want) })
			t.Run(row.name+"/"+name+"/without a hook", func(t *testing.T) {
				want := row.want
				want.Events = nil
				check(t, unheard, want)
			})
		}
	}
}

// busy is an error of other code that says how long to wait.
type busy struct{ wait time.Duration }

func (busy) Error() string               { return "busy" }
func (b busy) RetryAfter() time.Duration { return b.wait }
