// Package otelretry reports what package retry does to OpenTelemetry: a span for each
// attempt, and metrics.
//
//	observed := otelretry.Observe(otelretry.WithName("fetch user"))
//
//	err := retry.Do(ctx, delays, func(ctx context.Context) error {
//		return client.Fetch(ctx, id) // its spans are children of the attempt's
//	}, observed)
//
// It is an option for [retry.Do], [retry.Value] and [retry.NewLoop], and for the packages
// below retry that take options of package retry. Make it once and use it for many calls.
// Package [example.com/backoff/retry/expvarretry] counts the same with the standard
// library alone.
//
// This package is a module of its own, because it requires OpenTelemetry. It has no
// published path yet: put a clone of the repository beside your module, as ../backoff, and
// add to your go.mod the lines
//
//	require example.com/backoff v0.0.0
//	require example.com/backoff/retry/otelretry v0.0.0
//	replace example.com/backoff => ../backoff
//	replace example.com/backoff/retry/otelretry => ../backoff/retry/otelretry
//
// and run go mod tidy.
//
// Names and attributes are experimental: a later version may change them, for example
// when OpenTelemetry has conventions for retries.
//
// # Spans
//
// An attempt's span is a child of the span in the caller's context, and the parent of
// the spans that the operation starts. It begins and ends with the attempt, so the gap
// between two of them is the delay. Its name is "attempt", or "attempt NAME" by
// [WithName]. If the attempt failed, its status is an error with the text of the
// attempt's error. An attempt that panics has a span too.
//
//	attribute             value
//	retry.name            of WithName
//	retry.attempt.number  1, 2, 3, ...
//	retry.attempt.delay   the delay before it, in seconds; absent from the first
//	retry.result          what followed: see below
//	error.type            the type of its error, or "panic" if it panicked
//
// # Metrics
//
//	metric               kind       unit       counts
//	retry.attempts       counter    {attempt}  attempts that ended, by retry.result
//	retry.calls          counter    {call}     calls that ended, by retry.result
//	retry.call.retries   histogram  {retry}    retries of each call that had any
//	retry.delay          histogram  s          each delay that passed
//	retry.budget.tokens  gauge      {token}    tokens of a budget, by ObserveBudget
//
// All have the attribute retry.name, if there is a name. retry.result is one that
// [retry.Outcome.Result] lists; "retry" means that a retry was to follow, so only an
// attempt has it. Nothing else is an attribute of a metric, so the number of series does
// not depend on the errors. A call without an attempt is not counted: its context was
// already done, or a [retry.Limiter] rejected the first attempt.
//
// A delay counts as it was planned, so without the lateness of a timer, and one that the
// context cuts short as long as it lasted. The buckets are those that gRPC recommends for
// its own metrics of retries, in [A96].
//
// # HTTP
//
// OpenTelemetry's conventions for HTTP have a stable attribute for retries,
// http.request.resend_count, on the span of a request: absent at first, then 1, 2, 3, ...
// [NewTransport] sets it.
//
// # Dependencies
//
//	go.opentelemetry.io/otel         the global providers, attributes, and names of conventions
//	go.opentelemetry.io/otel/trace   the API of spans
//	go.opentelemetry.io/otel/metric  the API of metrics
//
// Only tests use go.opentelemetry.io/otel/sdk and go.opentelemetry.io/otel/sdk/metric,
// which record spans and metrics,
// go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp, whose spans get the
// resend count, and github.com/google/go-cmp.
//
// [A96]: https://github.com/grpc/proposal/blob/master/A96-retry-otel-stats.md
package otelretry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"example.com/backoff/retry"
	"example.com/backoff/retry/internal/tally"
)

// Observe returns an option that makes a span of each attempt, and counts attempts,
// calls and delays. The package comment has their names. The option serves any number of
// calls at once.
func Observe(opts ...Option) retry.Option {
	c := newConfig(opts)
	o := &observer{
		tracer:      c.tracer.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL)),
		instruments: newInstruments(c),
		span:        "attempt",
		attributes:  c.attributes(),
	}
	if c.name != "" {
		o.span += " " + c.name
	}
	return retry.Observe(o.begin)
}

type observer struct {
	tracer      trace.Tracer
	instruments *instruments
	span        string
	attributes  []attribute.KeyValue
}

// attempt is one attempt. It is also a value of the attempt's context, where its address
// tells attempts apart.
type attempt struct {
	number  int
	began   time.Time // without the time of observers before
	span    trace.Span
	counted tally.Attempt
}

// begin starts the span of an attempt, and returns the function that ends it.
func (o *observer) begin(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
	attributes := append(o.attributes[:len(o.attributes):len(o.attributes)], attribute.Int(numberKey, a.Number))
	if a.Number > 1 {
		attributes = append(attributes, attribute.Float64(delayKey, a.Delay.Seconds()))
	}
	x := &attempt{number: a.Number}
	ctx = context.WithValue(ctx, attemptKey{}, x)
	ctx, x.span = o.tracer.Start(ctx, o.span, trace.WithTimestamp(a.Start), trace.WithAttributes(attributes...))
	x.counted = tally.Begin(ctx, o.instruments, a)
	x.began = time.Now() // last, because Took does not count observers
	return ctx, x.outcome
}

// outcome ends the span. A second outcome, of a call that ends during the delay, finds it
// ended, and so not recording.
func (x *attempt) outcome(o retry.Outcome) {
	x.counted.Outcome(o)
	if x.span.IsRecording() {
		describe(x.span, o)
		x.span.End(trace.WithTimestamp(x.began.Add(o.Took)))
	}
}

// describe sets what the end of an attempt tells.
func describe(span trace.Span, out retry.Outcome) {
	result := out.Result()
	span.SetAttributes(attribute.String(resultKey, result))
	switch {
	case out.Err != nil:
		span.SetAttributes(semconv.ErrorType(out.Err))
		span.SetStatus(codes.Error, out.Err.Error())
	case result != "success":
		span.SetAttributes(semconv.ErrorTypeKey.String(result))
		span.SetStatus(codes.Error, result)
	}
}
