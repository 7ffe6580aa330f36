package otelretry_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/otelretry"
	"example.com/backoff/retry/retryhttp"
)

var delays = backoff.Constant(time.Millisecond)

// flaky fails twice.
func flaky() func(context.Context) error {
	calls := 0
	return func(context.Context) error {
		if calls++; calls <= 2 {
			return errors.New("connection refused")
		}
		return nil
	}
}

// printer prints the spans that end.
type printer struct{ tracetest.NoopExporter }

func (printer) ExportSpans(_ context.Context, spans []trace.ReadOnlySpan) error {
	for _, s := range spans {
		a := attributesOf(s)
		fmt.Println(s.Name(), a["retry.attempt.number"], a["retry.result"])
	}
	return nil
}

// printMetrics prints the metrics of a reader.
func printMetrics(reader metric.Reader) {
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		fmt.Println(err)
	}
	for _, m := range all.ScopeMetrics[0].Metrics {
		var lines []string
		for attributes, value := range series(m) {
			lines = append(lines, fmt.Sprintf("%s{%s} %s", m.Name, attributes, value))
		}
		slices.Sort(lines)
		for _, line := range lines {
			fmt.Println(line)
		}
	}
}

func ExampleObserve() {
	// In a program: otel.SetTracerProvider and otel.SetMeterProvider, and no options here.
	spans := trace.NewTracerProvider(trace.WithSyncer(new(printer)))
	reader := metric.NewManualReader()
	metrics := metric.NewMeterProvider(metric.WithReader(reader))
	observed := otelretry.Observe(otelretry.WithTracerProvider(spans), otelretry.WithMeterProvider(metrics))

	err := retry.Do(context.Background(), delays, flaky(), observed)
	fmt.Println(err)
	printMetrics(reader)
	// Output:
	// attempt 1 retry
	// attempt 2 retry
	// attempt 3 success
	// <nil>
	// retry.attempts{retry.result=retry} 2
	// retry.attempts{retry.result=success} 1
	// retry.calls{retry.result=success} 1
	// retry.call.retries{} 1, sum 2
	// retry.delay{} 2, sum 0.002000000
}

func ExampleWithName() {
	spans := trace.NewTracerProvider(trace.WithSyncer(new(printer)))
	observed := otelretry.Observe(otelretry.WithName("fetch user"), otelretry.WithTracerProvider(spans))

	err := retry.Do(context.Background(), delays, flaky(), observed)
	fmt.Println(err)
	// Output:
	// attempt fetch user 1 retry
	// attempt fetch user 2 retry
	// attempt fetch user 3 success
	// <nil>
}

func ExampleWithTracerProvider() {
	spans := trace.NewTracerProvider(trace.WithSyncer(new(printer)))
	observed := otelretry.Observe(otelretry.WithTracerProvider(spans))

	err := retry.Do(context.Background(), delays, flaky(), observed, retry.MaxAttempts(1))
	fmt.Println(err != nil)
	// Output:
	// attempt 1 exhausted
	// true
}

func ExampleWithMeterProvider() {
	reader := metric.NewManualReader()
	metrics := metric.NewMeterProvider(metric.WithReader(reader))
	observed := otelretry.Observe(otelretry.WithMeterProvider(metrics))

	_ = retry.Do(context.Background(), delays, flaky(), observed, retry.MaxAttempts(1))
	printMetrics(reader)
	// Output:
	// retry.attempts{retry.result=exhausted} 1
	// retry.calls{retry.result=exhausted} 1
}

func ExampleObserveBudget() {
	reader := metric.NewManualReader()
	metrics := metric.NewMeterProvider(metric.WithReader(reader))
	budget := retry.NewBudget(10, 0.1)
	gauge, err := otelretry.ObserveBudget(budget, otelretry.WithName("users"), otelretry.WithMeterProvider(metrics))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gauge.Unregister()

	_ = retry.Do(context.Background(), delays, flaky(), retry.WithBudget(budget))
	printMetrics(reader)
	// Output: retry.budget.tokens{retry.name=users} 8.1
}

func ExampleNewTransport() {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if requests++; requests < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()

	recorder := tracetest.NewSpanRecorder()
	spans := trace.NewTracerProvider(trace.WithSpanProcessor(recorder))
	base := otelretry.NewTransport(http.DefaultTransport)
	client := &http.Client{
		Transport: retryhttp.NewTransport(base, delays, otelretry.Observe(otelretry.WithTracerProvider(spans))),
	}
	resp, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	for _, s := range recorder.Ended() {
		fmt.Println(s.Name(), attributesOf(s)["http.request.resend_count"])
	}
	// Output:
	// 200 OK
	// attempt <nil>
	// attempt 1
	// attempt 2
}
