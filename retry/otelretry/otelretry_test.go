package otelretry_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"

	"example.com/backoff"
	"example.com/backoff/internal/ending"
	"example.com/backoff/retry"
	"example.com/backoff/retry/internal/tally/tallytest"
	"example.com/backoff/retry/otelretry"
)

// A call of n attempts makes n spans below the caller's. They begin and end with the
// attempts, to the nanosecond, also if an attempt panics or the call ends during a delay.
func TestSpans(t *testing.T) {
	for _, call := range tallytest.Calls() {
		t.Run(call.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRecorder()
				start := time.Now()
				ctx, parent := r.caller(t.Context())
				call.Run(ctx, otelretry.Observe(r.options(otelretry.WithName("load"))...))
				if diff := cmp.Diff(wantSpans(call, parent), r.ended(start)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if ended, started := len(r.spans.Ended()), len(r.spans.Started()); ended != started-1 {
					t.Errorf("%d of %d spans ended, want all but the caller's", ended, started)
				}
			})
		})
	}
}

// wantSpans returns the spans of a call.
func wantSpans(call tallytest.Call, parent string) []span {
	var all []span
	var now time.Duration
	for i, result := range call.Attempts {
		want := span{
			Name: "attempt load", Parent: parent, Status: "Error " + tallytest.Err.Error(),
			Attributes: attributes{
				"retry.name": "load", "retry.attempt.number": int64(i + 1), "retry.result": result,
				"error.type": "*errors.errorString",
			},
		}
		if i > 0 {
			want.Attributes["retry.attempt.delay"] = call.Delays[i-1].Seconds()
			now += call.Delays[i-1]
		}
		switch result {
		case "success":
			want.Status = "Unset "
			delete(want.Attributes, "error.type")
		case "panic":
			want.Status = "Error panic"
			want.Attributes["error.type"] = "panic"
		}
		want.Start = now
		now += tallytest.Took
		want.End = now
		all = append(all, want)
	}
	return all
}

// A span has the times of its attempt, however long other observers take before it starts
// and before it ends.
func TestSpanTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		start := time.Now()
		slowly := func(before, after time.Duration) retry.Option {
			return retry.Observe(func(context.Context, retry.Attempt) (context.Context, func(retry.Outcome)) {
				time.Sleep(before)
				return nil, func(retry.Outcome) { time.Sleep(after) }
			})
		}
		_ = retry.Do(t.Context(), backoff.Constant(0), func(context.Context) error {
			time.Sleep(time.Second)
			return nil
		}, slowly(time.Minute, 0), otelretry.Observe(r.options()...), slowly(0, time.Hour))
		got := r.ended(start)[0]
		if got.Start != 0 || got.End != time.Minute+time.Second {
			t.Errorf("it lasts from %v to %v, want 0s to 1m1s", got.Start, got.End)
		}
	})
}

// Without a name there is no attribute for it, and the span is an attempt.
func TestSpanWithoutName(t *testing.T) {
	r := newRecorder()
	_ = retry.Do(t.Context(), backoff.Constant(0), func(context.Context) error { return nil }, otelretry.Observe(r.options(otelretry.Option{})...))
	got := r.ended(time.Time{})[0]
	got.Start, got.End = 0, 0
	want := span{
		Name: "attempt", Parent: "0000000000000000", Status: "Unset ",
		Attributes: attributes{"retry.attempt.number": int64(1), "retry.result": "success"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The scope of the spans names the version of the conventions that has their attribute
// error.type. The attributes of the metrics are not of the conventions.
func TestSchema(t *testing.T) {
	r := newRecorder()
	_ = retry.Do(t.Context(), backoff.Constant(0), func(context.Context) error { return nil }, otelretry.Observe(r.options()...))
	got := r.spans.Ended()[0].InstrumentationScope().SchemaURL
	if want := "https://opentelemetry.io/schemas/1.43.0"; got != want {
		t.Errorf("schema %q, want %q", got, want)
	}
}

// A span that the operation starts is a child of its attempt's.
func TestChildren(t *testing.T) {
	r := newRecorder()
	attempts := 0
	_ = retry.Do(t.Context(), backoff.Constant(0), func(ctx context.Context) error {
		_, child := r.tracer.Tracer("operation").Start(ctx, "child")
		child.End()
		if attempts++; attempts < 3 {
			return tallytest.Err
		}
		return nil
	}, otelretry.Observe(r.options()...), retry.AttemptTimeout(time.Hour))
	numbers := map[trace.SpanID]any{} // of attempts
	var parents []trace.SpanID        // of children
	for _, s := range r.spans.Ended() {
		if s.Name() == "child" {
			parents = append(parents, s.Parent().SpanID())
		} else {
			numbers[s.SpanContext().SpanID()] = s.Attributes()[0].Value.AsInterface()
		}
	}
	var got []any
	for _, p := range parents {
		got = append(got, numbers[p])
	}
	if diff := cmp.Diff([]any{int64(1), int64(2), int64(3)}, got); diff != "" {
		t.Errorf("attempts of the children (-want +got):\n%s", diff)
	}
}

// totals are what calls should have counted.
type totals struct {
	attempts, calls          map[string]int
	retries, retried, delays int
	delay                    time.Duration
}

func (c *totals) add(call tallytest.Call) {
	for _, result := range call.Attempts {
		c.attempts["retry.name=load,retry.result="+result]++
	}
	if call.Result != "" {
		c.calls["retry.name=load,retry.result="+call.Result]++
	}
	if n := len(call.Attempts) - 1; n > 0 {
		c.retried++
		c.retries += n
	}
	for _, d := range call.Delays {
		c.delays++
		c.delay += d
	}
}

// series returns them in the form of the function series, without metrics that have none.
func (c *totals) series() map[string]map[string]string {
	want := map[string]map[string]string{"retry.attempts": {}, "retry.calls": {}}
	for key, n := range c.attempts {
		want["retry.attempts"][key] = fmt.Sprint(n)
	}
	for key, n := range c.calls {
		want["retry.calls"][key] = fmt.Sprint(n)
	}
	if c.retried > 0 {
		want["retry.call.retries"] = map[string]string{"retry.name=load": fmt.Sprintf("%d, sum %d", c.retried, c.retries)}
	}
	if c.delays > 0 {
		want["retry.delay"] = map[string]string{"retry.name=load": fmt.Sprintf("%d, sum %.9f", c.delays, c.delay.Seconds())}
	}
	return want
}

// Every result is counted, and the delays are exact to the nanosecond.
func TestMetrics(t *testing.T) {
	r := newRecorder()
	want := totals{attempts: map[string]int{}, calls: map[string]int{}}
	for _, call := range tallytest.Calls() {
		want.add(call)
		synctest.Test(t, func(t *testing.T) {
			call.Run(t.Context(), otelretry.Observe(r.options(otelretry.WithName("load"))...))
		})
		got := map[string]map[string]string{}
		for name, m := range r.collect(t) {
			got[name] = series(m)
		}
		if diff := cmp.Diff(want.series(), got); diff != "" {
			t.Fatalf("after %s (-want +got):\n%s", call.Name, diff)
		}
	}
}

// Units, descriptions, kinds and buckets, which dashboards depend on.
func TestInstruments(t *testing.T) {
	r := newRecorder()
	registration, err := otelretry.ObserveBudget(retry.NewBudget(10, 1), r.options()...)
	if err != nil {
		t.Fatal(err)
	}
	defer registration.Unregister()
	_ = retry.Do(t.Context(), backoff.Take(backoff.Constant(0), 1), func(context.Context) error { return tallytest.Err }, otelretry.Observe(r.options()...))
	got := map[string]string{}
	for name, m := range r.collect(t) {
		text := fmt.Sprintf("%T of %s: %s", m.Data, m.Unit, m.Description)
		switch data := m.Data.(type) {
		case metricdata.Sum[int64]:
			text += fmt.Sprint(" monotonic ", data.IsMonotonic)
		case metricdata.Histogram[int64]:
			text += fmt.Sprint(" ", data.DataPoints[0].Bounds)
		case metricdata.Histogram[float64]:
			text += fmt.Sprint(" ", data.DataPoints[0].Bounds)
		}
		got[name] = text
	}
	want := map[string]string{
		"retry.attempts":      "metricdata.Sum[int64] of {attempt}: Attempts that ended, by result. monotonic true",
		"retry.calls":         "metricdata.Sum[int64] of {call}: Calls that ended, by result. monotonic true",
		"retry.call.retries":  "metricdata.Histogram[int64] of {retry}: Retries of a call that had any. [1 2 3 4 5]",
		"retry.delay":         "metricdata.Histogram[float64] of s: Delays between attempts. [0 1e-05 5e-05 0.0001 0.0003 0.0006 0.0008 0.001 0.002 0.003 0.004 0.005 0.006 0.008 0.01 0.013 0.016 0.02 0.025 0.03 0.04 0.05 0.065 0.08 0.1 0.13 0.16 0.2 0.25 0.3 0.4 0.5 0.65 0.8 1 2 5 10 20 50 100]",
		"retry.budget.tokens": "metricdata.Gauge[float64] of {token}: Tokens of a retry budget.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// 10,000 different errors make no more series than one.
func TestBounded(t *testing.T) {
	r := newRecorder()
	observed := otelretry.Observe(r.options()...)
	count := func() map[string]int {
		n := map[string]int{}
		for name, m := range r.collect(t) {
			n[name] = len(series(m))
		}
		return n
	}
	for i := range 10_000 {
		op := func(context.Context) error { return errors.New(fmt.Sprint("request ", i)) }
		_ = retry.Do(t.Context(), backoff.Take(backoff.Constant(0), 1), op, observed)
		if i%9999 > 0 {
			continue
		}
		want := map[string]int{"retry.attempts": 2, "retry.calls": 1, "retry.call.retries": 1, "retry.delay": 1}
		if diff := cmp.Diff(want, count()); diff != "" {
			t.Errorf("series after %d calls (-want +got):\n%s", i+1, diff)
		}
	}
}

// Goroutines that share an option lose nothing.
func TestConcurrent(t *testing.T) {
	const workers, rounds = 8, 100
	r := newRecorder()
	observed := otelretry.Observe(r.options()...)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range rounds {
				_ = retry.Do(t.Context(), backoff.Take(backoff.Constant(0), 2), func(context.Context) error { return tallytest.Err }, observed)
			}
		})
	}
	wg.Wait()
	want := map[string]string{"retry.result=retry": fmt.Sprint(2 * workers * rounds), "retry.result=exhausted": fmt.Sprint(workers * rounds)}
	if diff := cmp.Diff(want, series(r.collect(t)["retry.attempts"])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := len(r.spans.Ended()); got != 3*workers*rounds {
		t.Errorf("%d spans, want %d", got, 3*workers*rounds)
	}
}

// Without options the global providers record.
func TestGlobalProviders(t *testing.T) {
	tracer, meter := otel.GetTracerProvider(), otel.GetMeterProvider()
	defer otel.SetTracerProvider(tracer)
	defer otel.SetMeterProvider(meter)

	r := newRecorder()
	otel.SetTracerProvider(r.tracer)
	otel.SetMeterProvider(r.meter)

	observed := otelretry.Observe()
	registration, err := otelretry.ObserveBudget(retry.NewBudget(10, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer registration.Unregister()
	_ = retry.Do(t.Context(), backoff.Constant(0), func(context.Context) error { return nil }, observed)
	if got := len(r.spans.Ended()); got != 1 {
		t.Errorf("%d spans, want 1", got)
	}
	got := map[string]map[string]string{}
	for name, m := range r.collect(t) {
		got[name] = series(m)
	}
	want := map[string]map[string]string{
		"retry.attempts": {"retry.result=success": "1"}, "retry.calls": {"retry.result=success": "1"},
		"retry.budget.tokens": {"": "10"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The gauge shows the tokens of the moment, a series for each name, until it is
// unregistered.
func TestObserveBudget(t *testing.T) {
	r := newRecorder()
	a, b := retry.NewBudget(10, 0.5), retry.NewBudget(100, 1)
	first, err := otelretry.ObserveBudget(a, r.options(otelretry.WithName("a"))...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := otelretry.ObserveBudget(b, r.options(otelretry.WithName("b"))...); err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		do   func()
		want map[string]string
	}{
		{func() {}, map[string]string{"retry.name=a": "10", "retry.name=b": "100"}},
		{func() { a.Failed() }, map[string]string{"retry.name=a": "9", "retry.name=b": "100"}},
		{a.Succeeded, map[string]string{"retry.name=a": "9.5", "retry.name=b": "100"}},
		{func() { first.Unregister() }, map[string]string{"retry.name=b": "100"}},
	} {
		step.do()
		if diff := cmp.Diff(step.want, series(r.collect(t)["retry.budget.tokens"])); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for _, row := range []struct {
		want string
		f    func()
	}{
		{`otelretry: WithName: name is "", want a name`, func() { otelretry.WithName("") }},
		{"otelretry: WithTracerProvider: p is nil, want a provider", func() { otelretry.WithTracerProvider(nil) }},
		{"otelretry: WithMeterProvider: p is nil, want a provider", func() { otelretry.WithMeterProvider(nil) }},
		{"otelretry: ObserveBudget: b is nil, want a budget", func() { otelretry.ObserveBudget(nil) }},
	} {
		if got := ending.Of(row.f); got != "panic: "+row.want {
			t.Errorf("it ends with %q, want a panic: %s", got, row.want)
		}
	}
}
