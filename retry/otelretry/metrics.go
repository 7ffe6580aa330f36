package otelretry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"example.com/backoff/internal/argument"
)

// instruments is the [tally.Meter] of one configuration.
type instruments struct {
	attempts, calls metric.Int64Counter
	retries         metric.Int64Histogram
	delay           metric.Float64Histogram

	// Options that are made once, so that recording allocates little.
	named   []metric.RecordOption
	results map[string][]metric.AddOption
}

func newInstruments(c config) *instruments {
	m := c.meter.Meter(scope)
	i := &instruments{
		named:   []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(c.attributes()...))},
		results: map[string][]metric.AddOption{},
	}
	for _, r := range results {
		all := append(c.attributes(), attribute.String(resultKey, r))
		i.results[r] = []metric.AddOption{metric.WithAttributeSet(attribute.NewSet(all...))}
	}
	i.attempts = must(m.Int64Counter(attemptsMetric, metric.WithUnit("{attempt}"),
		metric.WithDescription("Attempts that ended, by result.")))
	i.calls = must(m.Int64Counter(callsMetric, metric.WithUnit("{call}"),
		metric.WithDescription("Calls that ended, by result.")))
	i.retries = must(m.Int64Histogram(retriesMetric, metric.WithUnit("{retry}"),
		metric.WithDescription("Retries of a call that had any."),
		metric.WithExplicitBucketBoundaries(retriesBuckets...)))
	i.delay = must(m.Float64Histogram(delayMetric, metric.WithUnit("s"),
		metric.WithDescription("Delays between attempts."),
		metric.WithExplicitBucketBoundaries(secondsBuckets...)))
	return i
}

// must reports an error where OpenTelemetry's own errors go, because an instrument that
// cannot be made is no reason to fail: it comes with one that does nothing.
func must[T any](instrument T, err error) T {
	if err != nil {
		otel.Handle(err)
	}
	return instrument
}

// results are what [retry.Outcome.Result] returns. A result that is not among them counts
// as the last.
var results = []string{
	"success", "retry", "permanent", "exhausted", "deadline", "elapsed", "budget", "nested", "throttled", "context", "panic", "other",
}

func (i *instruments) result(r string) []metric.AddOption {
	if opts, ok := i.results[r]; ok {
		return opts
	}
	return i.results[results[len(results)-1]]
}

func (i *instruments) Attempt(ctx context.Context, result string) {
	i.attempts.Add(ctx, 1, i.result(result)...)
}

func (i *instruments) Call(ctx context.Context, result string, retries int) {
	i.calls.Add(ctx, 1, i.result(result)...)
	if retries > 0 {
		i.retries.Record(ctx, int64(retries), i.named...)
	}
}

func (i *instruments) Delay(ctx context.Context, d time.Duration) {
	i.delay.Record(ctx, d.Seconds(), i.named...)
}

// ObserveBudget reports the tokens of b, such as a [*retry.Budget]'s, as the gauge
// retry.budget.tokens, until the Registration is unregistered. Give each budget a name of
// its own by [WithName], because budgets with the same name share one series.
//
// It returns an error if the meter provider refuses the gauge.
//
// It panics if b is nil.
func ObserveBudget(b interface{ Tokens() float64 }, opts ...Option) (metric.Registration, error) {
	if b == nil {
		argument.Reject("otelretry", "ObserveBudget", "b", "nil", "a budget")
	}
	c := newConfig(opts)
	m := c.meter.Meter(scope)
	gauge, err := m.Float64ObservableGauge(tokensMetric, metric.WithUnit("{token}"),
		metric.WithDescription("Tokens of a retry budget."))
	if err != nil {
		return nil, err
	}
	named := metric.WithAttributeSet(attribute.NewSet(c.attributes()...))
	return m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveFloat64(gauge, b.Tokens(), named)
		return nil
	}, gauge)
}
