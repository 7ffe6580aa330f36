package otelretry_test

import (
	"context"
	"errors"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/otelretry"
)

// refusing is a meter provider that makes no instrument.
type refusing struct{ noop.MeterProvider }

type refusingMeter struct{ noop.Meter }

var errRefused = errors.New("no such instrument")

func (refusing) Meter(string, ...metric.MeterOption) metric.Meter { return refusingMeter{} }

func (refusingMeter) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return noop.Int64Counter{}, errRefused
}

func (refusingMeter) Float64ObservableGauge(string, ...metric.Float64ObservableGaugeOption) (metric.Float64ObservableGauge, error) {
	return noop.Float64ObservableGauge{}, errRefused
}

// A metric that cannot be made is reported, and does not keep calls from running.
func TestRefusedInstruments(t *testing.T) {
	var reported []error
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { reported = append(reported, err) }))
	defer otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))

	observed := otelretry.Observe(otelretry.WithMeterProvider(refusing{}))
	if err := retry.Do(t.Context(), backoff.Constant(0), func(context.Context) error { return nil }, observed); err != nil {
		t.Error(err)
	}
	if len(reported) != 2 || reported[0] != errRefused || reported[1] != errRefused {
		t.Errorf("reported %v, want that of two counters", reported)
	}
	if _, err := otelretry.ObserveBudget(retry.NewBudget(10, 1), otelretry.WithMeterProvider(refusing{})); err != errRefused {
		t.Errorf("error is %v, want %v", err, errRefused)
	}
}
