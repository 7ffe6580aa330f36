package main

import (
	_ "embed"
	"iter"
	"strings"
	"time"

	"example.com/backoff"
	"example.com/backoff/interop/observed"
)

// A client is a library or a server, with the schedule that it follows unless it is
// configured.
type client struct {
	name    string
	setting string        // where the defaults are defined, as Markdown
	module  string        // the Go module that defines them; empty: none
	limit   time.Duration // the max delay according to the client; 0: none
	total   time.Duration // the max duration according to the client; 0: none
	text    string        // the schedule as an expression; empty: see code
	code    string        // the function that is the schedule, if there is no text
	differs string        // how the client differs from the schedule, after "except that"; empty: not at all
	note    string        // what else a reader should know; may be empty
	checked string        // how a test compares the schedule with the client
	source  string        // the documentation, if the client cannot be run

	// build returns the schedule if there is no text.
	build func(...backoff.Option) iter.Seq[time.Duration]
}

// schedule returns the client's schedule.
func (c client) schedule(opts ...backoff.Option) iter.Seq[time.Duration] {
	return c.observed().New(opts...)
}

// observed returns the schedule for a comparison with the client.
func (c client) observed() observed.Schedule {
	if c.text == "" {
		return observed.Schedule{New: c.build, Random: true}
	}
	return observed.Expr(c.text) // TestTexts parses every text
}

// random reports whether two operations may wait differently.
func (c client) random() bool { return c.observed().Random }

//go:embed asynq.go
var asynqSource string

// clients are the rows of the page, in this order.
var clients = []client{
	{
		name:    "gRPC connections",
		setting: "`backoff.DefaultConfig`",
		module:  "google.golang.org/grpc",
		limit:   2 * time.Minute,
		text:    "constant(1s) | take(1) | then(exponential(1.6s, 1.6) | cap(2m) | spread(0.2))",
		note:    "The protocol counts a delay from the start of the attempt, grpc-go from its end.",
		checked: "connections that always fail, dialed by the real client in virtual time: bounds and distributions",
	},
	{
		name:    "Kubernetes workqueue",
		setting: "`workqueue.DefaultTypedControllerRateLimiter`",
		module:  "k8s.io/client-go",
		limit:   1000 * time.Second,
		text:    "exponential(5ms, 2) | cap(16m40s)",
		differs: "all items of a queue share a bucket of 100 tokens that gains 10 a second: if more items than that are retried, they wait longer.",
		checked: "the limiter, and an item that always fails in a real queue in virtual time: delay by delay",
	},
	{
		name:    "Kubernetes client-go, DefaultRetry",
		setting: "`retry.DefaultRetry`, for conflicts,",
		module:  "k8s.io/client-go",
		text:    "uniform(10ms, 11ms) | take(4)",
		checked: "retry.OnError in virtual time: bounds and distributions",
	},
	{
		name:    "Kubernetes client-go, DefaultBackoff",
		setting: "`retry.DefaultBackoff`, for conflicts with controllers,",
		module:  "k8s.io/client-go",
		text:    "exponential(10ms, 5) | add(exponential(1ms, 5) | jitter(1)) | take(3)",
		checked: "retry.OnError in virtual time: bounds and distributions",
	},
	{
		name:    "AWS SDK for Go v2",
		setting: "`retry.NewStandard()`",
		module:  "github.com/aws/aws-sdk-go-v2",
		limit:   20 * time.Second,
		text:    "full-jitter(2s, 4s) | take(2)",
		differs: "all requests of a client share a token bucket, which may refuse a retry.",
		checked: "the real retry middleware in virtual time: bounds and distributions",
	},
	{
		name:    "AWS SDK for Go v2, MaxAttempts raised",
		setting: "`retry.AddWithMaxAttempts(retry.NewStandard(), 0)`, which removes the limit,",
		module:  "github.com/aws/aws-sdk-go-v2",
		limit:   20 * time.Second,
		text:    "full-jitter(2s, 16s) | take(4) | then(constant(20s) | take(96))",
		differs: "all requests of a client share a token bucket, and retrying ends when it is empty: a retry costs 5 of 500 tokens, 10 after a timeout.",
		checked: "the real retry middleware in virtual time, until it gives up: bounds and distributions",
	},
	{
		name:    "AWS SDK for Go v2, AWS_NEW_RETRIES_2026=true",
		setting: "`retry.NewStandard()`",
		module:  "github.com/aws/aws-sdk-go-v2",
		limit:   20 * time.Second,
		text:    "full-jitter(50ms, 100ms) | take(2)",
		differs: "after a throttling error the schedule is `full-jitter(1s, 2s) | take(2)`, and the token bucket may refuse a retry.",
		checked: "the real retry middleware in virtual time: bounds and distributions",
	},
	{
		name:    "cenkalti/backoff",
		setting: "`backoff.Retry`",
		module:  "github.com/cenkalti/backoff/v5",
		limit:   time.Minute,
		total:   15 * time.Minute,
		text:    "exponential(500ms, 1.5) | cap(1m) | spread(0.5) | within(15m)",
		differs: "the attempts count towards the 15m, and rounding takes up to 10ns.",
		note:    "v4 has the same defaults.",
		checked: "backoff.Retry of v4 and v5 in virtual time, until it gives up: bounds and distributions",
	},
	{
		name:    "gax, for Google's clients",
		setting: "The zero `gax.Backoff`",
		module:  "github.com/googleapis/gax-go/v2",
		limit:   30 * time.Second,
		text:    "full-jitter(1s, 30s)",
		differs: "the shortest delay is 1ns.",
		note:    "Only the context ends it. Generated clients set their own initial delay, multiplier and max delay.",
		checked: "Backoff.Pause: bounds and distributions",
	},
	{
		name:    "hashicorp/go-retryablehttp",
		setting: "`retryablehttp.NewClient`",
		module:  "github.com/hashicorp/go-retryablehttp",
		limit:   30 * time.Second,
		text:    "exponential(1s, 2) | cap(30s) | take(4)",
		differs: "the Retry-After header of a response 429 or 503 replaces the delay.",
		checked: "a client whose every request fails, in virtual time: delay by delay",
	},
	{
		name:    "avast/retry-go",
		setting: "`retry.Do`",
		module:  "github.com/avast/retry-go/v4",
		note:    "v5 has the same defaults.",
		text:    "exponential(100ms, 2) | add(uniform(0s, 100ms)) | take(9)",
		checked: "retry.Do of v4 and v5 in virtual time: bounds and distributions",
	},
	{
		name:    "failsafe-go",
		setting: "`retrypolicy.NewWithDefaults`",
		module:  "github.com/failsafe-go/failsafe-go",
		text:    "constant(0s) | take(2)",
		checked: "failsafe.With in virtual time: delay by delay",
	},
	{
		name:    "jpillora/backoff",
		setting: "The zero `Backoff`",
		module:  "github.com/jpillora/backoff",
		limit:   10 * time.Second,
		text:    "exponential(100ms, 2) | cap(10s)",
		checked: "Backoff.Duration: delay by delay",
	},
	{
		name:    "River",
		setting: "`river.DefaultClientRetryPolicy` and `river.MaxAttemptsDefault`",
		module:  "github.com/riverqueue/river",
		text:    "polynomial(1s, 4) | spread(0.1) | take(24)",
		differs: "a job starts up to one poll interval later.",
		checked: "DefaultClientRetryPolicy.NextRetry in virtual time: bounds and distributions",
	},
	{
		name:    "asynq",
		setting: "`asynq.DefaultRetryDelayFunc` and 25 retries",
		module:  "github.com/hibiken/asynq",
		code:    asynqSource[strings.Index(asynqSource, "func asynqDelays"):],
		build:   asynqDelays,
		differs: "a task starts up to one check interval later.",
		note:    "This is a function because an expression cannot round delays to whole seconds.",
		checked: "DefaultRetryDelayFunc: bounds and distributions; the number of retries, on a real server",
	},
	{
		name:    "Temporal, activities",
		setting: "An activity without a `RetryPolicy`",
		limit:   100 * time.Second,
		text:    "exponential(1s, 2) | cap(1m40s)",
		note:    "Only a timeout of the activity ends it. The test environment of the Go SDK has other defaults: `constant(1s) | take(9)`.",
		checked: "initial delay and multiplier, and those other defaults, in the test environment of go.temporal.io/sdk: delay by delay. The limit, and that retries do not end, are documented and not run",
		source:  "https://docs.temporal.io/encyclopedia/retry-policies",
	},
	{
		name:    "JetStream, a consumer",
		setting: "A `ConsumerConfig` without `AckWait`, `MaxDeliver` and `BackOff`",
		module:  "github.com/nats-io/nats.go",
		text:    "constant(30s)",
		differs: "the delay begins at the delivery, so it includes the time of the handler.",
		note:    "After a `Nak` the server redelivers at once: `constant(0s)`.",
		checked: "the configuration that a real server returns for such a consumer; redeliveries with a shorter AckWait",
	},
	{
		name:    "NATS, reconnecting",
		setting: "`nats.Connect` with one server",
		module:  "github.com/nats-io/nats.go",
		text:    "uniform(2s, 2.1s) | take(60)",
		differs: "with TLS the jitter is up to 1s, and with several servers the client waits only after it has tried all of them.",
		checked: "a lost connection that the real client dials again, in virtual time until it gives up: bounds and distributions",
	},
	{
		name:    "Polly",
		setting: "`RetryStrategyOptions`",
		text:    "constant(2s) | take(3)",
		source:  "https://www.pollydocs.org/strategies/retry#defaults",
	},
	{
		name:    "Polly in .NET's standard HTTP handler",
		setting: "`HttpRetryStrategyOptions`",
		text:    "smooth-jitter(2s, none) | take(3)",
		differs: "the timeouts of the handler may end it sooner, and a Retry-After header replaces the delay.",
		checked: "the formula of its source, DecorrelatedJitterBackoffV2, written again in Go: bounds and distributions",
		source:  "https://learn.microsoft.com/dotnet/core/resilience/http-resilience#standard-resilience-handler-defaults",
	},
	{
		name:    "Resilience4j",
		setting: "`RetryConfig.ofDefaults()`",
		text:    "constant(500ms) | take(2)",
		source:  "https://resilience4j.readme.io/docs/retry",
	},
	{
		name:    "tenacity",
		setting: "`@retry` without arguments",
		text:    "constant(0s)",
		note:    "It retries without a wait until the function returns.",
		source:  "https://tenacity.readthedocs.io/en/latest/#basic-retry",
	},
	{
		name:    "Debian's retry",
		setting: "`retry -- COMMAND`",
		text:    "constant(10s)",
		source:  "https://manpages.debian.org/retry",
	},
}
