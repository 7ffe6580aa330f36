package main

import (
	_ "embed"
	"fmt"
	"iter"
	"strings"
	"time"

	"example.com/backoff"
	"example.com/backoff/expr"
)

// A client is a library or a server, and what it does where nobody tells it
// otherwise.
type client struct {
	name    string
	setting string        // where the defaults stand, as Markdown
	module  string        // the Go module that holds them; empty: there is none
	limit   time.Duration // what the defaults name as the largest delay; 0: nothing
	total   time.Duration // what the defaults name as the most in all; 0: nothing
	text    string        // the schedule as package expr has it; empty: there is none
	code    string        // where there is no text: the function that is the schedule
	differs string        // where the client does something else; empty: nowhere
	note    string        // what else is worth knowing; may be empty
	checked string        // how a test holds it against the client
	source  string        // where nothing can be run: what the defaults are taken from

	// build returns the schedule where there is no text.
	build func(...backoff.Option) iter.Seq[time.Duration]
}

// schedule returns the client's schedule.
func (c client) schedule(opts ...backoff.Option) iter.Seq[time.Duration] {
	if c.text == "" {
		return c.build(opts...)
	}
	return c.expr().Schedule(opts...)
}

// random reports whether two operations may wait differently.
func (c client) random() bool { return c.text == "" || c.expr().Random() }

func (c client) expr() *expr.Expr {
	e, err := expr.Parse(c.text)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", c.name, err)) // TestTexts parses them all
	}
	return e
}

//go:embed asynq.go
var asynqSource string

// clients are the rows of the page, in its order.
var clients = []client{
	{
		name:    "gRPC connections",
		setting: "`backoff.DefaultConfig`",
		module:  "google.golang.org/grpc",
		limit:   2 * time.Minute,
		text:    "constant(1s) | take(1) | then(exponential(1.6s, 1.6) | cap(2m) | spread(0.2))",
		note:    "The protocol counts the delay from the start of the attempt, its Go implementation from the end.",
		checked: "connections that cannot be made, dialed by the real client in virtual time: bounds and distributions",
	},
	{
		name:    "Kubernetes workqueue",
		setting: "`workqueue.DefaultTypedControllerRateLimiter`",
		module:  "k8s.io/client-go",
		limit:   1000 * time.Second,
		text:    "exponential(5ms, 2) | cap(16m40s)",
		differs: "the bucket that all items of a queue share (it holds 100 and gains 10 a second) delays an item further when more than that are retried.",
		checked: "the limiter, and an item that fails in a real queue in virtual time: delay by delay",
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
		text:    "uniform(10ms, 11ms) | take(1) | then(uniform(50ms, 55ms) | take(1)) | then(uniform(250ms, 275ms) | take(1))",
		checked: "retry.OnError in virtual time: bounds and distributions",
	},
	{
		name:    "AWS SDK for Go v2",
		setting: "`retry.NewStandard()`",
		module:  "github.com/aws/aws-sdk-go-v2",
		limit:   20 * time.Second,
		text:    "full-jitter(2s, 4s) | take(2)",
		differs: "the token bucket that the requests of a client share may refuse a retry.",
		checked: "the real retry middleware in virtual time: bounds and distributions",
	},
	{
		name:    "AWS SDK for Go v2, MaxAttempts raised",
		setting: "`retry.AddWithMaxAttempts(retry.NewStandard(), 0)`, which is no limit,",
		module:  "github.com/aws/aws-sdk-go-v2",
		limit:   20 * time.Second,
		text:    "full-jitter(2s, 16s) | take(4) | then(constant(20s) | take(96))",
		differs: "the other requests of a client share its token bucket, and what ends it is that this is empty: a retry costs 5 of 500 tokens, 10 after a timeout.",
		checked: "the real retry middleware in virtual time, until it gives up: bounds and distributions",
	},
	{
		name:    "AWS SDK for Go v2, AWS_NEW_RETRIES_2026=true",
		setting: "`retry.NewStandard()`",
		module:  "github.com/aws/aws-sdk-go-v2",
		limit:   20 * time.Second,
		text:    "full-jitter(50ms, 100ms) | take(2)",
		differs: "after a throttling error it is `full-jitter(1s, 2s) | take(2)`, and the token bucket may refuse a retry.",
		checked: "the real retry middleware in virtual time: bounds and distributions",
	},
	{
		name:    "cenkalti/backoff",
		setting: "`backoff.Retry`",
		module:  "github.com/cenkalti/backoff/v5",
		limit:   time.Minute,
		total:   15 * time.Minute,
		text:    "exponential(500ms, 1.5) | cap(1m) | spread(0.5) | within(15m)",
		differs: "the time of the attempts counts towards the 15m, and rounding takes up to 10ns.",
		checked: "backoff.Retry in virtual time, until it gives up: bounds and distributions",
	},
	{
		name:    "gax, for Google's clients",
		setting: "The zero `gax.Backoff`",
		module:  "github.com/googleapis/gax-go/v2",
		limit:   30 * time.Second,
		text:    "full-jitter(1s, 30s)",
		differs: "its least delay is 1ns.",
		note:    "Only the deadline of the context ends it. Generated clients set a base, a factor and a limit of their own.",
		checked: "Backoff.Pause: bounds and distributions",
	},
	{
		name:    "hashicorp/go-retryablehttp",
		setting: "`retryablehttp.NewClient`",
		module:  "github.com/hashicorp/go-retryablehttp",
		limit:   30 * time.Second,
		text:    "exponential(1s, 2) | cap(30s) | take(4)",
		differs: "the Retry-After header of an answer 429 or 503 replaces the delay.",
		checked: "a client whose every request fails, in virtual time: delay by delay",
	},
	{
		name:    "avast/retry-go",
		setting: "`retry.Do`",
		module:  "github.com/avast/retry-go/v4",
		text:    avast(),
		note:    "It is 100ms·2ⁿ and up to 100ms more.",
		checked: "retry.Do in virtual time: bounds and distributions",
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
		note:    "It is a function because no expression has delays in whole seconds.",
		checked: "DefaultRetryDelayFunc: bounds and distributions; the number of retries of a task that a real server holds",
	},
	{
		name:    "Temporal, activities",
		setting: "An activity without a `RetryPolicy`",
		limit:   100 * time.Second,
		text:    "exponential(1s, 2) | cap(1m40s)",
		note:    "Only a timeout of the activity ends it. The test environment of the Go SDK has other defaults than the server: `constant(1s) | take(9)`.",
		checked: "base and factor, and those other defaults, in the test environment of go.temporal.io/sdk: delay by delay. The limit and the endlessness are the server's and documented, not run",
		source:  "https://docs.temporal.io/encyclopedia/retry-policies",
	},
	{
		name:    "JetStream, a consumer",
		setting: "A `ConsumerConfig` without `AckWait`, `MaxDeliver` and `BackOff`",
		module:  "github.com/nats-io/nats.go",
		text:    "constant(30s)",
		differs: "the delay begins at the delivery, so that the time of the handler is part of it.",
		note:    "A message that is refused by `Nak` comes back at once: `constant(0s)`.",
		checked: "the configuration that a real server gives such a consumer; redeliveries with a shorter AckWait",
	},
	{
		name:    "NATS, reconnecting",
		setting: "`nats.Connect` with one server",
		module:  "github.com/nats-io/nats.go",
		text:    "uniform(2s, 2.1s) | take(60)",
		differs: "with TLS the jitter is up to 1s, and with several servers the delay follows each round of all.",
		checked: "a connection that is lost and cannot be made again, dialed by the real client in virtual time until it gives up: bounds and distributions",
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
}

// avast returns 100 ms·2ⁿ + U[0, 100 ms) for n from 0 to 8, each delay a uniform
// stage of its own.
func avast() string {
	var stages []string
	for n := range 9 {
		e := 100 * time.Millisecond << n
		stage := fmt.Sprintf("uniform(%s, %s) | take(1)", expr.FormatDuration(e), expr.FormatDuration(e+100*time.Millisecond))
		if n > 0 {
			stage = "then(" + stage + ")"
		}
		stages = append(stages, stage)
	}
	return strings.Join(stages, " | ")
}
