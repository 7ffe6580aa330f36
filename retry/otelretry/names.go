package otelretry

// scope is the name of the tracer and of the meter.
const scope = "example.com/backoff/retry/otelretry"

// The metrics. They are experimental, as the package comment says.
const (
	attemptsMetric = "retry.attempts"
	callsMetric    = "retry.calls"
	retriesMetric  = "retry.call.retries"
	delayMetric    = "retry.delay"
	tokensMetric   = "retry.budget.tokens"
)

// The attributes, which are experimental too. Those of metrics come from a fixed set and
// from WithName, so that no error makes a new series.
const (
	nameKey   = "retry.name"           // of metrics and spans
	resultKey = "retry.result"         // of metrics and spans
	numberKey = "retry.attempt.number" // of spans
	delayKey  = "retry.attempt.delay"  // of spans, in seconds
)

// The buckets that gRPC recommends for its metrics of retries, in [A96], and for delays
// by reference to the latencies of [A66].
//
// [A66]: https://github.com/grpc/proposal/blob/master/A66-otel-stats.md
// [A96]: https://github.com/grpc/proposal/blob/master/A96-retry-otel-stats.md
var (
	retriesBuckets = []float64{1, 2, 3, 4, 5}
	secondsBuckets = []float64{
		0, 0.00001, 0.00005, 0.0001, 0.0003, 0.0006, 0.0008,
		0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.008,
		0.01, 0.013, 0.016, 0.02, 0.025, 0.03, 0.04, 0.05, 0.065, 0.08,
		0.1, 0.13, 0.16, 0.2, 0.25, 0.3, 0.4, 0.5, 0.65, 0.8,
		1, 2, 5, 10, 20, 50, 100,
	}
)
