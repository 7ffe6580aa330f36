package otelretry

import (
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"example.com/backoff/internal/argument"
)

// An Option of [Observe] and [ObserveBudget]. If several options set one thing, the last
// one wins. The zero Option sets nothing.
type Option struct{ set func(*config) }

// config is the sum of the options of one call.
type config struct {
	name   string // "": none
	tracer trace.TracerProvider
	meter  metric.MeterProvider
}

// newConfig gathers options.
func newConfig(opts []Option) config {
	c := config{tracer: otel.GetTracerProvider(), meter: otel.GetMeterProvider()}
	for _, o := range opts {
		if o.set != nil {
			o.set(&c)
		}
	}
	return c
}

// attributes are those of everything that has this configuration.
func (c config) attributes() []attribute.KeyValue {
	if c.name == "" {
		return nil
	}
	return []attribute.KeyValue{attribute.String(nameKey, c.name)}
}

// WithName names what is retried, such as "fetch user", or the server that a budget is
// for. The name is the attribute retry.name of metrics and spans, and part of the name of
// a span: "attempt fetch user". Default: no attribute, and "attempt".
//
// Each name makes new series of metrics, so use a few fixed ones, without identifiers or
// addresses.
//
// It panics if name is empty.
func WithName(name string) Option {
	if name == "" {
		argument.Reject("otelretry", "WithName", "name", `""`, "a name")
	}
	return Option{func(c *config) { c.name = name }}
}

// WithTracerProvider sets what makes the spans. Default: [otel.GetTracerProvider]. Use
// package go.opentelemetry.io/otel/trace/noop for metrics without spans.
//
// It panics if p is nil.
func WithTracerProvider(p trace.TracerProvider) Option {
	if p == nil {
		argument.Reject("otelretry", "WithTracerProvider", "p", "nil", "a provider")
	}
	return Option{func(c *config) { c.tracer = p }}
}

// WithMeterProvider sets what makes the metrics. Default: [otel.GetMeterProvider]. Use
// package go.opentelemetry.io/otel/metric/noop for spans without metrics.
//
// It panics if p is nil.
func WithMeterProvider(p metric.MeterProvider) Option {
	if p == nil {
		argument.Reject("otelretry", "WithMeterProvider", "p", "nil", "a provider")
	}
	return Option{func(c *config) { c.meter = p }}
}
