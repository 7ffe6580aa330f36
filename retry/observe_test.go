package retry_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/backoff/retry"
)

// watch is what an observer has seen of one call.
type watch struct {
	start    time.Time
	attempts []retry.Attempt
	outcomes []retry.Outcome
	of       []int // the attempt whose function got each outcome
}

func watching() *watch { return &watch{start: time.Now()} }

func (w *watch) option() retry.Option {
	return retry.Observe(func(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
		w.attempts = append(w.attempts, a)
		return ctx, func(o retry.Outcome) {
			w.outcomes = append(w.outcomes, o)
			w.of = append(w.of, a.Number)
		}
	})
}

// words returns the results of the outcomes.
func (w *watch) words() []string {
	var words []string
	for _, o := range w.outcomes {
		words = append(words, o.Result())
	}
	return words
}

// check checks the laws of Observe against the run that it has seen.
func (w *watch) check(t interface {
	Helper()
	Fatalf(string, ...any)
}, got result,
) {
	t.Helper()
	var began []time.Duration
	var spent time.Duration // by attempts and delays
	for i, a := range w.attempts {
		began = append(began, a.Start.Sub(w.start))
		if a.Number != i+1 {
			t.Fatalf("attempt %d has the number %d", i+1, a.Number)
		}
		spent += a.Delay
	}
	if diff := cmp.Diff(got.Calls, began, sameError); diff != "" {
		t.Fatalf("starts of the attempts (-want +got):\n%s", diff)
	}
	if len(w.attempts) == 0 {
		if len(w.outcomes) > 0 {
			t.Fatalf("outcomes without an attempt: %v", w.outcomes)
		}
		return
	}
	var events []retry.Event
	for i, o := range w.outcomes {
		if o.Attempts != w.of[i] {
			t.Fatalf("outcome of %d attempts was passed to the function of attempt %d", o.Attempts, w.of[i])
		}
		if last := i == len(w.outcomes)-1; o.Retry == last {
			t.Fatalf("outcome %d of %d has Retry = %v", i+1, len(w.outcomes), o.Retry)
		}
		if i == 0 || w.of[i] != w.of[i-1] {
			spent += o.Took
		}
		if !o.Retry {
			continue
		}
		events = append(events, retry.Event{Attempt: o.Attempts, Err: o.Err, Delay: o.Delay, Elapsed: o.Elapsed})
		if i+1 < len(w.attempts) && w.attempts[i+1].Delay != o.Delay {
			t.Fatalf("attempt %d after %v, want %v", i+2, w.attempts[i+1].Delay, o.Delay)
		}
	}
	if diff := cmp.Diff(got.Events, events, sameError); diff != "" {
		t.Fatalf("outcomes with a retry (-want +got):\n%s", diff)
	}
	end := w.outcomes[len(w.outcomes)-1]
	var want retry.Outcome
	if e, ok := got.Err.(*retry.Error); ok {
		want = retry.Outcome{Attempts: e.Attempts, Elapsed: e.Elapsed, Cause: e.Cause}
	} else {
		want = retry.Outcome{Attempts: len(got.Calls), Elapsed: got.End, Err: got.Err}
	}
	ignored := cmpopts.IgnoreFields(retry.Outcome{}, "Took")
	if want.Cause != nil {
		ignored = cmpopts.IgnoreFields(retry.Outcome{}, "Took", "Err")
		if end.Err == nil {
			t.Fatalf("the call failed and its last outcome has no error: %+v", end)
		}
	}
	if diff := cmp.Diff(want, end, sameError, ignored, cmpopts.IgnoreUnexported(retry.Outcome{})); diff != "" {
		t.Fatalf("last outcome (-want +got):\n%s", diff)
	}
	if w.of[len(w.of)-1] == len(w.outcomes) && spent != end.Elapsed {
		t.Fatalf("attempts and delays took %v, elapsed is %v", spent, end.Elapsed)
	}
}

// The word for each end of a call.
func TestResult(t *testing.T) {
	spent := retry.NewBudget(1, 1)
	spent.Failed()
	refusal := errors.New("refusal")
	for _, row := range []struct {
		want  []string
		cause error
		sc    script
		opts  []retry.Option
	}{
		{[]string{"success"}, nil, failing(nil), nil},
		{[]string{"retry", "success"}, nil, failing(errA, nil), nil},
		{[]string{"retry", "permanent"}, nil, failing(errA, retry.Permanent(errB)), nil},
		{[]string{"permanent"}, nil, failing(errA), []retry.Option{retry.If(func(error) bool { return false })}},
		{[]string{"retry", "retry", "exhausted"}, retry.ErrExhausted, failing(errA), nil},
		{[]string{"retry", "exhausted"}, retry.ErrExhausted, failing(errA), []retry.Option{retry.MaxAttempts(2)}},
		{[]string{"elapsed"}, retry.ErrElapsed, failing(errA), []retry.Option{retry.MaxElapsed(ms)}},
		{[]string{"budget"}, retry.ErrBudget, failing(errA), []retry.Option{retry.WithBudget(spent)}},
		{[]string{"retry", "other"}, refusal, failing(errA), []retry.Option{retry.WithLimiter(refusing{2, refusal})}},
		{[]string{"deadline"}, retry.ErrDeadline, script{{takes: time.Hour, err: errA}}, nil},
		{[]string{"context"}, context.DeadlineExceeded, script{{takes: 2 * time.Hour, err: errA}}, nil},
	} {
		for name, run := range runners {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour+ms)
				defer cancel()
				w := watching()
				got := perform(run, ctx, list(s, s), row.sc, append(row.opts, w.option())...)
				w.check(t, got)
				if diff := cmp.Diff(row.want, w.words()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
				if cause := w.outcomes[len(w.outcomes)-1].Cause; cause != row.cause {
					t.Errorf("%s: cause is %v, want %v", name, cause, row.cause)
				}
			})
		}
	}
}

// The result is "context" also if the context was cancelled by a cause of its own.
func TestResultOfCause(t *testing.T) {
	for _, row := range []struct {
		name   string
		delays []time.Duration
		sc     script
		want   []string
	}{
		{"in the first attempt", []time.Duration{s}, script{{takes: time.Hour, err: errA, heeds: true}}, []string{"context"}},
		{"in a retry", []time.Duration{s}, script{{err: errA}, {takes: time.Hour, err: errB}}, []string{"retry", "context"}},
		{"in a delay", []time.Duration{time.Hour}, failing(errA), []string{"retry", "context"}},
	} {
		for name, run := range runners {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer time.AfterFunc(time.Minute, func() { cancel(errStop) }).Stop()
				w := watching()
				got := perform(run, ctx, list(row.delays...), row.sc, w.option())
				w.check(t, got)
				if diff := cmp.Diff(row.want, w.words()); diff != "" {
					t.Errorf("%s in %s (-want +got):\n%s", row.name, name, diff)
				}
				if cause := w.outcomes[len(w.outcomes)-1].Cause; cause != errStop {
					t.Errorf("%s in %s: cause is %v, want %v", row.name, name, cause, errStop)
				}
			})
		}
	}
}

// An Outcome made elsewhere, such as in a test of an observer, has the same words, as far
// as its fields show them.
func TestResultOfFields(t *testing.T) {
	for _, row := range []struct {
		want string
		o    retry.Outcome
	}{
		{"success", retry.Outcome{}},
		{"retry", retry.Outcome{Err: errA, Retry: true}},
		{"permanent", retry.Outcome{Err: errA}},
		{"exhausted", retry.Outcome{Err: errA, Cause: retry.ErrExhausted}},
		{"deadline", retry.Outcome{Err: errA, Cause: retry.ErrDeadline}},
		{"elapsed", retry.Outcome{Err: errA, Cause: retry.ErrElapsed}},
		{"budget", retry.Outcome{Err: errA, Cause: retry.ErrBudget}},
		{"nested", retry.Outcome{Err: errA, Cause: retry.ErrNested}},
		{"throttled", retry.Outcome{Err: errA, Cause: retry.ErrThrottled}},
		{"context", retry.Outcome{Err: errA, Cause: context.Canceled}},
		{"context", retry.Outcome{Err: errA, Cause: context.DeadlineExceeded}},
		{"other", retry.Outcome{Err: errA, Cause: errB}},
	} {
		if got := row.o.Result(); got != row.want {
			t.Errorf("result of %+v is %q, want %q", row.o, got, row.want)
		}
	}
}

// The context ends in the delay: the outcome that announces the retry is followed by the
// one that ends the call, for the same attempt.
func TestObserveEndInDelay(t *testing.T) {
	for name, run := range runners {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(4*s, func() { cancel(errStop) })
			w := watching()
			perform(run, ctx, list(s, 5*s), script{{takes: s, err: errA}}, w.option())
			want := []retry.Outcome{
				{Attempts: 1, Err: errA, Took: s, Elapsed: s, Retry: true, Delay: s},
				{Attempts: 2, Err: errA, Took: s, Elapsed: 3 * s, Retry: true, Delay: 5 * s},
				{Attempts: 2, Err: errA, Took: s, Elapsed: 4 * s, Cause: errStop},
			}
			if diff := cmp.Diff(want, w.outcomes, sameError, cmpopts.IgnoreUnexported(retry.Outcome{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			if diff := cmp.Diff([]int{1, 2, 2}, w.of); diff != "" {
				t.Errorf("%s: attempts (-want +got):\n%s", name, diff)
			}
		})
	}
}

// An attempt that fails only because the context is done has its own error in the
// outcome, though the Error keeps the one before.
func TestObserveErrorOfContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*s)
		defer cancel()
		w := watching()
		got := perform(retry.Do, ctx, list(s), script{{err: errA}, {takes: time.Hour, heeds: true}}, w.option())
		if e := got.Err.(*retry.Error); e.Last != errA {
			t.Errorf("last error is %v, want %v", e.Last, errA)
		}
		if o := w.outcomes[1]; o.Err != context.DeadlineExceeded || o.Cause != context.DeadlineExceeded {
			t.Errorf("last outcome is %+v, want the attempt's own error", o)
		}
	})
}

// Several observers nest: each context derives from the one before, and the functions are
// called in reverse. One that gives neither context nor function changes nothing.
func TestObserveSeveral(t *testing.T) {
	type key struct{ n int }
	for name, run := range runners {
		synctest.Test(t, func(t *testing.T) {
			var said []string
			observer := func(n int) retry.Option {
				return retry.Observe(func(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
					said = append(said, fmt.Sprint("begin ", n, " inside of 0: ", ctx.Value(key{0})))
					return context.WithValue(ctx, key{n}, a.Number), func(retry.Outcome) { said = append(said, fmt.Sprint("end ", n)) }
				})
			}
			silent := retry.Observe(func(context.Context, retry.Attempt) (context.Context, func(retry.Outcome)) { return nil, nil })
			run(t.Context(), list(s), func(ctx context.Context) error {
				if _, ok := ctx.Deadline(); !ok {
					t.Errorf("%s: the attempt has no deadline", name)
				}
				said = append(said, fmt.Sprint("attempt ", ctx.Value(key{0}), ctx.Value(key{1})))
				return nil
			}, silent, observer(0), silent, observer(1), silent, retry.AttemptTimeout(s))
			want := []string{"begin 0 inside of 0: <nil>", "begin 1 inside of 0: 1", "attempt 1 1", "end 1", "end 0"}
			if diff := cmp.Diff(want, said); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		})
	}
}

// A panic and runtime.Goexit end the observation, and go on.
func TestObservePanic(t *testing.T) {
	for name, run := range runners {
		for _, end := range []struct {
			name string
			f    func()
			want any // what is recovered
		}{
			{"panic", func() { panic(errB) }, errB},
			{"Goexit", runtime.Goexit, nil},
		} {
			synctest.Test(t, func(t *testing.T) {
				w := watching()
				ended := make(chan any, 1)
				go func() {
					defer func() { ended <- recover() }()
					n := 0
					run(t.Context(), list(s), func(context.Context) error {
						if n++; n == 2 {
							time.Sleep(ms)
							end.f()
						}
						return errA
					}, w.option())
				}()
				if got := <-ended; got != end.want {
					t.Errorf("%s in %s: recovered %v, want %v", end.name, name, got, end.want)
				}
				last := w.outcomes[len(w.outcomes)-1]
				if len(w.outcomes) != 2 || last.Result() != "panic" || last.Retry || last.Took != ms || last.Elapsed != s+ms || last.Attempts != 2 {
					t.Errorf("%s in %s: outcomes are %+v, want a retry and a panic", end.name, name, w.outcomes)
				}
			})
		}
	}
}

// A panic of one of several observers ends the observation of each once, in the attempt
// that it has seen last.
func TestObservePanicOfOne(t *testing.T) {
	for name, run := range runners {
		for _, bad := range []int{1, 2} { // the attempt at which the second observer panics
			synctest.Test(t, func(t *testing.T) {
				first, second := watching(), watching()
				panics := retry.Observe(func(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
					if a.Number == bad {
						panic(errB)
					}
					return ctx, func(o retry.Outcome) { second.outcomes = append(second.outcomes, o) }
				})
				got := panicOf(func() {
					run(t.Context(), list(s), func(context.Context) error { return errA }, first.option(), panics)
				})
				if got != errB {
					t.Errorf("%s: recovered %v, want %v", name, got, errB)
				}
				for i, outcomes := range [][]retry.Outcome{first.outcomes, second.outcomes} {
					ends := 0
					for _, o := range outcomes {
						if !o.Retry {
							ends++
						}
					}
					want := 1
					if i == 1 && bad == 1 {
						want = 0 // it has begun nothing
					}
					if ends != want {
						t.Errorf("%s, attempt %d: observer %d has %d ends, want %d: %+v", name, bad, i+1, ends, want, outcomes)
					}
				}
				if last := first.of[len(first.of)-1]; last != bad {
					t.Errorf("%s: the last outcome was passed to the function of attempt %d, want %d", name, last, bad)
				}
			})
		}
	}
}

// The functions of all observers are called, even if one panics.
func TestObservePanicOfFunction(t *testing.T) {
	for name, run := range runners {
		w := watching()
		bad := retry.Observe(func(ctx context.Context, _ retry.Attempt) (context.Context, func(retry.Outcome)) {
			return ctx, func(retry.Outcome) { panic(errB) }
		})
		got := panicOf(func() {
			run(t.Context(), list(s), func(context.Context) error { return nil }, w.option(), bad, w.option())
		})
		if got != errB || len(w.outcomes) != 2 {
			t.Errorf("%s: recovered %v, outcomes are %+v, want two successes", name, got, w.outcomes)
		}
	}
}

// So does a panic of a function that decides what follows the attempt.
func TestObservePanicElsewhere(t *testing.T) {
	for name, run := range runners {
		for _, row := range []struct {
			name   string
			delays func(yield func(time.Duration) bool)
			opt    retry.Option
			want   []string
		}{
			{"If", list(s), retry.If(func(error) bool { panic(errB) }), []string{"panic"}},
			{"OnRetry", list(s), retry.OnRetry(func(retry.Event) { panic(errB) }), []string{"retry", "panic"}},
			{"the schedule", func(func(time.Duration) bool) { panic(errB) }, retry.Option{}, []string{"panic"}},
			{"the schedule later", func(yield func(time.Duration) bool) {
				yield(0)
				panic(errB)
			}, retry.Option{}, []string{"retry", "panic"}},
			{"another observer", list(s), retry.Observe(func(context.Context, retry.Attempt) (context.Context, func(retry.Outcome)) {
				panic(errB)
			}), []string{"panic"}},
			{"the schedule after the end", func(yield func(time.Duration) bool) {
				yield(0)
				panic(errB)
			}, retry.MaxAttempts(2), []string{"retry", "exhausted"}},
			{"the outcome of another observer", list(s), retry.Observe(func(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
				return ctx, func(o retry.Outcome) {
					if !o.Retry {
						panic(errB)
					}
				}
			}), []string{"retry", "exhausted"}},
		} {
			synctest.Test(t, func(t *testing.T) {
				w := watching()
				got := panicOf(func() {
					run(t.Context(), row.delays, func(context.Context) error { return errA }, w.option(), row.opt)
				})
				if got != errB {
					t.Errorf("%s in %s: recovered %v, want %v", row.name, name, got, errB)
				}
				if diff := cmp.Diff(row.want, w.words()); diff != "" {
					t.Errorf("%s in %s (-want +got):\n%s", row.name, name, diff)
				}
			})
		}
	}
}

// The body of a Loop that breaks has ended the call, with the result that it set.
func TestObserveLoopLeft(t *testing.T) {
	for want, failure := range map[string]error{"success": nil, "permanent": errA} {
		w := watching()
		loop := retry.NewLoop(t.Context(), list(s), w.option())
		for range loop.Attempts() {
			loop.Fail(failure)
			break
		}
		if len(w.outcomes) != 1 || w.outcomes[0].Result() != want || w.outcomes[0].Err != failure {
			t.Errorf("outcomes are %+v, want %s", w.outcomes, want)
		}
	}
}

// The time that an observer takes after a failure is part of the delay, and that before
// an attempt is not part of the attempt.
func TestObserveSlow(t *testing.T) {
	for name, run := range runners {
		synctest.Test(t, func(t *testing.T) {
			var took []time.Duration
			slow := retry.Observe(func(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
				if a.Number == 3 {
					time.Sleep(70 * ms)
				}
				return ctx, func(o retry.Outcome) {
					took = append(took, o.Took)
					time.Sleep(400 * ms)
				}
			})
			got := perform(run, t.Context(), list(s, 200*ms), script{{takes: ms, err: errA}}, slow)
			if diff := cmp.Diff([]time.Duration{ms, ms, ms}, took); diff != "" {
				t.Errorf("%s: took (-want +got):\n%s", name, diff)
			}
			if diff := cmp.Diff([]time.Duration{0, s + ms, s + 2*ms + 470*ms}, got.Calls); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		})
	}
}
