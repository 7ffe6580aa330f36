package otelretry_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"example.com/backoff/retry/otelretry"
)

// recorder has providers that record in memory.
type recorder struct {
	spans  *tracetest.SpanRecorder
	tracer *trace.TracerProvider
	reader *metric.ManualReader
	meter  *metric.MeterProvider
}

func newRecorder() *recorder {
	r := &recorder{spans: tracetest.NewSpanRecorder(), reader: metric.NewManualReader()}
	r.tracer = trace.NewTracerProvider(trace.WithSpanProcessor(r.spans), trace.WithSampler(trace.AlwaysSample()))
	r.meter = metric.NewMeterProvider(metric.WithReader(r.reader))
	return r
}

// options let otelretry record.
func (r *recorder) options(more ...otelretry.Option) []otelretry.Option {
	return append(more, otelretry.WithTracerProvider(r.tracer), otelretry.WithMeterProvider(r.meter))
}

// caller starts a span, as the caller of a call does.
func (r *recorder) caller(ctx context.Context) (context.Context, string) {
	ctx, span := r.tracer.Tracer("caller").Start(ctx, "caller")
	return ctx, span.SpanContext().SpanID().String()
}

// span is a span that has ended.
type span struct {
	Name, Parent string // Parent: the span's id
	Start, End   time.Duration
	Status       string
	Attributes   attributes
}

type attributes map[string]any

func attributesOf(s trace.ReadOnlySpan) attributes {
	a := attributes{}
	for _, kv := range s.Attributes() {
		a[string(kv.Key)] = kv.Value.AsInterface()
	}
	return a
}

// ended returns the spans that have ended, with their times since start.
func (r *recorder) ended(start time.Time) []span {
	var all []span
	for _, s := range r.spans.Ended() {
		all = append(all, span{
			Name: s.Name(), Parent: s.Parent().SpanID().String(),
			Start: s.StartTime().Sub(start), End: s.EndTime().Sub(start),
			Status: fmt.Sprint(s.Status().Code, " ", s.Status().Description), Attributes: attributesOf(s),
		})
	}
	return all
}

// collect returns the metrics by name.
func (r *recorder) collect(t testing.TB) map[string]metricdata.Metrics {
	t.Helper()
	var rm metricdata.ResourceMetrics
	if err := r.reader.Collect(context.Background(), &rm); err != nil {
		t.Fatal(err)
	}
	all := map[string]metricdata.Metrics{}
	for _, scope := range rm.ScopeMetrics {
		for _, m := range scope.Metrics {
			all[m.Name] = m
		}
	}
	return all
}

// series returns the values of a metric by their attributes, as text: a sum, a gauge, or
// the number and the sum of a histogram's values.
func series(m metricdata.Metrics) map[string]string {
	all := map[string]string{}
	key := func(s attribute.Set) string { return s.Encoded(attribute.DefaultEncoder()) }
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			all[key(p.Attributes)] = fmt.Sprint(p.Value)
		}
	case metricdata.Gauge[float64]:
		for _, p := range data.DataPoints {
			all[key(p.Attributes)] = fmt.Sprint(p.Value)
		}
	case metricdata.Histogram[int64]:
		for _, p := range data.DataPoints {
			all[key(p.Attributes)] = fmt.Sprintf("%d, sum %d", p.Count, p.Sum)
		}
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			all[key(p.Attributes)] = fmt.Sprintf("%d, sum %.9f", p.Count, p.Sum)
		}
	}
	return all
}
