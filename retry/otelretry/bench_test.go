package otelretry_test

import (
	"context"
	"testing"

	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/internal/tally/tallytest"
	"example.com/backoff/retry/otelretry"
)

// The cost of a call that succeeds at once, and of each failure without a delay.
func BenchmarkObserve(b *testing.B) {
	noSpans := otelretry.WithTracerProvider(tracenoop.NewTracerProvider())
	noMetrics := otelretry.WithMeterProvider(metricnoop.NewMeterProvider())
	sampled := func(s trace.Sampler) otelretry.Option {
		return otelretry.WithTracerProvider(trace.NewTracerProvider(trace.WithSampler(s), trace.WithSyncer(tracetest.NewNoopExporter())))
	}
	metrics := otelretry.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(metric.NewManualReader())))
	for _, bench := range []struct {
		name string
		opts []retry.Option
	}{
		{"without", nil},
		{"no-op", []retry.Option{otelretry.Observe(noSpans, noMetrics)}},
		{"metrics", []retry.Option{otelretry.Observe(noSpans, metrics)}},
		{"spans", []retry.Option{otelretry.Observe(sampled(trace.AlwaysSample()), noMetrics)}},
		{"spans not sampled", []retry.Option{otelretry.Observe(sampled(trace.NeverSample()), noMetrics)}},
		{"all", []retry.Option{otelretry.Observe(sampled(trace.AlwaysSample()), metrics)}},
	} {
		b.Run("success/"+bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = retry.Do(b.Context(), backoff.Constant(0), func(context.Context) error { return nil }, bench.opts...)
			}
		})
		b.Run("failure/"+bench.name, func(b *testing.B) {
			b.ReportAllocs()
			_ = retry.Do(b.Context(), backoff.Constant(0), func(context.Context) error {
				if b.Loop() {
					return tallytest.Err
				}
				return nil
			}, bench.opts...)
		})
	}
}
